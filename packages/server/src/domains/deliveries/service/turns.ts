/** When each endpoint was last sent something, a moment longer than it is served: its limit holds across lives. */

/** The slowest limit is one a second, so what is older says nothing. */
const rememberedMs = 1_000
const tidyAt = 1_000

export class Turns {
  readonly #lastMs = new Map<string, number>()

  lastOf(endpointUuid: string): number {
    return this.#lastMs.get(endpointUuid) ?? Number.NEGATIVE_INFINITY
  }

  remember(endpointUuid: string, lastMs: number, nowMs: number): void {
    if (nowMs - lastMs > rememberedMs) return
    // Put at the end: the first ones are the oldest.
    this.#lastMs.delete(endpointUuid)
    this.#lastMs.set(endpointUuid, lastMs)
    if (this.#lastMs.size > tidyAt) this.#tidy(nowMs)
  }

  #tidy(nowMs: number): void {
    for (const [endpointUuid, lastMs] of this.#lastMs) {
      if (nowMs - lastMs <= rememberedMs) return
      this.#lastMs.delete(endpointUuid)
    }
  }
}
