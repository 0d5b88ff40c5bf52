/** Cancels events, and takes them out of the sums of their hours. The caller holds the lock on the cursor. */
import { sql } from 'kysely'
import { addSeconds } from '../../../../kernel/clock.ts'
import { type Id, uuidFloor, uuidOf } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { maxAgeSeconds } from '../meter.ts'

export type EventName = { readonly meterId: Id<'meter'>; readonly eventId: string }

export type FoundEvent = EventKey & { readonly is_cancelled: boolean }
type EventKey = { readonly meter_id: string; readonly event_id: string }

/** Finds the events that occurred in the last 35 days, and locks them in one order to prevent deadlocks. */
export async function lockEvents(tx: Tx, events: readonly EventName[]): Promise<readonly FoundEvent[]> {
  const { rows } = await sql<FoundEvent>`
    select meter_id, event_id, cancelled_at is not null as is_cancelled from meter_events
    where ${isAmong(tx, events)} order by id for update`.execute(tx.db)
  return rows
}

/**
 * Cancels locked events. Events up to the number `counted` are included in the sums, and are subtracted from
 * them.
 */
export async function cancelEvents(tx: Tx, events: readonly EventName[], counted: bigint): Promise<void> {
  await sql`
    with cancelled as (
      update meter_events set cancelled_at = ${tx.now}
      where ${isAmong(tx, events)} and cancelled_at is null
      returning workspace_id, id, meter_id, customer_id, date_trunc('hour', occurred_at, 'UTC') as hour_at, dimensions, seq,
        value),
    taken as (
      select workspace_id, meter_id, customer_id, hour_at, dimensions, count(id) as events,
        coalesce(sum(value), 0) as value_sum
      from cancelled where seq <= ${String(counted)}::int8 group by 1, 2, 3, 4, 5),
    emptied as (
      delete from meter_buckets as stored using taken
      where ${isSameHour} and stored.events = taken.events)
    update meter_buckets as stored
    set events = stored.events - taken.events, value_sum = stored.value_sum - taken.value_sum
    from taken where ${isSameHour} and stored.events > taken.events`.execute(tx.db)
  await recountExtremes(tx, events, counted)
  await deleteUniqueValues(tx, events, counted)
}

const isSameHour = sql<boolean>`stored.workspace_id = taken.workspace_id and stored.meter_id = taken.meter_id
  and stored.customer_id = taken.customer_id and stored.hour_at = taken.hour_at and stored.dimensions = taken.dimensions`

/** The first bits of the id are the time, so that only the partitions of that time are read. */
function isAmong(tx: Tx, events: readonly EventName[]) {
  const since = addSeconds(tx.now, -maxAgeSeconds)
  return sql<boolean>`workspace_id = ${uuidOf(tx.caller.workspaceId)}::uuid and id >= ${uuidFloor(since)}::uuid
    and occurred_at >= ${since}::timestamptz
    and (meter_id, event_id) in (select * from unnest(${events.map(({ meterId }) => uuidOf(meterId))}::uuid[],
      ${events.map(({ eventId }) => eventId)}::text[]))`
}

/** The hours of the events, with their dimensions. */
const hoursOf = (tx: Tx, events: readonly EventName[]) => sql`
  select distinct workspace_id, meter_id, customer_id, date_trunc('hour', occurred_at, 'UTC') as hour_at, dimensions
  from meter_events where ${isAmong(tx, events)}`

/** The events of the hour that are included in the sums and not cancelled. */
const remainingOf = (counted: bigint) => sql`
  event.workspace_id = taken.workspace_id and event.meter_id = taken.meter_id
    and event.customer_id = taken.customer_id and event.dimensions = taken.dimensions
    and event.occurred_at >= taken.hour_at and event.occurred_at < taken.hour_at + interval '1 hour'
    and event.id >= uuid_floor(taken.hour_at) and event.id < uuid_floor(taken.hour_at + interval '2 hours')
    and event.cancelled_at is null and event.seq <= ${String(counted)}::int8`

/** The greatest and the last value of an hour cannot be calculated from its sums. */
async function recountExtremes(tx: Tx, events: readonly EventName[], counted: bigint): Promise<void> {
  await sql`
    with taken as (
      select hours.* from (${hoursOf(tx, events)}) as hours
        join meters on meters.workspace_id = hours.workspace_id and meters.id = hours.meter_id
      where meters.aggregation in ('max', 'last')),
    remaining as (
      select taken.*, max(value) as value_max, max(occurred_at) as last_at,
        (array_agg(event_id order by occurred_at desc, event_id desc))[1] as last_event_id,
        (array_agg(value order by occurred_at desc, event_id desc))[1] as last_value
      from taken join meter_events as event on ${remainingOf(counted)}
      group by 1, 2, 3, 4, 5)
    update meter_buckets as stored set value_max = taken.value_max, last_at = taken.last_at,
      last_event_id = taken.last_event_id, last_value = taken.last_value
    from remaining as taken where ${isSameHour}`.execute(tx.db)
}

async function deleteUniqueValues(tx: Tx, events: readonly EventName[], counted: bigint): Promise<void> {
  await sql`
    delete from meter_unique_values as stored using (${hoursOf(tx, events)}) as taken
    where ${isSameHour} and not exists (
      select from meter_events as event where ${remainingOf(counted)} and event.distinct_key = stored.value)`.execute(
    tx.db,
  )
}
