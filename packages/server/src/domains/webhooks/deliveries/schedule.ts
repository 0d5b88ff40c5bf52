/** The retry schedule of failed attempts. No side effects. */
import type { Mode } from '../../../kernel/id.ts'

const minute = 60
const hour = 60 * minute

/** Seconds to wait after each failed attempt: 14 attempts over almost five days. */
export const liveWaits: readonly number[] = [
  5,
  30,
  2 * minute,
  10 * minute,
  30 * minute,
  hour,
  3 * hour,
  6 * hour,
  12 * hour,
  24 * hour,
  24 * hour,
  24 * hour,
  24 * hour,
]
/** Test mode has a shorter schedule: 4 attempts over eleven minutes. */
export const testWaits: readonly number[] = [5, minute, 10 * minute]

/** The maximum random extension of a wait. It spreads the retries of deliveries that failed together. */
const jitter = 0.2

export function waitsOf(mode: Mode): readonly number[] {
  return mode === 'live' ? liveWaits : testWaits
}

/** Seconds until the next attempt after `tries` failed ones; null if no attempt is left. */
export function waitAfter(mode: Mode, tries: number, random: number): number | null {
  const wait = waitsOf(mode)[tries - 1]
  return wait === undefined ? null : wait * (1 + jitter * random)
}
