// Random routes, and all payments with values from small sets, so that a test can try every combination.

import fc from 'fast-check'
import type { Operands } from '../../src/domains/routing/payment-routes/engine/operands.ts'
import type { LintAccount } from '../../src/domains/routing/payment-routes/lint/lint-context.ts'
import type {
  Action,
  Condition,
  Definition,
  Limits,
} from '../../src/domains/routing/payment-routes/payment-route.ts'
import type { Capabilities, CostSegment } from '../../src/providers/contract.ts'

const operandValues = {
  amount: [0, 1, 99, 100, 101, 5_000, 5_001],
  currency: ['eur', 'usd', 'gbp', 'chf'],
  purpose: ['payment', 'verification'],
  'card.brand': ['visa', 'mastercard', 'another'],
  'card.country': ['DE', 'FR', 'US', undefined],
  'card.bin': ['424242', '42424200', '555555', '411111', undefined],
  'metadata.tier': ['gold', 'golden', 'tin', undefined],
} as const

/** Every payment with these values. A payment is a verification if and only if its amount is zero. */
export const everyPayment: readonly Operands[] = cartesianProduct(Object.entries(operandValues))
  .map((operands): Operands => ({ ...operands, capture_method: 'automatic', initiator: 'customer' }))
  .filter(({ amount, purpose }) => (amount === 0) === (purpose === 'verification'))

function cartesianProduct(fields: readonly (readonly [string, readonly unknown[]])[]): Operands[] {
  const [first, ...rest] = fields
  if (first === undefined) return [{}]
  const [field, values] = first
  return cartesianProduct(rest).flatMap((inner) =>
    values.map((value) => ({ ...inner, [field]: value }) as Operands),
  )
}

// Conditions use only values that the payments above have. Some values of the payments are in no condition.
const comparison = (field: string, op: string, value: fc.Arbitrary<unknown>) =>
  value.map((operand) => ({ field, op, value: operand }) as Condition)
const valueLists = (values: readonly string[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1 })
const bounds = fc.tuple(fc.constantFrom(1, 100), fc.constantFrom(100, 101, 5_000))

const comparisons = fc.oneof(
  comparison('amount', 'between', bounds),
  ...['lt', 'lte', 'gt', 'gte', 'eq', 'ne'].map((op) => comparison('amount', op, fc.constantFrom(1, 100))),
  ...['in', 'not_in'].map((op) => comparison('currency', op, valueLists(['eur', 'usd', 'gbp']))),
  ...['eq', 'ne'].map((op) => comparison('card.country', op, fc.constantFrom('DE', 'FR'))),
  comparison('card.country', 'exists', fc.boolean()),
  comparison('card.brand', 'in', valueLists(['visa', 'mastercard'])),
  comparison('card.bin', 'starts_with', fc.constantFrom('4', '4242', '5')),
  comparison('card.bin', 'eq', fc.constantFrom('424242')),
  ...['eq', 'starts_with'].map((op) => comparison('metadata.tier', op, fc.constantFrom('gold'))),
)

export const aCondition: fc.Arbitrary<Condition> = fc.letrec<{ node: Condition }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    comparisons,
    fc.array(tie('node'), { maxLength: 3 }).map((all) => ({ all })),
    fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map((any) => ({ any })),
    tie('node').map((not) => ({ not })),
  ),
})).node

export const allCapabilities: Capabilities = {
  kinds: ['verify', 'authorize', 'capture', 'void', 'refund'],
  brands: 'all',
  currencies: 'all',
  countries: 'all',
  amount: null,
  manualCapture: true,
  multiCapture: true,
  partialRefund: true,
  threeDSecure: true,
  offSession: true,
  methods: {},
}

const orNull = <T>(values: fc.Arbitrary<readonly T[]>) => fc.option(values)
const aCostSegment: fc.Arbitrary<CostSegment> = fc.record({
  currency: fc.constantFrom(null, 'eur', 'usd'),
  card_brands: orNull(valueLists(['visa', 'mastercard'])),
  card_countries: orNull(valueLists(['DE', 'FR'])),
  card_fundings: fc.constantFrom(null, ['credit'] as const),
  basis_points: fc.constantFrom(0, 1, 49, 50, 140, 333, 10_000),
  fixed_amount: fc.constantFrom(0, 1, 25, 100),
})
export const someCosts = fc.array(aCostSegment, { maxLength: 3 })

export const accountIds = ['one', 'two', 'three'] as const

export const anAccount = (id: string): fc.Arbitrary<LintAccount> =>
  fc
    .record({
      currencies: fc.constantFrom<readonly string[] | 'all'>('all', ['eur'], ['eur', 'usd'], ['gbp']),
      brands: fc.constantFrom<readonly string[] | 'all'>('all', ['visa']),
      countries: fc.constantFrom<readonly string[] | 'all'>('all', ['DE', 'FR']),
      amount: fc.constantFrom(null, { min: 1, max: 100 }, { min: 100, max: 5_000 }),
      kinds: fc.constantFrom(allCapabilities.kinds, ['authorize'] as const),
      cardData: fc.constantFrom('pan' as const, 'pan' as const, 'pan' as const, 'token' as const),
      costs: someCosts,
    })
    .map(({ cardData, costs, ...narrowed }) => ({
      id,
      displayName: id,
      provider: 'simulator',
      cardData,
      check: null,
      costs,
      capabilities: { ...allCapabilities, ...narrowed },
    }))

export const accounts = fc.tuple(...accountIds.map(anAccount))

export const anAction: fc.Arbitrary<Action> = fc.oneof(
  fc
    .uniqueArray(fc.constantFrom(...accountIds), { minLength: 1 })
    .map((targets): Action => ({ type: 'priority', targets })),
  fc
    .uniqueArray(fc.constantFrom(...accountIds), { minLength: 2 })
    .map((targets): Action => ({ type: 'priority', targets, order_by: 'estimated_cost' })),
  fc.integer({ min: 0, max: 100 }).map(
    (weight): Action => ({
      type: 'split',
      key: 'payment',
      salt: 'salt',
      fallback: ['three'],
      targets: [
        { provider_account_id: 'one', weight },
        { provider_account_id: 'two', weight: 100 - weight },
      ],
    }),
  ),
  fc.constant<Action>({ type: 'decline' }),
)

const limits: fc.Arbitrary<Limits | null> = fc.option(
  fc.record({
    currencies: valueLists(['eur', 'usd', 'gbp']),
    amount: fc.constantFrom(null, { min: 1, max: 100 }, { min: 99, max: 5_000 }),
    brands: fc.constantFrom(null, ['visa']),
    countries: fc.constantFrom(null, ['DE']),
    purposes: fc.constantFrom<Limits['purposes']>(['payment'], ['payment', 'verification']),
    capture_methods: fc.constant<Limits['capture_methods']>(['automatic']),
    initiators: fc.constant<Limits['initiators']>(['customer']),
  }),
)

export const aDefinition: fc.Arbitrary<Definition> = fc
  .record({
    name: fc.constant('A route'),
    rules: fc.array(fc.record({ when: aCondition, action: anAction }), { maxLength: 5 }),
    default: anAction,
    failover: fc.constant<Definition['failover']>({ max_attempts: 2, budget_ms: 20_000, on: ['technical'] }),
    limits,
    examples: fc.constant([]),
  })
  .map(({ rules, ...definition }) => ({
    ...definition,
    rules: rules.map(({ when, action }, index) => {
      const rule = [['name', `rule ${index}`] as const, ['when', when] as const, ['then', action] as const]
      return Object.fromEntries<unknown>(rule) as Definition['rules'][number]
    }),
  }))
