/** API schemas of meters, usage events and usage. */
import { type Static, Type } from 'typebox'
import { CreatedAt, IdOf, nullable, nullableWithNullExample, OneOf, Time } from '../../../kernel/shapes.ts'
import {
  aggregations,
  type Cancelled,
  cancelErrorCodes,
  eventErrorCodes,
  type Meter,
  type MeterReport,
  maxGroups,
  maxReportRows,
  type Recorded,
  reportIntervals,
  type Usage,
} from './meter.ts'

const eventName = Type.String({
  pattern: '^[A-Za-z0-9_.-]{1,100}$',
  faultDetail: 'must consist of 1 to 100 letters, digits, ".", "_" or "-"',
  description: 'Name of the events that the meter counts. Each name has one meter.',
  examples: ['api_request'],
  loggable: true,
})
const aggregation = OneOf(aggregations, {
  description:
    'How usage is calculated from events. `sum`, `max`: of their values. `count`: the number of events. `last`: the value of the event that occurred last. `unique`: the number of different values of the dimension `value_key`.',
  examples: ['sum'],
  loggable: true,
})
const dimensionName = Type.String({
  pattern: '^[a-z][a-z0-9_]{0,39}$',
  faultDetail: 'must start with a lowercase letter and contain only lowercase letters, digits and "_"',
  examples: ['region'],
})
const dimensionNames = Type.Array(dimensionName, {
  maxItems: 10,
  uniqueItems: true,
  description: 'Dimensions that usage is broken down by. Every event must have them.',
  examples: [['region']],
})
const valueKey = nullableWithNullExample({
  ...dimensionName,
  description: 'Dimension whose values are counted by `unique`. Null for other aggregations.',
})

export const MeterObject = Type.Object(
  {
    id: IdOf('meter'),
    object: Type.Literal('meter'),
    event_name: eventName,
    aggregation,
    value_key: valueKey,
    dimensions: dimensionNames,
    created_at: CreatedAt,
  },
  { $id: 'Meter', description: 'Counts usage events of customers. Its terms cannot be changed.' },
)

export const CreateMeter = Type.Object(
  {
    event_name: eventName,
    aggregation,
    value_key: Type.Optional(valueKey),
    dimensions: Type.Optional(dimensionNames),
  },
  { additionalProperties: false },
)
export type CreateMeter = Static<typeof CreateMeter>

export const MeterPath = Type.Object({ meter_id: IdOf('meter') })

export function presentMeter(meter: Meter): Static<typeof MeterObject> {
  return {
    id: meter.id,
    object: 'meter',
    event_name: meter.eventName,
    aggregation: meter.aggregation,
    value_key: meter.valueKey,
    dimensions: [...meter.dimensions],
    created_at: meter.createdAt.toISOString(),
  }
}

const dimensions = Type.Record(Type.String(), Type.String({ maxLength: 100 }), {
  description: 'Values of the dimensions, by name.',
  examples: [{ region: 'eu' }],
})
const usageValue = Type.String({
  pattern: '^-?(0|[1-9][0-9]{0,11})(\\.[0-9]{1,12})?$',
  faultDetail: 'must be a decimal of up to 12 digits before and 12 after the point, such as 1.5',
  description: 'Value as a decimal.',
  examples: ['1.5'],
})

