/** The API schemas of the billing reports. */
import { type Static, Type } from 'typebox'
import { toSafeNumber } from '../../../../kernel/money.ts'
import { nullable, OneOf, Time } from '../../../../kernel/shapes.ts'
import type { DayChange, Total } from '../billing.ts'
import { billingMetrics, type TestClockRule, testClockRules } from '../definitions.ts'
import type { DayBalance } from '../history.ts'
import { TestClocksInReport } from './payments.ts'

const currency = Type.String({ description: 'Currency of the amounts in this entry.', examples: ['eur'] })
const amount = (description: string, example: number) =>
  Type.Integer({ description: `${description} In minor units.`, examples: [example] })
const objects = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] })
const explanation = Type.String({ description: 'How the figure is calculated.' })
const countedAt = nullable(
  Type.String({
    ...Time,
    description:
      'Time up to which all data is included: normally now, earlier under very high load. Null if nothing has been counted yet.',
  }),
)

export const BillingQuery = Type.Object({ test_clocks: TestClocksInReport }, { additionalProperties: false })
export type BillingQuery = Static<typeof BillingQuery>

const statuses = ['trialing', 'active', 'paused', 'cancelled'] as const

export const BillingReportObject = Type.Object(
  {
    object: Type.Literal('billing_report'),
    counted_at: countedAt,
    mrr: Type.Object(
      {
        data: Type.Array(
          Type.Object({
            currency,
            amount: amount('Monthly recurring revenue of active subscriptions.', 448_700),
            subscriptions: objects('Number of active subscriptions.', 151),
          }),
          { description: 'One entry per currency.' },
        ),
        explanation,
      },
      { description: 'Monthly recurring revenue of active subscriptions.' },
    ),
    subscriptions: Type.Object(
      {
        data: Type.Array(
          Type.Object({
            status: OneOf(statuses, { description: 'Status of the subscriptions.' }),
            count: objects('Number of subscriptions with this status.', 151),
          }),
          { description: 'One entry per status.' },
        ),
        explanation,
      },
      { description: 'Number of subscriptions by status.' },
    ),
    at_risk: Type.Object(
      {
        data: Type.Array(
          Type.Object({
            currency,
            campaigns: objects('Number of running dunning campaigns.', 4),
            amount: amount('Total amount due on the invoices of these campaigns.', 11_996),
          }),
          { description: 'One entry per currency.' },
        ),
        explanation,
      },
      { description: 'Amount that could not be collected yet and is being retried.' },
    ),
    recovered: Type.Object(
      {
        data: Type.Array(
          Type.Object({
            currency,
            campaigns: objects('Number of dunning campaigns that ended with a payment.', 12),
            amount: amount('Total amount that was due on the recovered invoices.', 35_988),
          }),
          { description: 'One entry per currency.' },
        ),
        explanation,
      },
      { description: 'Amount recovered by dunning.' },
    ),
  },
  {
    $id: 'BillingReport',
    description: 'Recurring revenue, amount at risk and amount recovered by dunning.',
  },
)

type Report = {
  readonly totals: readonly Total[]
  readonly days: readonly DayChange[]
  readonly countedAt: Date | null
  readonly testClocks: TestClockRule
}

export function presentBilling(report: Report): Static<typeof BillingReportObject> {
  const { totals, days, countedAt: at, testClocks } = report
  const explain = (metric: keyof typeof billingMetrics) =>
    `${billingMetrics[metric]} ${testClockRules[testClocks]}`
  const totalsOf = (kind: Total['kind'], status: string) =>
    totals.filter((total) => total.kind === kind && total.status === status && total.objects > 0n)
  return {
    object: 'billing_report',
    counted_at: at?.toISOString() ?? null,
    mrr: {
      data: sortByCurrency(totalsOf('subscription', 'active')).map((total) => ({
        currency: total.currency,
        amount: toSafeNumber(total.amount),
        subscriptions: toSafeNumber(total.objects),
      })),
      explanation: explain('mrr'),
    },
    subscriptions: {
      data: statuses.map((status) => ({
        status,
        count: toSafeNumber(sum(totalsOf('subscription', status), 'objects')),
      })),
      explanation: explain('subscriptions'),
    },
    at_risk: {
      data: sortByCurrency(totalsOf('dunning_campaign', 'running')).map((total) => ({
        currency: total.currency,
        campaigns: toSafeNumber(total.objects),
        amount: toSafeNumber(total.amount),
      })),
      explanation: explain('at_risk'),
    },
    recovered: { data: recoveredByCurrency(days), explanation: explain('recovered') },
  }
}

function recoveredByCurrency(days: readonly DayChange[]) {
  const all = [...Map.groupBy(days, (day) => day.currency)].map(([code, currencyDays]) => ({
    currency: code,
    campaigns: toSafeNumber(sum(currencyDays, 'recovered')),
    amount: toSafeNumber(sum(currencyDays, 'recoveredAmount')),
  }))
  return sortByCurrency(all.filter(({ campaigns }) => campaigns > 0))
}

function sum<Name extends string>(rows: readonly { readonly [N in Name]: bigint }[], name: Name): bigint {
  return rows.reduce((total, row) => total + row[name], 0n)
}

function sortByCurrency<Row extends { readonly currency: string }>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => (a.currency < b.currency ? -1 : 1))
}

const day = (description: string) =>
  Type.Optional(Type.String({ format: 'date', description, examples: ['2026-11-14'] }))

export const BillingHistoryQuery = Type.Object(
  {
    from: day('First day. Default: 29 days before `to`.'),
    to: day('Last day, at most today and at most 400 days after `from`. Default: today.'),
  },
  { additionalProperties: false },
)

export const BillingHistoryObject = Type.Object(
  {
    object: Type.Literal('billing_history'),
    counted_at: countedAt,
    data: Type.Array(
      Type.Object({
        day: Type.String({ format: 'date', description: 'Day in UTC.', examples: ['2026-11-14'] }),
        currency,
        mrr: amount(
          'Monthly recurring revenue of active subscriptions at the end of the day, or now for today.',
          448_700,
        ),
        active: objects('Number of active subscriptions at that time.', 151),
        recovered: objects('Number of dunning campaigns that ended with a payment on that day.', 2),
        recovered_amount: amount('Total amount that was due on the invoices recovered on that day.', 5_998),
      }),
      { description: 'One entry per day and currency, oldest first.' },
    ),
    explanation,
  },
  { $id: 'BillingHistory', description: 'Recurring billing figures by day.' },
)

type History = { readonly days: readonly DayBalance[]; readonly countedAt: Date | null }

export function presentHistory({ days, countedAt: at }: History): Static<typeof BillingHistoryObject> {
  return {
    object: 'billing_history',
    counted_at: at?.toISOString() ?? null,
    data: days.map((balance) => ({
      day: balance.dayOn,
      currency: balance.currency,
      mrr: toSafeNumber(balance.mrr),
      active: toSafeNumber(balance.active),
      recovered: toSafeNumber(balance.recovered),
      recovered_amount: toSafeNumber(balance.recoveredAmount),
    })),
    explanation:
      'Changes are counted on the UTC day on which they were recorded; past days are calculated backwards from the current value. Customers on test clocks are not counted. Subscriptions created before report data was collected are counted on every day of the range.',
  }
}
