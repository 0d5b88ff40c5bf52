import { type CompiledQuery, type Selectable, sql } from 'kysely'
import { addSeconds } from '../../../kernel/clock.ts'
import { refuse } from '../../../kernel/errors.ts'
import { idFromUuid, type Mode, uuidFloor, uuidFromText, uuidOf, uuidOrNull } from '../../../kernel/id.ts'
import type { EventRecord } from '../../../platform/db/events.ts'
import { type IdRange, keysetOf, pageOf } from '../../../platform/db/keyset.ts'
import type { Events } from '../../../platform/db/tables.generated.ts'
import type { Hint, Tx, View } from '../../../platform/db/unit-of-work.ts'
import type { Event } from './event.ts'
import {
  type EventRange,
  floorOf,
  type LogSnapshot,
  type LogStart,
  lookBackSeconds,
  timeOf,
} from './reader-position.ts'
import type { EventKey } from './stream-order.ts'

/**
 * Inserts all events of a unit of work and their deliveries in one statement, which the unit sends before its
 * commit. The deliveries are created here and not later, so that exactly the endpoints that subscribe to the
 * type at that time get the event, and no background work is needed to create them.
 */
export function insertEvents(tx: Tx, events: readonly EventRecord[]): CompiledQuery {
  const workspace = sql`${uuidOf(tx.caller.workspaceId)}::uuid`
  return sql`
    with emitted (id, type, object_id, sequence, api_version, created_at, data, only_to, except_to) as (${emittedRows(events)}),
    recipient as (
      select emitted.id as event_id, emitted.type, emitted.object_id, emitted.sequence, emitted.only_to is not null as is_test,
        endpoint.id as endpoint_id, endpoint.ordering = 'object' as ordered, endpoint.status = 'enabled' as enabled, exists (
          -- Held deliveries of this endpoint are being released, oldest first, and this one must be sent
          -- after them.
          select from webhook_lanes as lane
          where lane.workspace_id = endpoint.workspace_id and lane.id = endpoint.id
            and endpoint.ordering = 'object' and lane.release_held and lane.sweep_at <= ${tx.wallTime}::timestamptz
            -- The release must run long enough for its second pass to find this delivery.
            and lane.sweep_until > ${tx.wallTime}::timestamptz + interval '30 seconds') as must_wait
      from emitted join webhook_endpoints as endpoint on endpoint.workspace_id = ${workspace}
        and endpoint.deleted_at is null
        and case when emitted.only_to is not null then endpoint.id = emitted.only_to
          else endpoint.id is distinct from emitted.except_to
            and endpoint.event_types && array[emitted.type, split_part(emitted.type, '.', 1) || '.*', '*'] end
    ),
    logged as (
      insert into events (workspace_id, id, type, object_id, sequence, api_version, created_at, data, test_clock_id,
        padding, fan_out)
      select ${workspace}, id, type, object_id, sequence, api_version, created_at, data,
        ${uuidOrNull(tx.testClockId)}::uuid, ${padding}, cardinality(array(select endpoint_id from recipient where recipient.event_id = emitted.id))
      from emitted
    )
    insert into deliveries (workspace_id, id, event_id, webhook_endpoint_id, event_type, object_id, sequence,
      ordered, state, due_at, trigger)
    select ${workspace}, delivery_id(event_id, endpoint_id), event_id, endpoint_id, type, object_id, sequence,
      ordered, case when enabled and not is_test and not must_wait then 'pending' else 'held' end,
      -- After the pending deliveries of the same object, if the endpoint requires their order.
      greatest(${tx.wallTime}::timestamptz, case when ordered then (
        select max(earlier.due_at) from deliveries as earlier
        where earlier.workspace_id = ${workspace} and earlier.webhook_endpoint_id = endpoint_id
          and earlier.object_id = recipient.object_id and earlier.state = 'pending' and earlier.ordered) end),
      case when is_test then 'test' else 'schedule' end
    from recipient
    returning webhook_endpoint_id, state`.compile(tx.db)
}

/**
 * Makes the row larger than 2 KB, because PostgreSQL compresses only such rows. Larger events are compressed anyway, and
 * smaller ones would not become smaller.
 */
const padding = sql`case when octet_length(data) between 900 and 1950 then repeat(' ', 1200) end`

