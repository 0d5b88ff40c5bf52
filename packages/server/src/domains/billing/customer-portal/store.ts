/** Rows of portal sessions and of the portal configuration of a workspace. */
import { sql } from 'kysely'
import { type Id, idFromUuid, uuidOf } from '../../../kernel/id.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'
import { defaultConfiguration, type PortalConfiguration, type PortalSession } from './portal.ts'

type NewSession = Pick<PortalSession, 'customerId' | 'secretHash' | 'returnUrl' | 'expiresAt'>

export async function insertSession(tx: Tx, session: NewSession): Promise<PortalSession> {
  const id = tx.newId('portal_session')
  await deleteExpired(tx)
  await tx.db
    .insertInto('portal_sessions')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(id),
      customer_id: uuidOf(session.customerId),
      secret_hash: session.secretHash,
      return_url: session.returnUrl,
      created_at: tx.now,
      expires_at: session.expiresAt,
    })
    .execute()
  return { ...session, id, workspaceId: tx.caller.workspaceId, createdAt: tx.now }
}

/** Deletes a few expired sessions whenever a session is created, so that they do not accumulate. */
async function deleteExpired(tx: Tx): Promise<void> {
  const workspace = uuidOf(tx.caller.workspaceId)
  await sql`
    delete from portal_sessions where workspace_id = ${workspace} and id in (
      select id from portal_sessions
      where workspace_id = ${workspace} and expires_at < ${tx.now}::timestamptz - interval '1 day'
      order by expires_at limit 20)`.execute(tx.db)
}

export async function findSession(view: View, id: Id<'portal_session'>): Promise<PortalSession | null> {
  const row = await view.db
    .selectFrom('portal_sessions')
    .select(['customer_id', 'secret_hash', 'return_url', 'created_at', 'expires_at'])
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuidOf(id))
    .executeTakeFirst()
  if (row === undefined) return null
  return {
    id,
    workspaceId: view.caller.workspaceId,
    customerId: idFromUuid('customer', view.caller.mode, row.customer_id),
    secretHash: row.secret_hash,
    returnUrl: row.return_url,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}

export async function readConfiguration(view: View): Promise<PortalConfiguration> {
  const row = await view.db
    .selectFrom('portal_configurations')
    .select(['payment_methods', 'invoices', 'address', 'cancel', 'pause', 'switch_prices'])
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .executeTakeFirst()
  if (row === undefined) return defaultConfiguration
  return {
    paymentMethods: row.payment_methods,
    invoices: row.invoices,
    address: row.address,
    cancel: row.cancel,
    pause: row.pause,
    switchPrices: row.switch_prices.map((uuid) => idFromUuid('price', view.caller.mode, uuid)),
  }
}

export async function writeConfiguration(tx: Tx, configuration: PortalConfiguration): Promise<void> {
  const values = {
    payment_methods: configuration.paymentMethods,
    invoices: configuration.invoices,
    address: configuration.address,
    cancel: configuration.cancel,
    pause: configuration.pause,
    switch_prices: sql<string[]>`${configuration.switchPrices.map(uuidOf)}::uuid[]`,
    updated_at: tx.now,
  }
  await tx.db
    .insertInto('portal_configurations')
    .values({ workspace_id: uuidOf(tx.caller.workspaceId), ...values })
    .onConflict((conflict) => conflict.column('workspace_id').doUpdateSet(values))
    .execute()
}
