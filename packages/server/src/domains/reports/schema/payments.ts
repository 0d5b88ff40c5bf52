/** Figures of payments on the wire. */
import { type Static, Type } from 'typebox'
import { assert } from '../../../kernel/assert.ts'
import { nullable, OneOf, Time } from '../../../kernel/shapes.ts'
import { type Counters, type Grain, type Group, grains, groups } from '../figures.ts'

export const PaymentsQuery = Type.Object(
  {
    from: Type.Optional(
      Type.String({
        ...Time,
        description: 'The first bucket is the one that holds it. Without it, a day before `to`.',
      }),
    ),
    to: Type.Optional(
      Type.String({
        ...Time,
        description:
          'Buckets that begin before it. Without it, now. At most 750 buckets and 400 days after `from`.',
      }),
    ),
    bucket: Type.Optional(
      OneOf(grains, { default: '1h', description: 'How long a bucket is. Days and hours are those of UTC.' }),
    ),
    group: Type.Optional(
      OneOf(groups, {
        default: 'none',
        description:
          'What figures are told apart by, beside their currency. `provider_account`: payments stand under the account that was asked last, `created` under the first one. `reason`: why payments and attempts failed.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type PaymentsQuery = Static<typeof PaymentsQuery>

const count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] })

const counters = {
  created: count('Payments that were created.', 131),
  succeeded: count('Payments that succeeded: all of their money that will be taken was.', 119),
  failed: count('Payments that failed.', 9),
  cancelled: count('Payments that were cancelled.', 2),
  volume: count('What the payments took that succeeded, in minor units.', 1_545_810),
  refunded: count('What was given back, in minor units, of payments of any time.', 2_598),
  recovered: count('Payments that succeeded after the route had moved on to another account.', 7),
  recovered_volume: count('What those took, in minor units.', 90_930),
  attempts: count('Attempts that a provider has decided, counted when their payment is decided.', 138),
  approved: count('Attempts that were approved. `approved / attempts` is the approval rate.', 121),
}

const PaymentFigures = Type.Object(
  {
    start: Type.String({ ...Time, description: 'When the bucket begins.' }),
    group: nullable(
      Type.String({
        description:
          'A currency, the id of a provider account, or a reason, as `group` asks. Null: none of them applies.',
        examples: ['insufficient_funds'],
      }),
    ),
    currency: Type.String({
      description: 'Of all figures of this row. Amounts of two currencies are never added.',
      examples: ['eur'],
    }),
    ...counters,
  },
  { $id: 'PaymentFigures', description: 'What became of payments in one bucket of time.' },
)

export const PaymentsReportObject = Type.Object(
  {
    object: Type.Literal('payments_report'),
    from: Time,
    to: Time,
    bucket: OneOf(grains, { description: 'How long a bucket is.' }),
    group: OneOf(groups, { description: 'By what the figures are told apart.' }),
    counted_at: nullable(
      Type.String({
        ...Time,
        description:
          'Everything until then is in it: now, unless very much happens at once. Null: nothing is counted yet.',
      }),
    ),
    data: Type.Array(PaymentFigures, {
      description: 'The oldest first. Buckets in which nothing happened are left out.',
    }),
    explanation: Type.String({ description: 'How the figures are counted, in a few sentences.' }),
  },
  { $id: 'PaymentsReport', description: 'What became of payments over a time, bucket by bucket.' },
)

const explanation =
  'A payment is counted in the bucket in which it was created, and again in the one in which it ended; a refund in the one in which it succeeded. Volume is what succeeded payments took, before refunds. Recovered are those that succeeded after another account was asked. Attempts are those that a provider decided. Card verifications and payments on test clocks are left out. Amounts are in minor units of their currency.'

type Report = {
  readonly asked: { readonly grain: Grain; readonly group: Group; readonly from: Date; readonly to: Date }
  readonly rows: readonly (Counters & {
    readonly start: Date
    readonly group: string | null
    readonly currency: string
  })[]
  readonly countedAt: Date | null
}

export function presentPayments({ asked, rows, countedAt }: Report): Static<typeof PaymentsReportObject> {
  return {
    object: 'payments_report',
    from: asked.from.toISOString(),
    to: asked.to.toISOString(),
    bucket: asked.grain,
    group: asked.group,
    counted_at: countedAt?.toISOString() ?? null,
    data: rows.map(({ start, group, currency, ...figures }) => ({
      ...{ start: start.toISOString(), group, currency },
      ...presentCounters(figures),
    })),
    explanation,
  }
}

function presentCounters(figures: Counters) {
  return {
    created: wireNumber(figures.created),
    succeeded: wireNumber(figures.succeeded),
    failed: wireNumber(figures.failed),
    cancelled: wireNumber(figures.cancelled),
    volume: wireNumber(figures.volume),
    refunded: wireNumber(figures.refunded),
    recovered: wireNumber(figures.recovered),
    recovered_volume: wireNumber(figures.recoveredVolume),
    attempts: wireNumber(figures.attempts),
    approved: wireNumber(figures.approved),
  }
}

/** A sum as JSON carries it. */
export function wireNumber(sum: bigint): number {
  const number = Number(sum)
  assert(Number.isSafeInteger(number), 'JSON cannot carry this sum exactly: send it as a text from now on.')
  return number
}
