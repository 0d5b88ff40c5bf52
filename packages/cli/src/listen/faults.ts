/** What goes wrong on purpose, to see whether a receiver bears it. Drawn from a seed, so that a run can be repeated. */

export type FaultOptions = {
  /** The share of answers that are thrown away, as if the network had lost them: the event is sent again. */
  readonly failRate: number
  /** The share of events that are sent once more after they were accepted. */
  readonly duplicate: number
  /** How long an event is on its way at most. */
  readonly latencyMs: number
  readonly seed: number
}

export type Faults = {
  losesAnswer(): boolean
  repeats(): boolean
  delayMs(): number
}

export function createFaults({ failRate, duplicate, latencyMs, seed }: FaultOptions): Faults {
  const draw = drawsFrom(seed)
  return {
    losesAnswer: () => draw() < failRate,
    repeats: () => draw() < duplicate,
    delayMs: () => draw() * latencyMs,
  }
}

/** Mulberry32: numbers from 0 to 1 that look drawn and follow from the seed. */
function drawsFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
