/**
 * Interprets responses of Mollie's Payments API v2. Every object must contain our reference, the mode and the payment
 * that the call was about. Anything else is `Unreadable` or unknown, which the core never treats as a failure.
 */
import { type Static, type TSchema, Type } from 'typebox'
import { unreachable } from '../../kernel/assert.ts'
import { isZero, type Money, subtract } from '../../kernel/money.ts'
import { nullable, OneOf } from '../../kernel/shapes.ts'
import type {
  CredentialCheck,
  Fault,
  Found,
  HttpReply,
  LookupInput,
  OperationInput,
  Outcome,
} from '../contract.ts'
import { redirectTypes } from '../contract.ts'
import { fromDecimal } from '../provider-amounts.ts'
import { readerOf, testOf, Unreadable } from '../read.ts'
import { declineCodeOf } from './declines.ts'
import { isNewCard, paymentIdOf } from './request.ts'

type Requested = Pick<LookupInput, 'kind' | 'reference' | 'mode' | 'capture'>
type RequestedLater = Pick<LookupInput, 'reference' | 'mode' | 'parent'>
type Unknown = Extract<Outcome, { is: 'unknown' }>

/** Mollie omits members without a value, or sends null. */
const optional = <S extends TSchema>(schema: S) => Type.Optional(nullable(schema))

const Amount = Type.Object({ currency: Type.String({ pattern: '^[A-Z]{3}$' }), value: Type.String() })
const Mode = OneOf(['live', 'test'])
const Metadata = Type.Object({ switchyard_reference: Type.String() })
const Time = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?(Z|[+-]\\d\\d:\\d\\d)$',
})

type Payment = Static<typeof Payment>
const Payment = Type.Object({
  resource: Type.Literal('payment'),
  id: Type.String({ pattern: '^tr_\\w{1,64}$' }),
  mode: Mode,
  status: OneOf(['open', 'pending', 'authorized', 'paid', 'failed', 'canceled', 'expired']),
  amount: Amount,
  amountCaptured: optional(Amount),
  // Null until the method is chosen, according to some examples of Mollie.
  method: optional(OneOf(['creditcard', ...redirectTypes])),
  captureMode: optional(OneOf(['automatic', 'manual'])),
  sequenceType: OneOf(['oneoff', 'first', 'recurring']),
  metadata: Metadata,
  customerId: optional(Type.String({ pattern: '^cst_\\w{1,64}$' })),
  mandateId: optional(Type.String({ pattern: '^mdt_\\w{1,64}$' })),
  details: optional(
    Type.Object({ failureReason: optional(Type.String()), failureMessage: optional(Type.String()) }),
  ),
  statusReason: optional(Type.Object({ code: Type.String(), message: optional(Type.String()) })),
  authorizedAt: optional(Time),
  paidAt: optional(Time),
  captureBefore: optional(Time),
  expiresAt: optional(Time),
  _links: Type.Object({ checkout: optional(Type.Object({ href: Type.String() })) }),
})
const readPayment = readerOf(Payment)

const ofPayment = { mode: Mode, amount: Amount, metadata: Metadata, paymentId: Type.String() }

const readCapture = readerOf(
  Type.Object({
    resource: Type.Literal('capture'),
    id: Type.String({ pattern: '^cpt_\\w{1,64}$' }),
    status: OneOf(['pending', 'succeeded', 'failed']),
    ...ofPayment,
  }),
)
const readRefund = readerOf(
  Type.Object({
    resource: Type.Literal('refund'),
    id: Type.String({ pattern: '^re_\\w{1,64}$' }),
    status: OneOf(['queued', 'pending', 'processing', 'refunded', 'failed', 'canceled']),
    ...ofPayment,
  }),
)

const readCustomer = readerOf(
  Type.Object({ resource: Type.Literal('customer'), id: Type.String({ pattern: '^cst_\\w{1,64}$' }) }),
)

export function createdCustomer(reply: HttpReply): string | null {
  return isCreated(reply) ? readCustomer(reply.body).id : null
}

const ErrorBody = Type.Object({
  status: Type.Integer({ minimum: 400, maximum: 599 }),
  title: Type.String(),
  detail: Type.String(),
  field: optional(Type.String()),
})
const isErrorBody = testOf(ErrorBody)
const readError = readerOf(ErrorBody)

