/** Where the numbers of invoices come from. Whoever numbers holds the row, so numbers have no gaps. */
import { sql } from 'kysely'
import { type Id, idFromUuid, uuidOf } from '../../../kernel/id.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'

export type Series = {
  readonly id: Id<'invoice_series'>
  readonly prefix: string
  readonly nextSequence: bigint
}

/** The one of the workspace, which comes to be with its first invoice. */
export async function requireSeries(tx: Tx): Promise<Id<'invoice_series'>> {
  return (await findSeries(tx)) ?? makeSeries(tx)
}

async function findSeries(tx: Tx): Promise<Id<'invoice_series'> | null> {
  const row = await tx.db
    .selectFrom('invoice_series')
    .select('id')
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .executeTakeFirst()
  return row === undefined ? null : idFromUuid('invoice_series', tx.caller.mode, row.id)
}

async function makeSeries(tx: Tx): Promise<Id<'invoice_series'>> {
  const prefix = tx.caller.mode === 'live' ? 'INV' : 'TEST'
  // Two first invoices may come at once. The second one waits, and takes the row of the first.
  const { rows } = await sql<{ id: string }>`
    insert into invoice_series as series (workspace_id, id, prefix, created_at)
    values (${uuidOf(tx.caller.workspaceId)}, ${uuidOf(tx.newId('invoice_series'))}, ${prefix}, ${tx.now})
    on conflict (workspace_id) do update set prefix = series.prefix
    returning id`.execute(tx.db)
  return idFromUuid('invoice_series', tx.caller.mode, (rows[0] as { id: string }).id)
}

export async function lockSeries(tx: Tx, id: Id<'invoice_series'>): Promise<Series> {
  const row = await locked(tx, id).executeTakeFirstOrThrow()
  return { id, prefix: row.prefix, nextSequence: row.next_sequence }
}

/** Null: somebody else numbers at this moment. */
export async function lockSeriesIfFree(tx: Tx, id: Id<'invoice_series'>): Promise<Series | null> {
  const row = await locked(tx, id).skipLocked().executeTakeFirst()
  return row === undefined ? null : { id, prefix: row.prefix, nextSequence: row.next_sequence }
}

/** Its key stays as it is, so drafts that name the series are written while somebody numbers others. */
function locked(tx: Tx, id: Id<'invoice_series'>) {
  return tx.db
    .selectFrom('invoice_series')
    .select(['prefix', 'next_sequence'])
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(id))
    .forNoKeyUpdate()
}

export async function updateSeries(tx: Tx, { id }: Series, nextSequence: bigint): Promise<void> {
  await tx.db
    .updateTable('invoice_series')
    .set({ next_sequence: nextSequence })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(id))
    .execute()
}
