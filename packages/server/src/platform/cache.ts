/** Answers kept for a while. Concurrent questions share one; failures are not kept. */
import { monotonicMs } from '../kernel/clock.ts'

type Entry<V> = { readonly value: Promise<V>; readonly untilMs: number }

export type CacheOptions<V> = {
  readonly ttlMs: number
  readonly maxEntries: number
  /** Whether an answer is worth keeping. Without it, all are. */
  readonly keep?: (value: V) => boolean
}

export type Cache<V> = {
  get(key: string, load: () => Promise<V>): Promise<V>
  /** What is known without asking; null if nothing is. */
  peek(key: string): Promise<V> | null
  /** Has the next one ask again; what is being asked now is not kept. */
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
      // Taken out and put in again: a Map keeps the order, so the oldest stands first and goes first.
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
