/**
 * Limits wrong sign-in attempts. An attempt is counted before its password is compared, so that concurrent
 * attempts do not get around the limit. The counters depend on where the attempt comes from:
 *
 * - A browser that has signed in as this person before has a device cookie and its own counter. Others cannot use up
 *   its attempts.
 * - Every other attempt is counted for the network, for the email address together with the network, and for the
 *   email address in total. The total only slows down and never locks: after ten wrong passwords from one network,
 *   only that network is locked out of the account.
 */
import { createHash } from 'node:crypto'
import { addSeconds } from '../../../kernel/clock.ts'

export type AttemptCount = {
  readonly wrong: number
  readonly triedAt: Date
  /** Attempts before this time are rejected. */
  readonly blockedUntil: Date | null
}

export type Limit = {
  /**
   * The number of wrong attempts without a pause. Each further one doubles the pause, which starts at one
   * second.
   */
  readonly freeAttempts: number
  readonly maxPauseSeconds: number
  /** The number of the wrong attempt that locks; null if none does. */
  readonly locksAt: number | null
  readonly lockSeconds: number
  /** After this time without an attempt the count starts again. */
  readonly resetSeconds: number
}

const halfHour = 30 * 60

/** For a known browser: at most 20 guesses an hour. */
export const deviceLimit: Limit = {
  freeAttempts: 3,
  maxPauseSeconds: 60,
  locksAt: 10,
  lockSeconds: halfHour,
  resetSeconds: halfHour,
}

/** For an email address from one network: the same as for a known browser. */
export const pairLimit: Limit = { ...deviceLimit }

/** For an email address from all networks together: at most 47 guesses in an hour and 672 in a day. */
export const emailLimit: Limit = {
  freeAttempts: 20,
  maxPauseSeconds: 180,
  locksAt: null,
  lockSeconds: 0,
  resetSeconds: 2 * halfHour,
}

/**
 * For a network, which may be a whole office. `width` is 0 for the narrowest network. The limits of wider
 * IPv6 networks are higher: twice as high for a /56, and four times as high for a /48.
 */
export function networkLimit(width: number): Limit {
  const factor = 2 ** width
  return { ...deviceLimit, freeAttempts: 30 * factor, locksAt: 100 * factor }
}

export type AttemptDecision =
  | { readonly kind: 'blocked'; readonly waitSeconds: number }
  | { readonly kind: 'counted'; readonly attempts: AttemptCount; readonly causesLockout: boolean }

/** Counts one more attempt, or returns how long to wait. */
export function countAttempt(before: AttemptCount | null, now: Date, limit: Limit): AttemptDecision {
  const { blockedUntil = null } = before ?? {}
  if (blockedUntil !== null && blockedUntil > now)
    return { kind: 'blocked', waitSeconds: Math.ceil((blockedUntil.getTime() - now.getTime()) / 1000) }
  const isReset = before === null || addSeconds(before.triedAt, limit.resetSeconds) <= now
  const wrong = (isReset ? 0 : before.wrong) + 1
  const causesLockout = limit.locksAt !== null && wrong >= limit.locksAt
  const waitSeconds = causesLockout ? limit.lockSeconds : pauseAfter(wrong, limit)
  const until = waitSeconds === 0 ? null : addSeconds(now, waitSeconds)
  return { kind: 'counted', attempts: { wrong, triedAt: now, blockedUntil: until }, causesLockout }
}

function pauseAfter(wrong: number, { freeAttempts, maxPauseSeconds }: Limit): number {
  return wrong <= freeAttempts ? 0 : Math.min(maxPauseSeconds, 2 ** (wrong - freeAttempts - 1))
}

/** Subtracts a successful attempt and ends the pause. */
export function subtractAttempt({ wrong, triedAt }: AttemptCount): AttemptCount {
  return { wrong: Math.max(0, wrong - 1), triedAt, blockedUntil: null }
}

/** The key of a counter: a hash, so that addresses are not stored in plain text. */
export function counterKey(kind: 'email' | 'address' | 'pair' | 'device', text: string): Buffer {
  return createHash('sha256').update(`${kind} ${text.toLowerCase()}`).digest()
}