/** The error of a new card that Mollie declined immediately, before it created a payment. */
const CardError = Type.Object({
  status: Type.Literal(422),
  title: Type.String(),
  detail: Type.String(),
  extra: Type.Object({ failureReason: Type.String(), failureMessage: optional(Type.String()) }),
})
const isCardError = testOf(CardError)
const readCardError = readerOf(CardError)

/** The response to the creation of a payment. */
export function paymentOutcome(reply: HttpReply, input: OperationInput): Outcome {
  if (isCreated(reply)) {
    const payment = readPayment(reply.body)
    const requested = input.redirect?.type ?? 'creditcard'
    if (payment.method && payment.method !== requested)
      throw new Unreadable('The response is for a different payment method.')
    const found = foundIn(payment, input)
    return found.is === 'closed' ? ended(payment) : found
  }
  // A mandate that is charged twice could be declined the second time, so this proves nothing about a saved card.
  if (reply.status === 422 && isNewCard(input) && isCardError(reply.body)) {
    const { failureReason, failureMessage } = readCardError(reply.body).extra
    return declined(undefined, declineCodeOf(failureReason, null) ?? 'generic_decline', failureMessage)
  }
  return refusal(reply)
}

export function captureOutcome(reply: HttpReply, input: OperationInput): Outcome {
  return isCreated(reply) ? captureIn(reply.body, input) : refusal(reply)
}

export function refundOutcome(reply: HttpReply, input: OperationInput): Outcome {
  return isCreated(reply) ? refundIn(reply.body, input) : refusal(reply)
}

/** Mollie accepts the release without a body. Whether it succeeds is visible in the payment later. */
export function releaseOutcome(reply: HttpReply, { parent }: OperationInput): Outcome {
  return reply.status === 202 ? { is: 'pending', ref: paymentIdOf(parent) } : refusal(reply)
}

/** The payment after the payer returned. A payer who canceled, or whose payment expired, was not charged. */
export function completedOutcome(reply: HttpReply, input: LookupInput): Outcome {
  const found = foundByLookup(reply, input)
  if (found.is === 'closed') return declined(input.providerReference ?? undefined, 'authentication_abandoned')
  return found.is === 'absent' ? unexpected(reply) : found
}

export function foundByLookup(reply: HttpReply, input: LookupInput): Found {
  const { status, body } = reply
  if (status === 401 || status === 403) return { is: 'unknown', fault: credentialsFault(reply) }
  // A canceled refund is also reported as 404.
  if (status === 404 && isErrorOf(reply)) return { is: 'absent' }
  if (status !== 200) return unexpected(reply)
  if (input.kind === 'capture') return captureIn(body, input)
  if (input.kind === 'refund') return refundIn(body, input)
  if (input.kind === 'void') return releaseIn(body, input)
  return foundIn(readPayment(body), input)
}

/** An unknown mandate counts as deleted. */
export function isRevoked({ status }: HttpReply): boolean {
  return status === 204 || status === 404
}

const readMethod = readerOf(
  Type.Object({
    resource: Type.Literal('method'),
    id: Type.Literal('creditcard'),
    status: optional(Type.String()),
  }),
)

/** Without a status, or while Mollie reviews the method, test payments are possible. */
export function credentialCheck({ status, body }: HttpReply): CredentialCheck {
  if (status === 401) return { ok: false, detail: 'Mollie does not accept the API key.' }
  if (status === 403 || status === 404)
    return { ok: false, detail: 'Card payments are not enabled in the Mollie profile of this API key.' }
  if (status !== 200) return { ok: false, detail: `Mollie responded with the unexpected status ${status}.` }
  const method = readMethod(body)
  const state = method.status ?? 'activated'
  return { ok: state !== 'rejected', detail: `Card payments at Mollie: ${state}.` }
}

function foundIn(payment: Payment, input: Requested): Outcome | { readonly is: 'closed' } {
  assertOwn(payment, input.mode, input.reference)
  switch (payment.status) {
    case 'open':
      return openPayment(payment)
    case 'pending':
      return { is: 'pending', ref: payment.id }
    case 'authorized':
    case 'paid':
      return approved(payment, input)
    case 'failed':
      return wasApproved(payment) ? ended(payment) : failed(payment)
    case 'canceled':
    case 'expired':
      return wasApproved(payment) ? ended(payment) : { is: 'closed' }
    default:
      return unreachable(payment.status)
  }
}

