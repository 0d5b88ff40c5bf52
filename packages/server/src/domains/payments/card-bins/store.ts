import { sql } from 'kysely'
import type { Db } from '../../../platform/db/databases.ts'
import { type CardBin, type CardFacts, prefixLengths } from './card-bin.ts'

/** The facts for the longest prefix of the digits; null if there is none. */
export async function findByPrefix(db: Db, digits: string): Promise<CardFacts | null> {
  const prefixes = prefixLengths.map((length) => digits.slice(0, length))
  const { rows } = await sql<CardFacts>`
    select country, issuer, funding from control.card_bins
    where prefix = any(${prefixes}::text[]) order by length(prefix) desc limit 1`.execute(db)
  return rows[0] ?? null
}

export async function hasRows(db: Db): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from control.card_bins) as found`.execute(db)
  return rows[0]?.found === true
}

/** Blocks other imports until the transaction ends. Readers see the previous rows until then. */
export async function deleteAll(db: Db): Promise<void> {
  await sql`lock table control.card_bins in share row exclusive mode`.execute(db)
  await sql`delete from control.card_bins`.execute(db)
}

export async function insertBins(db: Db, bins: readonly CardBin[]): Promise<void> {
  await sql`
    insert into control.card_bins (prefix, country, issuer, funding)
    select * from unnest(${bins.map(({ prefix }) => prefix)}::text[], ${bins.map(({ country }) => country)}::text[],
      ${bins.map(({ issuer }) => issuer)}::text[], ${bins.map(({ funding }) => funding)}::text[])`.execute(db)
}

export async function recordImport(db: Db, prefixes: number, now: Date): Promise<void> {
  await sql`
    insert into control.card_bin_imports (prefixes, imported_at) values (${prefixes}, ${now})
    on conflict (is_last) do update set prefixes = excluded.prefixes, imported_at = excluded.imported_at`.execute(
    db,
  )
}
