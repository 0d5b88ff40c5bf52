/**
 * Interprets responses of Adyen's Checkout API. A response is only accepted if it identifies our operation.
 * Captures, cancellations and refunds are only `received`: a webhook reports their result.
 */
import { type Static, Type } from 'typebox'
import type { Money } from '../../kernel/money.ts'
import type { CompleteInput, CredentialCheck, HttpReply, OperationInput, Outcome } from '../contract.ts'
import { isDuplicateNotice } from '../declines.ts'
import { fromProviderAmount } from '../provider-amounts.ts'
import { readerOf, testOf, Unreadable } from '../read.ts'
import { exponents } from './currencies.ts'
import { declineOfRefusal, rawCodesIn } from './declines.ts'
import { completionKey, modificationReference, pspReferenceOf, tokenOf } from './request.ts'

const Text = Type.Optional(Type.String())
const PspReference = Type.String({ pattern: '^[A-Za-z0-9]{1,64}$' })
const Amount = Type.Object({
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  value: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
})

/** The names that begin with `recurring` are from older API versions. */
const AdditionalData = Type.Object({
  merchantReference: Text,
  networkTxReference: Text,
  refusalReasonRaw: Text,
  merchantAdviceCode: Text,
  'tokenization.storedPaymentMethodId': Text,
  'tokenization.shopperReference': Text,
  'recurring.recurringDetailReference': Text,
  'recurring.shopperReference': Text,
})

const Redirect = Type.Object({
  type: Type.Literal('redirect'),
  method: Type.Union([Type.Literal('GET'), Type.Literal('POST')]),
  url: Type.String({ maxLength: 2_048, pattern: '^https?://[^\\u0000-\\u0020]+$' }),
  data: Type.Optional(Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 8_192 }))),
})

const Payment = Type.Object({
  resultCode: Type.String(),
  pspReference: Type.Optional(PspReference),
  merchantReference: Text,
  amount: Type.Optional(Amount),
  action: Type.Optional(Redirect),
  refusalReason: Text,
  refusalReasonCode: Text,
  additionalData: Type.Optional(AdditionalData),
})
type Payment = Static<typeof Payment>

/**
 * The payment is identified by `paymentPspReference`, or by `paymentReference` if it was cancelled by our
 * reference.
 */
const Modification = Type.Object({
  status: Type.Literal('received'),
  pspReference: PspReference,
  reference: Text,
  paymentPspReference: Text,
  paymentReference: Text,
  amount: Type.Optional(Amount),
})
type Modification = Static<typeof Modification>

const ServiceError = Type.Object({
  status: Type.Integer(),
  errorCode: Type.String(),
  errorType: Type.String(),
  message: Text,
  resultCode: Type.Optional(Type.Null()),
})
type ServiceError = Static<typeof ServiceError>

/** With 401 or 403: any JSON that does not contain the result of a payment or modification. */
const Unauthorized = Type.Object({
  status: Type.Optional(Type.Integer()),
  resultCode: Type.Optional(Type.Null()),
  action: Type.Optional(Type.Null()),
})

const readPayment = readerOf(Payment)
const readModification = readerOf(Modification)
const readError = readerOf(ServiceError)
const isUnauthorizedBody = testOf(Unauthorized)

type PaymentInput = OperationInput | CompleteInput

/** The response to `/payments`. */
export function paymentOutcome(reply: HttpReply, input: OperationInput): Outcome {
  return outcomeIn(reply, input, input.reference)
}

/** The response to `/payments/details`. */
export function completionOutcome(reply: HttpReply, input: CompleteInput): Outcome {
  return outcomeIn(reply, input, completionKey(input))
}

function outcomeIn(reply: HttpReply, input: PaymentInput, key: string): Outcome {
  if (reply.status !== 200) return refusalIn(reply)
  const payment = readPayment(reply.body)
  return isAbout(input, payment, keyIn(reply, key)) ? resultOf(payment, input) : otherOperation
}

/** The response to a capture, cancellation or refund. */
export function modificationOutcome(reply: HttpReply, input: OperationInput): Outcome {
  if (reply.status !== 201) return refusalIn(reply)
  const modification = readModification(reply.body)
  const { pspReference: ref, reference } = modification
  const key = keyIn(reply, input.reference)
  const isRequest = reference === undefined ? key === 'equal' : reference === modificationReference(input)
  if (!isRequest || key === 'different' || !isOfPayment(modification, input)) return otherOperation
  return { is: 'pending', ref }
}

