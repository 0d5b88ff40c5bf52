/** Invoice number series. The row is locked while numbers are assigned, so numbers have no gaps. */
import { sql } from 'kysely'
import { type Id, idFromUuid, uuidOf } from '../../../../kernel/id.ts'
import type { TaxMode } from '../../../../kernel/parties.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'

export type Series = {
  readonly id: Id<'invoice_series'>
  readonly prefix: string
  readonly nextSequence: bigint
}

export type SeriesAndTax = { readonly seriesId: Id<'invoice_series'>; readonly taxMode: TaxMode }

/**
 * The series of the workspace, which is created with its first invoice, and whether the workspace uses tax: one statement
 * for both.
 */
export async function requireSeriesAndTax(tx: Tx): Promise<SeriesAndTax> {
  const workspace = sql`${uuidOf(tx.caller.workspaceId)}::uuid`
  const { rows } = await sql<{ id: string | null; tax: TaxMode | null }>`
    select (select id from invoice_series where workspace_id = ${workspace}) as id,
      (select tax from sellers where workspace_id = ${workspace}) as tax`.execute(tx.db)
  const { id = null, tax = null } = rows[0] ?? {}
  const seriesId = id === null ? await createSeries(tx) : idFromUuid('invoice_series', tx.caller.mode, id)
  return { seriesId, taxMode: tax ?? 'none' }
}

async function createSeries(tx: Tx): Promise<Id<'invoice_series'>> {
  const prefix = tx.caller.mode === 'live' ? 'INV' : 'TEST'
  // Two transactions may create the series concurrently. The second insert waits, and returns the row of the first.
  const { rows } = await sql<{ id: string }>`
    insert into invoice_series as series (workspace_id, id, prefix, created_at)
    values (${uuidOf(tx.caller.workspaceId)}, ${uuidOf(tx.newId('invoice_series'))}, ${prefix}, ${tx.now})
    on conflict (workspace_id) do update set prefix = series.prefix
    returning id`.execute(tx.db)
  return idFromUuid('invoice_series', tx.caller.mode, (rows[0] as { id: string }).id)
}

export async function lockSeries(tx: Tx, id: Id<'invoice_series'>): Promise<Series> {
  const row = await lockingQuery(tx, id).executeTakeFirstOrThrow()
  return { id, prefix: row.prefix, nextSequence: row.next_sequence }
}

/** Null if another transaction holds the lock. */
export async function lockSeriesIfFree(tx: Tx, id: Id<'invoice_series'>): Promise<Series | null> {
  const row = await lockingQuery(tx, id).skipLocked().executeTakeFirst()
  return row === undefined ? null : { id, prefix: row.prefix, nextSequence: row.next_sequence }
}

/**
 * `for no key update` allows other transactions to insert drafts that reference the series while this
 * transaction assigns numbers.
 */
function lockingQuery(tx: Tx, id: Id<'invoice_series'>) {
  return tx.db
    .selectFrom('invoice_series')
    .select(['prefix', 'next_sequence'])
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(id))
    .forNoKeyUpdate()
}

/** Takes the next numbers of a year, and returns the first of them. */
export async function takeNumbersOfYear(
  tx: Tx,
  { id }: Series,
  { year, count }: { readonly year: number; readonly count: number },
): Promise<bigint> {
  const { rows } = await sql<{ next_number: bigint }>`
    insert into invoice_series_years as counter (workspace_id, series_id, year, next_number)
    values (${uuidOf(tx.caller.workspaceId)}, ${uuidOf(id)}, ${year}, 1 + ${count}::int)
    on conflict (workspace_id, series_id, year) do update set next_number = counter.next_number + ${count}::int
    returning next_number`.execute(tx.db)
  return (rows[0] as { next_number: bigint }).next_number - BigInt(count)
}

export async function updateSeries(tx: Tx, { id }: Series, nextSequence: bigint): Promise<void> {
  await tx.db
    .updateTable('invoice_series')
    .set({ next_sequence: nextSequence })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(id))
    .execute()
}
