import { type CompiledQuery, type Selectable, sql } from 'kysely'
import { addSeconds } from '../../kernel/clock.ts'
import { refuse } from '../../kernel/errors.ts'
import { idFromUuid, type Mode, uuidFloor, uuidFromText, uuidOf, uuidOrNull } from '../../kernel/id.ts'
import type { EventRecord } from '../../platform/db/events.ts'
import { type IdRange, keysetOf, pageOf } from '../../platform/db/keyset.ts'
import type { Events } from '../../platform/db/tables.generated.ts'
import type { Hint, Tx, View } from '../../platform/db/unit-of-work.ts'
import type { Event } from './event.ts'
import type { Placed } from './stream-order.ts'
import { floorOf, lookBackSeconds, type Moment, type Stretch, timeOf } from './stream-place.ts'

/**
 * All events of a unit and what is owed to whom for them, in one statement, for the unit of work to send
 * before its commit. Here and not later: whoever asked for the type when it happened gets it, exactly those,
 * and an engine that forgets has nothing to rebuild.
 */
export function insertEvents(tx: Tx, events: readonly EventRecord[]): CompiledQuery {
  const workspace = sql`${uuidOf(tx.caller.workspaceId)}::uuid`
  return sql`
    with told (id, type, object_id, sequence, api_version, created_at, data, only_to, except_to) as (${toldOf(events)}),
    addressed as (
      select told.id as event_id, told.type, told.object_id, told.sequence, told.only_to is not null as is_trial,
        endpoint.id as endpoint_id, endpoint.ordering = 'object' as ordered, endpoint.status = 'enabled' as enabled, exists (
          -- Those before it are just being released, the oldest first: it is released behind them.
          select from webhook_lanes as lane
          where lane.workspace_id = endpoint.workspace_id and lane.id = endpoint.id
            and endpoint.ordering = 'object' and lane.release_held and lane.sweep_at <= ${tx.wallTime}::timestamptz
            -- The second pass must still find it.
            and lane.sweep_until > ${tx.wallTime}::timestamptz + interval '30 seconds') as comes_behind
      from told join webhook_endpoints as endpoint on endpoint.workspace_id = ${workspace}
        and endpoint.deleted_at is null
        and case when told.only_to is not null then endpoint.id = told.only_to
          else endpoint.id is distinct from told.except_to
            and endpoint.event_types && array[told.type, split_part(told.type, '.', 1) || '.*', '*'] end
    ),
    logged as (
      insert into events (workspace_id, id, type, object_id, sequence, api_version, created_at, data, test_clock_id,
        fan_out)
      select ${workspace}, id, type, object_id, sequence, api_version, created_at, data,
        ${uuidOrNull(tx.testClockId)}::uuid, cardinality(array(select endpoint_id from addressed where addressed.event_id = told.id))
      from told
    )
    insert into deliveries (workspace_id, id, event_id, webhook_endpoint_id, event_type, object_id, sequence,
      ordered, state, due_at, trigger)
    select ${workspace}, delivery_id(event_id, endpoint_id), event_id, endpoint_id, type, object_id, sequence,
      ordered, case when enabled and not is_trial and not comes_behind then 'pending' else 'held' end,
      -- Behind those of the same object that still wait, if the endpoint wants them in order.
      greatest(${tx.wallTime}::timestamptz, case when ordered then (
        select max(earlier.due_at) from deliveries as earlier
        where earlier.workspace_id = ${workspace} and earlier.webhook_endpoint_id = endpoint_id
          and earlier.object_id = addressed.object_id and earlier.state = 'pending' and earlier.ordered) end),
      case when is_trial then 'test' else 'schedule' end
    from addressed
    returning webhook_endpoint_id, state`.compile(tx.db)
}

