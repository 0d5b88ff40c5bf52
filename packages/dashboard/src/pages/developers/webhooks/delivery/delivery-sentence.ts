/** What became of a delivery, in a sentence. Pure. */
import type { DeliveryWithAttempts } from '@switchyard/sdk'
import { durationText, relativeText } from '../../../../format/time.ts'
import { counted } from '../../../../format/words.ts'
import { answerText } from '../answers.ts'

export function deliverySentence(delivery: DeliveryWithAttempts): string {
  const { state, attempts_made, last_outcome, last_status, next_attempt_at } = delivery
  const tried = counted(attempts_made, 'attempt')
  const answer = answerText(last_outcome, last_status)
  switch (state) {
    case 'delivered':
      return deliveredSentence(delivery)
    case 'exhausted':
      return `${tried} failed, the last one with: ${answer}. Nothing more is tried until you resend it.`
    case 'held':
      return 'The endpoint is disabled. This is held, and sent when the endpoint is enabled again.'
    case 'deleted':
      return 'The endpoint was deleted before this could be sent.'
    case 'pending':
      if (attempts_made === 0) return 'It is about to be sent.'
      return `${tried} failed, the last one with: ${answer}. The next is ${next_attempt_at === null ? 'due' : relativeText(next_attempt_at)}.`
  }
}

function deliveredSentence({
  attempts,
  attempts_made,
  created_at,
  settled_at,
  last_status,
}: DeliveryWithAttempts) {
  const took = attempts.at(-1)?.duration_ms
  const answered = `answered ${last_status ?? '2xx'}${took === undefined ? '' : ` in ${durationText(took)}`}`
  if (attempts_made <= 1 || settled_at === null) return `The endpoint ${answered}, at the first attempt.`
  const after = durationText(Date.parse(settled_at) - Date.parse(created_at))
  return `The endpoint ${answered} at attempt ${attempts_made}, ${after} after the event.`
}
