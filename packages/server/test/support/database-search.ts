// Searches all columns of all tables for strings that must not be stored.

import type { Client } from 'pg'
import { unpackBodies } from '../../src/domains/access/request-log/bodies.ts'
import { asOwner } from './owner.ts'

/** The tables that contain one of the strings, in a text or a binary column. */
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
    const bodies = await readLoggedBodies(client)
    if (texts.some((text) => bodies.includes(text))) found.push('public.request_log')
    return found
  })
}

/** The bodies of the request log are compressed, so a statement cannot search them. */
export async function readLoggedBodies(client: Client): Promise<string> {
  const { rows } = await client.query<{ bodies: Buffer }>(
    'select bodies from request_log where bodies is not null',
  )
  return rows
    .map(({ bodies }) => unpackBodies(bodies))
    .map(({ requestBody, responseBody }) => `${requestBody}\n${responseBody}`)
    .join('\n')
}
