/** The secrets of endpoints, sealed. Whoever writes an end has the endpoint swept then, so that it is erased. */
import { type Selectable, sql } from 'kysely'
import type { Reading } from '../../../kernel/clock.ts'
import { type Id, idFromUuid, type Mode, uuidOf } from '../../../kernel/id.ts'
import { instantOf } from '../../../platform/db/due.ts'
import type { WebhookSecrets } from '../../../platform/db/tables.generated.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'
import type { Secret } from '../webhook-endpoint.ts'

type Endpoint = Id<'webhook_endpoint'>
type SecretRow = Pick<Selectable<WebhookSecrets>, 'webhook_endpoint_id' | 'id' | 'created_at' | 'expires_at'>

/** Those that sign at that time, by endpoint, the newest first. */
export async function liveSecrets(
  view: View,
  endpoints: readonly Endpoint[],
  now: Reading,
): Promise<ReadonlyMap<Endpoint, Secret[]>> {
  const { mode, workspaceId } = view.caller
  // By the missing end and not by the time alone: of two rotations at once the later one may have begun first.
  const { rows } = await sql<SecretRow>`
    select webhook_endpoint_id, id, created_at, expires_at from webhook_secrets
    where workspace_id = ${uuidOf(workspaceId)} and webhook_endpoint_id = any(${endpoints.map(uuidOf)}::uuid[])
      and (expires_at is null or expires_at > ${instantOf(now)})
    order by expires_at is null desc, id desc`.execute(view.db)
  const endpointOf = (row: SecretRow) => idFromUuid('webhook_endpoint', mode, row.webhook_endpoint_id)
  const byEndpoint = Map.groupBy(rows, endpointOf)
  return new Map([...byEndpoint].map(([id, found]) => [id, found.map((row) => fromRow(mode, row))]))
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

/** They end when they were to end, at the latest at `endsAt`. */
export async function endSecrets(tx: Tx, endpoint: Endpoint, endsAt: Date): Promise<void> {
  const { workspace_id, webhook_endpoint_id } = keyOf(tx, endpoint)
  await sql`
    update webhook_secrets set expires_at = least(expires_at, ${endsAt})
    where workspace_id = ${workspace_id} and webhook_endpoint_id = ${webhook_endpoint_id}`.execute(tx.db)
}

/** The one without an end. There is always one: an index allows no second, and deletion takes all. */
export async function newestSecret(view: View, endpoint: Endpoint) {
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

/** Erases those that have ended. Tells when the next one does. */
export async function eraseEnded(tx: Tx, endpoint: Endpoint): Promise<Date | null> {
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

/** For an endpoint that is never sent anything again. */
export async function eraseAll(tx: Tx, endpoint: Endpoint): Promise<void> {
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
