import { type Static, Type } from 'typebox'
import {
  CreatedAt,
  IdOf,
  nullable,
  nullableWithExample,
  OneOf,
  Time,
  UpdatedAt,
} from '../../../kernel/shapes.ts'
import { SimulatePaymentRoute as SimulatePayment } from '../payment-routes/schema/simulation.ts'
import { statuses } from './machine.ts'
import {
  type Approvals,
  type CostOfCurrency,
  minAttempts,
  type Rate,
  type Result,
  type SettledCostOfCurrency,
} from './result.ts'
import { type RouteSimulation, scopes } from './route-simulation.ts'

export { presentSimulation, SimulationObject } from '../payment-routes/schema/simulation.ts'
export { PaymentRoutePath } from '../payment-routes/schema.ts'

const count = (description: string, example = 120) => Type.Integer({ description, examples: [example] })

const ApprovalsObject = Type.Object(
  {
    rated_payments: count(
      'Number of rerouted payments for which both accounts have a known approval rate. The others are not included in the estimate.',
      118,
    ),
    expected: nullable(
      Type.Object(
        {
          change: Type.Number({
            description: 'Expected change in the number of approved payments.',
            examples: [3.4],
          }),
          low: Type.Number({
            description: 'Lower bound of the 95% confidence interval.',
            examples: [-0.8],
          }),
          high: Type.Number({ description: 'Upper bound of the 95% confidence interval.', examples: [7.6] }),
        },
        {
          description:
            'Expected change in the number of approved payments. Null if there is too little data about the accounts.',
        },
      ),
    ),
  },
  {
    description:
      'Expected approvals at the account that is tried first, based on observed approval rates. Recoveries by failover are not included.',
  },
)

const accountId = (description: string) => nullable(IdOf('provider_account', description))

const SegmentObject = Type.Object({
  currency: Type.String({
    description: 'Three-letter ISO 4217 currency code in lowercase, e.g. `eur`.',
    examples: ['eur'],
  }),
  card_brand: Type.String({ description: 'Card brand.', examples: ['visa'] }),
  card_country: nullable(
    Type.String({ description: 'Country of the card issuer. Null if it is unknown.', examples: ['DE'] }),
  ),
})

const ResultObject = Type.Object(
  {
    payments: count('Number of payments compared.', 5_000),
    elsewhere: count('Number of payments that would be rerouted to another account.'),
    approvals: ApprovalsObject,
    moves: Type.Array(
      Type.Object({
        from_provider_account_id: accountId(
          'Account that is used now. Null if no account is eligible or a rule declines the payment.',
        ),
        to_provider_account_id: accountId('Account that would be used. Null if there is none.'),
        payments: count('Number of payments rerouted from one account to the other.'),
        approvals: ApprovalsObject,
      }),
      { description: 'Reroutes between accounts, largest first, at most 100.' },
    ),
    costs: Type.Array(
      Type.Object({
        currency: SegmentObject.properties.currency,
        payments: count(
          'Number of payments whose estimated cost is known at both accounts: the one that approved them, and the one that would be tried first.',
          4_810,
        ),
        unknown_payments: count(
          'Number of payments that were approved at the first attempt, but whose cost is unknown at one of the accounts. They are not included in the amounts.',
          12,
        ),
        actual_amount: count(
          'Estimated cost of these payments where they were approved, in minor units.',
          182_340,
        ),
        simulated_amount: count('Estimated cost at the accounts that would be tried first.', 141_140),
        change: count('Difference: negative if the simulated revision would have cost less.', -41_200),
      }),
      {
        description:
          'Estimated costs by currency, from the `costs` currently entered for the accounts, not from what the providers billed. Payments whose first attempt was not approved, and currencies without any known cost, are not included.',
      },
    ),
    settled_costs: Type.Array(
      Type.Object({
        currency: SegmentObject.properties.currency,
        payments: count('Number of payments that were captured by the account that was tried first.', 4_822),
        covered_payments: count(
          'Number of those whose cost is known at both accounts: the one that captured them, and the one that would be tried first. Only these are included in the amounts.',
          4_490,
        ),
        actual_amount: nullable(
          count(
            'Cost of the covered payments at the accounts that captured them, in minor units. Null if it is unknown.',
            120_410,
          ),
        ),
        simulated_amount: nullable(
          count('Cost at the accounts that would be tried first. Null if it is unknown.', 118_770),
        ),
        simulated_low: nullable(
          count(
            'Lower bound of the 95% prediction interval of `simulated_amount`. Payments that stay at their account do not widen it.',
            118_000,
          ),
        ),
        simulated_high: nullable(
          count('Upper bound of the 95% prediction interval of `simulated_amount`.', 119_540),
        ),
      }),
      {
        description:
          'Costs by currency, estimated from the fees that the providers charged according to imported settlement reports. The cost of a payment is unknown if there are fewer than 200 settlement lines about payments at the account with the same currency, card brand, card country, card funding type and magnitude of the amount. Empty if no report was imported.',
      },
    ),
    rates: Type.Array(
      Type.Object({
        provider_account_id: IdOf('provider_account'),
        segment: { ...SegmentObject, description: 'Segment of similar payments.' },
        attempts: count(
          'Number of payments of the segment in this period whose first attempt was at this account.',
          910,
        ),
        approved: count('Number of those that were approved.', 874),
        rate: nullable(
          Type.Number({
            description: `Approval rate. Null with fewer than ${minAttempts} attempts, because they are too few for an estimate.`,
            examples: [0.9604],
          }),
        ),
        gains: count('Number of payments of the segment that the account would gain.'),
        loses: count('Number of payments of the segment that the account would lose.', 0),
      }),
      { description: 'Approval rates behind the estimate, by number of payments, at most 200.' },
    ),
    examples: Type.Array(
      Type.Object({
        payment_id: IdOf('payment'),
        from_provider_account_id: accountId('Account that is used now. Null if there is none.'),
        to_provider_account_id: accountId('Account that would be used. Null if there is none.'),
        cause: Type.String({
          description: 'Why the payment would be rerouted.',
          examples: ['rule "EU cards"'],
        }),
      }),
      { description: 'Some payments that would be rerouted.' },
    ),
  },
  { description: 'Result of the simulation. Null until it is completed.' },
)

