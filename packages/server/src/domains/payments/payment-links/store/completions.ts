/**
 * Counts the completions of links. A payment reserves a completion until it has ended. All payers of a link
 * update the same row, so it is locked as late in a transaction as possible.
 */
import { sql } from 'kysely'
import { type Id, uuidFromText, uuidOf } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'

export async function insertCompletions(
  tx: Tx,
  id: Id<'payment_link'>,
  maxCompletions: number | null,
): Promise<void> {
  await tx.db
    .insertInto('payment_link_places')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      payment_link_id: uuidOf(id),
      max_completions: maxCompletions,
    })
    .execute()
}

/** Reserves a completion. Returns false if the limit is reached. */
export async function reserveCompletion(tx: Tx, id: Id<'payment_link'>): Promise<boolean> {
  const { rows } = await sql`
    update payment_link_places set reserved = reserved + 1
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and payment_link_id = ${uuidOf(id)}
      and (max_completions is null or reserved + completed < max_completions)
    returning 1`.execute(tx.db)
  return rows.length === 1
}

export async function releaseCompletion(tx: Tx, id: Id<'payment_link'>): Promise<void> {
  await sql`
    update payment_link_places set reserved = reserved - 1
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and payment_link_id = ${uuidOf(id)}`.execute(tx.db)
}

/** Turns a reservation into a completion. Returns true if the limit is reached. */
export async function completeReservation(tx: Tx, id: Id<'payment_link'>): Promise<boolean> {
  const { rows } = await sql<{ is_full: boolean }>`
    update payment_link_places set reserved = reserved - 1, completed = completed + 1
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and payment_link_id = ${uuidOf(id)}
    returning completed >= coalesce(max_completions, completed + 1) as is_full`.execute(tx.db)
  return rows[0]?.is_full ?? false
}

export async function lockCompletions(tx: Tx, text: string): Promise<void> {
  const uuid = uuidFromText('payment_link', tx.caller.mode, text)
  if (uuid === null) return
  await sql`
    select from payment_link_places
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and payment_link_id = ${uuid} for update`.execute(
    tx.db,
  )
}

/** Returns false if more completions than the new limit are already reserved or used. */
export async function updateLimit(
  tx: Tx,
  id: Id<'payment_link'>,
  maxCompletions: number | null,
): Promise<boolean> {
  const { rows } = await sql`
    update payment_link_places set max_completions = ${maxCompletions}::int
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and payment_link_id = ${uuidOf(id)}
      and (${maxCompletions}::int is null or reserved + completed <= ${maxCompletions}::int)
    returning 1`.execute(tx.db)
  return rows.length === 1
}
