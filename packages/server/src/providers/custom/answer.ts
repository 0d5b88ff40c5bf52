/**
 * What an answer of the protocol means. Few answers are proof of anything: 200 and 202 with a record, a refusal
 * that says in so many words that nothing happened. Everything else is unknown, or cannot be read, which the
 * core takes as unknown.
 */
import { assert } from '../../kernel/assert.ts'
import type { Found, HttpReply, LookupInput, Outcome } from '../contract.ts'
import { readerOf, testOf } from '../read.ts'
import { faultIn, foundIn, recordOf } from './record.ts'
import { ErrorAnswer, NotProcessed } from './wire.ts'

type Asked = Pick<LookupInput, 'reference' | 'kind' | 'mode'>

/** To a request that may move money. */
export function outcomeIn(reply: HttpReply, input: Asked): Outcome {
  const { status } = reply
  if (status === 200 || status === 202) return asOutcome(foundIn(recordOf(reply.body, input), input.mode))
  if ((status === 429 || status === 503) && isNotProcessed(reply.body)) return putAway(reply)
  if (status === 409) return conflict(reply, input)
  if (status >= 400 && status < 500) return refused(reply, input)
  return unexpected(reply)
}

/** To a question about the books. */
export function lookedUp(reply: HttpReply, input: Asked): Found {
  return reply.status === 404 ? { is: 'absent' } : closedOrFound(reply, input)
}

/** To the wish that it never happen. Whoever has not seen it has to remember that, so 404 is no answer. */
export function closedOrFound(reply: HttpReply, input: Asked): Found {
  if (reply.status !== 200 && reply.status !== 202) return unexpected(reply)
  return foundIn(recordOf(reply.body, input), input.mode)
}

const closedFault = { code: 'operation_closed', message: 'It was closed, and will never happen.' }

/** An operation that they closed never was, whatever it is asked to do. */
function asOutcome(found: Found): Outcome {
  if (found.is === 'closed') return { is: 'rejected', fault: closedFault }
  assert(found.is !== 'absent', 'A record is never absent.')
  return found
}

const isNotProcessed = testOf(NotProcessed)

/** The proof is about this call: an earlier one under the same reference may have been processed. */
function putAway({ status }: HttpReply): Outcome {
  const code = status === 429 ? 'provider_rate_limited' : 'provider_error'
  return { is: 'rejected', fault: { code, message: 'They are too busy.' }, thisCallOnly: true }
}

const readError = readerOf(ErrorAnswer)

function conflict(reply: HttpReply, input: Asked): Outcome {
  const { reference, error } = readError(reply.body)
  if ((reference ?? input.reference) !== input.reference) return unexpected(reply)
  if (error.code === 'operation_closed') return { is: 'rejected', fault: closedFault }
  // Another body came first under this reference. What became of that is not said, in whatever shape.
  if (error.code === 'reference_reused')
    return { is: 'unknown', fault: { code: 'reference_reused', message: 'Another body came before.' } }
  return refused(reply, input)
}

/** By the record, nothing happened; but it answers this call, and need not know of an earlier one. */
function refused(reply: HttpReply, input: Asked): Outcome {
  const record = recordOf(reply.body, input)
  if (record.status !== 'rejected') return unexpected(reply)
  const isCredentials = reply.status === 401 || reply.status === 403
  const otherwise = isCredentials ? 'provider_credentials_invalid' : 'provider_request_invalid'
  return { is: 'rejected', fault: faultIn(record, otherwise), thisCallOnly: true }
}

function unexpected({ status }: HttpReply): { is: 'unknown'; fault: { code: string; message: string } } {
  return { is: 'unknown', fault: { code: 'unexpected_answer', message: `The status was ${status}.` } }
}
