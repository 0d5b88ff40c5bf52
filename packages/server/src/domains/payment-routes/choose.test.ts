import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accounts, aDefinition, everyPayment } from '../../../test/support/arbitrary-routes.ts'
import type { Candidate } from './capable.ts'
import { chosenBy, decide, type Question } from './choose.ts'
import { compileRoute, inOrder } from './compile.ts'
import { bucketOf, drawFrom } from './draw.ts'
import type { Action, Condition, Definition, Split } from './payment-route.ts'

const everything: Candidate['capabilities'] = {
  kinds: ['verify', 'authorize'],
  ...{ brands: 'all', currencies: 'all', countries: 'all', amount: null },
  ...{ manualCapture: true, multiCapture: true, partialRefund: true, threeDSecure: true, offSession: true },
}
const aCandidate = (id: string, members: Partial<Candidate> = {}): Candidate => ({
  ...{ id, cardData: 'pan', capabilities: everything, isHeld: false },
  ...members,
})
const three = ['a', 'b', 'c'].map((id) => aCandidate(id))

const aQuestion: Question = {
  operands: { amount: 1299, currency: 'eur', purpose: 'payment', 'card.brand': 'visa', 'card.country': 'DE' },
  keys: { payment: 'payment_1', customer: 'customer_1', card: null },
  instrument: { hasNumber: true, onlyAt: null },
  tried: [],
  open: new Set(),
}

function aRoute(rules: readonly (readonly [string, Condition, Action])[], otherwise: Action) {
  const definition: Definition = {
    name: 'A route',
    rules: rules.map(([name, when, then]) => ({ name, when, then })),
    default: otherwise,
    failover: { max_attempts: 2, budget_ms: 20_000, on: ['technical'] },
    limits: null,
    examples: [],
  }
  return compileRoute({ id: null, revision: 7 }, definition)
}

const to = (...targets: string[]): Action => ({ type: 'priority', targets })
const currency = (value: string): Condition => ({ field: 'currency', op: 'eq', value })

test('the first rule that matches decides, and the trace says which conditions failed before', () => {
  const fromFrance: Condition = { field: 'card.country', op: 'in', value: ['FR'] }
  const route = aRoute(
    [
      ['Dollars', { all: [currency('usd'), { field: 'amount', op: 'gt', value: 1 }] }, to('c')],
      ['French euros', { all: [currency('eur'), fromFrance] }, to('c')],
      ['Not euros', { not: currency('eur') }, to('c')],
      ['Gold', { any: [{ field: 'metadata.tier', op: 'eq', value: 'gold' }, fromFrance] }, to('c')],
      ['Euros', { all: [currency('eur')] }, to('b', 'a')],
      ['Never looked at', currency('eur'), to('c')],
    ],
    to('a'),
  )

  const { chosen, declined, trace } = decide(route, aQuestion, three)

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
])('%j meets a payment: %s', (when, meets) => {
  const { trace } = decide(aRoute([['A rule', when, to('a')]], to('b')), aQuestion, three)

  expect(trace.rules[0]?.matched).toBe(meets)
})

test('accounts are passed over for a reason, and one that fails goes to the end and never out', () => {
  const candidates = [
    aCandidate('held', { isHeld: true }),
    aCandidate('poor', { capabilities: { ...everything, currencies: ['usd'] } }),
    ...three,
  ]
  const question = { ...aQuestion, tried: ['b'], open: new Set(['a']) }

  const { chosen, trace } = decide(
    aRoute([], to('held', 'poor', 'gone', 'b', 'a', 'c')),
    question,
    candidates,
  )

  expect(trace.candidates.map(({ eligible, reasons }) => [eligible, ...reasons])).toEqual([
    [false, 'on hold'],
    [false, 'does not take the currency'],
    [false, 'not active'],
    [false, 'tried'],
    [true, 'fails at the moment, so it is asked last'],
    [true],
  ])
  expect([chosen, trace.order]).toEqual(['c', ['c', 'a']])
  expect(trace.cause).toBe('the default of the route; the account before could not take it')
  const lastOne = decide(aRoute([], to('a')), question, three)
  expect(lastOne.chosen).toBe('a')
})

test('a rule may decline, and without a route accounts are asked in their order', () => {
  const declining = decide(aRoute([['No', { all: [] }, { type: 'decline' }]], to('a')), aQuestion, three)
  const nobody = decide(aRoute([], to('gone')), aQuestion, three)
  const inTheirOrder = decide(inOrder, { ...aQuestion, tried: ['a'] }, three)

  expect([declining.chosen, declining.declined, declining.trace.cause]).toEqual([
    null,
    true,
    'rule "No" declines it',
  ])
  expect([nobody.chosen, nobody.trace.cause]).toEqual([
    null,
    'no account of the default of the route can take it',
  ])
  expect([inTheirOrder.chosen, inTheirOrder.trace.payment_route_id]).toEqual(['b', null])
})

