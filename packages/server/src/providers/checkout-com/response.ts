/**
 * Interprets responses of the Payments API. A payment proves an outcome only if its status, its approval and its response
 * code agree, and if it has our reference. Everything else is unknown or unreadable.
 */
import { type Static, type TSchema, Type } from 'typebox'
import type { Money } from '../../kernel/money.ts'
import type {
  CompleteInput,
  CredentialCheck,
  Found,
  HttpReply,
  LookupInput,
  OperationInput,
  OperationKind,
  Outcome,
} from '../contract.ts'
import { fromProviderAmount } from '../provider-amounts.ts'
import { readerOf, testOf, Unreadable } from '../read.ts'
import { exponents } from './currencies.ts'
import { declined, isApproval } from './declines.ts'
import { paymentIdOf } from './request.ts'

const optional = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]))
const Text = Type.String()
export const Id = Type.String({ pattern: '^[A-Za-z0-9_]{1,64}$' })
export const Amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

/** The members that state why something was declined. */
export const DeclineMembers = {
  response_code: optional(Text),
  response_summary: optional(Text),
  processing: optional(
    Type.Object({ partner_response_code: optional(Text), partner_merchant_advice_code: optional(Text) }),
  ),
  retry: Type.Optional(Type.Unknown()),
}

const Payment = Type.Object({
  id: Id,
  status: Text,
  approved: optional(Type.Boolean()),
  reference: optional(Text),
  amount: optional(Amount),
  currency: optional(Text),
  ...DeclineMembers,
  expires_on: optional(Text),
  scheme_id: optional(Text),
  source: optional(Type.Object({ id: optional(Text) })),
  balances: optional(Type.Object({ total_captured: optional(Amount) })),
  // Only in a payment that was looked up by its session.
  actions: optional(Type.Array(Type.Object({ type: Text, ...DeclineMembers }))),
  _links: optional(Type.Object({ redirect: optional(Type.Object({ href: Text })) })),
})
type Payment = Static<typeof Payment>

const Payments = Type.Object({ total_count: Type.Integer({ minimum: 0 }), data: Type.Array(Payment) })
const AcceptedAction = Type.Object({ action_id: Id, reference: Text })
const Action = Type.Object({
  id: Id,
  type: Text,
  amount: optional(Amount),
  approved: optional(Type.Boolean()),
  reference: optional(Text),
  ...DeclineMembers,
})
type Action = Static<typeof Action>
const ErrorBody = Type.Object({ error_type: Text, error_codes: optional(Type.Array(Text)) })

const readPayment = readerOf(Payment)
const readPayments = readerOf(Payments)
const readAcceptedAction = readerOf(AcceptedAction)
const readActions = readerOf(Type.Array(Action))
const readError = readerOf(ErrorBody)
const isError = testOf(ErrorBody)
/** The body describes a payment or an action, which contradicts a refusal of the request. */
const isRecord = testOf(Type.Union([Type.Object({ id: Text }), Type.Object({ action_id: Text })]))

type Requested = Pick<LookupInput, 'kind' | 'reference' | 'capture' | 'mode'>

/** The response to a payment request: 201 if it was processed, and 202 if the payer must authenticate. */
export function paymentOutcome(reply: HttpReply, input: OperationInput): Outcome {
  if (reply.status !== 201 && reply.status !== 202) return refusal(reply, input)
  const payment = readPayment(reply.body)
  if (payment.reference !== input.reference) return otherReference()
  const isPending = payment.status === 'Pending'
  if (isPending !== (reply.status === 202)) return unexpected(reply)
  return isPending ? payerAction(payment, input, reply) : outcomeOf(payment, input)
}

/** Captures, voids and refunds are processed later, and the action has the result. */
export function actionOutcome(reply: HttpReply, input: OperationInput): Outcome {
  if (reply.status !== 202) return refusal(reply, input)
  const { action_id: ref, reference } = readAcceptedAction(reply.body)
  return reference === input.reference ? { is: 'pending', ref } : otherReference()
}

export function completedOutcome(reply: HttpReply, input: CompleteInput): Outcome {
  const found = foundPayment(reply, input)
  if (found.is === 'absent' || found.is === 'closed')
    return unknown('payment_not_found', 'The provider does not find the payment.')
  return found
}

export function foundOutcome(reply: HttpReply, input: LookupInput): Found {
  const isPayment = input.kind === 'authorize' || input.kind === 'verify'
  return isPayment ? foundPayment(reply, input) : foundAction(reply, input)
}

function foundPayment(reply: HttpReply, input: LookupInput | CompleteInput): Found {
  if (reply.status !== 200) return notFound(reply)
  if (paymentIdOf(input) === null) return searchedPayment(reply, input)
  const payment = readPayment(reply.body)
  const { providerReference } = input
  if (providerReference !== null && payment.id !== providerReference)
    return unknown('other_payment', 'The response is about a different payment.')
  return outcomeOf(payment, input)
}

