/** When a failed attempt is tried again. Pure. */
import type { Mode } from '../../kernel/id.ts'

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
/** Whoever tries things out does not want to wait for days. */
export const testWaits: readonly number[] = [5, minute, 10 * minute]

/** Receivers that failed together should not be asked together again. Never early. */
const jitter = 0.2

export function waitsOf(mode: Mode): readonly number[] {
  return mode === 'live' ? liveWaits : testWaits
}

/** Seconds until the next attempt after so many failed ones; null if that was the last. */
export function waitAfter(mode: Mode, tries: number, random: number): number | null {
  const wait = waitsOf(mode)[tries - 1]
  return wait === undefined ? null : wait * (1 + jitter * random)
}
