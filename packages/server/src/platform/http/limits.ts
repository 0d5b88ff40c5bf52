/**
 * Rate limits in memory: a token bucket per API token and per address, and a count of requests in flight per
 * workspace. Nothing is stored or queried; several processes divide a limit by their number.
 */
import { monotonicMs } from '../../kernel/clock.ts'

export type Bucket = { readonly perSecond: number; readonly burst: number }
export type RateLimitResult = {
  readonly allowed: boolean
  readonly remaining: number
  readonly waitSeconds: number
}

type Level = { tokens: number; atMs: number }

/**
 * Above this number the least recently used bucket is evicted. Clearing all of them would let a flood of
 * addresses refill every bucket, including those of API tokens.
 */
const maxBuckets = 50_000

export function createBuckets(nowMs: () => number = monotonicMs) {
  const levels = new Map<string, Level>()

  return {
    /** Takes one token from the bucket of `key`, which refills over time. */
    take(key: string, bucket: Bucket): RateLimitResult {
      const atMs = nowMs()
      const { perSecond, burst } = bucket
      const last = levels.get(key) ?? { tokens: burst, atMs }
      const tokens = Math.min(burst, last.tokens + ((atMs - last.atMs) / 1000) * perSecond)
      const allowed = tokens >= 1
      const remaining = allowed ? tokens - 1 : tokens
      // Delete and insert: a Map keeps insertion order, so the least recently used bucket is first.
      levels.delete(key)
      levels.set(key, { tokens: remaining, atMs })
      if (levels.size > maxBuckets) levels.delete(levels.keys().next().value as string)
      return {
        allowed,
        remaining: Math.floor(remaining),
        waitSeconds: allowed ? 0 : Math.ceil((1 - tokens) / perSecond),
      }
    },
    size: () => levels.size,
  }
}

export type Buckets = ReturnType<typeof createBuckets>

/** Counts requests in flight per workspace, and in total. */
export function createInFlight(limit: number, totalLimit = Number.POSITIVE_INFINITY) {
  const counts = new Map<string, number>()
  let total = 0

  return {
    /** Null if the limit is reached; otherwise the function to call at the end. */
    enter(key: string): (() => void) | null {
      const count = counts.get(key) ?? 0
      if (count >= limit || total >= totalLimit) return null
      counts.set(key, count + 1)
      total += 1
      let hasLeft = false
      return () => {
        if (hasLeft) return
        hasLeft = true
        total -= 1
        const newCount = (counts.get(key) ?? 1) - 1
        if (newCount === 0) counts.delete(key)
        else counts.set(key, newCount)
      }
    },
  }
}

export type InFlight = ReturnType<typeof createInFlight>
