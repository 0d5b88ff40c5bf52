/** Does something again and again, one after the other, until it is told to stop. */
import { Nap } from './engine/nap.ts'

export type Repetition = {
  /** Waits for what is under way. */
  stop(): Promise<void>
}

export type RepeatOptions = {
  /** Between the end of one and the beginning of the next. */
  readonly everyMs: number
  readonly run: () => Promise<void>
  /** Hears of the first failure in a row; whatever is wrong is tried again. */
  readonly onError: (error: unknown) => void
}

export function repeat({ everyMs, run, onError }: RepeatOptions): Repetition {
  const nap = new Nap()
  let failing = false
  const ended = (async () => {
    while (!nap.ended) {
      const fails = await run().then(
        () => false,
        (error) => {
          if (!failing) onError(error)
          return true
        },
      )
      failing = fails
      await nap.sleep(everyMs)
    }
  })()
  return {
    stop: async () => {
      nap.end()
      await ended
    },
  }
}
