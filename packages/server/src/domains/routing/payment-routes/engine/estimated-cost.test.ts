import fc from 'fast-check'
import { expect, test } from 'vitest'
import { allCapabilities, everyPayment, someCosts } from '../../../../../test/support/arbitrary-routes.ts'
import type { CostSegment } from '../../../../providers/contract.ts'
import type { Condition, Definition } from '../payment-route.ts'
import { type DecisionInput, decide } from './choose.ts'
import { compileRoute } from './compile.ts'
import { cheapestFirst, estimatedCost } from './estimated-cost.ts'

const segment = (members: Partial<CostSegment>): CostSegment => ({
  currency: null,
  card_brands: null,
  card_countries: null,
  card_fundings: null,
  basis_points: 0,
  fixed_amount: 0,
  ...members,
})
const payment = { amount: 1299, currency: 'eur', purpose: 'payment', 'card.brand': 'visa' }
const inEuros = (basis_points: number, fixed_amount = 0) =>
  segment({ currency: 'eur', basis_points, fixed_amount })

test('the percentage is rounded half up, and the fixed amount is added', () => {
  expect(estimatedCost([inEuros(140, 25)], payment)).toBe(18n + 25n)
  expect(estimatedCost([inEuros(100)], { ...payment, amount: 50 })).toBe(1n)
  expect(estimatedCost([inEuros(100)], { ...payment, amount: 49 })).toBe(0n)
  expect(estimatedCost([inEuros(0, 25)], payment)).toBe(25n)
})

test('the first segment that matches applies, and without a match the cost is unknown', () => {
  const german = segment({ card_countries: ['DE'], basis_points: 100 })
  const debit = segment({ card_fundings: ['debit'], basis_points: 200 })
  const amex = segment({ card_brands: ['amex'], basis_points: 300 })
  const costs = [german, debit, amex, inEuros(400)]

  expect(estimatedCost(costs, { ...payment, 'card.country': 'DE', 'card.funding': 'debit' })).toBe(13n)
  expect(estimatedCost(costs, { ...payment, 'card.country': 'FR', 'card.funding': 'debit' })).toBe(26n)
  expect(estimatedCost(costs, { ...payment, 'card.brand': 'amex', currency: 'usd' })).toBe(39n)
  // If the country and funding type of the card are unknown, segments that require them do not apply.
  expect(estimatedCost(costs, payment)).toBe(52n)
  expect(estimatedCost(costs, { ...payment, currency: 'usd' })).toBeNull()
  expect(estimatedCost([], payment)).toBeNull()
  expect(estimatedCost(costs, { ...payment, amount: 0, purpose: 'verification' })).toBeNull()
})

test('the estimate differs from the exact fee by at most half a minor unit, and grows with the amount', () => {
  const amounts = fc.integer({ min: 1, max: 999_999_999_998 })
  const fees = fc.record({ rate: fc.integer({ min: 0, max: 10_000 }), fixed: fc.nat(999_999_999) })
  fc.assert(
    fc.property(amounts, fees, (amount, { rate, fixed }) => {
      const costOf = (value: number) =>
        estimatedCost([inEuros(rate, fixed)], { ...payment, amount: value }) ?? -1n
      const exactTimesTenThousand = BigInt(amount) * BigInt(rate) + 10_000n * BigInt(fixed)
      const difference = costOf(amount) * 10_000n - exactTimesTenThousand
      expect(difference > -5_000n && difference <= 5_000n).toBe(true)
      expect(costOf(amount + 1) >= costOf(amount)).toBe(true)
    }),
  )
})

