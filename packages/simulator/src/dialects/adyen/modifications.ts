/**
 * Captures, cancellations, refunds and reversals. The response only says that the request was received. The result is
 * decided immediately, and reported by webhook.
 */
import type { Reply } from '../../faults.ts'
import type { IncomingCall } from '../../incoming.ts'
import type { OperationRecord } from '../../protocol.ts'
import type { Account, Operation } from '../../simulator-state.ts'
import type { DialectContext } from '../dialect.ts'
import {
  codeOf,
  type EventCode,
  findByMerchantReference,
  findByPspReference,
  findDetails,
  isPayment,
  type Payment,
  paymentOf,
  pspReferenceOf,
} from './details.ts'
import { invalid, unknownPayment } from './errors.ts'
import { perform, withKey } from './perform.ts'
import { capturedAmount, releaseRest, scheduleRelease } from './release.ts'
import { isReply, readAmount, readBody } from './requests.ts'
import { isText, type Members, type Structure } from './structures.ts'

type Kind = 'capture' | 'void' | 'refund'
type Type = { readonly structure: Structure; readonly event: EventCode; readonly kind: Kind | null }

// biome-ignore format: a table.
const types = {
  captures:  { structure: 'PaymentCaptureRequest',  event: 'CAPTURE',          kind: 'capture' },
  cancels:   { structure: 'PaymentCancelRequest',   event: 'CANCELLATION',     kind: 'void'    },
  refunds:   { structure: 'PaymentRefundRequest',   event: 'REFUND',           kind: 'refund'  },
  // A reversal refunds a captured payment, and cancels any other one.
  reversals: { structure: 'PaymentReversalRequest', event: 'CANCEL_OR_REFUND', kind: null      },
} as const satisfies { readonly [path: string]: Type }
const cancelByReferenceType = {
  structure: 'StandalonePaymentCancelRequest',
  event: 'TECHNICAL_CANCEL',
  kind: 'void',
} as const

export type ModificationPath = keyof typeof types

/** `/payments/{paymentPspReference}/captures` and the like. */
export function modifyPayment(
  context: DialectContext,
  call: IncomingCall,
  { path, pspReference }: { readonly path: ModificationPath; readonly pspReference: string },
): Promise<Reply> {
  return withKey(context, call, () => {
    const body = readBody(types[path].structure, call.body)
    if (isReply(body)) return body
    const payment = findByPspReference(context.account, pspReference)
    const known = findDetails(context.account, payment?.reference ?? '')
    if (!isPayment(payment) || known?.merchantAccount !== body.merchantAccount) return unknownPayment
    const response = { paymentPspReference: pspReference }
    return modify(context, call, { ...types[path], payment, body, response })
  })
}

/** `/cancels`, by the merchant reference of the payment. Adyen also accepts a reference that it does not know. */
export function cancelByReference(context: DialectContext, call: IncomingCall): Promise<Reply> {
  return withKey(context, call, () => {
    const body = readBody(cancelByReferenceType.structure, call.body)
    if (isReply(body)) return body
    const { paymentReference } = body
    if (!isText(paymentReference)) return invalid('702', "Required field 'paymentReference' is not provided.")
    const payment = findByMerchantReference(context.account, paymentReference)
    const response = { paymentReference }
    if (!isPayment(payment)) return received(body, response, codeOf(paymentReference))
    return modify(context, call, { ...cancelByReferenceType, payment, body, response })
  })
}

type Body = Members & { readonly merchantAccount: string }
type Modification = Type & { readonly payment: Payment; readonly body: Body; readonly response: object }

async function modify(
  context: DialectContext,
  call: IncomingCall,
  modification: Modification,
): Promise<Reply> {
  const { account } = context
  const { payment, body, event, response } = modification
  const amount = amountOf(account, modification)
  if (isReply(amount)) return amount
  const parent = parentOf(account, modification)
  if (parent === null) return unknownPayment
  releaseRest(context, payment)
  const details = {
    merchantAccount: body.merchantAccount,
    merchantReference: isText(body.reference) ? body.reference : merchantReferenceOf(account, payment),
    event,
    card: null,
    storesFor: null,
  }
  const { payment_id } = payment.request
  const operation = { ...amount, parent_reference: parent.reference, payment_id }
  const { reply, record } = await perform(context, call, { operation, details })
  if (record === null) return reply
  scheduleRelease(context, payment, record.reference)
  const { amount: requested, capturePspReference } = body
  const repeated = { ...response, ...definedOf({ amount: requested, capturePspReference }) }
  return {
    ...reply,
    ...received(body, repeated, pspReferenceOf(record)),
    ...rejectionWebhook(context, record),
  }
}

/** The kind, and the amount in the minor units of the simulator. */
function amountOf(
  account: Account,
  { kind, payment, body }: Modification,
): { kind: Kind; amount: number; currency: string } | Reply {
  const { amount, currency } = payment.request
  if (kind === 'capture' || kind === 'refund') {
    const requested = readAmount(body.amount)
    return isReply(requested) ? requested : { kind, ...requested }
  }
  const captured = kind === null ? capturedAmount(account, payment) : 0
  if (captured > 0) return { kind: 'refund', amount: captured, currency }
  // The operation of the simulator needs a positive amount. A verification has none.
  return { kind: 'void', amount: Math.max(amount, 1), currency }
}

/** A refund may name the capture that it refunds. */
function parentOf(account: Account, { payment, body }: Modification): Operation | null {
  if (body.capturePspReference === undefined) return payment
  const capture = findByPspReference(account, String(body.capturePspReference))
  return capture !== null && paymentOf(account, capture).reference === payment.reference ? capture : null
}

function merchantReferenceOf(account: Account, { reference }: Payment): string {
  return findDetails(account, reference)?.merchantReference ?? reference
}

function received({ merchantAccount, reference }: Body, response: object, pspReference: string): Reply {
  const named = definedOf({ reference })
  return { status: 201, body: { merchantAccount, ...response, ...named, pspReference, status: 'received' } }
}

function definedOf(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

/** The simulator sends no webhook about a rejected operation. Adyen does: it rejects after it has responded. */
function rejectionWebhook(
  { state, account }: DialectContext,
  record: OperationRecord,
): Pick<Reply, 'afterSend'> {
  if (record.status !== 'rejected') return {}
  return {
    afterSend: async () => {
      await state.journal.durable()
      await account.outbox.send('operation.updated', record)
    },
  }
}