function isOfPayment(modification: Modification, { parent, money }: OperationInput): boolean {
  const { paymentPspReference, paymentReference, amount } = modification
  const pspReference = pspReferenceOf(parent)
  const isPayment =
    pspReference === null ? paymentReference === parent?.reference : paymentPspReference === pspReference
  if (amount === undefined) return isPayment
  const requested = moneyOf(amount)
  return isPayment && requested.amount === money.amount && requested.currency === money.currency
}

type Key = 'equal' | 'different' | 'missing'

/** Adyen returns the idempotency key of a request as a header. */
function keyIn({ headers }: HttpReply, expected: string): Key {
  const key = headers['idempotency-key']
  if (key === undefined) return 'missing'
  return key === expected ? 'equal' : 'different'
}

/**
 * Without our reference, a response to `/payments` is identified by the key. For `/payments/details` the key proves
 * nothing: the payer supplies the parameters that select the payment. So the PSP reference must be the known one.
 */
function isAbout(input: PaymentInput, payment: Payment, key: Key): boolean {
  const { merchantReference, additionalData, pspReference } = payment
  const names = [merchantReference, additionalData?.merchantReference].filter((name) => name !== undefined)
  if (key === 'different' || names.some((name) => name !== input.reference)) return false
  if (names.length > 0) return true
  return 'providerReference' in input ? pspReference === input.providerReference : key === 'equal'
}

function resultOf(payment: Payment, input: PaymentInput): Outcome {
  const { resultCode, pspReference, action } = payment
  if ((action !== undefined) !== (resultCode === 'RedirectShopper')) return unexpectedResult(payment)
  switch (resultCode) {
    case 'Authorised':
      return authorised(payment, input)
    case 'Refused':
    case 'Error':
    case 'Cancelled':
      return refused(payment)
    case 'RedirectShopper':
      return redirect(payment, input)
    case 'Received':
    case 'Pending':
      return pspReference === undefined ? unexpectedResult(payment) : { is: 'pending', ref: pspReference }
    // Native 3-D Secure and partial authorizations are not requested.
    default:
      return unexpectedResult(payment)
  }
}

/**
 * `Authorised` proves the authorization. The capture follows from the request: with a delay of 0 hours Adyen captures
 * immediately and automatically, and with `manualCapture` only when it is requested.
 */
function authorised(payment: Payment, input: PaymentInput): Outcome {
  const { pspReference: ref, amount, refusalReasonCode: reason = '0' } = payment
  // Adyen returns the number 0 with some approvals.
  if (ref === undefined || !['0', '1'].includes(reason)) return unexpectedResult(payment)
  if (amount === undefined)
    return unknown('amount_missing', 'The response contains no amount. The webhook reports it.', ref)
  const extra = extraOf(payment, input)
  const outcome = { is: 'succeeded', ref, money: moneyOf(amount) } as const
  return Object.keys(extra).length === 0 ? outcome : { ...outcome, extra }
}

type Extra = NonNullable<Extract<Outcome, { is: 'succeeded' }>['extra']>

function extraOf({ additionalData = {} }: Payment, input: PaymentInput): Extra {
  const id =
    additionalData['tokenization.storedPaymentMethodId'] ??
    additionalData['recurring.recurringDetailReference']
  const shopperReference =
    additionalData['tokenization.shopperReference'] ??
    additionalData['recurring.shopperReference'] ??
    ('customer' in input ? (input.customer?.id ?? input.paymentId) : undefined)
  const { networkTxReference } = additionalData
  return {
    ...(id && shopperReference ? { token: tokenOf(shopperReference, id) } : {}),
    ...(networkTxReference ? { networkTransactionId: networkTxReference } : {}),
  }
}

/** All three result codes are final, according to Adyen. */
function refused({ pspReference, refusalReasonCode, refusalReason, additionalData }: Payment): Outcome {
  const withReference = pspReference === undefined ? {} : { ref: pspReference }
  const { networkCode, adviceCode } = rawCodesIn(additionalData ?? {})
  if (networkCode !== undefined && isDuplicateNotice(networkCode)) {
    const message = 'The issuer declined it as a duplicate, possibly of our own request.'
    return { is: 'unknown', ...withReference, fault: { code: 'duplicate_notice', message } }
  }
  const refusal = { number: refusalReasonCode, name: refusalReason, networkCode, adviceCode }
  return { is: 'declined', ...withReference, decline: declineOfRefusal(refusal) }
}

