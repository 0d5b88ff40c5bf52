/** Waiting, with an end to it. */
import { monotonicMs } from '../../kernel/clock.ts'

/** What was promised, or `otherwise` if it takes too long. The promise itself goes on. */
export async function orAfter<T>(ms: number, promised: Promise<T>, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, ms, otherwise)
  })
  return Promise.race([promised, tooLong]).finally(() => clearTimeout(timer))
}

/** The pause between two looks of a loop. It can be cut short, and ends for good when the loop shall. */
export class Nap {
  ended = false
  #wake: (() => void) | null = null
  #timer: NodeJS.Timeout | undefined
  #untilMs = 0
  /** Asked for while awake: holds for the next nap. */
  #atMostMs = Number.POSITIVE_INFINITY

  async sleep(ms: number): Promise<void> {
    if (this.ended) return
    const waitMs = Math.min(ms, this.#atMostMs)
    this.#atMostMs = Number.POSITIVE_INFINITY
    this.#untilMs = monotonicMs() + waitMs
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      this.#timer = setTimeout(resolve, waitMs)
    })
    this.#wake = null
  }

  /** Wakes after this time at the latest; asking again does not put it off. */
  shorten(ms: number): void {
    if (this.#wake === null) {
      this.#atMostMs = Math.min(ms, this.#atMostMs)
    } else if (monotonicMs() + ms < this.#untilMs) {
      clearTimeout(this.#timer)
      this.#untilMs = monotonicMs() + ms
      this.#timer = setTimeout(this.#wake, ms)
    }
  }

  end(): void {
    this.ended = true
    clearTimeout(this.#timer)
    this.#wake?.()
  }
}
