import { expect, test, vi } from 'vitest'
import { chance, gainOf, Knowledge, live } from '../../../test/support/bandit-worlds.ts'
import { usualAdaptive } from './adaptive.ts'
import { lotAt, lotsOf } from './bandit.ts'
import { drawsOf } from './draw.ts'
import { type Evaluated, Evaluation, type Recorded, type Refused } from './evaluation.ts'

// Hundreds of worlds with thousands of payments each.
vi.setConfig({ testTimeout: 120_000 })

const settings = { ...usualAdaptive, enabled: true }
const ids = ['a', 'b', 'c']
const needed = 500
/** Little more than the fewest that it gives a figure for. */
const payments = 6_000

const aPayment: Recorded = {
  ...{ atMs: 0, group: 'euros', settings, cluster: null, accounts: ['a', 'b'], probabilities: null },
  ...{ adapted: false, counts: true, asked: 'a', approved: true },
}

type World = { readonly rates: readonly number[]; readonly seed: number }
type Judged = { readonly found: Evaluated | Refused; readonly truth: number }

/** The adaptive order itself drew. What that is worth is known, for so is the world. */
function liveLog({ rates, seed }: World): Judged {
  const evaluation = new Evaluation(needed)
  const accounts = ids.slice(0, rates.length)
  let [truth, weighed, atMs] = [0, 0, 0]
  live({ rates, seed, payments, needed, explorationPercent: 10 }, (lots, { arm, approved }) => {
    if (lots !== null) truth += gainOf(lots, rates)
    if (lots !== null) weighed += 1
    atMs += 60_000
    const probabilities = lots?.map((lot) => lot / drawsOf) ?? null
    const asked = accounts[arm] as string
    evaluation.add({ ...aPayment, atMs, accounts, asked, approved, probabilities, adapted: true })
  })
  return { found: evaluation.result(), truth: truth / weighed }
}

/**
 * A split drew, a payment a minute, and the adaptive order is replayed on it. With `perCustomer` so many payments in
 * a row share a lot and a fate: an account takes a customer, or does not.
 */
function splitLog({ rates, seed }: World, perCustomer = 1): Judged {
  const evaluation = new Evaluation(needed)
  const knowledge = new Knowledge(rates.length)
  const next = chance(seed)
  const accounts = ids.slice(0, rates.length)
  const weights = rates.map(() => Math.floor(drawsOf / rates.length))
  let [truth, weighed, arm] = [0, 0, 0]
  let approved = false
  for (let turn = 0; turn < payments; turn += 1) {
    if (turn % perCustomer === 0) {
      arm = lotAt(weights, Math.floor(next() * drawsOf))
      approved = next() < (rates[arm] as number)
    }
    // Those of the last ten minutes are not known yet.
    if (knowledge.look(9) >= needed) {
      truth += gainOf(lotsOf(knowledge.arms, settings.exploration_percent), rates)
      weighed += 1
    }
    knowledge.made({ arm, approved })
    const cluster = perCustomer === 1 ? null : String(Math.floor(turn / perCustomer))
    const probabilities = weights.map((weight) => weight / drawsOf)
    const lot = { accounts, asked: accounts[arm] as string, probabilities, cluster }
    evaluation.add({ ...aPayment, ...lot, atMs: turn * 60_000, approved })
  }
  return { found: evaluation.result(), truth: truth / weighed }
}

const worlds = [
  [0.85, 0.92],
  [0.92, 0.85],
  [0.9, 0.9],
  [0.8, 0.7, 0.9],
]
const times = 60

/** How often the truth lies in the interval, and by how much the estimate errs on average. */
function judge(log: (world: World) => Judged): { readonly covered: number; readonly bias: number } {
  let [covered, bias] = [0, 0]
  for (const rates of worlds) {
    for (let nth = 1; nth <= times; nth += 1) {
      const { found, truth } = log({ rates, seed: nth * 7_919 })
      if ('refused' in found) throw new Error(found.refused)
      if (found.low <= truth && truth <= found.high) covered += 1
      bias += found.uplift - truth
    }
  }
  return { covered: covered / (worlds.length * times), bias: bias / (worlds.length * times) }
}

test.each([
  ['an adaptive order that was live', liveLog],
  ['an adaptive order that is replayed on the lots of a split', splitLog],
  ['one that is replayed on lots that customers share', (world: World) => splitLog(world, 5)],
])('of %s, the interval holds the truth about nineteen times out of twenty', (_, log) => {
  const { covered, bias } = judge((world) => log(world))

  expect(covered).toBeGreaterThan(0.92)
  expect(covered).toBeLessThan(0.98)
  expect(Math.abs(bias)).toBeLessThan(0.005)
})

function refusalOf(recorded: readonly Partial<Recorded>[]): string | null {
  const evaluation = new Evaluation(needed)
  for (const [nth, one] of recorded.entries()) evaluation.add({ ...aPayment, atMs: nth * 60_000, ...one })
  const found = evaluation.result()
  return 'refused' in found ? found.refused : null
}
const many = (count: number, one: Partial<Recorded>) => Array.from({ length: count }, () => one)
const byLot = { probabilities: [0.9, 0.1], adapted: true }

test.each([
  ['there is no payment', [], 'No payment of this route'],
  ['no lot was ever drawn', many(100, {}), 'Nothing was drawn by lot'],
  [
    'a split was too short for an adaptive order to begin',
    many(100, { probabilities: [0.5, 0.5] }),
    'No segment had 500 attempts',
  ],
  [
    'the lots fell to hardly anybody else',
    [...many(5_000, byLot), { ...byLot, asked: 'b' }],
    '5000 payments went to the first account of the order and 1 to others',
  ],
  [
    'there were few lots',
    [...many(4_000, byLot), ...many(100, { ...byLot, asked: 'b' })],
    'Only 4,100 payments were drawn by lot',
  ],
] as const)('it gives no figure if %s', (_, recorded, words) => {
  expect(refusalOf(recorded)).toContain(words)
})

test('with enough lots on both sides there is a figure', () => {
  expect(refusalOf([...many(4_900, byLot), ...many(100, { ...byLot, asked: 'b' })])).toBeNull()
})
