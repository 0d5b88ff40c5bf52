/**
 * Interprets responses of the protocol. Only these prove an outcome: 200 and 202 with a record, or a
 * rejection that states that nothing was processed. Everything else is unknown or unreadable, which the core
 * treats as unknown.
 */
import { assert } from '../../kernel/assert.ts'
import type { Found, HttpReply, ListPage, LookupInput, Outcome } from '../contract.ts'
import { readerOf, testOf, Unreadable } from '../read.ts'
import { faultIn, foundIn, isRecord, listedIn, recordOf } from './record.ts'
import { ErrorResponse, NotProcessed, OperationList, Unauthorized } from './wire.ts'

type RequestedOperation = Pick<LookupInput, 'reference' | 'kind' | 'mode'>

/** The response to a request that may move money. */
export function outcomeIn(reply: HttpReply, input: RequestedOperation): Outcome {
  const { status } = reply
  if (status === 200 || status === 202) return toOutcome(foundIn(recordOf(reply.body, input), input.mode))
  if ((status === 429 || status === 503) && isNotProcessed(reply.body)) return tooBusy(reply)
  if (isUnauthorized(reply)) return credentialsRefused(reply, input)
  if (status === 409) return conflict(reply, input)
  if (status >= 400 && status < 500) return rejectedBy(reply, input)
  return unexpected(reply)
}

/** The response to a lookup. */
export function foundByLookup(reply: HttpReply, input: RequestedOperation): Found {
  return reply.status === 404 ? { is: 'absent' } : closedOrFound(reply, input)
}

/**
 * The response to `close`. A provider must record the closing even for an unknown operation, so 404 is not a
 * valid response.
 */
export function closedOrFound(reply: HttpReply, input: RequestedOperation): Found {
  if (isUnauthorized(reply)) return { is: 'unknown', fault: credentialsFault(reply) }
  if (reply.status !== 200 && reply.status !== 202) return unexpected(reply)
  return foundIn(recordOf(reply.body, input), input.mode)
}

const readList = readerOf(OperationList)

export function pageIn({ status, body }: HttpReply): ListPage {
  if (status !== 200) throw new Unreadable(`Unexpected status ${status}.`)
  const { operations, next } = readList(body)
  return { operations: operations.flatMap(listedIn), next }
}

const closedFault = {
  code: 'operation_closed',
  message: 'The operation was closed and will not be processed.',
}

/** A closed operation of any kind was never processed. */
function toOutcome(found: Found): Outcome {
  if (found.is === 'closed') return { is: 'rejected', fault: closedFault }
  assert(found.is !== 'absent', 'A record must not be absent.')
  return found
}

const isNotProcessed = testOf(NotProcessed)

/**
 * This proves only that this call was not processed: an earlier one with the same reference may have been.
 */
function tooBusy({ status }: HttpReply): Outcome {
  const code = status === 429 ? 'provider_rate_limited' : 'provider_error'
  return { is: 'rejected', fault: { code, message: 'The provider is too busy.' }, thisCallOnly: true }
}

const isUnauthorized = ({ status }: HttpReply) => status === 401 || status === 403

const credentialsFault = ({ status }: HttpReply) => ({
  code: 'provider_credentials_invalid',
  message: `The provider does not accept our credentials (${status}).`,
})

const isPlainRejection = testOf(Unauthorized)

/**
 * The protocol requires that credentials are checked before processing, so 401 and 403 prove that this call
 * did nothing. The body may be anything, such as a gateway page, unless it is a record that contradicts this.
 */
function credentialsRefused(reply: HttpReply, input: RequestedOperation): Outcome {
  if (isRecord(reply.body)) return rejectedBy(reply, input)
  const mayBeJson = /^\s*[[{"]/.test(reply.body)
  if (mayBeJson && !isPlainRejection(reply.body)) return unexpected(reply)
  return { is: 'rejected', fault: credentialsFault(reply), thisCallOnly: true }
}

const readError = readerOf(ErrorResponse)

function conflict(reply: HttpReply, input: RequestedOperation): Outcome {
  const { reference, error } = readError(reply.body)
  if ((reference ?? input.reference) !== input.reference) return unexpected(reply)
  if (error.code === 'operation_closed') return { is: 'rejected', fault: closedFault }
  // A different body was sent with this reference before. Its outcome is not stated.
  if (error.code === 'reference_reused')
    return {
      is: 'unknown',
      fault: { code: 'reference_reused', message: 'The reference was already used with a different body.' },
    }
  return rejectedBy(reply, input)
}

/**
 * The record states that nothing was processed. This applies to this call only: an earlier one may have been
 * processed.
 */
function rejectedBy(reply: HttpReply, input: RequestedOperation): Outcome {
  const record = recordOf(reply.body, input)
  if (record.status !== 'rejected') return unexpected(reply)
  const defaultCode = isUnauthorized(reply) ? 'provider_credentials_invalid' : 'provider_request_invalid'
  return { is: 'rejected', fault: faultIn(record, defaultCode), thisCallOnly: true }
}

function unexpected({ status }: HttpReply): { is: 'unknown'; fault: { code: string; message: string } } {
  return { is: 'unknown', fault: { code: 'unexpected_answer', message: `Unexpected status ${status}.` } }
}