export const CreateMeterEvents = Type.Object(
  {
    events: Type.Array(
      Type.Object(
        {
          id: Type.String({
            minLength: 1,
            maxLength: 200,
            description: 'Your id of the event. A meter counts each id once, so you can repeat a request.',
            examples: ['req_8f14e45f'],
          }),
          event_name: { ...eventName, description: 'Name of the event. It determines the meter.' },
          customer_id: IdOf('customer', 'Customer who used the service.'),
          occurred_at: Type.Optional({
            ...Time,
            description: 'Time of the usage, from 35 days ago to 5 minutes in the future. Default: now.',
          }),
          value: Type.Optional({
            ...usageValue,
            description: 'Value as a decimal. Required for `sum`, `max` and `last`.',
          }),
          dimensions: Type.Optional(dimensions),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 1000, description: 'Up to 1,000 events.' },
    ),
  },
  { additionalProperties: false },
)
export type CreateMeterEvents = Static<typeof CreateMeterEvents>

export const MeterEventBatchObject = Type.Object(
  {
    object: Type.Literal('meter_event_batch'),
    accepted: Type.Integer({ description: 'Number of events that were recorded.', examples: [2] }),
    duplicates: Type.Integer({
      description: 'Number of events whose id had been recorded before.',
      examples: [0],
    }),
    errors: Type.Array(
      Type.Object({
        index: Type.Integer({ description: 'Position of the event in the request, from 0.', examples: [1] }),
        id: Type.String({ description: 'Your id of the event.', examples: ['req_8f14e45f'] }),
        code: OneOf(eventErrorCodes, { description: 'Why the event was not recorded.' }),
        detail: Type.String({ description: 'Description of the error.' }),
      }),
      { description: 'Events that were not recorded. The other events are recorded.' },
    ),
  },
  { $id: 'MeterEventBatch', description: 'Result of recording usage events.' },
)

export function presentRecorded({ inputs, results }: Recorded): Static<typeof MeterEventBatchObject> {
  const numberOf = (status: string) =>
    results.filter((result) => 'status' in result && result.status === status).length
  return {
    object: 'meter_event_batch',
    accepted: numberOf('accepted'),
    duplicates: numberOf('duplicate'),
    errors: results.flatMap((result, index) =>
      'code' in result ? [{ index, id: inputs[index]?.id ?? '', ...result }] : [],
    ),
  }
}

export const CancelMeterEvents = Type.Object(
  {
    events: Type.Array(
      Type.Object(
        {
          event_name: { ...eventName, description: 'Name of the event. It determines the meter.' },
          id: Type.String({
            minLength: 1,
            maxLength: 200,
            description: 'Your id of the event.',
            examples: ['req_8f14e45f'],
          }),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 1000, description: 'Up to 1,000 events that occurred in the last 35 days.' },
    ),
  },
  { additionalProperties: false },
)

export const MeterEventCancellationObject = Type.Object(
  {
    object: Type.Literal('meter_event_cancellation'),
    cancelled: Type.Integer({ description: 'Number of events that were cancelled.', examples: [2] }),
    duplicates: Type.Integer({
      description: 'Number of events that had been cancelled before.',
      examples: [0],
    }),
    errors: Type.Array(
      Type.Object({
        index: Type.Integer({ description: 'Position of the event in the request, from 0.', examples: [1] }),
        id: Type.String({ description: 'Your id of the event.', examples: ['req_8f14e45f'] }),
        code: OneOf(cancelErrorCodes, { description: 'Why the event was not cancelled.' }),
        detail: Type.String({ description: 'Description of the error.' }),
      }),
      { description: 'Events that were not cancelled. The other events are cancelled.' },
    ),
  },
  { $id: 'MeterEventCancellation', description: 'Result of cancelling usage events.' },
)

export function presentCancelled({
  inputs,
  results,
}: Cancelled): Static<typeof MeterEventCancellationObject> {
  const numberOf = (status: string) =>
    results.filter((result) => 'status' in result && result.status === status).length
  return {
    object: 'meter_event_cancellation',
    cancelled: numberOf('cancelled'),
    duplicates: numberOf('duplicate'),
    errors: results.flatMap((result, index) =>
      'code' in result ? [{ index, id: inputs[index]?.id ?? '', ...result }] : [],
    ),
  }
}

const hourStart = (description: string) => ({ ...Time, description })

export const UsageQuery = Type.Object({
  customer_id: IdOf('customer', 'Customer whose usage is returned.'),
  from: hourStart('Start of the period, on the hour in UTC.'),
  to: hourStart('End of the period, on the hour in UTC. The end is not included.'),
})
export type UsageQuery = Static<typeof UsageQuery>

const resultValue = (description: string) => Type.String({ description, examples: ['24000'] })

export const UsageObject = Type.Object(
  {
    object: Type.Literal('meter_usage'),
    meter_id: IdOf('meter'),
    customer_id: IdOf('customer'),
    from: { ...Time, description: 'Start of the period.' },
    to: { ...Time, description: 'End of the period.' },
    value: resultValue('Usage in the period as a decimal.'),
    groups: Type.Array(
      Type.Object({
        dimensions,
        value: resultValue('Usage with these dimensions as a decimal.'),
      }),
      { description: `Usage by dimensions, up to ${maxGroups} combinations.` },
    ),
    current: Type.Boolean({
      description:
        'Whether all events that were recorded before the request are included. Events are usually included after a few seconds.',
      examples: [true],
    }),
  },
  { $id: 'MeterUsage', description: 'Usage of a customer in a period.' },
)

export function presentUsage(usage: Usage): Static<typeof UsageObject> {
  const total = usage.rows.find((row) => row.dimensions === null)
  return {
    object: 'meter_usage',
    meter_id: usage.meter.id,
    customer_id: usage.customerId as Static<typeof UsageObject>['customer_id'],
    from: usage.from.toISOString(),
    to: usage.to.toISOString(),
    value: total?.value ?? '0',
    groups: usage.rows.flatMap(({ dimensions: group, value }) =>
      group === null ? [] : [{ dimensions: group, value }],
    ),
    current: usage.isCurrent,
  }
}

const interval = OneOf(reportIntervals, {
  description: 'Length of the intervals. Days are in UTC.',
  examples: ['day'],
  loggable: true,
})

export const ReportQuery = Type.Object({
  customer_id: Type.Optional(IdOf('customer', 'Only the usage of this customer. Default: all customers.')),
  from: hourStart('Start of the period, on the hour in UTC.'),
  to: hourStart('End of the period, on the hour in UTC. The end is not included.'),
  interval: Type.Optional({ ...interval, description: 'Length of the intervals. Default: `day`.' }),
})
export type ReportQuery = Static<typeof ReportQuery>

export const MeterReportObject = Type.Object(
  {
    object: Type.Literal('meter_report'),
    meter_id: IdOf('meter'),
    customer_id: nullable(IdOf('customer', 'Customer whose usage is reported. Null: all customers.')),
    from: { ...Time, description: 'Start of the period.' },
    to: { ...Time, description: 'End of the period.' },
    interval,
    value: resultValue('Usage in the period as a decimal.'),
    intervals: Type.Array(
      Type.Object({
        start_at: { ...Time, description: 'Start of the interval.' },
        value: resultValue('Usage in the interval as a decimal.'),
      }),
      { description: 'Usage of each interval, oldest first.' },
    ),
    customers: Type.Array(
      Type.Object({
        customer_id: IdOf('customer'),
        value: resultValue('Usage of the customer as a decimal.'),
      }),
      { description: `Customers with the most usage, up to ${maxReportRows}.` },
    ),
    groups: Type.Array(
      Type.Object({
        dimensions,
        value: resultValue('Usage with these dimensions as a decimal.'),
      }),
      {
        description: `Combinations of dimensions with the most usage, up to ${maxReportRows}. Empty if the meter has no dimensions.`,
      },
    ),
    current: Type.Boolean({
      description: 'Whether all events that were recorded before the request are included.',
      examples: [true],
    }),
  },
  { $id: 'MeterReport', description: 'Usage of a meter over time, by customer and by dimensions.' },
)

export function presentReport(report: MeterReport): Static<typeof MeterReportObject> {
  return {
    object: 'meter_report',
    meter_id: report.meter.id,
    customer_id: report.customerId as Static<typeof MeterReportObject>['customer_id'],
    from: report.from.toISOString(),
    to: report.to.toISOString(),
    interval: report.interval,
    value: report.value,
    intervals: report.intervals.map(({ startAt, value }) => ({ start_at: startAt.toISOString(), value })),
    customers: report.customers.map(({ customerId, value }) => ({ customer_id: customerId, value })),
    groups: report.groups.map(({ dimensions: group, value }) => ({ dimensions: group, value })),
    current: report.isCurrent,
  }
}
