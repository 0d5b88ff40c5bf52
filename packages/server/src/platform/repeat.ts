/** Runs a function repeatedly, one run after the other, until stopped. */
import { CancellableSleep } from './engine/cancellable-sleep.ts'

export type Repetition = {
  /** Waits for the current run. */
  stop(): Promise<void>
}

export type RepeatOptions = {
  /** The pause between the end of one run and the start of the next. */
  readonly everyMs: number
  readonly run: () => Promise<void>
  /** Called for the first of several consecutive failures. Every failure is retried. */
  readonly onError: (error: unknown) => void
}

export function repeat({ everyMs, run, onError }: RepeatOptions): Repetition {
  const sleeper = new CancellableSleep()
  let failing = false
  const ended = (async () => {
    while (!sleeper.ended) {
      const failed = await run().then(
        () => false,
        (error) => {
          if (!failing) onError(error)
          return true
        },
      )
      failing = failed
      await sleeper.sleep(everyMs)
    }
  })()
  return {
    stop: async () => {
      sleeper.end()
      await ended
    },
  }
}
