import { expect, test } from 'vitest'
import { type Decision, type DecisionInput, decide } from '../engine/choose.ts'
import { compileRoute, defaultFailover } from '../engine/compile.ts'
import type { Candidate } from '../engine/eligibility.ts'
import type { Adaptive } from '../payment-route.ts'
import { defaultAdaptive, type Snapshot, segmentKey, settingsKey } from './adaptive.ts'
import { drawnIndexOf, drawSharesOf, leaderIndexOf } from './bandit.ts'

const settings: Adaptive = { ...defaultAdaptive, enabled: true, segment_by: ['currency', 'card.country'] }
const capabilities: Candidate['capabilities'] = {
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
const targets = ['a', 'b', 'c']
const candidates = targets.map(
  (id): Candidate => ({ id, cardData: 'pan', capabilities, costs: [], isOnHold: false }),
)

function aRoute(adaptive?: Adaptive) {
  return compileRoute(
    { id: null, revision: 3 },
    {
      name: 'A route',
      rules: [],
      failover: defaultFailover,
      limits: null,
      examples: [],
      default: { type: 'priority', targets, ...(adaptive === undefined ? {} : { adaptive }) },
    },
  )
}

type Figures = { readonly [id: string]: readonly [attempts: number, approved: number] }

/** The figures of one segment: cards issued in Germany, in euros. */
function snapshotOf(figures: Figures, from: Adaptive = settings): Snapshot {
  const arms = Object.entries(figures).map(
    ([id, [attempts, approved]]) => [id, { attempts, approved }] as const,
  )
  const segments = new Map([[segmentKey(['eur', 'DE']), new Map(arms)]])
  const rules = new Map([['', { settings: settingsKey(from), segments }]])
  return { number: 12, takenAt: '2026-11-14T12:00:00.000Z', rules }
}

const operands = {
  amount: 1299,
  currency: 'eur',
  purpose: 'payment',
  'card.brand': 'visa',
  'card.country': 'DE',
}
const input: DecisionInput = {
  operands,
  keys: { payment: 'payment_1', customer: null, card: null },
  tried: [],
  openCircuits: new Set(),
  instrument: { hasCardNumber: true, tokensAt: new Set<string>() },
}
const decideWith = (changes: Partial<DecisionInput>, adaptive: Adaptive | undefined = settings): Decision =>
  decide(aRoute(adaptive), { ...input, ...changes }, candidates)

/** Account b is significantly better than account a, and account c is worse. */
const knownFigures = { a: [4_000, 3_400], b: [2_000, 1_900], c: [1_000, 500] } as const
const snapshot = snapshotOf(knownFigures)

/** How many times each account is tried first, over many payments. */
function firstChoices(changes: Partial<DecisionInput>): ReadonlyMap<string | null, number> {
  const chosen = Array.from({ length: 5_000 }, (_, nth) => {
    return decideWith({ ...changes, keys: { payment: `payment_${nth}`, customer: null, card: null } }).chosen
  })
  return new Map([...Map.groupBy(chosen, (id) => id)].map(([id, all]) => [id, all.length]))
}

test.each([undefined, { ...settings, enabled: false }])(
  'without adaptive, or while it is disabled, the fixed order applies and the trace does not mention it: %j',
  (adaptive) => {
    const { trace } = decide(aRoute(adaptive), { ...input, snapshot }, candidates)

    expect(trace.order).toEqual(targets)
    expect(trace).not.toHaveProperty('adaptive')
    expect(trace.cause).toBe('default action of the route')
  },
)

test('with too few attempts in the segment the fixed order applies, and the trace shows how many there are', () => {
  const few = { a: [1_000, 100], b: [240, 240] } as const
  const { trace } = decideWith({ snapshot: snapshotOf(few) })

  expect(trace.order).toEqual(targets)
  expect(trace.cause).toBe('default action of the route; adaptive: 1,240 of 5,000 attempts')
  expect(trace.adaptive).toMatchObject({
    snapshot: 12,
    attempts: 1_240,
    needed: 5_000,
    decides: false,
    drawn: null,
  })
})

test.each([
  [4_999, false],
  [5_000, true],
])('with %i attempts in the segment the adaptive order decides: %j', (attempts, decides) => {
  const { trace } = decideWith({ snapshot: snapshotOf({ a: [attempts - 1_000, 100], b: [1_000, 900] }) })

  expect(trace.adaptive?.decides).toBe(decides)
  expect(trace.order).toHaveLength(3)
})

test('most payments go to the leader, and a small share to every other account', () => {
  const choices = firstChoices({ snapshot })

  expect(choices.get('b')).toBeGreaterThan(5_000 * 0.94)
  // No account is excluded permanently.
  expect(choices.get('a')).toBeGreaterThan(0)
  expect(choices.get('c')).toBeGreaterThan(0)
})

test('the same payment, revision and snapshot give the same result, which can be recomputed from the trace alone', () => {
  for (let nth = 0; nth < 300; nth += 1) {
    const keys = { payment: `payment_${nth}`, customer: null, card: null }
    const { chosen, trace } = decideWith({ snapshot, keys })
    const { accounts, drawn } = trace.adaptive as NonNullable<typeof trace.adaptive>
    const shares = drawSharesOf(accounts, settings.exploration_percent)

    expect(decideWith({ snapshot, keys })).toEqual({ chosen, declined: false, trace })
    expect(chosen).toBe(accounts[drawnIndexOf(shares, drawn as number)]?.provider_account_id)
    expect(accounts.map(({ probability }) => probability)).toEqual(shares.map((share) => share / 10_000))
    // Even if another account is explored first, the leader is tried next.
    expect(trace.order.slice(0, 2)).toContain(accounts[leaderIndexOf(accounts)]?.provider_account_id)
  }
})

test('an account with an open circuit breaker is last, whatever its approval rate', () => {
  const choices = firstChoices({ snapshot, openCircuits: new Set(['b']) })
  const { trace } = decideWith({ snapshot, openCircuits: new Set(['b']) })

  expect(choices.has('b')).toBe(false)
  expect(trace.order.at(-1)).toBe('b')
  expect(trace.adaptive?.accounts.map((account) => account.provider_account_id)).toEqual(['a', 'c'])
})

test('there is no exploration after a failed attempt: the best of the remaining accounts is tried', () => {
  const { chosen, trace } = decideWith({ snapshot, tried: ['c'] })

  expect(chosen).toBe('b')
  expect(trace.order).toEqual(['b', 'a'])
  expect(trace.adaptive).toMatchObject({ decides: true, drawn: null })
})

test.each([
  ['in another currency', { operands: { ...operands, currency: 'usd' }, snapshot }],
  [
    'with a card whose country is unknown',
    { operands: { ...operands, 'card.country': undefined }, snapshot },
  ],
  ['without a snapshot', { snapshot: null }],
  [
    'with a snapshot for other settings',
    { snapshot: snapshotOf(knownFigures, { ...settings, window_days: 7 }) },
  ],
])('a payment %s uses the fixed order', (_, changes) => {
  const { trace } = decideWith(changes)

  expect(trace.order).toEqual(targets)
  expect(trace.cause).toContain('adaptive: 0 of 5,000 attempts')
})

test('a card verification uses the fixed order', () => {
  const { trace } = decideWith({ snapshot, operands: { ...operands, amount: 0, purpose: 'verification' } })

  expect(trace.order).toEqual(targets)
  expect(trace).not.toHaveProperty('adaptive')
})
