import fc from 'fast-check'
import { expect, test } from 'vitest'
import { gainIn } from '../../../test/support/bandit-worlds.ts'
import { type Arm, leaderOf, lotAt, lotsOf, scoresOf } from './bandit.ts'
import { drawsOf } from './draw.ts'

const anArm: fc.Arbitrary<Arm> = fc
  .record({ attempts: fc.nat({ max: 100_000 }), share: fc.double({ min: 0, max: 1, noNaN: true }) })
  .map(({ attempts, share }) => ({ attempts, approved: Math.round(attempts * share) }))
const someArms = fc.array(anArm, { minLength: 2, maxLength: 10 })
const percents = fc.integer({ min: 2, max: 10 })

test('lots are whole, add up, leave nobody out, and give no more away than the share that explores', () => {
  fc.assert(
    fc.property(someArms, percents, (arms, percent) => {
      const lots = lotsOf(arms, percent)

      expect(lots.every((lot) => Number.isInteger(lot) && lot > 0)).toBe(true)
      expect(lots.reduce((sum, lot) => sum + lot, 0)).toBe(drawsOf)
      expect(lots[leaderOf(arms)]).toBeGreaterThanOrEqual(drawsOf - (percent * drawsOf) / 100)
    }),
  )
})

test('every lot falls to the account that it belongs to, and to each as often as it has lots', () => {
  const lots = [9_500, 400, 100]
  const fallen = lots.map(() => 0)
  for (let drawn = 0; drawn < drawsOf; drawn += 1) (fallen[lotAt(lots, drawn)] as number) += 1

  expect(fallen).toEqual(lots)
})

test('a bound lies above what was seen, and the closer the more was seen', () => {
  const [few, many, never] = [
    { attempts: 100, approved: 90 },
    { attempts: 10_000, approved: 9_000 },
    { attempts: 0, approved: 0 },
  ] as const
  const scores = scoresOf([few, many, never])

  expect(scores[2]).toBe(1)
  expect(scores[1]).toBeGreaterThan(0.9)
  expect(scores[0]).toBeGreaterThan(scores[1] as number)
})

// biome-ignore format: a table.
test.each([
  ['nobody else was asked',          [[5_000, 4_500], [0, 0]],               0],
  ['the other one is a little luckier', [[5_000, 4_500], [250, 232]],        0],
  ['the other one is better',        [[5_000, 4_500], [1_000, 950]],         1],
  ['the third one is the best',      [[5_000, 4_500], [1_000, 950], [1_000, 980]], 2],
  ['the first one was never asked',  [[0, 0], [5_000, 4_900]],               0],
  ['the first one is the best',      [[5_000, 4_500], [5_000, 4_000]],       0],
] as const)('who leads when %s', (_, figures, leader) => {
  expect(leaderOf(figures.map(([attempts, approved]) => ({ attempts, approved })))).toBe(leader)
})

test('if nobody can be better any more, only a fifth of the share explores', () => {
  const lots = lotsOf(
    [
      { attempts: 50_000, approved: 45_000 },
      { attempts: 5_000, approved: 2_500 },
    ],
    5,
  )

  expect(lots).toEqual([9_900, 100])
})

const explorationPercent = 5
/** Of many worlds that differ by chance alone. */
function gainsAt(rates: readonly number[]): readonly number[] {
  const world = { rates, payments: 60_000, needed: 5_000, explorationPercent }
  return Array.from({ length: 20 }, (_, nth) => gainIn({ ...world, seed: nth + 1 }))
}
const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

test.each([[[0.85, 0.92]], [[0.9, 0.8, 0.95]], [[0.7, 0.75]]])(
  'where another account is better, more is approved than by the fixed order: %j',
  (rates) => {
    const gains = gainsAt(rates)

    expect(Math.min(...gains)).toBeGreaterThan(0)
    expect(meanOf(gains)).toBeGreaterThan((Math.max(...rates) - (rates[0] as number)) / 2)
  },
)

// Chance may make a worse account lead for a while; that is rare, and the less it costs the more alike they are.
test.each([[[0.92, 0.85]], [[0.92, 0.5]], [[0.91, 0.9]], [[0.95, 0.9, 0.85]], [[0.9, 0.895, 0.895, 0.895]]])(
  'where no other account is better, no more is lost than the share that explores: %j',
  (rates) => {
    const gains = gainsAt(rates)
    const most = (explorationPercent / 100) * ((rates[0] as number) - Math.min(...rates))

    expect(meanOf(gains)).toBeGreaterThan(-most)
    expect(Math.min(...gains)).toBeGreaterThan(-most * 1.2)
  },
)

test('where all accounts are alike, nothing is lost at all', () => {
  expect(meanOf(gainsAt([0.9, 0.9, 0.9]))).toBeCloseTo(0, 10)
})
