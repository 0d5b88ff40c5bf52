/**
 * Stores encrypted secrets. Whenever an expiry is written, a sweep of the endpoint is scheduled for that
 * time, which deletes the secret.
 */
import { type Selectable, sql } from 'kysely'
import type { Reading } from '../../../../kernel/clock.ts'
import { type Id, idFromUuid, type Mode, uuidOf } from '../../../../kernel/id.ts'
import { instantOf } from '../../../../platform/db/due.ts'
import type { WebhookSecrets } from '../../../../platform/db/tables.generated.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import type { Secret } from '../webhook-endpoint.ts'

type Endpoint = Id<'webhook_endpoint'>
type SecretRow = Pick<Selectable<WebhookSecrets>, 'webhook_endpoint_id' | 'id' | 'created_at' | 'expires_at'>

/** The secrets that are active at the given time, by endpoint, newest first. */
export async function listActiveSecrets(
  view: View,
  endpoints: readonly Endpoint[],
  now: Reading,
): Promise<ReadonlyMap<Endpoint, Secret[]>> {
  const { mode, workspaceId } = view.caller
  // The secret that does not expire is the newest. Its id is not always the highest: a rotation that started
  // first may be the last to commit.
  const { rows } = await sql<SecretRow>`
    select webhook_endpoint_id, id, created_at, expires_at from webhook_secrets
    where workspace_id = ${uuidOf(workspaceId)} and webhook_endpoint_id = any(${endpoints.map(uuidOf)}::uuid[])
      and (expires_at is null or expires_at > ${instantOf(now)})
    order by expires_at is null desc, id desc`.execute(view.db)
  const endpointOf = (row: SecretRow) => idFromUuid('webhook_endpoint', mode, row.webhook_endpoint_id)
  const byEndpoint = Map.groupBy(rows, endpointOf)
  return new Map([...byEndpoint].map(([id, secrets]) => [id, secrets.map((row) => fromRow(mode, row))]))
}

export async function insertSecret(
  tx: Tx,
  endpoint: Endpoint,
  secret: { readonly id: Id<'webhook_secret'>; readonly sealed: Buffer },
): Promise<void> {
  await tx.db
    .insertInto('webhook_secrets')
    .values({ ...keyOf(tx, endpoint), id: uuidOf(secret.id), sealed: secret.sealed, created_at: tx.now })
    .execute()
}

/** The secrets expire at `expiresAt` at the latest. */
export async function limitExpiry(tx: Tx, endpoint: Endpoint, expiresAt: Date): Promise<void> {
  const { workspace_id, webhook_endpoint_id } = keyOf(tx, endpoint)
  await sql`
    update webhook_secrets set expires_at = least(expires_at, ${expiresAt})
    where workspace_id = ${workspace_id} and webhook_endpoint_id = ${webhook_endpoint_id}`.execute(tx.db)
}

/**
 * The secret that does not expire. There is exactly one: a unique index prevents a second one, and it is only
 * deleted with the endpoint.
 */
export async function findNewestSecret(view: View, endpoint: Endpoint) {
  const { workspace_id, webhook_endpoint_id } = keyOf(view, endpoint)
  const row = await view.db
    .selectFrom('webhook_secrets')
    .select(['id', 'sealed'])
    .where('workspace_id', '=', workspace_id)
    .where('webhook_endpoint_id', '=', webhook_endpoint_id)
    .where('expires_at', 'is', null)
    .executeTakeFirstOrThrow()
  return { id: idFromUuid('webhook_secret', view.caller.mode, row.id), sealed: row.sealed }
}

/** Deletes expired secrets. Returns when the next one expires. */
export async function deleteExpired(tx: Tx, endpoint: Endpoint): Promise<Date | null> {
  const { workspace_id, webhook_endpoint_id } = keyOf(tx, endpoint)
  await sql`
    delete from webhook_secrets
    where workspace_id = ${workspace_id} and webhook_endpoint_id = ${webhook_endpoint_id}
      and expires_at <= ${tx.now}`.execute(tx.db)
  const { rows } = await sql<{ next: Date | null }>`
    select min(expires_at) as next from webhook_secrets
    where workspace_id = ${workspace_id} and webhook_endpoint_id = ${webhook_endpoint_id}`.execute(tx.db)
  return rows[0]?.next ?? null
}

/** Deletes all secrets, because the endpoint is deleted. */
export async function deleteAll(tx: Tx, endpoint: Endpoint): Promise<void> {
  const { workspace_id, webhook_endpoint_id } = keyOf(tx, endpoint)
  await tx.db
    .deleteFrom('webhook_secrets')
    .where('workspace_id', '=', workspace_id)
    .where('webhook_endpoint_id', '=', webhook_endpoint_id)
    .execute()
}

function keyOf(view: View, endpoint: Endpoint) {
  return { workspace_id: uuidOf(view.caller.workspaceId), webhook_endpoint_id: uuidOf(endpoint) }
}

function fromRow(mode: Mode, row: SecretRow): Secret {
  return {
    id: idFromUuid('webhook_secret', mode, row.id),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}