/** The payer completes an open payment at Mollie. A recurring payment has no payer. */
function openPayment({ id, mode, sequenceType, expiresAt, _links }: Payment): Outcome {
  const url = _links.checkout?.href ?? null
  if (sequenceType === 'recurring' && url === null) return { is: 'pending', ref: id }
  if (sequenceType === 'recurring' || url === null || !expiresAt)
    return unknownPayment(id, 'The payment is open, but has no checkout for a payer.')
  const protocol = URL.parse(url)?.protocol
  // Emulators on the same machine use http.
  if (protocol !== 'https:' && !(mode === 'test' && protocol === 'http:'))
    throw new Unreadable('The checkout URL must begin with https://.')
  return { is: 'action', ref: id, action: { type: 'redirect', url }, expiresAt: new Date(expiresAt) }
}

function approved(payment: Payment, input: Requested): Outcome {
  const { id: ref, status, captureBefore } = payment
  const money = moneyOf(payment.amount)
  if (!isAsRequested(payment, money, input))
    return unknownPayment(ref, 'The payment was not captured as requested.')
  const token = savedCardIn(payment)
  if (token === undefined)
    return unknownPayment(ref, 'The card should be saved, but the payment has no mandate.')
  const extra = {
    ...(token === null ? {} : { token }),
    ...(status === 'authorized' && captureBefore ? { captureBeforeAt: new Date(captureBefore) } : {}),
  }
  const outcome = { is: 'succeeded', ref, money } as const
  return Object.keys(extra).length === 0 ? outcome : { ...outcome, extra }
}

/** Either captured completely, or authorized and not captured at all. */
function isAsRequested(payment: Payment, money: Money, { kind, capture }: Requested): boolean {
  const { status, captureMode, amountCaptured } = payment
  const captured = amountCaptured ? moneyOf(amountCaptured) : null
  return kind === 'verify' || capture
    ? status === 'paid' && captureMode !== 'manual' && (captured === null || isSame(captured, money))
    : status === 'authorized' && captureMode === 'manual' && (captured === null || isZero(captured))
}

/** The saved card of a first payment; null if no card is saved, undefined if it is missing. */
function savedCardIn({ sequenceType, customerId, mandateId }: Payment): string | null | undefined {
  if (sequenceType !== 'first') return null
  return customerId && mandateId ? `${customerId}/${mandateId}` : undefined
}

function failed({ id, details, statusReason }: Payment): Outcome {
  const code = declineCodeOf(details?.failureReason ?? null, statusReason?.code ?? null)
  if (code === null)
    return unknownPayment(id, 'The payment failed, but its reason indicates success or a duplicate.')
  return declined(id, code, details?.failureMessage ?? statusReason?.message)
}

/** Whether a payment that has ended was authorized or captured before. */
function wasApproved({ authorizedAt, paidAt, amountCaptured }: Payment): boolean {
  return Boolean(authorizedAt || paidAt) || (!!amountCaptured && !isZero(moneyOf(amountCaptured)))
}

function ended({ id, status }: Payment): Unknown {
  return unknownPayment(id, `The payment is ${status}, which is not the result of this operation alone.`)
}

function captureIn(text: string, input: RequestedLater): Outcome {
  const capture = readCapture(text)
  assertOwnOf(capture, input)
  const { id: ref, status, amount } = capture
  if (status === 'pending') return { is: 'pending', ref }
  if (status === 'failed') return declined(ref, 'generic_decline', 'Mollie could not capture the amount.')
  return { is: 'succeeded', ref, money: moneyOf(amount) }
}

/** A canceled refund was canceled by the merchant at Mollie, so it must not be sent again. */
function refundIn(text: string, input: RequestedLater): Outcome {
  const refund = readRefund(text)
  assertOwnOf(refund, input)
  const { id: ref, status, amount } = refund
  if (status === 'refunded') return { is: 'succeeded', ref, money: moneyOf(amount) }
  if (status === 'failed' || status === 'canceled')
    return declined(ref, 'generic_decline', `The refund is ${status} at Mollie.`)
  return { is: 'pending', ref }
}

