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
      const value = load()
      // Taken out and put in again: a Map keeps the order, so the oldest stands first and goes first.
      entries.delete(key)
      entries.set(key, { value, untilMs: monotonicMs() + options.ttlMs })
      if (entries.size > options.maxEntries) entries.delete(entries.keys().next().value as string)
      value.catch(() => entries.delete(key))
      return value
    },
  }
}