/** Adyen states no time limit for the payer, so the default of the core applies. */
const noTimeLimit = new Date('9999-12-31T00:00:00Z')

function redirect({ pspReference, action }: Payment, input: PaymentInput): Outcome {
  const target = action === undefined ? null : URL.parse(action.url)
  if (action === undefined || target === null || (target.protocol !== 'https:' && input.mode !== 'test'))
    throw new Unreadable('The URL of the redirect must begin with https://.')
  if (action.method === 'POST' && action.data === undefined)
    throw new Unreadable('The redirect by POST has no data.')
  const { url, data: fields = {} } = action
  const knownReference = 'providerReference' in input ? input.providerReference : null
  return {
    is: 'action',
    // See `pspReferenceOf`.
    ref: pspReference ?? knownReference ?? input.reference,
    action: action.method === 'GET' ? { type: 'redirect', url } : { type: 'form', url, fields },
    expiresAt: noTimeLimit,
  }
}

/** Every response that is not a result. Only those that prove that Adyen did not process this call are rejections. */
type Refusal = Extract<Outcome, { is: 'rejected' | 'unknown' }>

export function refusalIn(reply: HttpReply): Refusal {
  const { status } = reply
  if (status === 401 || status === 403) return credentialsRefused(reply)
  const error = readError(reply.body)
  if (error.status !== status) return unexpectedStatus(status)
  const message = `${error.errorCode}: ${error.message ?? ''}`
  // Another request with this key has been processed, or is being processed.
  if (error.errorCode === '704') return unknown('request_in_progress', message)
  // Adyen did not reach the issuer, and processes a repeat with the same key as if it were the first request.
  if (reply.headers['transient-error'] === 'true') return rejected('provider_error', message)
  return isInvalidRequest(error)
    ? rejected('provider_request_invalid', message)
    : unknown('unexpected_answer', message)
}

/** The request failed validation, or the account is not configured for its payment method or currency (905). */
function isInvalidRequest({ status, errorCode, errorType }: ServiceError): boolean {
  if (status === 400 || status === 422) return errorType === 'validation'
  return status === 500 && errorType === 'configuration' && /^905(_\d)?$/.test(errorCode)
}

/** This proves only that this call was not processed: an earlier one with the same key may have been. */
function rejected(code: string, message: string): Refusal {
  return { is: 'rejected', fault: { code, message }, thisCallOnly: true }
}

/** The body may be anything, such as the page of a gateway, unless it contains the result of an operation. */
function credentialsRefused({ status, body }: HttpReply): Refusal {
  const mayBeJson = /^\s*[[{"]/.test(body)
  if (mayBeJson && !isUnauthorizedBody(body)) return unexpectedStatus(status)
  return rejected('provider_credentials_invalid', `${credentialsRefusedText} (${status})`)
}

const credentialsRefusedText = 'Adyen does not accept the API key or the merchant account.'

const isPaymentMethods = testOf(Type.Object({ paymentMethods: Type.Optional(Type.Array(Type.Unknown())) }))

/** The response to a list of payment methods. */
export function isReachable({ status, body }: HttpReply): boolean {
  return status === 200 && isPaymentMethods(body)
}

export function credentialCheck(reply: HttpReply): CredentialCheck {
  if (isReachable(reply)) return { ok: true, detail: 'Adyen accepts the API key and the merchant account.' }
  const isRefused = reply.status === 401 || reply.status === 403
  return { ok: false, detail: isRefused ? credentialsRefusedText : `Unexpected status ${reply.status}.` }
}

export function moneyOf({ value, currency }: { value: number; currency: string }): Money {
  return fromProviderAmount(BigInt(value), currency, exponents)
}

type Unknown = Extract<Outcome, { is: 'unknown' }>

function unknown(code: string, message: string, ref?: string): Unknown {
  return { is: 'unknown', ...(ref === undefined ? {} : { ref }), fault: { code, message } }
}

const otherOperation = unknown('other_operation', 'The response is not about this operation.')

function unexpectedResult({ resultCode, pspReference }: Payment): Unknown {
  return unknown('unexpected_answer', `Unexpected result ${resultCode}.`, pspReference)
}

function unexpectedStatus(status: number): Unknown {
  return unknown('unexpected_answer', `Unexpected status ${status}.`)
}
