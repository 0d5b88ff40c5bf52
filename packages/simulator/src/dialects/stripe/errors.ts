/** Errors of the Stripe API. Every error response has one of these forms. */
import type { Reply } from '../../faults.ts'

type Details = { readonly [name: string]: unknown }

/** Ends a request with an error. */
export class Refusal extends Error {
  readonly reply: Reply
  constructor(reply: Reply) {
    super('The request is refused.')
    this.reply = reply
  }
}

export function errorReply(status: number, error: Details): Reply {
  return { status, body: { error } }
}

export function invalidRequest(message: string, details: Details = {}, status = 400): Refusal {
  return new Refusal(errorReply(status, { type: 'invalid_request_error', message, ...details }))
}

export function missing(object: string, id: string, param = 'id'): Refusal {
  const message = `No such ${object}: '${id}'`
  return invalidRequest(message, { code: 'resource_missing', param }, param === 'id' ? 404 : 400)
}

export const serverError = {
  error: { type: 'api_error', message: 'An unexpected error occurred while processing the request.' },
}

export const unavailable = errorReply(503, { type: 'api_error', message: 'Stripe is unavailable.' })

export const rateLimited = errorReply(429, {
  type: 'invalid_request_error',
  code: 'rate_limit',
  message: 'Request rate limit exceeded.',
})

export const unauthenticated = errorReply(401, {
  type: 'invalid_request_error',
  message: 'Invalid API Key provided.',
})

export const forbidden = errorReply(403, {
  type: 'invalid_request_error',
  message: 'The provided key does not have the required permissions for this endpoint.',
})

export const keyConflict = (key: string) =>
  errorReply(400, {
    type: 'idempotency_error',
    message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
  })

export const keyInUse = (key: string) =>
  errorReply(409, {
    type: 'idempotency_error',
    code: 'idempotency_key_in_use',
    message: `There is currently another in-progress request using this Idempotent Key: ${key}. Please try again later.`,
  })
