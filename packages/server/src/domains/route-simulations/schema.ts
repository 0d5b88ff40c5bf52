import { type Static, Type } from 'typebox'
import { IdOf, nullable, OneOf, shownNullable, Time } from '../../kernel/shapes.ts'
import { SimulatePaymentRoute as SimulatePayment } from '../payment-routes/schema/simulation.ts'
import { statuses } from './machine.ts'
import { type Approvals, leastAttempts, type Rate, type Result } from './result.ts'
import { type RouteSimulation, scopes } from './route-simulation.ts'

export { presentSimulation, SimulationObject } from '../payment-routes/schema/simulation.ts'
export { PaymentRoutePath } from '../payment-routes/schema.ts'

const count = (description: string, example = 120) => Type.Integer({ description, examples: [example] })

const ApprovalsObject = Type.Object(
  {
    rated_payments: count(
      'For so many of them both accounts have a rate. Nothing is said of the others.',
      118,
    ),
    expected: nullable(
      Type.Object(
        {
          change: Type.Number({ description: 'So many more would be approved.', examples: [3.4] }),
          low: Type.Number({
            description: 'Nineteen times out of twenty at least so many.',
            examples: [-0.8],
          }),
          high: Type.Number({ description: 'And at most so many.', examples: [7.6] }),
        },
        { description: 'In payments. Null: too little is known of the accounts.' },
      ),
    ),
  },
  {
    description:
      'What is to be expected at the account that is asked first, by the rates that were observed. What another account would rescue afterwards is not in it.',
  },
)

const place = (description: string) => nullable(IdOf('provider_account', description))

const SegmentObject = Type.Object({
  currency: Type.String({ description: 'ISO 4217, lower case.', examples: ['eur'] }),
  card_brand: Type.String({ description: 'The network of the card.', examples: ['visa'] }),
  card_country: nullable(Type.String({ description: 'Where the card was issued.', examples: ['DE'] })),
})

const ResultObject = Type.Object(
  {
    payments: count('How many were compared.', 5_000),
    elsewhere: count('How many of them would go to another account.'),
    approvals: ApprovalsObject,
    moves: Type.Array(
      Type.Object({
        from_provider_account_id: place('Null: nobody, because none can take it or a rule declines it.'),
        to_provider_account_id: place('Null: nobody.'),
        payments: count('How many go this way.'),
        approvals: ApprovalsObject,
      }),
      { description: 'From where to where, the most first; at most 100 ways.' },
    ),
    rates: Type.Array(
      Type.Object({
        provider_account_id: IdOf('provider_account'),
        segment: { ...SegmentObject, description: 'The payments that are alike.' },
        attempts: count('How many payments of the segment were really tried there first, in this time.', 910),
        approved: count('How many of those were approved.', 874),
        rate: nullable(
          Type.Number({
            description: `Null with fewer than ${leastAttempts} attempts: that is too few to go by.`,
            examples: [0.9604],
          }),
        ),
        gains: count('How many payments of the segment would come to it.'),
        loses: count('How many would go.', 0),
      }),
      { description: 'What stands behind the expectations; at most 200, those with the most payments.' },
    ),
    examples: Type.Array(
      Type.Object({
        payment_id: IdOf('payment'),
        from_provider_account_id: place('Null: nobody.'),
        to_provider_account_id: place('Null: nobody.'),
        cause: Type.String({ description: 'Why it would go there.', examples: ['rule "EU cards"'] }),
      }),
      { description: 'A few payments that would go elsewhere.' },
    ),
  },
  { description: 'What it found. Null until it is completed.' },
)

export const RouteSimulationObject = Type.Object(
  {
    id: IdOf('route_simulation'),
    object: Type.Literal('route_simulation'),
    payment_route_id: IdOf('payment_route'),
    revision: Type.Integer({ description: 'The revision that is tried out.', examples: [13] }),
    against: nullable(
      Type.Integer({
        description: 'The one that it is compared with. Null: the order of the accounts.',
        examples: [12],
      }),
    ),
    from_at: Time,
    to_at: Time,
    payments: OneOf(scopes, {
      description: '`route`: those that the route has decided about. `all`: all of the workspace.',
    }),
    status: OneOf(statuses, {
      description: 'It has a result when it is `completed`.',
      examples: ['completed'],
    }),
    progress: Type.Object(
      {
        done: count('How many payments of that time it has looked at.', 5_000),
        total: nullable(count('How many there are. Null until they are counted.', 5_000)),
      },
      { description: 'How far it is.' },
    ),
    result: shownNullable(ResultObject),
    created_at: Time,
    updated_at: Time,
    completed_at: shownNullable({ ...Time, description: 'When it ended, in one way or the other.' }),
  },
  {
    $id: 'RouteSimulation',
    description: 'What a revision would have done otherwise with all payments of a time.',
  },
)

export const RouteSimulationPath = Type.Object({
  payment_route_id: IdOf('payment_route'),
  route_simulation_id: IdOf('route_simulation'),
})

const History = Type.Object(
  {
    from_at: Type.String({
      format: 'date-time',
      description: 'Payments from this time on.',
      examples: ['2026-11-01T00:00:00.000Z'],
    }),
    to_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'Payments up to this time. Without it, up to now.' }),
    ),
    payments: Type.Optional(
      OneOf(scopes, {
        description:
          '`route`: those that the route has decided about. `all`: all of the workspace. Without it `route`, and `all` for a route that was never published.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      'Goes through payments that there were, in the background, and tells what `revision`, without it the newest one, would do otherwise than `against`. It answers 202 with a route simulation.',
  },
)

export const SimulatePaymentRoute = Type.Object(
  {
    ...SimulatePayment.properties,
    history: Type.Optional(History),
    against: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_147_483_647,
        description:
          'With `history`: the revision to compare with. Without it: the one that is published, or the order of the accounts while none is.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type SimulatePaymentRoute = Static<typeof SimulatePaymentRoute>

export function present(simulation: RouteSimulation): object {
  return {
    id: simulation.id,
    object: 'route_simulation',
    payment_route_id: simulation.paymentRouteId,
    revision: simulation.revision,
    against: simulation.against,
    from_at: simulation.fromAt.toISOString(),
    to_at: simulation.toAt.toISOString(),
    payments: simulation.payments,
    status: simulation.status,
    progress: { done: simulation.done, total: simulation.total },
    result: simulation.result === null ? null : presentResult(simulation.result),
    created_at: simulation.createdAt.toISOString(),
    updated_at: simulation.updatedAt.toISOString(),
    completed_at: simulation.completedAt?.toISOString() ?? null,
  }
}

function presentResult({ compared, moved, approvals, moves, rates, examples }: Result): object {
  return {
    payments: compared,
    elsewhere: moved,
    approvals: presentApprovals(approvals),
    moves: moves.map((move) => ({
      from_provider_account_id: move.from,
      to_provider_account_id: move.to,
      payments: move.payments,
      approvals: presentApprovals(move.approvals),
    })),
    rates: rates.map(presentRate),
    examples: examples.map(({ paymentId, from, to, cause }) => ({
      ...{ payment_id: paymentId, from_provider_account_id: from, to_provider_account_id: to, cause },
    })),
  }
}

function presentApprovals({ rated, expected }: Approvals): object {
  return { rated_payments: rated, expected }
}

function presentRate({ account, segment, attempts, approved, gains, loses }: Rate): object {
  const rate = attempts < leastAttempts ? null : Math.round((approved / attempts) * 10_000) / 10_000
  return { provider_account_id: account, segment, attempts, approved, rate, gains, loses }
}
