/**
 * Which of several accounts is asked, by what they approved so far. The first in the order leads unless another one
 * is better beyond chance; so where nothing is better, nothing is lost but the share that explores. Pure.
 */
import { drawsOf } from './draw.ts'

/** First attempts in the window, and how many of them were approved. */
export type Arm = { readonly attempts: number; readonly approved: number }

/** It is asked again with every snapshot, and nineteen times out of twenty would be wrong too often then. */
const z = 3
/** Of the share that explores, this part always goes to the others, in equal parts: nobody is forgotten for good. */
const standingPart = 0.2

const rateOf = ({ attempts, approved }: Arm) => approved / Math.max(attempts, 1)

/** Never quite 0: a rate of one that was seen ten times is not certain. */
function varianceOf({ attempts, approved }: Arm): number {
  const cautious = (approved + 1) / (attempts + 2)
  return cautious * (1 - cautious)
}

/** The upper confidence bound of each: what it may be worth, as far as is known. Of one never asked that is all. */
export function scoresOf(arms: readonly Arm[]): readonly number[] {
  const total = arms.reduce((sum, { attempts }) => sum + attempts, 0)
  const logarithm = Math.log(Math.max(total, 1))
  return arms.map((arm) => {
    if (arm.attempts === 0) return 1
    return Math.min(1, rateOf(arm) + Math.sqrt((2 * varianceOf(arm) * logarithm) / arm.attempts))
  })
}

/** The place of the one that gets what does not explore. */
export function leaderOf(arms: readonly Arm[]): number {
  const first = arms[0] as Arm
  let leader = 0
  for (const [at, arm] of arms.entries()) {
    if (at > 0 && isBetter(arm, first) && rateOf(arm) > rateOf(arms[leader] as Arm)) leader = at
  }
  return leader
}

function isBetter(arm: Arm, first: Arm): boolean {
  if (arm.attempts === 0 || first.attempts === 0) return false
  const margin = z * Math.sqrt(varianceOf(arm) / arm.attempts + varianceOf(first) / first.attempts)
  return rateOf(arm) - rateOf(first) > margin
}

/**
 * How many of 10,000 lots each gets. No one is left without any, so what is learned from lots later holds for all.
 * If the highest bound is the leader's own, nobody else promises more, and only the standing part explores.
 */
export function lotsOf(arms: readonly Arm[], explorationPercent: number): readonly number[] {
  if (arms.length < 2) return arms.map(() => drawsOf)
  const exploring = (explorationPercent * drawsOf) / 100
  const each = Math.floor((exploring * standingPart) / (arms.length - 1))
  const promising = exploring - each * (arms.length - 1)
  const leader = leaderOf(arms)
  const scores = scoresOf(arms)
  const highest = scores.indexOf(Math.max(...scores))
  return arms.map((_, at) => {
    const standing = at === leader ? drawsOf - exploring : each
    return standing + (at === highest ? promising : 0)
  })
}

/** The place of the one that a lot falls to. */
export function lotAt(lots: readonly number[], drawn: number): number {
  let below = 0
  const at = lots.findIndex((lot) => {
    below += lot
    return drawn < below
  })
  return at === -1 ? lots.length - 1 : at
}
