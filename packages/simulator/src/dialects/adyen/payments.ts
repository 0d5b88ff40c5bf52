/** `/payments` and `/payments/details`. */
import type { Reply } from '../../faults.ts'
import type { IncomingCall } from '../../incoming.ts'
import { completeOperation } from '../../operations.ts'
import { isObject, type OperationRecord } from '../../protocol.ts'
import type { Account, Operation } from '../../simulator-state.ts'
import type { DialectContext } from '../dialect.ts'
import { findByPspReference, findDetails, indexRecord } from './details.ts'
import { invalid } from './errors.ts'
import { duplicateObject, paymentObject } from './objects.ts'
import { perform, withKey } from './perform.ts'
import { isReply, readPayment } from './requests.ts'
import { isText, structureProblem } from './structures.ts'

export async function createPayment(context: DialectContext, call: IncomingCall): Promise<Reply> {
  const reply = await withKey(context, call, async () => {
    const request = readPayment(context.account, call.body)
    if (isReply(request)) return request
    const { reply: performed, record } = await perform(context, call, request)
    if (record === null) return performed
    return { ...performed, status: 200, body: paymentObject(record, request.details) }
  })
  return withDuplicateNotice(context.account, reply)
}

/**
 * The duplicate notice replaces only the first response. A repeated request gets the stored response, which
 * is the result.
 */
function withDuplicateNotice(account: Account, reply: Reply): Reply {
  if (reply.responseMode !== 'duplicate_notice') return reply
  const { pspReference } = reply.body as { readonly pspReference: string }
  const operation = findByPspReference(account, pspReference)
  const details = findDetails(account, operation?.reference ?? '')
  if (operation?.record == null || details === null) return reply
  return { ...reply, responseMode: 'plain', body: duplicateObject(operation.record, details) }
}

/** Ends a payment after the shopper has returned. */
export function completePayment(context: DialectContext, call: IncomingCall): Promise<Reply> {
  return withKey(context, call, async () => {
    const { body } = call
    const problem =
      structureProblem('PaymentDetailsRequest', body) ??
      structureProblem('PaymentCompletionDetails', isObject(body) ? body.details : undefined)
    if (problem !== null) return problem
    const { details } = body as { readonly details: { readonly redirectResult?: unknown } }
    const { reference, secret } = readRedirectResult(details.redirectResult)
    const known = findDetails(context.account, reference)
    if (known === null) return invalid('14_007', 'The redirectResult is not valid.')
    const reply = await completeOperation(context, reference, { return_params: { challenge: secret } })
    const record = reply.body as OperationRecord
    indexRecord(context, record)
    return { ...reply, status: 200, body: paymentObject(record, known) }
  })
}

/** The parameter with which the shopper returns. */
export function redirectResultOf({ reference, challenge }: Operation): string {
  return Buffer.from(JSON.stringify([reference, challenge?.secret])).toString('base64url')
}

function readRedirectResult(value: unknown): { readonly reference: string; readonly secret: string } {
  const text = isText(value) ? Buffer.from(value, 'base64url').toString() : ''
  const [, reference = '', secret = ''] = /^\["(.+)","([\w-]+)"\]$/.exec(text) ?? []
  return { reference, secret }
}