/** Most units tell of one thing, and plain values cost Postgres less than arrays. */
function toldOf(events: readonly EventRecord[]) {
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
    string_to_table(${column((event) => event.data).join(between)}, ${between})
  ) as each (id, type, object_id, sequence, api_version, created_at, only_to, except_to, data)`
}

/**
 * Between the texts of events, which are most of what is sent: as members of an array each of their quotes would have
 * to be written and read with a backslash. JSON never holds this character as it is.
 */
const between = '\u001f'

/** Endpoints that have something due now. One is rung once, however many events it gets. */
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
 * Ids of deliveries begin like that of their event, so those of one event are a short range of the key. Events
 * of the same millisecond share it.
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

const missing = 'There is no such event. Events are kept for 90 days.'

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

/** An event with what decides about its place in the stream. */
export type StreamedEvent = Event & Placed

type StreamRow = EventRow & { readonly object_id: string; readonly sequence: number }
/** What is asked for; no types are all of them. */
export type Asked = { readonly stretch: Stretch; readonly types: readonly string[] | null }
type Taken = { readonly snapshot: string; readonly at: Date }

/** The snapshot of this very statement. Its time is a little earlier than it, never later. */
const taken = sql`select pg_current_snapshot()::text as snapshot, statement_timestamp() as at`

export async function takeMoment(view: View): Promise<Moment> {
  const { rows } = await taken.execute(view.db)
  return rows[0] as Taken
}

/** The events of a stretch with the lowest ids, and the moment at which it was looked. */
export async function readLowest(view: View, asked: Asked, limit: number) {
  const { after } = asked.stretch
  const behind = after === null ? sql`` : sql`and id >= ${after.uuid}::uuid`
  const { rows } = await sql<StreamRow & Taken>`
    select taken.snapshot, taken.at, lowest.* from (${taken}) as taken left join (
      select ${columns}, object_id, sequence from events where ${within(view, asked)} ${behind}
      order by id limit ${limit}) as lowest on true`.execute(view.db)
  const { snapshot, at } = rows[0] as Taken
  // Without events there is one row, with the moment alone.
  const found = rows.filter(({ id }) => id !== null)
  return { now: { snapshot, at }, events: found.map((row) => streamedFrom(view.caller.mode, row)) }
}

/** Of each object the number of its latest change in the stretch that has a lower id. */
export async function readLatestBelow(view: View, asked: Asked, uuid: string, objects: readonly string[]) {
  const { rows } = await sql<{ object_id: string; sequence: number }>`
    select object_id, max(sequence) as sequence from events
    where ${within(view, asked)} and object_id = any(${objects}::uuid[])
      and id >= ${uuidFloor(addSeconds(timeOf(uuid), -lookBackSeconds))}::uuid and id < ${uuid}::uuid
    group by object_id`.execute(view.db)
  return new Map(rows.map((row) => [row.object_id, row.sequence]))
}

/** Changes of these objects in the stretch that have a higher id, and yet a lower number than the one given. */
export async function readEarlierAbove(
  view: View,
  asked: Asked,
  uuid: string,
  latest: ReadonlyMap<string, number>,
) {
  const { rows } = await sql<StreamRow>`
    select ${columns}, object_id, sequence from events
    join unnest(${[...latest.keys()]}::uuid[], ${[...latest.values()]}::int[]) as latest (object_uuid, number)
      on object_id = object_uuid and sequence < number
    where ${within(view, asked)} and id > ${uuid}::uuid
      and id < ${uuidFloor(addSeconds(timeOf(uuid), lookBackSeconds))}::uuid`.execute(view.db)
  return rows.map((row) => streamedFrom(view.caller.mode, row))
}

/** What belongs to a stretch. Of what is older than its moments nothing needs to be asked. */
function within({ caller }: View, { stretch: { since, until }, types }: Asked) {
  const isNew =
    typeof since === 'string'
      ? sql`id > ${since}::uuid`
      : sql`id > ${floorOf(since)}::uuid and not pg_visible_in_snapshot(txid, ${since.snapshot}::pg_snapshot)`
  const isOver =
    until === null
      ? sql``
      : sql`and (id < ${floorOf(until)}::uuid or pg_visible_in_snapshot(txid, ${until.snapshot}::pg_snapshot))`
  const isWanted = types === null ? sql`` : sql`and type = any(${types}::text[])`
  return sql`workspace_id = ${uuidOf(caller.workspaceId)} and ${isNew} ${isOver} ${isWanted}`
}

function streamedFrom(mode: Mode, row: StreamRow): StreamedEvent {
  return { ...fromRow(mode, row), uuid: row.id, objectUuid: row.object_id, sequence: row.sequence }
}