test('ordering by cost keeps all accounts: cheapest first, ties in the written order, unknown costs last', () => {
  const ids = ['one', 'two', 'three', 'four']
  const accountCosts = fc.array(someCosts, { minLength: 4, maxLength: 4 })
  fc.assert(
    fc.property(accountCosts, fc.constantFrom(...everyPayment), (lists, operands) => {
      const accounts = lists.map((costs, index) => ({ id: ids[index] as string, costs }))
      const costOf = (id: string) =>
        estimatedCost(accounts.find((account) => account.id === id)?.costs ?? [], operands)
      const { order, costs } = cheapestFirst(ids, operands, accounts)

      const known = ids.filter((id) => costOf(id) !== null)
      const costsOfKnown = known.map((id) => Number(costOf(id)))
      const prices = [...new Set(costsOfKnown)].toSorted((a, b) => a - b)
      const byPrice = prices.flatMap((price) => known.filter((_, index) => costsOfKnown[index] === price))
      expect(order).toEqual([...byPrice, ...ids.filter((id) => !known.includes(id))])
      expect(known.map((id) => costs.get(id))).toEqual(costsOfKnown)
    }),
  )
})

const candidate = (id: string, costs: readonly CostSegment[]) => {
  return { id, cardData: 'pan', capabilities: allCapabilities, costs, isOnHold: false } as const
}
const candidates = [
  candidate('expensive', [inEuros(300)]),
  candidate('cheap', [inEuros(100)]),
  candidate('none', []),
  candidate('same', [inEuros(100)]),
]
const input: DecisionInput = {
  operands: payment,
  keys: { payment: 'payment_1', customer: null, card: null },
  instrument: { hasCardNumber: true, tokensAt: new Set<string>() },
  tried: [],
  openCircuits: new Set(),
}

function routeWith(definition: Pick<Definition, 'rules' | 'default'>) {
  const failover = { max_attempts: 2, budget_ms: 20_000, on: [] }
  const others = { name: 'A route', failover, limits: null, examples: [] }
  return compileRoute({ id: null, revision: 1 }, { ...others, ...definition })
}

test('a priority by cost tries the cheapest account first, and its trace has the costs', () => {
  const targets = ['expensive', 'none', 'cheap', 'same']
  const route = routeWith({ rules: [], default: { type: 'priority', targets, order_by: 'estimated_cost' } })

  const { chosen, trace } = decide(route, input, candidates)
  expect(chosen).toBe('cheap')
  expect(trace.order).toEqual(['cheap', 'same', 'expensive', 'none'])
  expect(trace.candidates.map(({ estimated_cost }) => estimated_cost)).toEqual([13, 13, 39, null])
  expect(trace.cause).toBe('default action of the route; lowest estimated cost first')
  // Accounts that were tried, and those with an open circuit breaker, are handled as in any other order.
  const later = decide(route, { ...input, tried: ['cheap'], openCircuits: new Set(['same']) }, candidates)
  expect(later.trace.order).toEqual(['expensive', 'none', 'same'])
  // Without costs, the written order applies.
  expect(decide(route, { ...input, operands: { ...payment, currency: 'usd' } }, candidates).chosen).toBe(
    'expensive',
  )
})

test('a rule can compare the estimated cost at an account, and an unknown cost does not match', () => {
  const when: Condition = { field: 'estimated_cost.expensive', op: 'gt', value: 38 }
  const route = routeWith({
    rules: [
      { name: 'Too expensive', when, then: { type: 'priority', targets: ['cheap'] } },
      {
        name: 'Unknown',
        when: { field: 'estimated_cost.expensive', op: 'exists', value: false },
        then: { type: 'priority', targets: ['none'] },
      },
    ],
    default: { type: 'priority', targets: ['expensive'] },
  })
  const decideWith = (operands: object) =>
    decide(route, { ...input, operands: { ...payment, ...operands } }, candidates)

  expect(decideWith({})).toMatchObject({
    chosen: 'cheap',
    trace: { operands: { 'estimated_cost.expensive': 39 }, cause: 'rule "Too expensive"' },
  })
  expect(decideWith({ amount: 1000 }).chosen).toBe('expensive')
  expect(decideWith({ currency: 'usd' })).toMatchObject({
    chosen: 'none',
    trace: { operands: { 'estimated_cost.expensive': null } },
  })
})
