/** The state of a delivery as a sentence. No side effects. */
import type { DeliveryWithAttempts } from '@switchyard/sdk'
import { countText } from '../../../../format/text.ts'
import { dueText, durationText } from '../../../../format/time.ts'
import { responseText } from '../responses.ts'

export function deliverySentence(delivery: DeliveryWithAttempts, nowMs = Date.now()): string {
  const { state, attempts_made, last_outcome, last_status, next_attempt_at } = delivery
  const attemptsText = countText(attempts_made, 'attempt')
  const lastResponse = responseText(last_outcome, last_status)
  switch (state) {
    case 'delivered':
      return deliveredSentence(delivery)
    case 'exhausted':
      return `${attemptsText} failed, most recently: ${lastResponse}. It is not retried until you resend it.`
    case 'held':
      return 'The endpoint is disabled. This delivery is held and sent when the endpoint is enabled again.'
    case 'deleted':
      return 'The endpoint was deleted before this delivery could be sent.'
    case 'pending':
      if (attempts_made === 0) return 'Waiting to be sent.'
      return `${attemptsText} failed, most recently: ${lastResponse}. The next attempt is ${next_attempt_at === null ? 'due now' : dueText(next_attempt_at, nowMs)}.`
  }
}

function deliveredSentence({
  attempts,
  attempts_made,
  created_at,
  settled_at,
  last_status,
}: DeliveryWithAttempts) {
  const durationMs = attempts.at(-1)?.duration_ms
  const returnedText = `returned ${last_status ?? '2xx'}${durationMs === undefined ? '' : ` in ${durationText(durationMs)}`}`
  if (attempts_made <= 1 || settled_at === null) return `The endpoint ${returnedText} on the first attempt.`
  const after = durationText(Date.parse(settled_at) - Date.parse(created_at))
  return `The endpoint ${returnedText} on attempt ${attempts_made}, ${after} after the event.`
}
