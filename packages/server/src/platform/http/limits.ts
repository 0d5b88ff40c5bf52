/**
 * Rate limits in memory: a bucket per token and per address, a count of requests under way per
 * workspace. Nothing is written and nobody is asked; several processes share a limit by number.
 */
import { monotonicMs } from '../../kernel/clock.ts'

export type Bucket = { readonly perSecond: number; readonly burst: number }
export type Taken = { readonly allowed: boolean; readonly left: number; readonly waitSeconds: number }

type Level = { tokens: number; atMs: number }

/**
 * Beyond this the bucket that was longest unused is forgotten. Forgetting all at once would let a flood of
 * addresses fill every bucket again, also those of the tokens.
 */
const maxBuckets = 50_000

export function createBuckets(nowMs: () => number = monotonicMs) {
  const levels = new Map<string, Level>()

  const tokensNow = (key: string, { perSecond, burst }: Bucket, atMs: number): number => {
    const last = levels.get(key) ?? { tokens: burst, atMs }
    return Math.min(burst, last.tokens + ((atMs - last.atMs) / 1000) * perSecond)
  }

  return {
    /** Whether there is one to take. */
    has: (key: string, bucket: Bucket): boolean => tokensNow(key, bucket, nowMs()) >= 1,
    /** Takes one from the bucket of `key`, which fills up again with time. */
    take(key: string, bucket: Bucket): Taken {
      const atMs = nowMs()
      const tokens = tokensNow(key, bucket, atMs)
      const allowed = tokens >= 1
      const left = allowed ? tokens - 1 : tokens
      // Taken out and put in again: a Map keeps the order, so the longest unused stands first.
      levels.delete(key)
      levels.set(key, { tokens: left, atMs })
      if (levels.size > maxBuckets) levels.delete(levels.keys().next().value as string)
      return {
        allowed,
        left: Math.floor(left),
        waitSeconds: allowed ? 0 : Math.ceil((1 - tokens) / bucket.perSecond),
      }
    },
    size: () => levels.size,
  }
}

export type Buckets = ReturnType<typeof createBuckets>

/** Counts what is under way per workspace, and altogether. */
export function createInFlight(limit: number, limitOfAll = Number.POSITIVE_INFINITY) {
  const counts = new Map<string, number>()
  let all = 0

  return {
    /** Null if there are too many; else the function that says it is over. */
    enter(key: string): (() => void) | null {
      const count = counts.get(key) ?? 0
      if (count >= limit || all >= limitOfAll) return null
      counts.set(key, count + 1)
      all += 1
      let left = false
      return () => {
        if (left) return
        left = true
        all -= 1
        const now = (counts.get(key) ?? 1) - 1
        if (now === 0) counts.delete(key)
        else counts.set(key, now)
      }
    },
  }
}

export type InFlight = ReturnType<typeof createInFlight>
