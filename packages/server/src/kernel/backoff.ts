/**
 * Exponential backoff with jitter. The delay doubles up to a cap. Half of it is fixed, so a retry is never
 * immediate, and half is random, so clients that failed together do not retry together. This is the only file
 * that may use `Math.random`.
 */
import { assert } from './assert.ts'

type Backoff = {
  /** The number of failed attempts: 1 after the first failure. */
  readonly attempt: number
  readonly baseSeconds: number
  readonly capSeconds: number
  /** Returns a number in [0, 1), like `Math.random`. */
  readonly random?: () => number
}

/** Fractional seconds in [full / 2, full), where `full` is the delay without jitter. */
export function backoffSeconds({ attempt, baseSeconds, capSeconds, random = Math.random }: Backoff): number {
  assert(
    Number.isInteger(attempt) && attempt >= 1,
    'Attempts must be counted from 1: pass how many have failed.',
  )
  assert(
    baseSeconds > 0 && capSeconds >= baseSeconds,
    'The base must be above zero, and the cap not below it.',
  )
  // For a high attempt the power is Infinity; the cap limits it.
  const fullSeconds = Math.min(capSeconds, baseSeconds * 2 ** (attempt - 1))
  return fullSeconds / 2 + (fullSeconds / 2) * random()
}

/** A number in [0, 1) for jitter. Not cryptographically secure. */
export function randomFraction(): number {
  return Math.random()
}