/** Most units of work emit one event, and plain values cost Postgres less than arrays. */
function emittedRows(events: readonly EventRecord[]) {
  const [only] = events
  if (only !== undefined && events.length === 1) {
    const { recipients } = only
    return sql`values (${uuidOf(only.id)}::uuid, ${only.type}, ${uuidOf(only.objectId)}::uuid, ${only.sequence}::int,
      ${only.apiVersion}, ${only.createdAt}::timestamptz, ${only.data}, ${uuidOrNull(recipients.only)}::uuid,
      ${uuidOrNull(recipients.except)}::uuid)`
  }
  const column = <T>(pick: (event: EventRecord) => T) => events.map(pick)
  return sql`select id, type, object_id, sequence, api_version, created_at, data, only_to, except_to from rows from (
    unnest(
      ${column((event) => uuidOf(event.id))}::uuid[], ${column((event) => event.type)}::text[],
      ${column((event) => uuidOf(event.objectId))}::uuid[], ${column((event) => event.sequence)}::int[],
      ${column((event) => event.apiVersion)}::text[], ${column((event) => event.createdAt)}::timestamptz[],
      ${column((event) => uuidOrNull(event.recipients.only))}::uuid[],
      ${column((event) => uuidOrNull(event.recipients.except))}::uuid[]),
    string_to_table(${column((event) => event.data).join(separator)}, ${separator})
  ) as each (id, type, object_id, sequence, api_version, created_at, only_to, except_to, data)`
}

/**
 * Separates the JSON of events, which are sent as one string: in an array all their quotes would have to be
 * escaped. JSON never contains this character unescaped.
 */
const separator = '\u001f'

/** The endpoints with new pending deliveries. Each is woken once, regardless of its number of events. */
export function hintsOf(tx: Tx, rows: readonly unknown[]): Hint[] {
  const pending = (rows as { webhook_endpoint_id: string; state: string }[]).filter(
    ({ state }) => state === 'pending',
  )
  const { workspaceId, mode } = tx.caller
  return [...new Set(pending.map((row) => row.webhook_endpoint_id))].map((uuid) => ({
    work: 'webhook_endpoint.deliver',
    ref: { workspaceId, id: idFromUuid('webhook_endpoint', mode, uuid) },
    at: tx.wallTime,
  }))
}

type EventRow = Pick<Selectable<Events>, 'id' | 'type' | 'api_version' | 'created_at' | 'data'> & {
  readonly pending_deliveries: number
}

/**
 * The ids of deliveries start like the id of their event, so the deliveries of one event are a short range of
 * the primary key. Events of the same millisecond share that range.
 */
const columns = sql`id, type, api_version, created_at, data, (
  select count(delivery.id)::int from deliveries as delivery
  where delivery.workspace_id = events.workspace_id and delivery.event_id = events.id
    and delivery.id >= (left(events.id::text, 19) || '0000-000000000000')::uuid
    and delivery.id <= (left(events.id::text, 19) || 'ffff-ffffffffffff')::uuid
    and delivery.state in ('pending', 'held')) as pending_deliveries`

export async function findEvent(view: View, text: string): Promise<Event> {
  const uuid = uuidFromText('event', view.caller.mode, text) ?? refuse('not_found', { detail: missing })
  const { rows } = await sql<EventRow>`
    select ${columns} from events
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and id = ${uuid}`.execute(view.db)
  const [row] = rows
  return row === undefined ? refuse('not_found', { detail: missing }) : fromRow(view.caller.mode, row)
}

const missing = 'There is no such event. Events are stored for 90 days.'

export type EventFilter = {
  readonly type?: string | undefined
  readonly objectUuid: string | null
  readonly testClockUuid: string | null
}

export async function listEvents(view: View, range: IdRange, filter: EventFilter) {
  const type = filter.type === undefined ? sql`` : sql`and type = ${filter.type}`
  const object = filter.objectUuid === null ? sql`` : sql`and object_id = ${filter.objectUuid}::uuid`
  const clock = filter.testClockUuid === null ? sql`` : sql`and test_clock_id = ${filter.testClockUuid}::uuid`
  const { rows } = await sql<EventRow>`
    select ${columns} from events
    where workspace_id = ${uuidOf(view.caller.workspaceId)} ${type} ${object} ${clock} ${keysetOf(range)}`.execute(
    view.db,
  )
  return pageOf(
    rows.map((row) => fromRow(view.caller.mode, row)),
    range,
  )
}

function fromRow(mode: Mode, row: EventRow): Event {
  return {
    id: idFromUuid('event', mode, row.id),
    type: row.type,
    apiVersion: row.api_version,
    createdAt: row.created_at,
    pendingDeliveries: row.pending_deliveries,
    data: row.data,
  }
}

/** An event with the data that determines its position in the stream. */
export type StreamedEvent = Event & EventKey

