/** The error responses of Checkout.com. Only 422 and 429 have a body. */
import { randomUUID } from 'node:crypto'
import type { Reply } from '../../faults.ts'
import type { Kind, OperationRecord } from '../../protocol.ts'

export const unauthorized: Reply = { status: 401 }
/** The key has no permission, or the payment cannot be captured, voided or refunded. */
export const notAllowed: Reply = { status: 403 }
export const notFound: Reply = { status: 404 }
export const unsupportedMediaType: Reply = { status: 415 }
export const unavailable: Reply = { status: 503 }

export function invalid(...codes: readonly string[]): Reply {
  return errorWith(422, codes)
}

export function rateLimited(): Reply {
  return errorWith(429, ['too_many_requests'])
}

/** A request with the same idempotency key is still being processed. */
export function duplicateRequest(): Reply {
  return errorWith(429, ['duplicate_request'])
}

function errorWith(status: number, codes: readonly string[]): Reply {
  return { status, body: { request_id: randomUUID(), error_type: 'request_invalid', error_codes: codes } }
}

/** The response if nothing was processed; null if the reply contains an operation record. */
export function rejectionOf(reply: Reply): Reply | null {
  const { status, kind, error } = reply.body as Partial<OperationRecord>
  if (status !== undefined && status !== 'rejected') return null
  return { ...reply, body: '', ...refusalOf(reply.status, kind ?? null, error?.code) }
}

const refusals: { readonly [status: number]: Reply } = {
  401: unauthorized,
  403: notAllowed,
  503: unavailable,
}

function refusalOf(status: number, kind: Kind | null, code: string | undefined): Reply {
  if (status === 429) return rateLimited()
  const refusal = refusals[status]
  if (refusal !== undefined) return refusal
  if (kind === null) return invalid('request_invalid')
  if (code !== 'amount_not_supported') return notAllowed
  return invalid(
    kind === 'refund' ? 'amount_exceeds_balance' : 'capture_value_greater_than_remaining_authorized',
  )
}