/** Several payments with our reference contradict each other, and must be resolved manually. */
function searchedPayment(reply: HttpReply, input: LookupInput): Found {
  const { total_count: count, data } = readPayments(reply.body)
  const [payment] = data
  if (count !== data.length || count > 1)
    return unknown('several_payments', `The provider has ${count} payments with this reference.`)
  return payment === undefined ? { is: 'absent' } : outcomeOf(payment, input)
}

/** The outcome that a payment proves. */
function outcomeOf(payment: Payment, input: Requested): Outcome {
  const { id: ref, status, reference, approved } = payment
  if (reference !== input.reference) return otherReference()
  if (status === 'Pending' && approved !== true) return { is: 'pending', ref }
  if (status === 'Declined' && approved === false) return declined(ref, declineReport(payment))
  if (approved !== true || !isApproval(payment.response_code ?? '10000')) return inconsistent(payment)
  return approvedOutcome(payment, input)
}

/** With `capture`, an authorized payment is still to be captured. That can fail, so it is pending. */
function approvedOutcome(payment: Payment, input: Requested): Outcome {
  const { id: ref, status } = payment
  const requested = input.kind === 'authorize' && input.capture ? 'capture' : input.kind
  if (requested === 'capture' && status === 'Authorized') return { is: 'pending', ref }
  const isDone =
    (requested === 'capture' && status === 'Captured' && isCapturedInFull(payment)) ||
    (requested === 'authorize' && status === 'Authorized') ||
    (requested === 'verify' && status === 'Card Verified')
  return isDone ? succeeded(payment, input) : inconsistent(payment)
}

function isCapturedInFull({ balances, amount }: Payment): boolean {
  return (balances?.total_captured ?? amount) === amount
}

/**
 * A payment that was looked up by its session has the reason for a decline in its last authorization. A
 * payment that was looked up by its id or reference has no reason, so the decline is unknown until the
 * webhook arrives. The list of its actions has the reason, but no currency, so it cannot be requested instead
 * of the payment.
 */
function declineReport({ actions, ...payment }: Payment) {
  if (payment.response_code) return payment
  return {
    ...payment,
    ...actions?.find(({ type }) => type === 'Authorization' || type === 'Card Verification'),
  }
}

function succeeded(payment: Payment, { kind, capture }: Requested): Outcome {
  const { id: ref, source, scheme_id: networkTransactionId, expires_on: expiry } = payment
  const token = source?.id
  const isHeld = kind === 'authorize' && !capture
  const extra = {
    ...(token && /^src_\w+$/.test(token) ? { token } : {}),
    ...(networkTransactionId ? { networkTransactionId } : {}),
    ...(isHeld && expiry ? { captureBeforeAt: dateOf(expiry) } : {}),
  }
  return {
    is: 'succeeded',
    ref,
    money: moneyOf(payment),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  }
}

/** Checkout.com declines a payment that is not authenticated within 15 minutes. */
const authenticationMs = 15 * 60 * 1000
const noStatedExpiry = new Date('9999-12-31T23:59:59Z')

/** The only time in the response is the one in its header. Without it, the core limits the waiting time. */
function payerAction({ id: ref, _links }: Payment, { mode }: Requested, { headers }: HttpReply): Outcome {
  const url = _links?.redirect?.href ?? ''
  const target = URL.parse(url)
  if (target?.protocol !== 'https:' && !(target?.protocol === 'http:' && mode === 'test'))
    throw new Unreadable('The payment is pending, but has no valid redirect link.')
  const sentMs = Date.parse(headers.date ?? '')
  const expiresAt = Number.isNaN(sentMs) ? noStatedExpiry : new Date(sentMs + authenticationMs)
  return { is: 'action', ref, action: { type: 'redirect', url }, expiresAt }
}

const actionTypes: { readonly [K in OperationKind]?: string } = {
  capture: 'Capture',
  void: 'Void',
  refund: 'Refund',
}

/**
 * An accepted action that is not listed yet is pending. If it is unknown whether the action was accepted, it
 * stays unknown: it may have been accepted without being listed yet.
 */
function foundAction(reply: HttpReply, input: LookupInput): Found {
  if (reply.status !== 200) return notFound(reply)
  const { providerReference: id, reference } = input
  const matches = readActions(reply.body).filter(
    (action) => action.id === id || action.reference === reference,
  )
  const [action] = matches
  if (action === undefined)
    return id === null
      ? unknown('action_not_found', 'The provider does not list the action, at least not yet.')
      : { is: 'pending', ref: id }
  const isOurs = (id === null || action.id === id) && (action.reference ?? reference) === reference
  if (matches.length > 1 || !isOurs || action.type !== actionTypes[input.kind])
    return unknown('other_action', 'The actions of the payment contradict our operation.')
  return outcomeOfAction(action, input)
}

