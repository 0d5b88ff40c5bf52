// A small generator of numbers: the same seed and place give the same story, on every machine.

export type Chance = {
  /** From 0 to less than `below`. */
  below(limit: number): number
  isTrue(share: number): boolean
  one<T>(of: readonly T[]): T
  /** By weight. */
  weighed<T>(of: readonly (readonly [weight: number, value: T])[]): T
}

export function chanceOf(seed: number, place: number): Chance {
  let state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(place + 1, 0xc2b2ae35)) >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)

  return {
    below,
    isTrue: (share) => next() < share,
    one: (of) => of[below(of.length)] as (typeof of)[number],
    weighed: (of) => {
      let left = next() * of.reduce((sum, [weight]) => sum + weight, 0)
      const found = of.find(([weight]) => {
        left -= weight
        return left < 0
      })
      return (found ?? (of[0] as (typeof of)[number]))[1]
    },
  }
}
