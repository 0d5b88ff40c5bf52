/** Describes when an invoice is charged next. No side effects. */
import { dateText } from '../../format/time.ts'

type NextAttempt = { readonly at: string; readonly testClockId: string | null }
type Options = { readonly format?: (at: string) => string; readonly nowMs?: number | undefined }

/** The time of a test clock is not comparable with the current time, so it is always shown. */
export function nextAttemptText({ at, testClockId }: NextAttempt, options: Options = {}): string {
  const { format = dateText, nowMs = Date.now() } = options
  const isDue = testClockId === null && Date.parse(at) <= nowMs
  return isDue ? 'The next attempt is due now.' : `The next attempt is on ${format(at)}.`
}
