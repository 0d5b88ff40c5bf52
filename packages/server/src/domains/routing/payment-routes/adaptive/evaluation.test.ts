import { expect, test, vi } from 'vitest'
import {
  expectedGain,
  ObservedResults,
  seededRandom,
  simulatePayments,
} from '../../../../../test/support/bandit-simulation.ts'
import { bucketCount } from '../engine/split-draw.ts'
import { defaultAdaptive } from './adaptive.ts'
import { drawnIndexOf, drawSharesOf } from './bandit.ts'
import {
  Evaluation,
  type EvaluationRefusal,
  type EvaluationResult,
  type RecordedAttempt,
} from './evaluation.ts'

// Runs hundreds of simulations with thousands of payments each.
vi.setConfig({ testTimeout: 120_000 })

const settings = { ...defaultAdaptive, enabled: true }
const ids = ['a', 'b', 'c']
const needed = 500
/** Slightly more than the minimum for a result. */
const payments = 6_000

const aPayment: RecordedAttempt = {
  atMs: 0,
  group: 'euros',
  settings,
  cluster: null,
  accounts: ['a', 'b'],
  probabilities: null,
  isAdaptiveDraw: false,
  isAttributable: true,
  accountId: 'a',
  approved: true,
}

type SimulatedRates = { readonly rates: readonly number[]; readonly seed: number }
type Estimate = { readonly result: EvaluationResult | EvaluationRefusal; readonly trueUplift: number }

/** Payments drawn by the adaptive order itself. The true uplift is known, because the approval rates are. */
function liveLog({ rates, seed }: SimulatedRates): Estimate {
  const evaluation = new Evaluation(needed)
  const accounts = ids.slice(0, rates.length)
  let [trueUplift, weightedCount, atMs] = [0, 0, 0]
  simulatePayments({ rates, seed, payments, needed, explorationPercent: 10 }, (shares, { arm, approved }) => {
    if (shares !== null) trueUplift += expectedGain(shares, rates)
    if (shares !== null) weightedCount += 1
    atMs += 60_000
    const probabilities = shares?.map((share) => share / bucketCount) ?? null
    const accountId = accounts[arm] as string
    evaluation.add({ ...aPayment, atMs, accounts, accountId, approved, probabilities, isAdaptiveDraw: true })
  })
  return { result: evaluation.result(), trueUplift: trueUplift / weightedCount }
}

/**
 * Payments drawn by a split, one per minute, on which the adaptive order is replayed. With `perCustomer`,
 * that many consecutive payments share a draw and an outcome, as if they were made by one customer.
 */
function splitLog({ rates, seed }: SimulatedRates, perCustomer = 1): Estimate {
  const evaluation = new Evaluation(needed)
  const knowledge = new ObservedResults(rates.length)
  const next = seededRandom(seed)
  const accounts = ids.slice(0, rates.length)
  const weights = rates.map(() => Math.floor(bucketCount / rates.length))
  let [trueUplift, weightedCount, arm] = [0, 0, 0]
  let approved = false
  for (let turn = 0; turn < payments; turn += 1) {
    if (turn % perCustomer === 0) {
      arm = drawnIndexOf(weights, Math.floor(next() * bucketCount))
      approved = next() < (rates[arm] as number)
    }
    // Attempts of the last ten minutes are not counted yet.
    if (knowledge.count(9) >= needed) {
      trueUplift += expectedGain(drawSharesOf(knowledge.arms, settings.exploration_percent), rates)
      weightedCount += 1
    }
    knowledge.record({ arm, approved })
    const cluster = perCustomer === 1 ? null : String(Math.floor(turn / perCustomer))
    const probabilities = weights.map((weight) => weight / bucketCount)
    const draw = { accounts, accountId: accounts[arm] as string, probabilities, cluster }
    evaluation.add({ ...aPayment, ...draw, atMs: turn * 60_000, approved })
  }
  return { result: evaluation.result(), trueUplift: trueUplift / weightedCount }
}

const rateSets = [
  [0.85, 0.92],
  [0.92, 0.85],
  [0.9, 0.9],
  [0.8, 0.7, 0.9],
]
const runs = 60

/** How often the interval contains the true value, and the average error of the estimate. */
function measureAccuracy(log: (simulated: SimulatedRates) => Estimate): {
  readonly covered: number
  readonly bias: number
} {
  let [covered, bias] = [0, 0]
  for (const rates of rateSets) {
    for (let nth = 1; nth <= runs; nth += 1) {
      const { result, trueUplift } = log({ rates, seed: nth * 7_919 })
      if ('refused' in result) throw new Error(result.refused)
      if (result.low <= trueUplift && trueUplift <= result.high) covered += 1
      bias += result.uplift - trueUplift
    }
  }
  return { covered: covered / (rateSets.length * runs), bias: bias / (rateSets.length * runs) }
}

test.each([
  ['an adaptive order that was live', liveLog],
  ['an adaptive order that is replayed on the draws of a split', splitLog],
  [
    'an adaptive order that is replayed on draws shared by all payments of a customer',
    (simulated: SimulatedRates) => splitLog(simulated, 5),
  ],
])('%s: the 95% confidence interval contains the true uplift in about 95% of runs', (_, log) => {
  const { covered, bias } = measureAccuracy((simulated) => log(simulated))

  expect(covered).toBeGreaterThan(0.92)
  expect(covered).toBeLessThan(0.98)
  expect(Math.abs(bias)).toBeLessThan(0.005)
})

function refusalOf(recorded: readonly Partial<RecordedAttempt>[]): string | null {
  const evaluation = new Evaluation(needed)
  for (const [nth, changes] of recorded.entries())
    evaluation.add({ ...aPayment, atMs: nth * 60_000, ...changes })
  const result = evaluation.result()
  return 'refused' in result ? result.refused : null
}
const many = (count: number, changes: Partial<RecordedAttempt>) =>
  Array.from({ length: count }, () => changes)
const adaptiveDraw = { probabilities: [0.9, 0.1], isAdaptiveDraw: true }

test.each([
  ['there is no payment', [], 'No completed payment of this route'],
  ['no account was ever drawn', many(100, {}), 'No payment was assigned at random'],
  [
    'a split had too few payments for an adaptive order to take effect',
    many(100, { probabilities: [0.5, 0.5] }),
    'No segment had 500 attempts',
  ],
  [
    'hardly any other account was drawn',
    [...many(5_000, adaptiveDraw), { ...adaptiveDraw, accountId: 'b' }],
    '5000 went to the first account of the order and 1 to others',
  ],
  [
    'there were few draws',
    [...many(4_000, adaptiveDraw), ...many(100, { ...adaptiveDraw, accountId: 'b' })],
    'Only 4,100 payments were assigned at random',
  ],
] as const)('there is no estimate if %s', (_, recorded, reason) => {
  expect(refusalOf(recorded)).toContain(reason)
})

test('there is an estimate if enough payments were drawn for the first account and for others', () => {
  expect(
    refusalOf([...many(4_900, adaptiveDraw), ...many(100, { ...adaptiveDraw, accountId: 'b' })]),
  ).toBeNull()
})