export const RouteSimulationObject = Type.Object(
  {
    id: IdOf('route_simulation'),
    object: Type.Literal('route_simulation'),
    payment_route_id: IdOf('payment_route'),
    revision: Type.Integer({ description: 'Revision that is simulated.', examples: [13] }),
    against: nullable(
      Type.Integer({
        description: 'Revision that it is compared with. Null: the order of the provider accounts.',
        examples: [12],
      }),
    ),
    against_payment_route_id: nullable(
      IdOf(
        'payment_route',
        'Route that `against` is a revision of: this route, or the default route at the time the simulation was created. Null: the order of the provider accounts.',
      ),
    ),
    from_at: { ...Time, description: 'Start of the period.' },
    to_at: { ...Time, description: 'End of the period.' },
    payments: OneOf(scopes, {
      description: '`route`: payments that this route decided. `all`: all payments of the workspace.',
    }),
    status: OneOf(statuses, {
      description: 'The result is available once the status is `completed`.',
      examples: ['completed'],
    }),
    progress: Type.Object(
      {
        done: count('Number of payments processed.', 5_000),
        total: nullable(count('Total number of payments. Null until they are counted.', 5_000)),
      },
      { description: 'Progress of the simulation.' },
    ),
    result: nullableWithExample(ResultObject),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
    completed_at: nullableWithExample({
      ...Time,
      description: 'Time the simulation completed or was cancelled. Null before that.',
    }),
  },
  {
    $id: 'RouteSimulation',
    description: 'What a revision would have done differently with the payments of a period.',
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
      description: 'Start of the period.',
      examples: ['2026-11-01T00:00:00.000Z'],
    }),
    to_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'End of the period. Default: now.' }),
    ),
    payments: Type.Optional(
      OneOf(scopes, {
        description:
          '`route`: payments that this route decided. `all`: all payments of the workspace. Default: `route`, or `all` for a route that was never published and with `against_default`.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      'Simulates historical payments in the background and reports what `revision` (default: the newest) would do differently from `against`. Returns 202 with a route simulation.',
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
          'With `history`: revision to compare with. Default: the published one, or the order of the provider accounts if none is published.',
      }),
    ),
    against_default: Type.Optional(
      Type.Boolean({
        description:
          'With `history`: true compares with what currently decides payments that name no route: the published revision of the default route, or the order of the provider accounts if there is no default route. Cannot be combined with `against`.',
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
    against_payment_route_id: simulation.againstRouteId,
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

function presentResult({
  compared,
  moved,
  approvals,
  moves,
  rates,
  examples,
  costs = [],
  ...rest
}: Result): object {
  const { settledCosts = [] } = rest
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
    costs: costs.map(presentCost),
    settled_costs: settledCosts.map(presentSettledCost),
    rates: rates.map(presentRate),
    examples: examples.map(({ paymentId, from, to, cause }) => ({
      payment_id: paymentId,
      from_provider_account_id: from,
      to_provider_account_id: to,
      cause,
    })),
  }
}

function presentApprovals({ rated, expected }: Approvals): object {
  return { rated_payments: rated, expected }
}

function presentCost({ currency, payments, unknown, actual, simulated }: CostOfCurrency): object {
  const [actualAmount, simulatedAmount] = [Number(actual), Number(simulated)]
  return {
    currency,
    payments,
    unknown_payments: unknown,
    actual_amount: actualAmount,
    simulated_amount: simulatedAmount,
    change: simulatedAmount - actualAmount,
  }
}

function presentSettledCost(cost: SettledCostOfCurrency): object {
  return {
    currency: cost.currency,
    payments: cost.payments,
    covered_payments: cost.covered,
    actual_amount: cost.actual,
    simulated_amount: cost.simulated,
    simulated_low: cost.low,
    simulated_high: cost.high,
  }
}

function presentRate({ account, segment, attempts, approved, gains, loses }: Rate): object {
  const rate = attempts < minAttempts ? null : Math.round((approved / attempts) * 10_000) / 10_000
  return { provider_account_id: account, segment, attempts, approved, rate, gains, loses }
}
