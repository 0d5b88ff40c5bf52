/**
 * A meter: which usage events it counts, and how they are added up. Events are validated one by one: a batch with an
 * invalid event still records the others. No side effects.
 */
import { addSeconds } from '../../../kernel/clock.ts'
import type { Id } from '../../../kernel/id.ts'

export const aggregations = ['sum', 'count', 'max', 'last', 'unique'] as const
export type Aggregation = (typeof aggregations)[number]

export type MeterTerms = {
  readonly eventName: string
  readonly aggregation: Aggregation
  /** The dimension whose values `unique` counts. Null for other aggregations. */
  readonly valueKey: string | null
  /** The dimensions by which usage can be broken down. */
  readonly dimensions: readonly string[]
}

export type Meter = MeterTerms & { readonly id: Id<'meter'>; readonly createdAt: Date }

/** An event in a request, with the member names of the API. */
export type EventInput = {
  readonly id: string
  readonly event_name: string
  readonly customer_id: string
  readonly occurred_at?: string | undefined
  readonly value?: string | undefined
  readonly dimensions?: { readonly [name: string]: string } | undefined
}

/** An event that can be recorded. */
export type MeterEvent = {
  readonly meterId: Id<'meter'>
  readonly eventId: string
  readonly customerId: Id<'customer'>
  readonly occurredAt: Date
  readonly value: string | null
  readonly distinctKey: string | null
  readonly dimensions: { readonly [name: string]: string }
}

export const eventErrorCodes = [
  'unknown_event_name',
  'unknown_customer',
  'too_old',
  'in_the_future',
  'value_required',
  'dimension_required',
  'bad_time',
] as const
export type EventError = { readonly code: (typeof eventErrorCodes)[number]; readonly detail: string }

/** The outcome of one event of a request. */
export type EventResult = { readonly status: 'accepted' | 'duplicate' } | EventError
export type Recorded = { readonly inputs: readonly EventInput[]; readonly results: readonly EventResult[] }

/** An event to cancel, with the member names of the API. */
export type EventReference = { readonly event_name: string; readonly id: string }

export const cancelErrorCodes = ['unknown_event_name', 'unknown_event'] as const
/** The outcome of one event of a request. `duplicate`: it was cancelled before. */
export type CancelledEvent =
  | { readonly status: 'cancelled' | 'duplicate' }
  | { readonly code: (typeof cancelErrorCodes)[number]; readonly detail: string }
export type Cancelled = {
  readonly inputs: readonly EventReference[]
  readonly results: readonly CancelledEvent[]
}

/** The usage with these dimensions; null: in total. */
export type UsageRow = {
  readonly dimensions: { readonly [name: string]: string } | null
  readonly value: string
}

export type Usage = {
  readonly meter: Meter
  readonly customerId: string
  readonly from: Date
  readonly to: Date
  readonly rows: readonly UsageRow[]
  readonly isCurrent: boolean
}

export const reportIntervals = ['hour', 'day'] as const
export type ReportInterval = (typeof reportIntervals)[number]

export type IntervalUsage = { readonly startAt: Date; readonly value: string }
export type CustomerUsage = { readonly customerId: Id<'customer'>; readonly value: string }
export type GroupUsage = { readonly dimensions: { readonly [name: string]: string }; readonly value: string }

export type MeterReport = {
  readonly meter: Meter
  readonly customerId: string | null
  readonly from: Date
  readonly to: Date
  readonly interval: ReportInterval
  readonly value: string
  /** One for each interval of the period. */
  readonly intervals: readonly IntervalUsage[]
  readonly customers: readonly CustomerUsage[]
  readonly groups: readonly GroupUsage[]
  readonly isCurrent: boolean
}

const intervalMs: { readonly [I in ReportInterval]: number } = { hour: 3_600_000, day: 86_400_000 }

/** A report has at most this many intervals. */
export const maxIntervals = 1000
/** A report lists at most this many customers and combinations of dimensions. */
export const maxReportRows = 100