const aSplit = (weights: readonly number[], members: Partial<Split> = {}): Split => ({
  ...{ type: 'split', key: 'payment', salt: 'a salt', fallback: ['z'] },
  targets: weights.map((weight, at) => ({ provider_account_id: `account ${at}`, weight })),
  ...members,
})
const drawnBy = (split: Split, payment: string) => drawFrom(split, { payment, customer: null, card: null })

test('weights are kept within three standard deviations over 100,000 draws', () => {
  const draws = 100_000
  const weights = [50, 30, 19, 1, 0]
  const split = aSplit(weights)
  const counts = new Map<string, number>()
  for (let draw = 0; draw < draws; draw += 1) {
    const id = drawnBy(split, `payment_test_${draw}`).draw.provider_account_id
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }

  for (const [at, weight] of weights.entries()) {
    const share = weight / 100
    const sigma = Math.sqrt(draws * share * (1 - share))
    expect(Math.abs((counts.get(`account ${at}`) ?? 0) - draws * share)).toBeLessThanOrEqual(3 * sigma)
  }
})

test('a ramp moves only the difference, and another salt draws anew', () => {
  const payments = Array.from({ length: 5_000 }, (_, at) => `payment_test_${at}`)
  const before = payments.map((id) => drawnBy(aSplit([10, 90]), id).draw.provider_account_id)
  const after = payments.map((id) => drawnBy(aSplit([20, 80]), id).draw.provider_account_id)
  const moved = payments.filter((_, at) => before[at] !== after[at])

  expect(before.every((id, at) => id !== 'account 0' || after[at] === 'account 0')).toBe(true)
  expect(moved.length / payments.length).toBeCloseTo(0.1, 1)
  expect(bucketOf('one', 'payment')).not.toBe(bucketOf('another', 'payment'))
})

test('after the drawn one come the others by weight, then the fallback; customers keep their account', () => {
  const split = aSplit([20, 0, 70, 10])
  const { order, draw } = drawnBy(split, 'a payment')
  const others = ['account 2', 'account 0', 'account 3', 'account 1'].filter(
    (id) => id !== draw.provider_account_id,
  )
  expect(order).toEqual([draw.provider_account_id, ...others, 'z'])

  const sticky = aSplit([50, 50], { key: 'customer' })
  const seen = ['a', 'b', 'c'].map(
    (payment) => drawFrom(sticky, { payment, customer: 'one', card: null }).draw,
  )
  expect(new Set(seen.map(({ provider_account_id: id }) => id)).size).toBe(1)
  expect(drawFrom(sticky, { payment: 'a', customer: null, card: null }).draw.key).toBe('payment')
})

test('who asks without wanting to know why is told of the same account', () => {
  const asked = fc.record({
    operands: fc.constantFrom(...everyPayment),
    keys: fc.record({ payment: fc.uuid(), customer: fc.option(fc.uuid()), card: fc.option(fc.uuid()) }),
    seed: fc.integer({ min: 0, max: 26 }),
  })
  const chosen = new Set<string | null>()
  fc.assert(
    fc.property(aDefinition, accounts, asked, (definition, known, { operands, keys, seed }) => {
      const candidates = known.map((account) => ({ ...account, isHeld: false }))
      // Each is well, fails, or had its attempt.
      const state = (place: number) => Math.floor(seed / 3 ** place) % 3
      const ids = (of: number) => candidates.map(({ id }) => id).filter((_, place) => state(place) === of)
      const instrument = { hasNumber: true, onlyAt: null }
      const question = { operands, keys, instrument, tried: ids(1), open: new Set(ids(2)) }
      const route = compileRoute({ id: null, revision: 1 }, definition)
      const decided = decide(route, question, candidates).chosen
      chosen.add(decided)
      expect(chosenBy(route, question, candidates)).toBe(decided)
    }),
    { numRuns: 1_000 },
  )
  expect(chosen.size).toBeGreaterThan(3)
})

test('the same payment and revision are decided alike in another process', { timeout: 60_000 }, async () => {
  const question = fc.record({
    operands: fc.constantFrom(...everyPayment),
    keys: fc.record({ payment: fc.uuid(), customer: fc.option(fc.uuid()), card: fc.option(fc.uuid()) }),
  })
  const drawn = fc.sample(fc.tuple(aDefinition, accounts, question), 300)
  const cases = drawn.map(([definition, known, { operands, keys }]) => ({
    definition,
    candidates: known.map((account) => ({ ...account, isHeld: false })),
    question: { operands, keys, instrument: { hasNumber: true, onlyAt: null }, tried: [] },
  }))
  const here = cases.map(({ definition, candidates, question: asked }) =>
    decide(compileRoute({ id: null, revision: 1 }, definition), { ...asked, open: new Set() }, candidates),
  )
  const script = resolve(import.meta.dirname, '../../../test/flows/support/decide-process.ts')
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(cases))

  const there = JSON.parse(await text(child.stdout))

  expect(there).toEqual(JSON.parse(JSON.stringify(here)))
  expect(new Set(here.map(({ chosen }) => chosen)).size).toBeGreaterThan(3)
})
