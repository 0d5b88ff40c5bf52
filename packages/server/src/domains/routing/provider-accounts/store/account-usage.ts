/** Whether an account is in use: by open operations, or by published routes. */
import { sql } from 'kysely'
import { type Id, idFromUuid, uuidFromText, uuidOf } from '../../../../kernel/id.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'

/**
 * Whether an operation at the account may still have an effect. Each half matches the predicate of a partial
 * index (`one_open_operation`, `one_open_refund`) that only contains open operations: these are few, however
 * many payments there were.
 */
export async function hasOpenOperation(view: View, id: Id<'provider_account'>): Promise<boolean> {
  const openAtAccount = sql`workspace_id = ${uuidOf(view.caller.workspaceId)} and provider_account_id = ${uuidOf(id)}
    and status in ('sending', 'pending', 'awaiting_customer', 'unknown', 'needs_review')`
  const { rows } = await sql<{ is_open: boolean }>`
    select exists (select from operations where ${openAtAccount} and kind <> 'refund')
      or exists (select from operations where ${openAtAccount} and kind = 'refund') as is_open`.execute(
    view.db,
  )
  return rows[0]?.is_open === true
}

export type NamedRoute = { readonly id: Id<'payment_route'>; readonly name: string }

/** The routes that can send new payments to the account, by their published revision. */
export async function listRoutesUsing(
  view: View,
  id: Id<'provider_account'>,
): Promise<readonly NamedRoute[]> {
  const { workspaceId, mode } = view.caller
  const { rows } = await sql<{ id: string; name: string }>`
    select route.id, revision.definition ->> 'name' as name
    from payment_routes as route
    join payment_route_revisions as revision on revision.workspace_id = route.workspace_id
      and revision.payment_route_id = route.id and revision.number = route.revision
    where route.workspace_id = ${uuidOf(workspaceId)} and route.status = 'active' and route.deleted_at is null
      and ${uuidOf(id)} = any (revision.provider_account_ids)
    order by route.id limit 100`.execute(view.db)
  return rows.map((row) => ({ id: idFromUuid('payment_route', mode, row.id), name: row.name }))
}

/**
 * Until the transaction ends, none of the accounts can be archived. They are locked in the order of their ids,
 * so that concurrent transactions do not deadlock.
 */
export async function lockAgainstArchiving(tx: Tx, ids: readonly string[]): Promise<void> {
  const { workspaceId, mode } = tx.caller
  const uuids = ids.flatMap((id) => uuidFromText('provider_account', mode, id) ?? [])
  await sql`
    select id from provider_accounts
    where workspace_id = ${uuidOf(workspaceId)} and id = any (${uuids}::uuid[])
    order by id for share`.execute(tx.db)
}
