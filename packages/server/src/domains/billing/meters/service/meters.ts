/** Operations on meters, and their usage. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import { uuidInFilter } from '../../../../kernel/filters.ts'
import type { IdRange } from '../../../../platform/db/keyset.ts'
import { read, transact, type View } from '../../../../platform/db/unit-of-work.ts'
import {
  intervalStarts,
  type Meter,
  type MeterReport,
  maxGroups,
  maxIntervals,
  maxReportRows,
  type Usage,
  withEmptyIntervals,
} from '../meter.ts'
import type { CreateMeter, ReportQuery, UsageQuery } from '../schema.ts'
import { isCurrent, readUsage } from '../store/buckets.ts'
import * as store from '../store/meters.ts'
import { readCustomers, readGroups, readIntervals } from '../store/report.ts'

export function createMeter(deps: Deps, caller: Caller, input: CreateMeter): Promise<Meter> {
  const { aggregation, value_key: valueKey = null, dimensions = [] } = input
  if (aggregation === 'unique' && valueKey === null)
    refuseMember('/value_key', 'required', 'is required for unique')
  if (aggregation !== 'unique' && valueKey !== null)
    refuseMember('/value_key', 'not_together', 'can only be set for the aggregation unique')
  return transact(deps, caller, async (tx) => {
    const terms = { eventName: input.event_name, aggregation, valueKey, dimensions }
    const meter = await store.insertMeter(tx, terms)
    return meter ?? refuseMember('/event_name', 'not_together', 'is the event name of another meter')
  })
}

export function getMeter(deps: Deps, caller: Caller, id: string): Promise<Meter> {
  return read(deps, caller, (view) => store.findMeter(view, id))
}

/** Finds the meter that a request refers to. */
export async function requireMeter(view: View, text: string, pointer: string): Promise<Meter> {
  const errors = [{ pointer, code: 'not_found', detail: 'is not the id of an existing meter' } as const]
  return (await store.findMeterOrNull(view, text)) ?? refuse('reference_not_found', { errors })
}

export function listMeters(deps: Deps, caller: Caller, range: IdRange) {
  return read(deps, caller, (view) => store.listMeters(view, range))
}

export function readMeterUsage(deps: Deps, caller: Caller, id: string, query: UsageQuery): Promise<Usage> {
  const { from, to } = periodOf(query)
  const customerUuid = uuidInFilter('customer', caller.mode, query.customer_id)
  if (customerUuid === null) return refuse('not_found', { detail: 'There is no such customer.' })
  return read(deps, caller, async (view) => {
    const meter = await store.findMeter(view, id)
    const filter = { meterId: meter.id, customerUuid, from, to }
    // Read this before the usage. Events that are added in between are then included in the usage, so no
    // event that `isCurrent` covers is missing.
    const current = await isCurrent(view)
    const rows = await readUsage(view, meter.aggregation, filter, maxGroups + 1)
    return { meter, customerId: query.customer_id, from, to, rows, isCurrent: current }
  })
}

export function readMeterReport(
  deps: Deps,
  caller: Caller,
  id: string,
  query: ReportQuery,
): Promise<MeterReport> {
  const { interval = 'day', customer_id: customerId = null } = query
  const period = { ...periodOf(query), interval }
  if (intervalStarts(period).length > maxIntervals)
    refuseMember('/to', 'too_large', `must be at most ${maxIntervals} intervals after "from"`)
  const customerUuid = uuidInFilter('customer', caller.mode, query.customer_id)
  return read(deps, caller, async (view) => {
    const meter = await store.findMeter(view, id)
    const source = { view, meter, filter: { customerUuid, ...period } }
    // Read this before the usage, for the same reason as in `readMeterUsage`.
    const current = await isCurrent(view)
    const { value, intervals } = await readIntervals(source, interval)
    return {
      meter,
      customerId,
      ...period,
      value,
      intervals: withEmptyIntervals(period, intervals),
      customers: await readCustomers(source, maxReportRows),
      groups: meter.dimensions.length === 0 ? [] : await readGroups(source, maxReportRows),
      isCurrent: current,
    }
  })
}

function periodOf(query: { readonly from: string; readonly to: string }) {
  const [from, to] = [wholeHour(query.from, '/from'), wholeHour(query.to, '/to')]
  if (to <= from) refuseMember('/to', 'too_small', 'must be after "from"')
  return { from, to }
}

/** Usage is stored per hour. */
function wholeHour(text: string, pointer: string): Date {
  const at = new Date(text)
  if (at.getTime() % 3_600_000 !== 0)
    refuseMember(pointer, 'bad_format', 'must be on the hour in UTC, such as 2027-01-31T12:00:00Z')
  return at
}