/**
 * The result of a void is visible in the payment: it is canceled, or paid if a part was captured before. An
 * expired authorization also no longer reserves an amount.
 */
function releaseIn(text: string, { mode, parent }: RequestedLater): Found {
  const payment = readPayment(text)
  const { id: ref, status } = payment
  if (ref !== paymentIdOf(parent)) throw new Unreadable('The response is about a different payment.')
  assertOwn(payment, mode, parent?.reference ?? '')
  if (payment.captureMode !== 'manual')
    return unknownPayment(ref, 'The payment has no authorization to release.')
  const money = moneyOf(payment.amount)
  const captured = payment.amountCaptured ? moneyOf(payment.amountCaptured) : { ...money, amount: 0n }
  const left = subtract(money, captured)
  if (left.amount < 0n) throw new Unreadable('More was captured than authorized.')
  if (status === 'authorized') return { is: 'pending', ref }
  if ((status === 'canceled' || status === 'expired') && isZero(captured))
    return { is: 'succeeded', ref, money: left }
  if (status !== 'paid' || isZero(captured)) return ended(payment)
  return isZero(left)
    ? declined(ref, 'invalid_transaction', 'The authorization was captured completely.')
    : { is: 'succeeded', ref, money: left }
}

function assertOwn(
  { mode, metadata }: Pick<Payment, 'mode' | 'metadata'>,
  requestedMode: LookupInput['mode'],
  reference: string,
): void {
  if (mode !== requestedMode) throw new Unreadable('The response is about a different mode.')
  if (metadata.switchyard_reference !== reference)
    throw new Unreadable('The response has a different reference.')
}

function assertOwnOf(
  object: Pick<Payment, 'mode' | 'metadata'> & { readonly paymentId: string },
  { mode, reference, parent }: RequestedLater,
): void {
  assertOwn(object, mode, reference)
  if (object.paymentId !== paymentIdOf(parent))
    throw new Unreadable('The response is about a different payment.')
}

function moneyOf({ value, currency }: Static<typeof Amount>): Money {
  return fromDecimal(value, currency)
}

function isSame(a: Money, b: Money): boolean {
  return a.amount === b.amount && a.currency === b.currency
}

const isCreated = ({ status }: HttpReply) => status === 201 || status === 200

const isErrorOf = ({ status, body }: HttpReply) => isErrorBody(body) && readError(body).status === status

/**
 * Mollie reports these errors instead of processing the call. An earlier call with the same reference may have been
 * processed, so the proof covers this call only. 409 and 5xx prove nothing: Mollie may still process the call.
 */
function refusal(reply: HttpReply): Outcome {
  const { status, body } = reply
  const isError = isErrorOf(reply)
  if (status === 401 || status === 403) {
    // A gateway may respond with any text, but a JSON object that is not an error is unexpected.
    const mayBeJson = /^\s*[[{"]/.test(body)
    return isError || !mayBeJson ? rejected(credentialsFault(reply)) : unexpected(reply)
  }
  if (!isError) return unexpected(reply)
  const { detail, field } = readError(body)
  const message = field ? `${detail} (${field})` : detail
  if (status === 429) return rejected({ code: 'provider_rate_limited', message })
  if (status === 400 || status === 404 || status === 422)
    return rejected({ code: 'provider_request_invalid', message })
  return unexpected(reply)
}

function rejected(fault: Fault): Outcome {
  return { is: 'rejected', fault, thisCallOnly: true }
}

function credentialsFault({ status }: HttpReply): Fault {
  return {
    code: 'provider_credentials_invalid',
    message: `Mollie does not accept our credentials (${status}).`,
  }
}

function declined(ref: string | undefined, code: string, message?: string | null): Outcome {
  const decline = message ? { code, message } : { code }
  return { is: 'declined', ...(ref === undefined ? {} : { ref }), decline }
}

function unknownPayment(ref: string, message: string): Unknown {
  return { is: 'unknown', ref, fault: { code: 'unexpected_answer', message } }
}

function unexpected({ status }: HttpReply): Unknown {
  return { is: 'unknown', fault: { code: 'unexpected_answer', message: `Unexpected status ${status}.` } }
}
