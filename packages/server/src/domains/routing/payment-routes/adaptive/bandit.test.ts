import fc from 'fast-check'
import { expect, test } from 'vitest'
import { simulatedGain } from '../../../../../test/support/bandit-simulation.ts'
import { bucketCount } from '../engine/split-draw.ts'
import { type Arm, drawnIndexOf, drawSharesOf, leaderIndexOf, scoresOf } from './bandit.ts'

const anArm: fc.Arbitrary<Arm> = fc
  .record({ attempts: fc.nat({ max: 100_000 }), rate: fc.double({ min: 0, max: 1, noNaN: true }) })
  .map(({ attempts, rate }) => ({ attempts, approved: Math.round(attempts * rate) }))
const someArms = fc.array(anArm, { minLength: 2, maxLength: 10 })
const percents = fc.integer({ min: 2, max: 10 })

test('shares are positive integers that add up, and the leader loses at most the exploration share', () => {
  fc.assert(
    fc.property(someArms, percents, (arms, percent) => {
      const shares = drawSharesOf(arms, percent)

      expect(shares.every((share) => Number.isInteger(share) && share > 0)).toBe(true)
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(bucketCount)
      expect(shares[leaderIndexOf(arms)]).toBeGreaterThanOrEqual(bucketCount - (percent * bucketCount) / 100)
    }),
  )
})

test('over all draws each account is selected as often as its share', () => {
  const shares = [9_500, 400, 100]
  const selections = shares.map(() => 0)
  for (let drawn = 0; drawn < bucketCount; drawn += 1)
    (selections[drawnIndexOf(shares, drawn)] as number) += 1

  expect(selections).toEqual(shares)
})

test('a confidence bound is above the observed rate, and closer with more attempts', () => {
  const [few, many, untried] = [
    { attempts: 100, approved: 90 },
    { attempts: 10_000, approved: 9_000 },
    { attempts: 0, approved: 0 },
  ] as const
  const scores = scoresOf([few, many, untried])

  expect(scores[2]).toBe(1)
  expect(scores[1]).toBeGreaterThan(0.9)
  expect(scores[0]).toBeGreaterThan(scores[1] as number)
})

// biome-ignore format: a table.
test.each([
  ['no other account was tried',                   [[5_000, 4_500], [0, 0]],                     0],
  ['the second is better, but not significantly',  [[5_000, 4_500], [250, 232]],                 0],
  ['the second is significantly better',           [[5_000, 4_500], [1_000, 950]],               1],
  ['the third is the best',                        [[5_000, 4_500], [1_000, 950], [1_000, 980]], 2],
  ['the first was never tried',                    [[0, 0], [5_000, 4_900]],                     0],
  ['the first is the best',                        [[5_000, 4_500], [5_000, 4_000]],             0],
] as const)('if %s, the leader of %j has index %i', (_, figures, leader) => {
  expect(leaderIndexOf(figures.map(([attempts, approved]) => ({ attempts, approved })))).toBe(leader)
})

test('if the leader also has the highest confidence bound, only a fifth of the exploration share is used', () => {
  const shares = drawSharesOf(
    [
      { attempts: 50_000, approved: 45_000 },
      { attempts: 5_000, approved: 2_500 },
    ],
    5,
  )

  expect(shares).toEqual([9_900, 100])
})

const explorationPercent = 5
/** The gains of many simulations that differ only in the seed. */
function gainsAt(rates: readonly number[]): readonly number[] {
  const simulation = { rates, payments: 60_000, needed: 5_000, explorationPercent }
  return Array.from({ length: 20 }, (_, nth) => simulatedGain({ ...simulation, seed: nth + 1 }))
}
const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

test.each([[[0.85, 0.92]], [[0.9, 0.8, 0.95]], [[0.7, 0.75]]])(
  'if another account is better, more is approved than with the fixed order: %j',
  (rates) => {
    const gains = gainsAt(rates)

    expect(Math.min(...gains)).toBeGreaterThan(0)
    expect(meanOf(gains)).toBeGreaterThan((Math.max(...rates) - (rates[0] as number)) / 2)
  },
)

// By chance a worse account may lead for a while. That is rare, and costs less the more similar the accounts
// are.
test.each([[[0.92, 0.85]], [[0.92, 0.5]], [[0.91, 0.9]], [[0.95, 0.9, 0.85]], [[0.9, 0.895, 0.895, 0.895]]])(
  'if no other account is better, no more is lost than the exploration share: %j',
  (rates) => {
    const gains = gainsAt(rates)
    const maxLoss = (explorationPercent / 100) * ((rates[0] as number) - Math.min(...rates))

    expect(meanOf(gains)).toBeGreaterThan(-maxLoss)
    expect(Math.min(...gains)).toBeGreaterThan(-maxLoss * 1.2)
  },
)

test('if all accounts are equal, nothing is lost', () => {
  expect(meanOf(gainsAt([0.9, 0.9, 0.9]))).toBeCloseTo(0, 10)
})
