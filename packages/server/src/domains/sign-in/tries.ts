/**
 * How often somebody may be wrong. By e-mail address: the first three are free, then each wrong try makes the next one
 * wait twice as long, and the tenth locks the address for half an hour. By network address the same, with room for an
 * office of people. A try is counted before it is judged, so that many at once are not more than one after another.
 */
import { createHash } from 'node:crypto'
import { addSeconds } from '../../kernel/clock.ts'

export type Tries = {
  readonly wrong: number
  readonly triedAt: Date
  /** Until then nothing is judged. */
  readonly blockedUntil: Date | null
}

export type Limit = { readonly free: number; readonly locksAt: number; readonly lockSeconds: number }

export const byEmail: Limit = { free: 3, locksAt: 10, lockSeconds: 30 * 60 }
export const byAddress: Limit = { free: 30, locksAt: 100, lockSeconds: 30 * 60 }

export type Verdict =
  | { readonly is: 'blocked'; readonly waitSeconds: number }
  | { readonly is: 'counted'; readonly tries: Tries; readonly locks: boolean }

/** Counts one more, or says how long to wait. */
export function countTry(before: Tries | null, now: Date, limit: Limit): Verdict {
  const { blockedUntil = null } = before ?? {}
  if (blockedUntil !== null && blockedUntil > now)
    return { is: 'blocked', waitSeconds: Math.ceil((blockedUntil.getTime() - now.getTime()) / 1000) }
  const isForgotten = before === null || addSeconds(before.triedAt, limit.lockSeconds) <= now
  const wrong = (isForgotten ? 0 : before.wrong) + 1
  const locks = wrong >= limit.locksAt
  const waitSeconds = locks ? limit.lockSeconds : pauseAfter(wrong, limit)
  const until = waitSeconds === 0 ? null : addSeconds(now, waitSeconds)
  return { is: 'counted', tries: { wrong, triedAt: now, blockedUntil: until }, locks }
}

/** 1, 2, 4 seconds and so on, at most a minute. */
function pauseAfter(wrong: number, { free }: Limit): number {
  return wrong <= free ? 0 : Math.min(60, 2 ** (wrong - free - 1))
}

/** The try was right after all: it was none, and what it blocked is open again. */
export function takeBack({ wrong, triedAt }: Tries): Tries {
  return { wrong: Math.max(0, wrong - 1), triedAt, blockedUntil: null }
}

/** What is kept of an address: enough to count, too little to read. */
export function keyOf(kind: 'email' | 'address', text: string): Buffer {
  return createHash('sha256').update(`${kind} ${text.toLowerCase()}`).digest()
}
