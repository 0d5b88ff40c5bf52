// A seeded random number generator: the same seed and index give the same scenario on every machine.

export type SeededRandom = {
  /** An integer from 0 to `limit - 1`. */
  integerBelow(limit: number): number
  boolean(share: number): boolean
  pick<T>(values: readonly T[]): T
  /** Picks a value with a probability in proportion to its weight. */
  weighted<T>(entries: readonly (readonly [weight: number, value: T])[]): T
}

export function seededRandom(seed: number, index: number): SeededRandom {
  let state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35)) >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const integerBelow = (limit: number) => Math.floor(next() * limit)

  return {
    integerBelow,
    boolean: (share) => next() < share,
    pick: (values) => values[integerBelow(values.length)] as (typeof values)[number],
    weighted: (entries) => {
      let left = next() * entries.reduce((sum, [weight]) => sum + weight, 0)
      const found = entries.find(([weight]) => {
        left -= weight
        return left < 0
      })
      return (found ?? (entries[0] as (typeof entries)[number]))[1]
    },
  }
}
