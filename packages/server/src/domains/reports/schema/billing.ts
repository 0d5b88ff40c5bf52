/** Figures of recurring billing on the wire. */
import { type Static, Type } from 'typebox'
import { nullable, OneOf, Time } from '../../../kernel/shapes.ts'
import type { DayChange, Total } from '../billing.ts'
import type { DayBalance } from '../history.ts'
import { wireNumber } from './payments.ts'

const currency = Type.String({ description: 'The currency of the amounts beside it.', examples: ['eur'] })
const amount = (description: string, example: number) =>
  Type.Integer({ description: `${description} In minor units.`, examples: [example] })
const objects = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] })
const explanation = Type.String({ description: 'How it is counted, in a sentence.' })
const countedAt = nullable(
  Type.String({
    ...Time,
    description:
      'Everything until then is in it: now, unless very much happens at once. Null: nothing is counted yet.',
  }),
)

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
            amount: amount('What active subscriptions bring in a month.', 448_700),
            subscriptions: objects('How many they are.', 151),
          }),
          { description: 'One entry for each currency.' },
        ),
        explanation,
      },
      { description: 'What active subscriptions bring in a month.' },
    ),
    subscriptions: Type.Object(
      {
        data: Type.Array(
          Type.Object({
            status: OneOf(statuses, { description: 'Of the subscriptions.' }),
            count: objects('How many are in this status.', 151),
          }),
          { description: 'One entry for each status.' },
        ),
        explanation,
      },
      { description: 'How many subscriptions there are.' },
    ),
    at_risk: Type.Object(
      {
        data: Type.Array(
          Type.Object({
            currency,
            campaigns: objects('Dunning campaigns that run.', 4),
            amount: amount('What their invoices come to.', 11_996),
          }),
          { description: 'One entry for each currency.' },
        ),
        explanation,
      },
      { description: 'What could not be collected yet, and is tried again.' },
    ),
    recovered: Type.Object(
      {
        data: Type.Array(
          Type.Object({
            currency,
            campaigns: objects('Dunning campaigns that ended with a payment.', 12),
            amount: amount('What their invoices came to.', 35_988),
          }),
          { description: 'One entry for each currency.' },
        ),
        explanation,
      },
      { description: 'What dunning brought back.' },
    ),
  },
  {
    $id: 'BillingReport',
    description: 'What subscriptions bring, what is at risk, and what dunning brought back.',
  },
)

const texts = {
  mrr: 'Each active subscription by its items and quantities: a year counts as 12 months, 52 weeks or 365 days; each subscription is rounded once to whole minor units, half away from zero. Trials, pauses and customers on test clocks count nothing, one-time charges and taxes neither.',
  subscriptions: 'Subscriptions by their status now. Those of customers on test clocks are left out.',
  at_risk: 'Dunning campaigns that run now, with the amounts due of their invoices.',
  recovered: 'Dunning campaigns that ended with a payment, today or on the 29 days before it, UTC.',
}

type Report = {
  readonly totals: readonly Total[]
  readonly days: readonly DayChange[]
  readonly countedAt: Date | null
}

export function presentBilling({ totals, days, countedAt: at }: Report): Static<typeof BillingReportObject> {
  const of = (kind: Total['kind'], status: string) =>
    totals.filter((total) => total.kind === kind && total.status === status && total.objects > 0n)
  return {
    object: 'billing_report',
    counted_at: at?.toISOString() ?? null,
    mrr: {
      data: inOrder(of('subscription', 'active')).map((total) => ({
        currency: total.currency,
        amount: wireNumber(total.amount),
        subscriptions: wireNumber(total.objects),
      })),
      explanation: texts.mrr,
    },
    subscriptions: {
      data: statuses.map((status) => ({
        status,
        count: wireNumber(sum(of('subscription', status), 'objects')),
      })),
      explanation: texts.subscriptions,
    },
    at_risk: {
      data: inOrder(of('dunning_campaign', 'running')).map((total) => ({
        currency: total.currency,
        campaigns: wireNumber(total.objects),
        amount: wireNumber(total.amount),
      })),
      explanation: texts.at_risk,
    },
    recovered: { data: recoveredOf(days), explanation: texts.recovered },
  }
}

function recoveredOf(days: readonly DayChange[]) {
  const all = [...Map.groupBy(days, (day) => day.currency)].map(([code, own]) => ({
    currency: code,
    campaigns: wireNumber(sum(own, 'recovered')),
    amount: wireNumber(sum(own, 'recoveredAmount')),
  }))
  return inOrder(all.filter(({ campaigns }) => campaigns > 0))
}

function sum<Name extends string>(rows: readonly { readonly [N in Name]: bigint }[], name: Name): bigint {
  return rows.reduce((all, row) => all + row[name], 0n)
}

function inOrder<Row extends { readonly currency: string }>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => (a.currency < b.currency ? -1 : 1))
}

const day = (description: string) =>
  Type.Optional(Type.String({ format: 'date', description, examples: ['2026-11-14'] }))

export const BillingHistoryQuery = Type.Object(
  {
    from: day('The first day. Without it, 29 days before `to`.'),
    to: day('The last day, today at the latest. Without it, today. At most 400 days after `from`.'),
  },
  { additionalProperties: false },
)

export const BillingHistoryObject = Type.Object(
  {
    object: Type.Literal('billing_history'),
    counted_at: countedAt,
    data: Type.Array(
      Type.Object({
        day: Type.String({ format: 'date', description: 'A day, UTC.', examples: ['2026-11-14'] }),
        currency,
        mrr: amount(
          'What active subscriptions brought in a month at the end of the day, or bring now.',
          448_700,
        ),
        active: objects('How many subscriptions were active then.', 151),
        recovered: objects('Dunning campaigns that ended with a payment on that day.', 2),
        recovered_amount: amount('What their invoices came to.', 5_998),
      }),
      { description: 'Every day of every currency, the oldest first.' },
    ),
    explanation,
  },
  { $id: 'BillingHistory', description: 'The figures of recurring billing, day by day.' },
)

type History = { readonly days: readonly DayBalance[]; readonly countedAt: Date | null }

export function presentHistory({ days, countedAt: at }: History): Static<typeof BillingHistoryObject> {
  return {
    object: 'billing_history',
    counted_at: at?.toISOString() ?? null,
    data: days.map((one) => ({
      day: one.dayOn,
      currency: one.currency,
      mrr: wireNumber(one.mrr),
      active: wireNumber(one.active),
      recovered: wireNumber(one.recovered),
      recovered_amount: wireNumber(one.recoveredAmount),
    })),
    explanation:
      'Changes are kept by the day on which they were told, UTC; each level is that of today without the changes after it. Subscriptions that were there before figures were kept count as if they had always been.',
  }
}
