import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accounts, aDefinition, everyPayment } from '../../../../../test/support/arbitrary-routes.ts'
import type { Action, Condition, Definition, Split } from '../payment-route.ts'
import { chooseAccountId, type DecisionInput, decide } from './choose.ts'
import { compileRoute, defaultOrderRoute } from './compile.ts'
import type { Candidate } from './eligibility.ts'
import { bucketOf, drawAccount } from './split-draw.ts'

const allCapabilities: Candidate['capabilities'] = {
  kinds: ['verify', 'authorize'],
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
const aCandidate = (id: string, members: Partial<Candidate> = {}): Candidate => ({
  id,
  cardData: 'pan',
  capabilities: allCapabilities,
  costs: [],
  isOnHold: false,
  ...members,
})
const threeCandidates = ['a', 'b', 'c'].map((id) => aCandidate(id))

const input: DecisionInput = {
  operands: { amount: 1299, currency: 'eur', purpose: 'payment', 'card.brand': 'visa', 'card.country': 'DE' },
  keys: { payment: 'payment_1', customer: 'customer_1', card: null },
  instrument: { hasCardNumber: true, tokensAt: new Set<string>() },
  tried: [],
  openCircuits: new Set(),
}

function aRoute(rules: readonly (readonly [string, Condition, Action])[], defaultAction: Action) {
  const definition: Definition = {
    name: 'A route',
    rules: rules.map(([name, when, then]) => ({ name, when, then })),
    default: defaultAction,
    failover: { max_attempts: 2, budget_ms: 20_000, on: ['technical'] },
    limits: null,
    examples: [],
  }
  return compileRoute({ id: null, revision: 7 }, definition)
}

const sendTo = (...targets: string[]): Action => ({ type: 'priority', targets })
const currency = (value: string): Condition => ({ field: 'currency', op: 'eq', value })

test('the first matching rule decides, and the trace shows which conditions failed before', () => {
  const fromFrance: Condition = { field: 'card.country', op: 'in', value: ['FR'] }
  const route = aRoute(
    [
      ['Dollars', { all: [currency('usd'), { field: 'amount', op: 'gt', value: 1 }] }, sendTo('c')],
      ['French euros', { all: [currency('eur'), fromFrance] }, sendTo('c')],
      ['Not euros', { not: currency('eur') }, sendTo('c')],
      ['Gold', { any: [{ field: 'metadata.tier', op: 'eq', value: 'gold' }, fromFrance] }, sendTo('c')],
      ['Euros', { all: [currency('eur')] }, sendTo('b', 'a')],
      ['Never evaluated', currency('eur'), sendTo('c')],
    ],
    sendTo('a'),
  )

  const { chosen, declined, trace } = decide(route, input, threeCandidates)

  expect([chosen, declined]).toEqual(['b', false])
  expect(trace).toEqual({
    payment_route_id: null,
    revision: 7,
    operands: { currency: 'eur', amount: 1299, 'card.country': 'DE', 'metadata.tier': null },
    rules: [
      { rule: 0, matched: false, failed_at: '/rules/0/when/all/0' },
      { rule: 1, matched: false, failed_at: '/rules/1/when/all/1' },
      { rule: 2, matched: false, failed_at: '/rules/2/when' },
      { rule: 3, matched: false, failed_at: '/rules/3/when' },
      { rule: 4, matched: true, failed_at: null },
    ],
    draw: null,
    candidates: [
      { provider_account_id: 'b', eligible: true, reasons: [] },
      { provider_account_id: 'a', eligible: true, reasons: [] },
    ],
    order: ['b', 'a'],
    cause: 'rule "Euros"',
  })
})

// biome-ignore format: a table.
test.each<[Condition, boolean]>([
  [{ field: 'amount',       op: 'lt',          value: 1300 },             true],
  [{ field: 'amount',       op: 'lte',         value: 1299 },             true],
  [{ field: 'amount',       op: 'gt',          value: 1299 },             false],
  [{ field: 'amount',       op: 'gte',         value: 1299 },             true],
  [{ field: 'amount',       op: 'between',     value: [1299, 1299] },     true],
  [{ field: 'amount',       op: 'between',     value: [1, 1298] },        false],
  [{ field: 'currency',     op: 'ne',          value: 'eur' },            false],
  [{ field: 'currency',     op: 'not_in',      value: ['usd', 'gbp'] },   true],
  [{ field: 'card.bin',     op: 'starts_with', value: '4' },              false],
  [{ field: 'card.bin',     op: 'ne',          value: '424242' },         false],
  [{ field: 'card.bin',     op: 'not_in',      value: ['424242'] },       false],
  [{ not: { field: 'card.bin', op: 'eq',       value: '424242' } },       true],
  [{ field: 'card.bin',     op: 'exists',      value: false },            true],
  [{ field: 'card.country', op: 'exists',      value: true },             true],
  [{ all: [] },                                                           true],
])('%j matches the payment: %s', (when, matches) => {
  const { trace } = decide(aRoute([['A rule', when, sendTo('a')]], sendTo('b')), input, threeCandidates)

  expect(trace.rules[0]?.matched).toBe(matches)
})

test('accounts are skipped with a reason, and an account with an open circuit breaker is moved to the end but never removed', () => {
  const candidates = [
    aCandidate('held', { isOnHold: true }),
    aCandidate('dollars', { capabilities: { ...allCapabilities, currencies: ['usd'] } }),
    ...threeCandidates,
  ]
  const afterFailure = { ...input, tried: ['b'], openCircuits: new Set(['a']) }

  const { chosen, trace } = decide(
    aRoute([], sendTo('held', 'dollars', 'inactive', 'b', 'a', 'c')),
    afterFailure,
    candidates,
  )

  expect(trace.candidates.map(({ eligible, reasons }) => [eligible, ...reasons])).toEqual([
    [false, 'on hold'],
    [false, 'currency not supported'],
    [false, 'not active'],
    [false, 'already tried'],
    [true, 'degraded, so it is tried last'],
    [true],
  ])
  expect([chosen, trace.order]).toEqual(['c', ['c', 'a']])
  expect(trace.cause).toBe('default action of the route; failover from the previous account')
  const onlyDegraded = decide(aRoute([], sendTo('a')), afterFailure, threeCandidates)
  expect(onlyDegraded.chosen).toBe('a')
})

test('a rule may decline, and without a route accounts are tried in their default order', () => {
  const declined = decide(
    aRoute([['No', { all: [] }, { type: 'decline' }]], sendTo('a')),
    input,
    threeCandidates,
  )
  const noneEligible = decide(aRoute([], sendTo('inactive')), input, threeCandidates)
  const byPosition = decide(defaultOrderRoute, { ...input, tried: ['a'] }, threeCandidates)

  expect([declined.chosen, declined.declined, declined.trace.cause]).toEqual([
    null,
    true,
    'declined by rule "No"',
  ])
  expect([noneEligible.chosen, noneEligible.trace.cause]).toEqual([
    null,
    'default action of the route; no account can process the payment',
  ])
  expect([byPosition.chosen, byPosition.trace.payment_route_id]).toEqual(['b', null])
})

const aSplit = (weights: readonly number[], members: Partial<Split> = {}): Split => ({
  type: 'split',
  key: 'payment',
  salt: 'a salt',
  fallback: ['z'],
  targets: weights.map((weight, index) => ({ provider_account_id: `account ${index}`, weight })),
  ...members,
})
const drawnBy = (split: Split, payment: string) => drawAccount(split, { payment, customer: null, card: null })

test('weights are accurate within three standard deviations over 100,000 draws', () => {
  const draws = 100_000
  const weights = [50, 30, 19, 1, 0]
  const split = aSplit(weights)
  const counts = new Map<string, number>()
  for (let draw = 0; draw < draws; draw += 1) {
    const id = drawnBy(split, `payment_test_${draw}`).draw.provider_account_id
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }

  for (const [index, weight] of weights.entries()) {
    const share = weight / 100
    const sigma = Math.sqrt(draws * share * (1 - share))
    expect(Math.abs((counts.get(`account ${index}`) ?? 0) - draws * share)).toBeLessThanOrEqual(3 * sigma)
  }
})

test('a changed weight moves only the affected share of payments, and another salt redraws every payment', () => {
  const payments = Array.from({ length: 5_000 }, (_, index) => `payment_test_${index}`)
  const before = payments.map((id) => drawnBy(aSplit([10, 90]), id).draw.provider_account_id)
  const after = payments.map((id) => drawnBy(aSplit([20, 80]), id).draw.provider_account_id)
  const moved = payments.filter((_, index) => before[index] !== after[index])

  expect(before.every((id, index) => id !== 'account 0' || after[index] === 'account 0')).toBe(true)
  expect(moved.length / payments.length).toBeCloseTo(0.1, 1)
  expect(bucketOf('one', 'payment')).not.toBe(bucketOf('another', 'payment'))
})

test('after the drawn account the others follow by weight, then the fallback, and all payments of a customer go to one account', () => {
  const split = aSplit([20, 0, 70, 10])
  const { order, draw } = drawnBy(split, 'a payment')
  const others = ['account 2', 'account 0', 'account 3', 'account 1'].filter(
    (id) => id !== draw.provider_account_id,
  )
  expect(order).toEqual([draw.provider_account_id, ...others, 'z'])

  const sticky = aSplit([50, 50], { key: 'customer' })
  const draws = ['a', 'b', 'c'].map(
    (payment) => drawAccount(sticky, { payment, customer: 'one', card: null }).draw,
  )
  expect(new Set(draws.map(({ provider_account_id: id }) => id)).size).toBe(1)
  expect(drawAccount(sticky, { payment: 'a', customer: null, card: null }).draw.key).toBe('payment')
})

test('choosing without a trace selects the same account', () => {
  const inputs = fc.record({
    operands: fc.constantFrom(...everyPayment),
    keys: fc.record({ payment: fc.uuid(), customer: fc.option(fc.uuid()), card: fc.option(fc.uuid()) }),
    seed: fc.integer({ min: 0, max: 26 }),
  })
  const chosen = new Set<string | null>()
  fc.assert(
    fc.property(aDefinition, accounts, inputs, (definition, someAccounts, { operands, keys, seed }) => {
      const candidates = someAccounts.map((account) => ({ ...account, isOnHold: false }))
      // Each account is healthy, was already tried, or has an open circuit breaker.
      const stateOf = (index: number) => Math.floor(seed / 3 ** index) % 3
      const idsInState = (state: number) =>
        candidates.map(({ id }) => id).filter((_, index) => stateOf(index) === state)
      const instrument = { hasCardNumber: true, tokensAt: new Set<string>() }
      const decisionInput = {
        operands,
        keys,
        instrument,
        tried: idsInState(1),
        openCircuits: new Set(idsInState(2)),
      }
      const route = compileRoute({ id: null, revision: 1 }, definition)
      const expected = decide(route, decisionInput, candidates).chosen
      chosen.add(expected)
      expect(chooseAccountId(route, decisionInput, candidates)).toBe(expected)
    }),
    { numRuns: 1_000 },
  )
  expect(chosen.size).toBeGreaterThan(3)
})

test('the same payment and revision give the same decision in another process', {
  timeout: 60_000,
}, async () => {
  const inputs = fc.record({
    operands: fc.constantFrom(...everyPayment),
    keys: fc.record({ payment: fc.uuid(), customer: fc.option(fc.uuid()), card: fc.option(fc.uuid()) }),
  })
  const samples = fc.sample(fc.tuple(aDefinition, accounts, inputs), 300)
  const cases = samples.map(([definition, someAccounts, { operands, keys }]) => ({
    definition,
    candidates: someAccounts.map((account) => ({ ...account, isOnHold: false })),
    input: { operands, keys, tried: [] },
  }))
  const decisions = cases.map(({ definition, candidates, input }) =>
    decide(
      compileRoute({ id: null, revision: 1 }, definition),
      { ...input, instrument: { hasCardNumber: true, tokensAt: new Set() }, openCircuits: new Set() },
      candidates,
    ),
  )
  const script = resolve(import.meta.dirname, '../../../../../test/flows/support/decide-process.ts')
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(cases))

  const decisionsOfChild = JSON.parse(await text(child.stdout))

  expect(decisionsOfChild).toEqual(JSON.parse(JSON.stringify(decisions)))
  expect(new Set(decisions.map(({ chosen }) => chosen)).size).toBeGreaterThan(3)
})
