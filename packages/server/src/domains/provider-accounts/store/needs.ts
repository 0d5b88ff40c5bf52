/** Who else needs an account: what was sent there and may still have an effect, and routes that send payments to it. */
import { sql } from 'kysely'
import { type Id, idFromUuid, uuidFromText, uuidOf } from '../../../kernel/id.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'

/**
 * Whether something that was sent there may still have an effect. Each half has the condition of a partial
 * index (`one_open_operation`, `one_open_refund`) that holds open operations alone: these are few, however many
 * payments there were.
 */
export async function hasOpenOperation(view: View, id: Id<'provider_account'>): Promise<boolean> {
  const own = sql`workspace_id = ${uuidOf(view.caller.workspaceId)} and provider_account_id = ${uuidOf(id)}
    and status in ('sending', 'pending', 'awaiting_customer', 'unknown', 'needs_review')`
  const { rows } = await sql<{ is_open: boolean }>`
    select exists (select from operations where ${own} and kind <> 'refund')
      or exists (select from operations where ${own} and kind = 'refund') as is_open`.execute(view.db)
  return rows[0]?.is_open === true
}

export type NamedRoute = { readonly id: Id<'payment_route'>; readonly name: string }

/** The routes by which a new payment can be sent to the account, by what is published of them. */
export async function listRoutesTo(view: View, id: Id<'provider_account'>): Promise<readonly NamedRoute[]> {
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
 * Until the unit ends, none of them is archived. In the order of their ids, so that two who ask for the same ones
 * cannot wait for each other.
 */
export async function pinAccounts(tx: Tx, ids: readonly string[]): Promise<void> {
  const { workspaceId, mode } = tx.caller
  const uuids = ids.flatMap((id) => uuidFromText('provider_account', mode, id) ?? [])
  await sql`
    select id from provider_accounts
    where workspace_id = ${uuidOf(workspaceId)} and id = any (${uuids}::uuid[])
    order by id for share`.execute(tx.db)
}
