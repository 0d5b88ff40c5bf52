/**
 * Chooses among accounts by their approval rates. The first in the order leads unless another one is
 * significantly better, so if none is better, at most the exploration share of the payments goes to a worse
 * account. No side effects.
 */
import { bucketCount } from '../engine/split-draw.ts'

/** First attempts in the window, and how many were approved. */
export type Arm = { readonly attempts: number; readonly approved: number }

/**
 * The lead that counts as significant, in standard deviations. The comparison runs for every snapshot, so a 95%
 * confidence level would be wrong too often.
 */
const z = 3
/**
 * This part of the exploration share always goes equally to the other accounts, so that none is excluded
 * permanently.
 */
const minimumPart = 0.2

const rateOf = ({ attempts, approved }: Arm) => approved / Math.max(attempts, 1)

/** Never 0: a rate of 1 over ten attempts is not certain. */
function varianceOf({ attempts, approved }: Arm): number {
  const smoothedRate = (approved + 1) / (attempts + 2)
  return smoothedRate * (1 - smoothedRate)
}

/**
 * The upper confidence bound of each account: the highest plausible approval rate. An account without
 * attempts has 1.
 */
export function scoresOf(arms: readonly Arm[]): readonly number[] {
  const total = arms.reduce((sum, { attempts }) => sum + attempts, 0)
  const logarithm = Math.log(Math.max(total, 1))
  return arms.map((arm) => {
    if (arm.attempts === 0) return 1
    return Math.min(1, rateOf(arm) + Math.sqrt((2 * varianceOf(arm) * logarithm) / arm.attempts))
  })
}

/** The index of the account that gets all payments except the exploration share. */
export function leaderIndexOf(arms: readonly Arm[]): number {
  const first = arms[0] as Arm
  let leader = 0
  for (const [index, arm] of arms.entries()) {
    if (index > 0 && isBetter(arm, first) && rateOf(arm) > rateOf(arms[leader] as Arm)) leader = index
  }
  return leader
}

function isBetter(arm: Arm, first: Arm): boolean {
  if (arm.attempts === 0 || first.attempts === 0) return false
  const margin = z * Math.sqrt(varianceOf(arm) / arm.attempts + varianceOf(first) / first.attempts)
  return rateOf(arm) - rateOf(first) > margin
}

/**
 * The share of each account, in units of 1/10,000. No share is 0, so evaluations based on draws are valid for
 * all accounts. If the leader has the highest bound, no other account is more promising, and only the minimum
 * part explores.
 */
export function drawSharesOf(arms: readonly Arm[], explorationPercent: number): readonly number[] {
  if (arms.length < 2) return arms.map(() => bucketCount)
  const explorationTotal = (explorationPercent * bucketCount) / 100
  const minimumShare = Math.floor((explorationTotal * minimumPart) / (arms.length - 1))
  const remainder = explorationTotal - minimumShare * (arms.length - 1)
  const leader = leaderIndexOf(arms)
  const scores = scoresOf(arms)
  const highest = scores.indexOf(Math.max(...scores))
  return arms.map((_, index) => {
    const baseShare = index === leader ? bucketCount - explorationTotal : minimumShare
    return baseShare + (index === highest ? remainder : 0)
  })
}

/** The index of the account that a draw selects. */
export function drawnIndexOf(shares: readonly number[], drawn: number): number {
  let upperBound = 0
  const index = shares.findIndex((share) => {
    upperBound += share
    return drawn < upperBound
  })
  return index === -1 ? shares.length - 1 : index
}
