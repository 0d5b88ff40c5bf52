/**
 * The places of a link. A payer takes one with the payment, and it is held until that is over. The row is as busy as
 * the link, so each of these comes as late in its unit as possible: until the commit others wait for it.
 */
import { sql } from 'kysely'
import { type Id, uuidFromText, uuidOf } from '../../../kernel/id.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'

export async function insertPlaces(
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

/** False if there is none left. */
export async function takePlace(tx: Tx, id: Id<'payment_link'>): Promise<boolean> {
  const { rows } = await sql`
    update payment_link_places set reserved = reserved + 1
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and payment_link_id = ${uuidOf(id)}
      and (max_completions is null or reserved + completed < max_completions)
    returning 1`.execute(tx.db)
  return rows.length === 1
}

export async function returnPlace(tx: Tx, id: Id<'payment_link'>): Promise<void> {
  await sql`
    update payment_link_places set reserved = reserved - 1
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and payment_link_id = ${uuidOf(id)}`.execute(tx.db)
}

/** Somebody has paid. True if that was the last place. */
export async function fillPlace(tx: Tx, id: Id<'payment_link'>): Promise<boolean> {
  const { rows } = await sql<{ is_full: boolean }>`
    update payment_link_places set reserved = reserved - 1, completed = completed + 1
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and payment_link_id = ${uuidOf(id)}
    returning completed >= coalesce(max_completions, completed + 1) as is_full`.execute(tx.db)
  return rows[0]?.is_full ?? false
}

export async function lockPlaces(tx: Tx, text: string): Promise<void> {
  const uuid = uuidFromText('payment_link', tx.caller.mode, text)
  if (uuid === null) return
  await sql`
    select from payment_link_places
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and payment_link_id = ${uuid} for update`.execute(
    tx.db,
  )
}

/** Changes how many there are. False if more are taken already. */
export async function resizePlaces(
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
