/** The API schema of the payments report. */
import { type Static, Type } from 'typebox'
import { toSafeNumber } from '../../../../kernel/money.ts'
import { nullable, OneOf, Time } from '../../../../kernel/shapes.ts'
import { paymentMetrics, type TestClockRule, testClockRules } from '../definitions.ts'
import { type Counters, type Grain, type Group, grains, groups } from '../figures.ts'

/** Lists have a filter of the same name, which includes test clocks by default. */
export const TestClocksInReport = Type.Optional(
  OneOf(['include', 'exclude'], {
    default: 'exclude',
    description:
      'Whether customers on test clocks are included. At most the latest 10,000 objects or events on test clocks are read.',
  }),
)

export const PaymentsQuery = Type.Object(
  {
    from: Type.Optional(
      Type.String({
        ...Time,
        description:
          'Start of the report. The first bucket is the one that contains this time. Default: one day before `to`.',
      }),
    ),
    to: Type.Optional(
      Type.String({
        ...Time,
        description:
          'End of the report: includes buckets that begin before it. At most 750 buckets and 400 days after `from`. Default: now.',
      }),
    ),
    bucket: Type.Optional(
      OneOf(grains, { default: '1h', description: 'Length of a bucket. Days and hours are in UTC.' }),
    ),
    group: Type.Optional(
      OneOf(groups, {
        default: 'none',
        description:
          'Additional grouping besides currency. `provider_account`: payments are counted under the account that was tried last, `created` under the first one. `reason`: by failure reason of payments and attempts.',
      }),
    ),
    test_clocks: TestClocksInReport,
  },
  { additionalProperties: false },
)
export type PaymentsQuery = Static<typeof PaymentsQuery>

const count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] })

const counters = {
  created: count(paymentMetrics.created, 131),
  succeeded: count(paymentMetrics.succeeded, 119),
  failed: count(paymentMetrics.failed, 9),
  cancelled: count(paymentMetrics.cancelled, 2),
  volume: count(paymentMetrics.volume, 1_545_810),
  refunded: count(paymentMetrics.refunded, 2_598),
  recovered: count(paymentMetrics.recovered, 7),
  recovered_volume: count(paymentMetrics.recovered_volume, 90_930),
  attempts: count(paymentMetrics.attempts, 138),
  approved: count(paymentMetrics.approved, 121),
}

const PaymentFigures = Type.Object(
  {
    start: Type.String({ ...Time, description: 'Start of the bucket.' }),
    group: nullable(
      Type.String({
        description:
          'Currency, ID of a provider account or failure reason, depending on `group`. Null if none applies.',
        examples: ['insufficient_funds'],
      }),
    ),
    currency: Type.String({
      description: 'Currency of this row. Amounts in different currencies are never added up.',
      examples: ['eur'],
    }),
    ...counters,
  },
  { $id: 'PaymentFigures', description: 'Payment figures of one bucket.' },
)

export const PaymentsReportObject = Type.Object(
  {
    object: Type.Literal('payments_report'),
    from: { ...Time, description: 'Start of the report.' },
    to: { ...Time, description: 'End of the report.' },
    bucket: OneOf(grains, { description: 'Length of a bucket.' }),
    group: OneOf(groups, { description: 'Grouping of the figures.' }),
    counted_at: nullable(
      Type.String({
        ...Time,
        description:
          'Time up to which all data is included: normally now, earlier under very high load. Null if nothing has been counted yet.',
      }),
    ),
    data: Type.Array(PaymentFigures, {
      description: 'Buckets, oldest first. Empty buckets are omitted.',
    }),
    explanation: Type.String({ description: 'How the figures are calculated.' }),
  },
  { $id: 'PaymentsReport', description: 'Payment figures over time, by bucket.' },
)

const explanation =
  'A payment is counted in the bucket in which it was created, and again in the bucket in which it ended; a refund in the bucket in which it succeeded. Volume is the amount captured by succeeded payments, before refunds. Recovered payments succeeded after another provider account had been tried. Attempts are counted if a provider approved or declined them, or if they failed at the provider. Card verifications are not counted. Amounts are in minor units of their currency.'

type Report = {
  readonly query: {
    readonly grain: Grain
    readonly group: Group
    readonly from: Date
    readonly to: Date
    readonly testClocks: TestClockRule
  }
  readonly rows: readonly (Counters & {
    readonly start: Date
    readonly group: string | null
    readonly currency: string
  })[]
  readonly countedAt: Date | null
}

export function presentPayments({ query, rows, countedAt }: Report): Static<typeof PaymentsReportObject> {
  return {
    object: 'payments_report',
    from: query.from.toISOString(),
    to: query.to.toISOString(),
    bucket: query.grain,
    group: query.group,
    counted_at: countedAt?.toISOString() ?? null,
    data: rows.map(({ start, group, currency, ...figures }) => ({
      start: start.toISOString(),
      group,
      currency,
      ...presentCounters(figures),
    })),
    explanation: `${explanation} ${testClockRules[query.testClocks]}`,
  }
}

function presentCounters(figures: Counters) {
  return {
    created: toSafeNumber(figures.created),
    succeeded: toSafeNumber(figures.succeeded),
    failed: toSafeNumber(figures.failed),
    cancelled: toSafeNumber(figures.cancelled),
    volume: toSafeNumber(figures.volume),
    refunded: toSafeNumber(figures.refunded),
    recovered: toSafeNumber(figures.recovered),
    recovered_volume: toSafeNumber(figures.recoveredVolume),
    attempts: toSafeNumber(figures.attempts),
    approved: toSafeNumber(figures.approved),
  }
}
