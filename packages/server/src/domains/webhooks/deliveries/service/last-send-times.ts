/**
 * The time of the last request to each endpoint. It is kept for a second after the endpoint was served, so
 * that the rate limit also applies when it is served again.
 */

/** The lowest rate limit is one request per second, so older times do not matter. */
const retentionMs = 1_000
const cleanUpAtSize = 1_000

export class LastSendTimes {
  readonly #lastMs = new Map<string, number>()

  get(endpointUuid: string): number {
    return this.#lastMs.get(endpointUuid) ?? Number.NEGATIVE_INFINITY
  }

  set(endpointUuid: string, lastMs: number, nowMs: number): void {
    if (nowMs - lastMs > retentionMs) return
    // Deleting first moves the entry to the end, so that the first entries are the oldest.
    this.#lastMs.delete(endpointUuid)
    this.#lastMs.set(endpointUuid, lastMs)
    if (this.#lastMs.size > cleanUpAtSize) this.#deleteOld(nowMs)
  }

  #deleteOld(nowMs: number): void {
    for (const [endpointUuid, lastMs] of this.#lastMs) {
      if (nowMs - lastMs <= retentionMs) return
      this.#lastMs.delete(endpointUuid)
    }
  }
}
