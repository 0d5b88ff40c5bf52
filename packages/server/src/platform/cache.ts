/** A cache with a time to live. Concurrent callers share one load; failures are not cached. */
import { monotonicMs } from '../kernel/clock.ts'

type Entry<V> = { readonly value: Promise<V>; readonly untilMs: number }

export type CacheOptions<V> = {
  readonly ttlMs: number
  readonly maxEntries: number
  /** Whether to cache a value. By default every value is cached. */
  readonly keep?: (value: V) => boolean
}

export type Cache<V> = {
  get(key: string, load: () => Promise<V>): Promise<V>
  /** The cached value without loading it; null if there is none. */
  peek(key: string): Promise<V> | null
  /** Makes the next caller load again. A load in progress is not cached. */
  forget(key: string): void
}

export function createCache<V>(options: CacheOptions<V>): Cache<V> {
  const entries = new Map<string, Entry<V>>()

  const peek = (key: string): Promise<V> | null => {
    const known = entries.get(key)
    return known !== undefined && known.untilMs > monotonicMs() ? known.value : null
  }

  return {
    peek,
    forget: (key) => void entries.delete(key),
    get(key, load) {
      const known = peek(key)
      if (known !== null) return known
      const value = load()
      // Delete and insert: a Map keeps insertion order, so the oldest entry is first and is evicted first.
      entries.delete(key)
      entries.set(key, { value, untilMs: monotonicMs() + options.ttlMs })
      if (entries.size > options.maxEntries) entries.delete(entries.keys().next().value as string)
      const forget = () => {
        if (entries.get(key)?.value === value) entries.delete(key)
      }
      value.then((answer) => options.keep?.(answer) === false && forget(), forget)
      return value
    },
  }
}
