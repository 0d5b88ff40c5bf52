/** Schedules resends: rows that are due before all other pending deliveries to the same endpoint. */
import { sql } from 'kysely'
import { assert } from '../../../../kernel/assert.ts'
import { refuse } from '../../../../kernel/errors.ts'
import { type Id, idFromUuid, uuidFromText, uuidOf } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import type { Delivery } from '../delivery.ts'
import type { Candidate } from '../recipients.ts'
import { type DeliveryRow, deliveryColumns, fromRow } from './read.ts'

/** The members of an event that its deliveries copy. */
export type SentEvent = {
  readonly id: Id<'event'>
  readonly type: string
  readonly objectUuid: string
  readonly sequence: number
}

export async function findSentEvent(tx: Tx, text: string): Promise<SentEvent> {
  const uuid = uuidFromText('event', tx.caller.mode, text) ?? refuse('not_found', { detail: missing })
  const row = await tx.db
    .selectFrom('events')
    .select(['id', 'type', 'object_id', 'sequence'])
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuid)
    .executeTakeFirst()
  if (row === undefined) return refuse('not_found', { detail: missing })
  const id = idFromUuid('event', tx.caller.mode, row.id)
  return { id, type: row.type, objectUuid: row.object_id, sequence: row.sequence }
}

/** The id of a delivery, even before it exists: it is derived from the ids of the event and the endpoint. */
export async function deliveryIdOf(
  tx: Tx,
  eventId: Id<'event'>,
  endpointId: Id<'webhook_endpoint'>,
): Promise<Id<'delivery'>> {
  const { rows } = await sql<{ id: string }>`
    select delivery_id(${uuidOf(eventId)}::uuid, ${uuidOf(endpointId)}::uuid) as id`.execute(tx.db)
  const [row] = rows
  assert(row !== undefined, 'A select without a table must return one row.')
  return idFromUuid('delivery', tx.caller.mode, row.id)
}

const missing = 'There is no such event. Events are stored for 90 days.'

/** All endpoints of the workspace: their number is limited. */
export async function listCandidates(tx: Tx, event: SentEvent): Promise<Candidate[]> {
  const workspace = sql`${uuidOf(tx.caller.workspaceId)}::uuid`
  const eventId = sql`${uuidOf(event.id)}::uuid`
  const { rows } = await sql<CandidateRow>`
    select endpoint.id, endpoint.status = 'enabled' as is_enabled,
      endpoint.event_types && ${subscriptionsMatching(sql`${event.type}::text`)} as is_subscribed,
      exists (
        select from deliveries as delivery
        where delivery.workspace_id = ${workspace} and delivery.id = delivery_id(${eventId}, endpoint.id)
      ) as has_delivery,
      ${isAboutEndpoint({ workspace, endpoint: sql`endpoint.id`, type: sql`${event.type}::text`, object: sql`${event.objectUuid}::uuid` })} as is_about_endpoint
    from webhook_endpoints as endpoint
    where endpoint.workspace_id = ${workspace} and endpoint.deleted_at is null
    order by endpoint.id`.execute(tx.db)
  return rows.map((row) => ({
    id: idFromUuid('webhook_endpoint', tx.caller.mode, row.id),
    isEnabled: row.is_enabled,
    isSubscribed: row.is_subscribed,
    hasDelivery: row.has_delivery,
    isAboutEndpoint: row.is_about_endpoint,
  }))
}

type CandidateRow = {
  id: string
  is_enabled: boolean
  is_subscribed: boolean
  has_delivery: boolean
  is_about_endpoint: boolean
}

type Sql = ReturnType<typeof sql>

/** The entries of `event_types` that subscribe to a type: the type, its group, and `*`. */
export function subscriptionsMatching(type: Sql): Sql {
  return sql`array[${type}, split_part(${type}, '.', 1) || '.*', '*']`
}

/**
 * Whether an event is about the endpoint itself, or about a delivery to it. Test events count as well: they
 * are not resent to any endpoint by default.
 */
export function isAboutEndpoint(event: { workspace: Sql; endpoint: Sql; type: Sql; object: Sql }): Sql {
  const { workspace, endpoint, type, object } = event
  return sql`(${type} = 'webhook_endpoint.test' or ${object} = ${endpoint} or (${type} like 'delivery.%' and exists (
    select from deliveries as failed
    where failed.workspace_id = ${workspace} and failed.id = ${object} and failed.webhook_endpoint_id = ${endpoint})))`
}

/** Makes existing deliveries due immediately, and creates missing ones. */
export async function scheduleResend(
  tx: Tx,
  event: SentEvent,
  endpoints: readonly Id<'webhook_endpoint'>[],
): Promise<Delivery[]> {
  const workspace = sql`${uuidOf(tx.caller.workspaceId)}::uuid`
  const uuids = endpoints.map(uuidOf)
  const { rows } = await sql<DeliveryRow>`
    insert into deliveries (workspace_id, id, event_id, webhook_endpoint_id, event_type, object_id, sequence,
      ordered, state, due_at, trigger)
    select ${workspace}, delivery_id(${uuidOf(event.id)}::uuid, endpoint.id), ${uuidOf(event.id)}::uuid, endpoint.id,
      ${event.type}, ${event.objectUuid}::uuid, ${event.sequence}::int, false, 'pending',
      -- Just before the first pending delivery.
      least(${tx.now}::timestamptz, (
        select min(first.due_at) - interval '1 millisecond' from deliveries as first
        where first.workspace_id = ${workspace} and first.webhook_endpoint_id = endpoint.id
          and first.state = 'pending')),
      'resend'
    from unnest(${uuids}::uuid[]) as endpoint (id)
    on conflict (workspace_id, id) do update
      -- A resend does not wait for earlier events of its object. The new version makes the result of an
      -- attempt in flight invalid.
      set state = 'pending', due_at = excluded.due_at, trigger = 'resend', ordered = false, tries = 0,
        settled_at = null, version = deliveries.version + 1
    returning ${sql.join(deliveryColumns.map((column) => sql.ref(`deliveries.${column}`)))}`.execute(tx.db)
  await bypassBreakers(tx, endpoints)
  return rows.map((row) => fromRow(tx.caller.mode, row))
}

/** Ends the pause of the lanes: a manual resend must not wait for the next probe. */
async function bypassBreakers(tx: Tx, endpoints: readonly Id<'webhook_endpoint'>[]): Promise<void> {
  await sql`
    update webhook_lanes set rest_until = null, epoch = epoch + 1
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id = any(${endpoints.map(uuidOf)}::uuid[])`.execute(
    tx.db,
  )
  for (const id of endpoints) tx.wake('webhook_endpoint.deliver', id, tx.now)
}
