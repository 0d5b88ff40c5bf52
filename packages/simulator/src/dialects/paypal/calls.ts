/** What all calls that change something have in common: bodies, request ids and the preferred response. */
import { createHash, randomUUID } from 'node:crypto'
import type { Reply } from '../../faults.ts'
import type { IncomingCall } from '../../incoming.ts'
import { performOperation } from '../../operations.ts'
import { isObject, type OperationRecord } from '../../protocol.ts'
import type { DialectContext } from '../dialect.ts'
import { withIdempotencyKey } from '../idempotency.ts'
import type { Problem } from './checks.ts'
import { errorReply } from './errors.ts'
import type { Members } from './requests.ts'
import { duplicateCode } from './response-codes.ts'
import { claimReference } from './store.ts'

/** `id` is the id in the path. */
export type Route = (context: DialectContext, call: IncomingCall, id: string) => Reply | Promise<Reply>

/** `reference` reserves the request id. Call it only when the request has been validated. */
type Run = (request: { readonly body: Members; readonly reference: () => string }) => Reply | Promise<Reply>

type RunOptions = {
  /** The name of the call. A request id can be used once per name. */
  readonly name: string
  /** How long PayPal stores the request id. */
  readonly windowMs: number
  /** The current state of the object in the response. */
  readonly latest: (id: string) => object | undefined
}

const hourMs = 3_600_000
export const orderWindowMs = 6 * hourMs
export const paymentWindowMs = 45 * 24 * hourMs

/**
 * Runs a POST once per request id. A repeated request gets the latest state of the object that the first
 * request created, not the first response.
 */
export async function runOnce(
  context: DialectContext,
  call: IncomingCall,
  { name, windowMs, latest }: RunOptions,
  run: Run,
): Promise<Reply> {
  const body = readBody(call, name)
  if (body === null) return errorReply(415)
  if (!isObject(body)) return errorReply(400, 'MALFORMED_REQUEST_JSON')
  const requestId = call.headers['paypal-request-id']?.toString()
  if (requestId === undefined) return preferred(call, await run({ body, reference: randomUUID }))
  if (!/^.{1,108}$/.test(requestId))
    return errorReply(400, 'INVALID_STRING_LENGTH', { field: 'PayPal-Request-Id' })
  const key = `${name}/${requestId}`
  const content = `${call.path}\n${call.bytes}`
  let isRepeat = true
  const reply = await withIdempotencyKey(
    context,
    { key, content, windowMs, conflict, inProgress, isStored: ({ status }) => status < 300 },
    () => {
      isRepeat = false
      return run({ body, reference: () => claimReference(context, { requestId, key, windowMs }) })
    },
  )
  if (!isRepeat || reply.status >= 300) return preferred(call, reply)
  const { id } = reply.body as { readonly id: string }
  const status = name.startsWith('orders') ? 200 : reply.status
  return preferred(call, { ...reply, status, body: latest(id) ?? {} })
}

// PayPal documents this error only for payment tokens. For other calls, this case is not documented.
const conflict = errorReply(422, 'PAYPAL_REQUEST_ID_PREVIOUSLY_USED')
const inProgress = errorReply(409, 'PREVIOUS_REQUEST_IN_PROGRESS')

/** Null if the content type is not JSON. PayPal requires JSON even for an empty body, except for a void. */
function readBody({ headers, bytes, body }: IncomingCall, name: string): unknown {
  const isEmpty = bytes.length === 0
  if (isEmpty && name === 'authorizations.void') return {}
  if (!/^application\/json\b/.test(headers['content-type'] ?? '')) return null
  return isEmpty ? {} : (body ?? 'malformed')
}

export function problemReply({ status, issue, field }: Problem): Reply {
  return errorReply(status, issue, { field })
}

/** The minimal response is the default. The response to a void is empty. */
function preferred({ headers, segments }: IncomingCall, reply: Reply): Reply {
  if (reply.status >= 300) return reply
  const noticed = reply.responseMode === 'duplicate_notice' ? duplicateNotice(reply) : reply
  if (headers.prefer === 'return=representation') return noticed
  const { body, ...rest } = noticed
  if (segments.at(-1) === 'void') return { ...rest, status: 204 }
  const { id, status, links } = body as Members
  return { ...rest, body: { id, status, links } }
}

/** Reports the payment as a declined duplicate, although it was processed. */
function duplicateNotice({ responseMode: _, ...reply }: Reply): Reply {
  const order = reply.body as { readonly purchase_units: readonly [{ readonly payments: object }] }
  const [unit] = order.purchase_units
  const payments = Object.entries(unit.payments).map(([type, [payment]]) => {
    const status = type === 'captures' ? 'DECLINED' : 'DENIED'
    return [type, [{ ...payment, status, processor_response: { response_code: duplicateCode } }]]
  })
  return {
    ...reply,
    body: { ...order, purchase_units: [{ ...unit, payments: Object.fromEntries(payments) }] },
  }
}

type Performed = { readonly reply: Reply; readonly record: OperationRecord | null }

/** Runs an operation. The record is null if it was not executed: then the reply is the error. */
export async function perform(
  context: DialectContext,
  { path, bytes }: IncomingCall,
  operation: Members & { readonly reference: string },
): Promise<Performed> {
  const { reference } = operation
  const fingerprint = createHash('sha256').update(path).update('\n').update(bytes).digest('base64url')
  const body = { ...operation, mode: 'test', payment_id: operation.payment_id ?? reference }
  const reply = await performOperation(context, { reference, body, fingerprint, origin: context.origin })
  const record = reply.body as Partial<OperationRecord>
  const isExecuted = record.status !== undefined && record.status !== 'rejected' && record.status !== 'closed'
  if (isExecuted) return { reply, record: record as OperationRecord }
  return { reply: { ...reply, ...refusalOf(reply.status, record.error?.code ?? '') }, record: null }
}

function refusalOf(status: number, code: string): Reply {
  if (code === 'provider_credentials_invalid') return errorReply(401, 'INVALID_ACCOUNT_STATUS')
  if (code === 'stored_credential_invalid') return errorReply(422, 'TOKEN_ID_NOT_FOUND')
  if (code === 'reference_reused') return conflict
  if (status === 403) return errorReply(403, 'PERMISSION_DENIED')
  if (status === 429 || status === 503) return errorReply(status)
  return errorReply(422, 'TRANSACTION_REFUSED')
}