type StreamRow = EventRow & { readonly object_id: string; readonly sequence: number }
/** Which events to read. `types` is null for all types. */
export type EventQuery = { readonly range: EventRange; readonly types: readonly string[] | null }
type SnapshotRow = { readonly snapshot: string; readonly at: Date }

/** The snapshot of the statement. The time is slightly before the snapshot, never after it. */
const currentSnapshot = sql`select pg_current_snapshot()::text as snapshot, statement_timestamp() as at`

export async function takeLogSnapshot(view: View): Promise<LogSnapshot> {
  const { rows } = await currentSnapshot.execute(view.db)
  return rows[0] as SnapshotRow
}

/** Null if the workspace was never moved to this shard. */
export async function findLogStart(view: View): Promise<LogStart | null> {
  const { rows } = await sql<SnapshotRow & { readonly begins_at: Date }>`
    select current.snapshot, current.at, log_begins_at as begins_at from (${currentSnapshot}) as current
    join workspace_moves on workspace_id = ${uuidOf(view.caller.workspaceId)} and log_begins_at is not null`.execute(
    view.db,
  )
  const [row] = rows
  return row === undefined ? null : { now: { snapshot: row.snapshot, at: row.at }, beginsAt: row.begins_at }
}

/** The events of a range with the lowest ids, and the snapshot of the read. */
export async function readLowest(view: View, query: EventQuery, limit: number) {
  const { after } = query.range
  const fromPosition = after === null ? sql`` : sql`and id >= ${after.uuid}::uuid`
  const { rows } = await sql<StreamRow & SnapshotRow>`
    select current.snapshot, current.at, lowest.* from (${currentSnapshot}) as current left join (
      select ${columns}, object_id, sequence from events where ${isInRange(view, query)} ${fromPosition}
      order by id limit ${limit}) as lowest on true`.execute(view.db)
  const { snapshot, at } = rows[0] as SnapshotRow
  // Without events there is one row that contains only the snapshot.
  const found = rows.filter(({ id }) => id !== null)
  return { now: { snapshot, at }, events: found.map((row) => toStreamedEvent(view.caller.mode, row)) }
}

/** For each object the sequence of its latest event in the range with an id below `uuid`. */
export async function readLatestBelow(
  view: View,
  query: EventQuery,
  uuid: string,
  objects: readonly string[],
) {
  const { rows } = await sql<{ object_id: string; sequence: number }>`
    select object_id, max(sequence) as sequence from events
    where ${isInRange(view, query)} and object_id = any(${objects}::uuid[])
      and id >= ${uuidFloor(addSeconds(timeOf(uuid), -lookBackSeconds))}::uuid and id < ${uuid}::uuid
    group by object_id`.execute(view.db)
  return new Map(rows.map((row) => [row.object_id, row.sequence]))
}

/**
 * Events of the given objects in the range that have an id above `uuid`, but a sequence below the given one.
 */
export async function readEarlierAbove(
  view: View,
  query: EventQuery,
  uuid: string,
  latest: ReadonlyMap<string, number>,
) {
  const { rows } = await sql<StreamRow>`
    select ${columns}, object_id, sequence from events
    join unnest(${[...latest.keys()]}::uuid[], ${[...latest.values()]}::int[]) as latest (object_uuid, number)
      on object_id = object_uuid and sequence < number
    where ${isInRange(view, query)} and id > ${uuid}::uuid
      and id < ${uuidFloor(addSeconds(timeOf(uuid), lookBackSeconds))}::uuid`.execute(view.db)
  return rows.map((row) => toStreamedEvent(view.caller.mode, row))
}

/** Whether an event is in the range. The bound on the id avoids visibility checks for older events. */
function isInRange({ caller }: View, { range: { since, until }, types }: EventQuery) {
  const isNew =
    typeof since === 'string'
      ? sql`id > ${since}::uuid`
      : sql`id > ${floorOf(since)}::uuid and not pg_visible_in_snapshot(txid, ${since.snapshot}::pg_snapshot)`
  const isVisible =
    until === null
      ? sql``
      : sql`and (id < ${floorOf(until)}::uuid or pg_visible_in_snapshot(txid, ${until.snapshot}::pg_snapshot))`
  const isOfType = types === null ? sql`` : sql`and type = any(${types}::text[])`
  return sql`workspace_id = ${uuidOf(caller.workspaceId)} and ${isNew} ${isVisible} ${isOfType}`
}

function toStreamedEvent(mode: Mode, row: StreamRow): StreamedEvent {
  return { ...fromRow(mode, row), uuid: row.id, objectUuid: row.object_id, sequence: row.sequence }
}