type Period = { readonly from: Date; readonly to: Date; readonly interval: ReportInterval }

/** The starts of the intervals in UTC. The first one starts at `from`, even if that is not the start of a day. */
export function intervalStarts({ from, to, interval }: Period): readonly Date[] {
  const unitMs = intervalMs[interval]
  const firstMs = Math.floor(from.getTime() / unitMs) * unitMs
  const count = Math.ceil((to.getTime() - firstMs) / unitMs)
  return Array.from(
    { length: count },
    (_, index) => new Date(Math.max(from.getTime(), firstMs + index * unitMs)),
  )
}

/** Adds the intervals without usage. */
export function withEmptyIntervals(period: Period, found: readonly IntervalUsage[]): IntervalUsage[] {
  const values = new Map(
    found.map(({ startAt, value }) => [Math.max(startAt.getTime(), period.from.getTime()), value]),
  )
  return intervalStarts(period).map((startAt) => ({ startAt, value: values.get(startAt.getTime()) ?? '0' }))
}

/** At most this many combinations of dimensions are returned. */
export const maxGroups = 1000

export const maxAgeSeconds = 35 * 86_400
const maxAheadSeconds = 300

type Known = {
  readonly meters: ReadonlyMap<string, Meter>
  readonly customers: ReadonlySet<string>
  readonly now: Date
}

/** The event to record, or the reason why it cannot be recorded. */
export function parseEvent(input: EventInput, { meters, customers, now }: Known): MeterEvent | EventError {
  const meter = meters.get(input.event_name)
  if (meter === undefined)
    return { code: 'unknown_event_name', detail: `There is no meter for ${input.event_name}.` }
  if (!customers.has(input.customer_id))
    return { code: 'unknown_customer', detail: `${input.customer_id} is not the id of an existing customer.` }
  const occurredAt = input.occurred_at === undefined ? now : new Date(input.occurred_at)
  return timeErrorOf(occurredAt, now) ?? valueErrorOf(input, meter) ?? toEvent(input, meter, occurredAt)
}

function timeErrorOf(at: Date, now: Date): EventError | null {
  if (Number.isNaN(at.getTime()))
    return { code: 'bad_time', detail: 'occurred_at must be a time such as 2027-01-31T12:00:00Z.' }
  if (at < addSeconds(now, -maxAgeSeconds))
    return { code: 'too_old', detail: 'occurred_at must be in the last 35 days.' }
  if (at > addSeconds(now, maxAheadSeconds))
    return { code: 'in_the_future', detail: 'occurred_at must be at most 5 minutes in the future.' }
  return null
}

function valueErrorOf({ value, dimensions = {} }: EventInput, meter: Meter): EventError | null {
  const { aggregation, valueKey } = meter
  const missing = requiredDimensions(meter).find((name) => dimensions[name] === undefined)
  if (missing !== undefined)
    return { code: 'dimension_required', detail: `dimensions must contain ${missing}.` }
  const needsValue = valueKey === null && aggregation !== 'count'
  if (needsValue && value === undefined)
    return { code: 'value_required', detail: `value is required for the aggregation ${aggregation}.` }
  return null
}

const requiredDimensions = ({ dimensions, valueKey }: Meter) =>
  valueKey === null ? dimensions : [...dimensions, valueKey]

function toEvent(
  { id, value, dimensions = {}, customer_id }: EventInput,
  meter: Meter,
  occurredAt: Date,
): MeterEvent {
  return {
    meterId: meter.id,
    eventId: id,
    customerId: customer_id as Id<'customer'>,
    occurredAt,
    value: value ?? null,
    distinctKey: meter.valueKey === null ? null : (dimensions[meter.valueKey] ?? ''),
    // Sorted, and only the dimensions of the meter, so that equal groups have equal keys.
    dimensions: Object.fromEntries(meter.dimensions.toSorted().map((name) => [name, dimensions[name] ?? ''])),
  }
}
