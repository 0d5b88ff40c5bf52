/** Timeouts and sleeps that can end early. */
import { monotonicMs } from '../../kernel/clock.ts'

/** The result of the promise, or `fallback` after the timeout. The promise itself is not cancelled. */
export async function withTimeout<T>(ms: number, promise: Promise<T>, fallback: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, ms, fallback)
  })
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer))
}

/**
 * The pause between two iterations of a loop. It can be shortened, and ended permanently when the loop stops.
 */
export class CancellableSleep {
  ended = false
  #wake: (() => void) | null = null
  #timer: NodeJS.Timeout | undefined
  #wakeAtMs = 0
  /** A limit requested while awake, which applies to the next sleep. */
  #nextLimitMs = Number.POSITIVE_INFINITY

  async sleep(ms: number): Promise<void> {
    if (this.ended) return
    const waitMs = Math.min(ms, this.#nextLimitMs)
    this.#nextLimitMs = Number.POSITIVE_INFINITY
    this.#wakeAtMs = monotonicMs() + waitMs
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      this.#timer = setTimeout(resolve, waitMs)
    })
    this.#wake = null
  }

  /** Wakes after at most this time. A later request never postpones an earlier one. */
  shorten(ms: number): void {
    if (this.#wake === null) {
      this.#nextLimitMs = Math.min(ms, this.#nextLimitMs)
    } else if (monotonicMs() + ms < this.#wakeAtMs) {
      clearTimeout(this.#timer)
      this.#wakeAtMs = monotonicMs() + ms
      this.#timer = setTimeout(this.#wake, ms)
    }
  }

  end(): void {
    this.ended = true
    clearTimeout(this.#timer)
    this.#wake?.()
  }
}
