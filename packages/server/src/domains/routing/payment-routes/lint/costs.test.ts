// Lint findings about estimated costs. Conditions on a cost are checked for the payments from which the cost
// is calculated.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { allCapabilities, everyPayment, someCosts } from '../../../../../test/support/arbitrary-routes.ts'
import type { CostSegment } from '../../../../providers/contract.ts'
import { compileCondition, compileLeaf, leavesOf, matched, valuesOf } from '../engine/conditions.ts'
import { estimatedCost } from '../engine/estimated-cost.ts'
import type { Condition, Definition, Leaf } from '../payment-route.ts'
import { costCondition } from './cost-conditions.ts'
import { lint } from './lint.ts'
import type { LintAccount } from './lint-context.ts'

const idOf = (name: string) => `provider_account_test_${name.padEnd(26, '0')}`
const field = `estimated_cost.${idOf('dear')}`
const someNumber = fc.constantFrom(0, 1, 2, 25, 26, 50, 100, 101, 5_000)
const leaf = (op: Leaf['op'], value: fc.Arbitrary<Leaf['value']>) =>
  value.map((expected): Leaf => ({ field, op, value: expected }))
const aLeaf = fc.oneof(
  leaf('exists', fc.boolean()),
  ...(['eq', 'ne', 'lt', 'lte', 'gt', 'gte'] as const).map((op) => leaf(op, someNumber)),
  ...(['in', 'not_in'] as const).map((op) => leaf(op, fc.array(someNumber, { minLength: 1, maxLength: 3 }))),
  leaf(
    'between',
    fc.tuple(someNumber, someNumber).map((bounds) => bounds.toSorted((a, b) => a - b)),
  ),
)

test('the conditions that replace a condition on a cost match exactly the same payments', () => {
  const results = new Set<boolean>()
  fc.assert(
    fc.property(aLeaf, someCosts, (condition, costs) => {
      const expanded = testOf(costCondition(condition, costs))
      const test = compileLeaf(condition)
      for (const payment of everyPayment) {
        const cost = estimatedCost(costs, payment)
        const expected = test(cost === null ? undefined : Number(cost))
        results.add(expected)
        if (expanded(payment) !== expected) expect({ payment, cost }).toBe(expected)
      }
    }),
    { numRuns: 200 },
  )
  expect(results.size).toBe(2)
})

function testOf(condition: Condition) {
  const fields = leavesOf(condition).map((entry) => entry.field)
  const numbering = { addLocation: () => 0, fieldIndex: (name: string) => fields.indexOf(name) }
  const test = compileCondition(condition, numbering)
  return (payment: (typeof everyPayment)[number]) => test(valuesOf(fields, payment)) === matched
}

const fee: CostSegment = {
  currency: 'eur',
  card_brands: null,
  card_countries: null,
  card_fundings: null,
  basis_points: 100,
  fixed_amount: 10,
}
const account = (name: string, members: Partial<LintAccount> = {}): LintAccount => {
  return {
    id: idOf(name),
    displayName: name,
    provider: 'simulator',
    cardData: 'pan',
    capabilities: allCapabilities,
    costs: [fee],
    check: null,
    ...members,
  }
}
const small = { ...allCapabilities, amount: { min: 1, max: 1_000 } }
const accounts = [
  account('dear'),
  account('other'),
  account('free', { costs: [] }),
  account('small', { capabilities: small }),
]

function findingsOf(whens: readonly Condition[], members: Partial<Definition> = {}) {
  const then = { type: 'priority', targets: ['dear', 'other'].map(idOf) } as const
  const definition: Definition = {
    name: 'A route',
    rules: whens.map((when, index) => ({ name: `rule ${index}`, when, then })),
    default: then,
    failover: { max_attempts: 2, budget_ms: 20_000, on: ['technical'] },
    limits: null,
    examples: [],
    ...members,
  }
  const findings = lint(definition, { accounts, mode: 'test', now: new Date('2026-11-14T12:00:00.000Z') })
  return findings.map(({ severity, code, pointer }) => `${severity} ${code} ${pointer}`)
}

const euros: Condition = { field: 'currency', op: 'eq', value: 'eur' }
const inEuros = (...conditions: Condition[]): Condition => ({ all: [euros, ...conditions] })
const above = (value: number, name = 'dear'): Leaf => ({
  field: `estimated_cost.${idOf(name)}`,
  op: 'gt',
  value,
})

test('an account without costs, or one that is not active, gets a warning where its cost is used', () => {
  expect(findingsOf([inEuros(above(5, 'free')), inEuros(above(5, 'absent'))])).toEqual([
    'warning account_without_costs /rules/0/when',
    'warning account_without_costs /rules/1/when',
  ])
  const action = {
    type: 'priority',
    targets: ['dear', 'free'].map(idOf),
    order_by: 'estimated_cost',
  } as const
  expect(findingsOf([], { default: action })).toEqual(['warning account_without_costs /default/order_by'])
})

test('a cost without a currency gets the same warning as an amount', () => {
  expect(findingsOf([above(50)])).toEqual(['warning amount_without_currency /rules/0/when'])
})

test('impossible and unreachable rules are warnings if they depend on costs, which can change', () => {
  const impossible: Condition = inEuros({ field, op: 'lt', value: 10 })
  expect(findingsOf([impossible])).toEqual(['warning impossible_condition /rules/0/when'])
  // A cost above 1.10 means an amount above 100.00.
  expect(findingsOf([inEuros({ field: 'amount', op: 'gt', value: 9_000 }), inEuros(above(110))])).toEqual([
    'warning unreachable_rule /rules/1',
  ])
  const never = inEuros({ field: 'currency', op: 'eq', value: 'usd' })
  expect(findingsOf([inEuros(above(110)), never])).toEqual(['error impossible_condition /rules/1/when'])
})

test('a payment whose cost is impossible is not reported as uncovered', () => {
  const limits = {
    currencies: ['eur'],
    amount: null,
    brands: null,
    countries: null,
    purposes: ['payment'],
    capture_methods: ['automatic'],
    initiators: ['customer'],
  } as const
  const onlySmall = { type: 'priority', targets: [idOf('small')] } as const
  const ruleWith = (op: 'lte' | 'lt', value: number) => ({
    // Amounts up to 1,000 cost at most 20.
    rules: [{ name: 'Small', when: inEuros({ field, op, value }), then: onlySmall }],
    limits,
  })

  const errorsWith = (op: 'lte' | 'lt', value: number) =>
    findingsOf([], ruleWith(op, value)).filter((finding) => finding.startsWith('error'))
  expect(errorsWith('lt', 20)).toEqual([])
  expect(errorsWith('lte', 20)).toEqual(['error no_capable_target /rules/0/then'])
})
