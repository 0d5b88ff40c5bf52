/** Sending once more: rows that are due at once, before everything else that waits for the same endpoint. */
import { sql } from 'kysely'
import { assert } from '../../../kernel/assert.ts'
import { refuse } from '../../../kernel/errors.ts'
import { type Id, idFromUuid, uuidFromText, uuidOf } from '../../../kernel/id.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import type { Delivery } from '../delivery.ts'
import type { Candidate } from '../recipients.ts'
import { type DeliveryRow, deliveryColumns, fromRow } from './read.ts'

/** What a delivery takes over from its event. */
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

/** The delivery of an event to an endpoint, also before there is one: its id is made of the two. */
export async function deliveryIdOf(
  tx: Tx,
  eventId: Id<'event'>,
  endpointId: Id<'webhook_endpoint'>,
): Promise<Id<'delivery'>> {
  const { rows } = await sql<{ id: string }>`
    select delivery_id(${uuidOf(eventId)}::uuid, ${uuidOf(endpointId)}::uuid) as id`.execute(tx.db)
  const [row] = rows
  assert(row !== undefined, 'A select without a table has one row.')
  return idFromUuid('delivery', tx.caller.mode, row.id)
}

const missing = 'There is no such event. Events are kept for 90 days.'

/** All endpoints of the workspace: there are not many. */
export async function listCandidates(tx: Tx, event: SentEvent): Promise<Candidate[]> {
  const workspace = sql`${uuidOf(tx.caller.workspaceId)}::uuid`
  const eventId = sql`${uuidOf(event.id)}::uuid`
  const { rows } = await sql<CandidateRow>`
    select endpoint.id, endpoint.status = 'enabled' as is_enabled,
      endpoint.event_types && ${askedAs(sql`${event.type}::text`)} as wants_it,
      exists (
        select from deliveries as delivery
        where delivery.workspace_id = ${workspace} and delivery.id = delivery_id(${eventId}, endpoint.id)
      ) as had_it,
      ${isSpokenOf({ workspace, endpoint: sql`endpoint.id`, type: sql`${event.type}::text`, object: sql`${event.objectUuid}::uuid` })} as is_spoken_of
    from webhook_endpoints as endpoint
    where endpoint.workspace_id = ${workspace} and endpoint.deleted_at is null
    order by endpoint.id`.execute(tx.db)
  return rows.map((row) => ({
    id: idFromUuid('webhook_endpoint', tx.caller.mode, row.id),
    isEnabled: row.is_enabled,
    wantsIt: row.wants_it,
    hadIt: row.had_it,
    isSpokenOf: row.is_spoken_of,
  }))
}

type CandidateRow = {
  id: string
  is_enabled: boolean
  wants_it: boolean
  had_it: boolean
  is_spoken_of: boolean
}

type Sql = ReturnType<typeof sql>

/** All ways in which an endpoint can ask for a type. */
export function askedAs(type: Sql): Sql {
  return sql`array[${type}, split_part(${type}, '.', 1) || '.*', '*']`
}

/** Whether an event is about the endpoint itself, or about a delivery to it. A trial concerns nobody else either. */
export function isSpokenOf(about: { workspace: Sql; endpoint: Sql; type: Sql; object: Sql }): Sql {
  const { workspace, endpoint, type, object } = about
  return sql`(${type} = 'webhook_endpoint.test' or ${object} = ${endpoint} or (${type} like 'delivery.%' and exists (
    select from deliveries as told
    where told.workspace_id = ${workspace} and told.id = ${object} and told.webhook_endpoint_id = ${endpoint})))`
}

/** Makes the deliveries that there are due at once, and those that there are not. */
export async function sendAgain(
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
      -- Just before the first that waits.
      least(${tx.now}::timestamptz, (
        select min(first.due_at) - interval '1 millisecond' from deliveries as first
        where first.workspace_id = ${workspace} and first.webhook_endpoint_id = endpoint.id
          and first.state = 'pending')),
      'resend'
    from unnest(${uuids}::uuid[]) as endpoint (id)
    on conflict (workspace_id, id) do update
      -- It stands outside of the order of its object: whoever asks for it wants it now. The version refuses
      -- the result of an attempt that is under way.
      set state = 'pending', due_at = excluded.due_at, trigger = 'resend', ordered = false, tries = 0,
        settled_at = null, version = deliveries.version + 1
    returning ${sql.join(deliveryColumns.map((column) => sql.ref(`deliveries.${column}`)))}`.execute(tx.db)
  await passBreakers(tx, endpoints)
  return rows.map((row) => fromRow(tx.caller.mode, row))
}

/** A person who sends again wants to see what happens, not to wait until the endpoint is probed. */
async function passBreakers(tx: Tx, endpoints: readonly Id<'webhook_endpoint'>[]): Promise<void> {
  await sql`
    update webhook_lanes set rest_until = null, epoch = epoch + 1
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id = any(${endpoints.map(uuidOf)}::uuid[])`.execute(
    tx.db,
  )
  for (const id of endpoints) tx.wake('webhook_endpoint.deliver', id, tx.now)
}
