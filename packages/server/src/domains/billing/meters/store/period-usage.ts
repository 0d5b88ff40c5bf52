/**
 * The usage of a period to the second: the sums of whole hours, and the single events of the first and the last hour. One
 * statement reads them together with the number of the last event that they include, so each event is either in
 * the usage or has a greater number.
 */
import { type RawBuilder, sql } from 'kysely'
import { addSeconds } from '../../../../kernel/clock.ts'
import { type Id, uuidFloor, uuidOf } from '../../../../kernel/id.ts'
import type { View } from '../../../../platform/db/unit-of-work.ts'
import type { Meter } from '../meter.ts'
import { aggregates } from './buckets.ts'

export type UsageSpan = {
  readonly customerId: Id<'customer'>
  readonly startAt: Date
  readonly endAt: Date
}

/** The exact usage as a decimal, and the number of the last event that is included. */
export type PeriodUsage = { readonly value: string; readonly seq: bigint }

export async function readPeriodUsage(
  view: View,
  { id, aggregation }: Pick<Meter, 'id' | 'aggregation'>,
  span: UsageSpan,
): Promise<PeriodUsage> {
  const { hours, edges } = splitAtHours(span)
  const ofMeter = sql`workspace_id = ${uuidOf(view.caller.workspaceId)}::uuid and meter_id = ${uuidOf(id)}::uuid
    and customer_id = ${uuidOf(span.customerId)}::uuid`
  const ofHours = sql`${ofMeter} and hour_at >= ${hours.startAt}::timestamptz and hour_at < ${hours.endAt}::timestamptz`
  const ofEdges = sql`${ofMeter} and (${sql.join(edges.map(isWithin), sql` or `)})
    and cancelled_at is null and seq <= (select counted_seq from progress)`
  const isUnique = aggregation === 'unique'
  const counted = isUnique
    ? sql`select value from meter_unique_values where ${ofHours}
        union all select distinct_key from meter_events where ${ofEdges} and distinct_key is not null`
    : sql`select events, value_sum, value_max, last_at, last_event_id, last_value from meter_buckets where ${ofHours}
        union all select 1, coalesce(value, 0), value, occurred_at, event_id, value from meter_events where ${ofEdges}`
  const value = isUnique ? sql`count(distinct value)` : aggregates[aggregation]
  const { rows } = await sql<{ value: string; seq: string }>`
    with progress as (
      select coalesce(max(counted_seq), 0) as counted_seq from meter_cursors
      where workspace_id = ${uuidOf(view.caller.workspaceId)}::uuid)
    select trim_scale((${value})::numeric)::text as value, (select counted_seq from progress)::text as seq
    from (${counted}) as counted`.execute(view.db)
  const [row] = rows
  return { value: row?.value ?? '0', seq: BigInt(row?.seq ?? 0) }
}

type TimeSpan = { readonly startAt: Date; readonly endAt: Date }

const hourMs = 3_600_000

function splitAtHours({ startAt, endAt }: TimeSpan): {
  readonly hours: TimeSpan
  readonly edges: readonly TimeSpan[]
} {
  const firstHour = new Date(Math.ceil(startAt.getTime() / hourMs) * hourMs)
  const lastHour = new Date(Math.floor(endAt.getTime() / hourMs) * hourMs)
  // The period begins and ends in the same hour.
  if (lastHour < firstHour)
    return { hours: { startAt: firstHour, endAt: firstHour }, edges: [{ startAt, endAt }] }
  return {
    hours: { startAt: firstHour, endAt: lastHour },
    edges: [
      { startAt, endAt: firstHour },
      { startAt: lastHour, endAt },
    ],
  }
}

/** The first bits of the id are the time, so that only the partitions of that time are read. */
function isWithin({ startAt, endAt }: TimeSpan): RawBuilder<boolean> {
  return sql<boolean>`(occurred_at >= ${startAt}::timestamptz and occurred_at < ${endAt}::timestamptz
    and id >= ${uuidFloor(startAt)}::uuid and id < ${uuidFloor(addSeconds(endAt, 1))}::uuid)`
}
