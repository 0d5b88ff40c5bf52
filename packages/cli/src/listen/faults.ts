/** Injects faults to test a receiver. They are pseudorandom from a seed, so that a run can be repeated. */

export type FaultOptions = {
  /** The fraction of responses to drop, as if the network had lost them. The event is then sent again. */
  readonly failRate: number
  /** The fraction of events to send again after they were accepted. */
  readonly duplicate: number
  /** The maximum delay before an event is sent. */
  readonly latencyMs: number
  readonly seed: number
}

export type Faults = {
  dropsResponse(): boolean
  sendsDuplicate(): boolean
  delayMs(): number
}

export function createFaults({ failRate, duplicate, latencyMs, seed }: FaultOptions): Faults {
  const random = seededRandom(seed)
  return {
    dropsResponse: () => random() < failRate,
    sendsDuplicate: () => random() < duplicate,
    delayMs: () => random() * latencyMs,
  }
}

/** Mulberry32: seeded pseudorandom numbers from 0 to 1. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
