import { expect, test } from 'vitest'
import { type Adaptive, type Snapshot, segmentKey, settingsKey, usualAdaptive } from './adaptive.ts'
import { leaderOf, lotAt, lotsOf } from './bandit.ts'
import type { Candidate } from './capable.ts'
import { type Decision, decide, type Question } from './choose.ts'
import { compileRoute, usualFailover } from './compile.ts'

const settings: Adaptive = { ...usualAdaptive, enabled: true, segment_by: ['currency', 'card.country'] }
const capabilities: Candidate['capabilities'] = {
  kinds: ['verify', 'authorize'],
  ...{ brands: 'all', currencies: 'all', countries: 'all', amount: null },
  ...{ manualCapture: true, multiCapture: true, partialRefund: true, threeDSecure: true, offSession: true },
}
const targets = ['a', 'b', 'c']
const candidates = targets.map((id): Candidate => ({ id, cardData: 'pan', capabilities, isHeld: false }))

function aRoute(adaptive?: Adaptive) {
  return compileRoute(
    { id: null, revision: 3 },
    {
      ...{ name: 'A route', rules: [], failover: usualFailover, limits: null, examples: [] },
      default: { type: 'priority', targets, ...(adaptive === undefined ? {} : { adaptive }) },
    },
  )
}

type Figures = { readonly [id: string]: readonly [attempts: number, approved: number] }

/** Of German cards in euros. */
function snapshotOf(figures: Figures, by: Adaptive = settings): Snapshot {
  const arms = Object.entries(figures).map(
    ([id, [attempts, approved]]) => [id, { attempts, approved }] as const,
  )
  const segments = new Map([[segmentKey(['eur', 'DE']), new Map(arms)]])
  const rules = new Map([['', { settings: settingsKey(by), segments }]])
  return { number: 12, takenAt: '2026-11-14T12:00:00.000Z', rules }
}

const operands = {
  amount: 1299,
  currency: 'eur',
  purpose: 'payment',
  'card.brand': 'visa',
  'card.country': 'DE',
}
const aQuestion: Question = {
  ...{ operands, keys: { payment: 'payment_1', customer: null, card: null }, tried: [], open: new Set() },
  instrument: { hasNumber: true, onlyAt: null },
}
const ask = (changes: Partial<Question>, adaptive: Adaptive | undefined = settings): Decision =>
  decide(aRoute(adaptive), { ...aQuestion, ...changes }, candidates)

/** B is better beyond chance, and C worse. */
const known = { a: [4_000, 3_400], b: [2_000, 1_900], c: [1_000, 500] } as const
const snapshot = snapshotOf(known)

/** The accounts that are asked first, over many payments. */
function askedFirst(changes: Partial<Question>): ReadonlyMap<string | null, number> {
  const chosen = Array.from({ length: 5_000 }, (_, nth) => {
    return ask({ ...changes, keys: { payment: `payment_${nth}`, customer: null, card: null } }).chosen
  })
  return new Map([...Map.groupBy(chosen, (id) => id)].map(([id, all]) => [id, all.length]))
}

test.each([undefined, { ...settings, enabled: false }])(
  'without it, or while it is off, the fixed order stands and the trace has nothing to say of it: %j',
  (adaptive) => {
    const { trace } = decide(aRoute(adaptive), { ...aQuestion, snapshot }, candidates)

    expect(trace.order).toEqual(targets)
    expect(trace).not.toHaveProperty('adaptive')
    expect(trace.cause).toBe('the default of the route')
  },
)

test('with too few attempts in the segment the fixed order stands, and the trace says how many there are', () => {
  const few = { a: [1_000, 100], b: [240, 240] } as const
  const { trace } = ask({ snapshot: snapshotOf(few) })

  expect(trace.order).toEqual(targets)
  expect(trace.cause).toBe('the default of the route; adaptive: 1,240 of 5,000 attempts')
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
])('of %i attempts in the segment', (attempts, decides) => {
  const { trace } = ask({ snapshot: snapshotOf({ a: [attempts - 1_000, 100], b: [1_000, 900] }) })

  expect(trace.adaptive?.decides).toBe(decides)
  expect(trace.order).toHaveLength(3)
})

test('payments go where the lots send them: most to the leader, and a bounded share elsewhere', () => {
  const asked = askedFirst({ snapshot })

  expect(asked.get('b')).toBeGreaterThan(5_000 * 0.94)
  // Nobody is forgotten for good.
  expect(asked.get('a')).toBeGreaterThan(0)
  expect(asked.get('c')).toBeGreaterThan(0)
})

test('the same payment, revision and snapshot give the same answer, which the trace alone can give again', () => {
  for (let nth = 0; nth < 300; nth += 1) {
    const keys = { payment: `payment_${nth}`, customer: null, card: null }
    const { chosen, trace } = ask({ snapshot, keys })
    const { accounts, drawn } = trace.adaptive as NonNullable<typeof trace.adaptive>
    const lots = lotsOf(accounts, settings.exploration_percent)

    expect(ask({ snapshot, keys })).toEqual({ chosen, declined: false, trace })
    expect(chosen).toBe(accounts[lotAt(lots, drawn as number)]?.provider_account_id)
    expect(accounts.map(({ probability }) => probability)).toEqual(lots.map((lot) => lot / 10_000))
    // Whatever is tried out, the best is asked next.
    expect(trace.order.slice(0, 2)).toContain(accounts[leaderOf(accounts)]?.provider_account_id)
  }
})

test('an account that fails at the moment stays at the end, whatever it approved before', () => {
  const asked = askedFirst({ snapshot, open: new Set(['b']) })
  const { trace } = ask({ snapshot, open: new Set(['b']) })

  expect(asked.has('b')).toBe(false)
  expect(trace.order.at(-1)).toBe('b')
  expect(trace.adaptive?.accounts.map((one) => one.provider_account_id)).toEqual(['a', 'c'])
})

test('after a failure nothing is tried out: the best of the others is asked', () => {
  const { chosen, trace } = ask({ snapshot, tried: ['c'] })

  expect(chosen).toBe('b')
  expect(trace.order).toEqual(['b', 'a'])
  expect(trace.adaptive).toMatchObject({ decides: true, drawn: null })
})

test.each([
  ['of another currency', { operands: { ...operands, currency: 'usd' }, snapshot }],
  [
    'of a card whose country is not known',
    { operands: { ...operands, 'card.country': undefined }, snapshot },
  ],
  ['before there are any figures', { snapshot: null }],
  [
    'whose figures were made by other settings',
    { snapshot: snapshotOf(known, { ...settings, window_days: 7 }) },
  ],
])('a payment %s goes by the fixed order', (_, changes) => {
  const { trace } = ask(changes)

  expect(trace.order).toEqual(targets)
  expect(trace.cause).toContain('adaptive: 0 of 5,000 attempts')
})

test('a card that is only verified goes by the fixed order', () => {
  const { trace } = ask({ snapshot, operands: { ...operands, amount: 0, purpose: 'verification' } })

  expect(trace.order).toEqual(targets)
  expect(trace).not.toHaveProperty('adaptive')
})
