/** The pace of a recovery, so that a receiver that has just recovered is not overloaded. No side effects. */
import { addSeconds } from '../../../kernel/clock.ts'

/** The maximum number of deliveries in a batch, to keep its transaction short. */
const maxBatchSize = 1_000
/** With a rate, a batch releases as many deliveries as the rate allows in this time. */
const batchSeconds = 5

/** How many deliveries a batch can release; `rate` is per second, null for no limit. */
export function batchSizeFor(rate: number | null): number {
  return rate === null ? maxBatchSize : Math.min(maxBatchSize, rate * batchSeconds)
}

/** When the next batch is due. `released` is the number of deliveries in the current one. */
export function nextBatchAt(now: Date, rate: number | null, released: number): Date {
  return rate === null ? now : addSeconds(now, released / rate)
}
