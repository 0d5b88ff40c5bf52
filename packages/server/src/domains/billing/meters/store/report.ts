/** Usage of a meter over time, by customer and by dimensions, from the sums of hours. */
import { type RawBuilder, sql } from 'kysely'
import { idFromUuid, uuidOf } from '../../../../kernel/id.ts'
import type { View } from '../../../../platform/db/unit-of-work.ts'
import type { CustomerUsage, GroupUsage, IntervalUsage, Meter, ReportInterval } from '../meter.ts'
import { aggregates } from './buckets.ts'

export type ReportFilter = {
  /** Null: all customers. */
  readonly customerUuid: string | null
  readonly from: Date
  readonly to: Date
}

type Source = { readonly view: View; readonly meter: Meter; readonly filter: ReportFilter }

/** The usage of the whole period, and of each interval that has any, oldest first. */
export async function readIntervals(
  source: Source,
  interval: ReportInterval,
): Promise<{ readonly value: string; readonly intervals: readonly IntervalUsage[] }> {
  const { rows } = await sql<{ start_at: Date | null; value: string }>`
    select start_at, trim_scale((${usageOf(source)})::numeric)::text as value
    from (select date_trunc(${interval}, hour_at, 'UTC') as start_at, stored.* from ${storedUsage(source)} as stored) as usage
    group by grouping sets ((), (start_at)) order by start_at nulls first`.execute(source.view.db)
  return {
    value: rows.find((row) => row.start_at === null)?.value ?? '0',
    intervals: rows.flatMap(({ start_at: startAt, value }) => (startAt === null ? [] : [{ startAt, value }])),
  }
}

/** The customers with the most usage. */
export async function readCustomers(source: Source, limit: number): Promise<readonly CustomerUsage[]> {
  const rows = await readLargest<{ customer_id: string; value: string }>(source, 'customer_id', limit)
  return rows.map(({ customer_id: uuid, value }) => ({
    customerId: idFromUuid('customer', source.view.caller.mode, uuid),
    value,
  }))
}

/** The combinations of dimensions with the most usage. */
export function readGroups(source: Source, limit: number): Promise<readonly GroupUsage[]> {
  return readLargest<GroupUsage>(source, 'dimensions', limit)
}

async function readLargest<Row>(
  source: Source,
  column: 'customer_id' | 'dimensions',
  limit: number,
): Promise<readonly Row[]> {
  const { rows } = await sql<Row>`
    select ${sql.ref(column)}, trim_scale(value)::text as value
    from (select ${sql.ref(column)}, (${usageOf(source)})::numeric as value from ${storedUsage(source)} as stored group by 1) as usage
    order by usage.value desc, ${sql.ref(column)} limit ${limit}`.execute(source.view.db)
  return rows
}

const usageOf = ({ meter: { aggregation } }: Source): RawBuilder<unknown> =>
  aggregation === 'unique' ? sql`count(distinct value)` : aggregates[aggregation]

function storedUsage({ view, meter: { id, aggregation }, filter }: Source): RawBuilder<unknown> {
  const { customerUuid, from, to } = filter
  const source =
    aggregation === 'unique'
      ? sql`value from meter_unique_values`
      : sql`events, value_sum, value_max, last_at, last_event_id, last_value from meter_buckets`
  const ofCustomer = customerUuid === null ? sql`` : sql`and customer_id = ${customerUuid}::uuid`
  return sql`(
    select customer_id, dimensions, hour_at, ${source}
    where workspace_id = ${uuidOf(view.caller.workspaceId)}::uuid and meter_id = ${uuidOf(id)}::uuid
      and hour_at >= ${from}::timestamptz and hour_at < ${to}::timestamptz ${ofCustomer})`
}