/** An action has no currency. It uses the currency of the payment, which was compared at authorization. */
function outcomeOfAction(action: Action, { money }: LookupInput): Outcome {
  const { id: ref, approved, amount, response_code: code } = action
  if (approved === false) return declined(ref, action)
  if (approved !== true || !isApproval(code ?? ''))
    return unknown('answer_inconsistent', 'The action is neither approved nor declined.', ref)
  return { is: 'succeeded', ref, money: moneyOf({ amount, currency: money.currency }) }
}

/** A response that may prove that the request was not processed. The proof is about this call only. */
function refusal(reply: HttpReply, { kind }: Requested): Outcome {
  const { status, body } = reply
  if (isRecord(body)) return unexpected(reply)
  const isPayment = kind === 'authorize' || kind === 'verify'
  if (status === 403 && !isPayment) return forbiddenAction(body)
  if (status === 401 || status === 403)
    return rejected('provider_credentials_invalid', credentialsText(status))
  if (status === 404 && !isPayment)
    return rejected('provider_request_invalid', 'The provider does not know the payment.')
  if (status === 422 && isValidationError(body)) return rejected('provider_request_invalid', errorText(body))
  if (status === 429 && isRateLimit(body))
    return rejected('provider_rate_limited', 'The provider limits the rate of requests.')
  return unexpected(reply)
}

/** The documented meaning is that the payment cannot be captured, voided or refunded. A gateway may respond otherwise. */
function forbiddenAction(body: string): Outcome {
  if (body === '')
    return rejected('provider_request_invalid', 'The provider does not allow it for this payment.')
  return isError(body)
    ? rejected('provider_request_invalid', errorText(body))
    : rejected('provider_credentials_invalid', credentialsText(403))
}

/** These codes do not prove that nothing was processed. */
const inconclusiveErrors = /duplicate|timeout|processing|authorization_failed/

function isValidationError(body: string): boolean {
  if (!isError(body) || readError(body).error_type !== 'request_invalid') return false
  const codes = errorCodes(body)
  return codes.length > 0 && !codes.some((code) => inconclusiveErrors.test(code))
}

/**
 * Status 429 is also returned while another request with the same key is being processed. The error codes
 * then say so.
 */
function isRateLimit(body: string): boolean {
  return isError(body) && !errorCodes(body).some((code) => inconclusiveErrors.test(code))
}

function errorCodes(body: string): readonly string[] {
  return readError(body).error_codes ?? []
}

function errorText(body: string): string {
  const codes = errorCodes(body)
  return codes.length === 0 ? readError(body).error_type : codes.join(', ')
}

function credentialsText(status: number): string {
  return `The provider does not accept our credentials (${status}).`
}

/** A lookup proves nothing unless it succeeds. */
function notFound(reply: HttpReply): Outcome {
  const { status } = reply
  if (status === 401 || status === 403)
    return unknown('provider_credentials_invalid', credentialsText(status))
  return unexpected(reply)
}

export function credentialCheck({ status }: HttpReply): CredentialCheck {
  if (status === 200) return { ok: true, detail: 'Checkout.com accepts the secret key.' }
  if (status === 401) return { ok: false, detail: 'Checkout.com does not accept the secret key.' }
  if (status === 403) return { ok: false, detail: 'The secret key has no permission to read payments.' }
  return { ok: false, detail: `Checkout.com responded with status ${status}.` }
}

type Reported = { readonly amount?: number | null | undefined; readonly currency?: string | null | undefined }

export function moneyOf({ amount, currency }: Reported): Money {
  if (typeof amount !== 'number' || !currency)
    throw new Unreadable('The response has no amount and currency.')
  return fromProviderAmount(BigInt(amount), currency, exponents)
}

function dateOf(text: string): Date {
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) throw new Unreadable('The response contains an invalid time.')
  return date
}

type Unknown = Extract<Outcome, { is: 'unknown' }>

function unknown(code: string, message: string, ref?: string): Unknown {
  return { is: 'unknown', ...(ref === undefined ? {} : { ref }), fault: { code, message } }
}

function unexpected({ status }: HttpReply): Unknown {
  return unknown('unexpected_answer', `Unexpected status ${status}.`)
}

/** The payment does not belong to the operation, so its id is not kept. */
function otherReference(): Unknown {
  return unknown('other_reference', 'The response has a different reference.')
}

function inconsistent({ id, status }: Payment): Unknown {
  return unknown(
    'answer_inconsistent',
    `The status ${status} does not prove an outcome of this operation.`,
    id,
  )
}

function rejected(code: string, message: string): Outcome {
  return { is: 'rejected', fault: { code, message }, thisCallOnly: true }
}
