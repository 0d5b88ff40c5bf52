// Searches all columns of all tables for texts that must not be stored.

import { asOwner } from '../../src/platform/db/owner.ts'

/** The tables that contain one of the texts, in a text or a binary column. */
export async function tablesContaining(databaseUrl: string, ...texts: readonly string[]): Promise<string[]> {
  const patterns = texts.flatMap((text) => [`%${text}%`, `%${Buffer.from(text).toString('hex')}%`])
  return asOwner(databaseUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'control')",
    )
    const found: string[] = []
    for (const { name } of rows) {
      const hits = await client.query(`select from ${name} as row where row::text like any($1)`, [patterns])
      if (hits.rowCount !== 0) found.push(name)
    }
    return found
  })
}
