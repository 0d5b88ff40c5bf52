/**
 * How long to wait before the next attempt. The wait doubles up to a cap; half of it is fixed, so a retry is
 * never immediate, and half is drawn, so those who failed together do not come back together. Chance decides
 * nothing else here: this is the one file that may use `Math.random`.
 */
import { assert } from './assert.ts'

type Backoff = {
  /** How many attempts have failed: 1 after the first. */
  readonly attempt: number
  readonly baseSeconds: number
  readonly capSeconds: number
  /** From 0 to below 1, as `Math.random` gives it. */
  readonly random?: () => number
}

/** Seconds, with fractions: from half of the full wait to just below it. */
export function backoffSeconds({ attempt, baseSeconds, capSeconds, random = Math.random }: Backoff): number {
  assert(Number.isInteger(attempt) && attempt >= 1, 'Attempts count from 1: pass how many have failed.')
  assert(baseSeconds > 0 && capSeconds >= baseSeconds, 'The base is above zero, and the cap not below it.')
  // A high attempt makes the power infinite, which the cap takes care of.
  const fullSeconds = Math.min(capSeconds, baseSeconds * 2 ** (attempt - 1))
  return fullSeconds / 2 + (fullSeconds / 2) * random()
}

/** From 0 to below 1, for what only has to be spread. */
export function drawChance(): number {
  return Math.random()
}
