/** Answers kept for a while. Concurrent questions share one; failures are not kept. */
import { monotonicMs } from '../kernel/clock.ts'

type Entry<V> = { readonly value: Promise<V>; readonly untilMs: number }

export type Cache<V> = { get(key: string, load: () => Promise<V>): Promise<V> }

export function createCache<V>(options: { readonly ttlMs: number; readonly maxEntries: number }): Cache<V> {
  const entries = new Map<string, Entry<V>>()

  return {
    get(key, load) {
      const known = entries.get(key)
      if (known !== undefined && known.untilMs > monotonicMs()) return known.value
      // Dropping all is rare, bounded, and needs no bookkeeping on every read.
      if (entries.size >= options.maxEntries) entries.clear()
      const value = load()
      entries.set(key, { value, untilMs: monotonicMs() + options.ttlMs })
      value.catch(() => entries.delete(key))
      return value
    },
  }
}
