/**
 * Interprets responses of the Stripe API. An outcome is proven only by an object that contains our reference and whose
 * amounts agree with its status. Everything else is unknown or unreadable, which the core treats as unknown.
 */
import type { Money } from '../../kernel/money.ts'
import type {
  CompleteInput,
  CredentialCheck,
  Decline,
  Fault,
  ForgetInput,
  Found,
  HttpReply,
  LookupInput,
  OperationInput,
  Outcome,
} from '../contract.ts'
import { fromProviderAmount } from '../provider-amounts.ts'
import { readerOf, testOf, Unreadable } from '../read.ts'
import { exponents, unreadableCurrency } from './currencies.ts'
import { debitDecline, declineIn, isDuplicate, refundDecline } from './declines.ts'
import { cancelPathOf, lookupTargetOf, refusalOf, stripeCardOf } from './request.ts'
import {
  Customer,
  captureKey,
  DetachError,
  ErrorResponse,
  PaymentIntent,
  PaymentMethod,
  PlainError,
  Refund,
  RefundList,
  referenceKey,
  SearchResult,
  SetupIntent,
  SetupIntentList,
  type StripeError,
} from './wire.ts'

export type Unknown = Extract<Found, { is: 'unknown' }>
export type Rejected = Extract<Outcome, { is: 'rejected' }>
/** The members of the input that a result is compared with. `final` is known only for the operation itself. */
type Requested = Pick<
  LookupInput,
  'kind' | 'reference' | 'parent' | 'captures' | 'mode' | 'money' | 'capture'
> & {
  readonly final?: boolean
}

const readIntent = readerOf(PaymentIntent)
const readSetup = readerOf(SetupIntent)
const readRefund = readerOf(Refund)
const readSearch = readerOf(SearchResult)
const readRefunds = readerOf(RefundList)
const readSetups = readerOf(SetupIntentList)
export const readError = readerOf(ErrorResponse)
const isPlainError = testOf(PlainError)

/** The response to an operation. */
export function outcomeIn(reply: HttpReply, input: OperationInput): Outcome {
  const refusal = refusalOf(input)
  // The call read data and changed nothing.
  if (refusal !== null) return rejected({ code: 'provider_request_invalid', message: refusal }, reply)
  if (reply.status === 200) return toOutcome(foundInObject(reply.body, input), input)
  if (reply.status === 401 || reply.status === 403) return credentialsRefused(reply)
  return failureIn(reply, input)
}

/** The response to `complete`, which reads the intent. Stripe continues automatically after the payer's action. */
export function completedIn(reply: HttpReply, input: CompleteInput): Outcome {
  return toOutcome(foundByLookup(reply, input), input)
}

export function foundByLookup(reply: HttpReply, input: LookupInput): Found {
  if (reply.status !== 200) return lookupFailed(reply)
  const target = lookupTargetOf(input)
  if (target.object === 'search') return foundBySearch(reply.body, input)
  if (target.object === 'setup_intents') return foundInList(readSetups(reply.body), input, setupFound)
  if (target.object === 'refunds') return foundInList(readRefunds(reply.body), input, refundFound)
  if (target.object === 'nothing')
    return unknown('not_queryable', 'The PaymentIntent of the authorization is unknown.')
  return foundInObject(reply.body, input)
}

/** The response to `close`. An intent that can no longer be cancelled is part of the error. */
export function closedOrFound(reply: HttpReply, input: LookupInput): Found {
  if (cancelPathOf(input) === null) return foundByLookup(reply, input)
  if (reply.status === 200) return foundInObject(reply.body, input)
  return (reply.status === 400 ? foundInError(readError(reply.body), input) : null) ?? lookupFailed(reply)
}

/** The object that an operation of this kind creates or changes. */
function foundInObject(body: string, input: Requested): Found {
  if (input.kind === 'verify') return setupFound(readSetup(body), input)
  return input.kind === 'refund' ? refundFound(readRefund(body), input) : intentFound(readIntent(body), input)
}

/** The meaning of a PaymentIntent for an authorization, capture or void. */
export function intentFound(intent: PaymentIntent, input: Requested): Found {
  const { reference, parent, kind } = input
  requireMode(intent, input)
  if (intent.metadata[referenceKey] !== (kind === 'authorize' ? reference : parent?.reference))
    throw new Unreadable('The PaymentIntent has another reference.')
  if (kind === 'capture') return captureFound(intent, input)
  return kind === 'void' ? voidFound(intent, input) : authorizationFound(intent, input)
}

function authorizationFound(intent: PaymentIntent, input: Requested): Found {
  const { amount_received, last_payment_error: error, status } = intent
  if (status === 'succeeded' || status === 'requires_capture') return approvalFound(intent, input)
  if (status === 'canceled') return amount_received === 0 ? { is: 'closed' } : unclear(intent)
  return unfinishedFound(intent, error ?? null, input)
}

/**
 * Accepts an intent that is completely captured if a capture was requested, and one that is completely authorized
 * otherwise.
 */
function approvalFound(intent: PaymentIntent, { capture }: Requested): Found {
  const { amount, amount_capturable, amount_received, capture_method, status } = intent
  const isCaptured = status === 'succeeded' && capture_method === 'automatic' && amount_received === amount
  if (isCaptured && capture && chargeAgrees(intent, true)) return approved(intent, amount_received)
  const isAuthorized = status === 'requires_capture' && capture_method === 'manual' && amount_received === 0
  const isWhole = amount_capturable === amount
  if (isAuthorized && isWhole && !capture && chargeAgrees(intent, false))
    return approved(intent, amount_capturable)
  return unclear(intent)
}

/** A charge that is not expanded states nothing. */
function chargeAgrees(
  { amount, currency, latest_charge: charge }: PaymentIntent,
  isCaptured: boolean,
): boolean {
  if (charge === null || typeof charge === 'string') return true
  const isPaid = charge.status === 'succeeded' && charge.paid && charge.captured === isCaptured
  const isSameAmount = (isCaptured ? charge.amount_captured : charge.amount) === amount
  return isPaid && isSameAmount && charge.currency === currency
}

function approved(intent: PaymentIntent, amount: number): Outcome {
  const { customer, latest_charge: charge, payment_method: method, setup_future_usage: usage } = intent
  const card = charge === null || typeof charge === 'string' ? null : charge.payment_method_details?.card
  const extra = {
    ...(usage === 'off_session' && customer && method ? { token: `${customer}/${method}` } : {}),
    ...(card?.network_transaction_id ? { networkTransactionId: card.network_transaction_id } : {}),
    ...(card?.capture_before ? { captureBeforeAt: dateOf(card.capture_before) } : {}),
  }
  const outcome = { is: 'succeeded', ref: intent.id, money: moneyOf(amount, intent.currency) } as const
  return Object.keys(extra).length === 0 ? outcome : { ...outcome, extra }
}

/** The metadata names the latest capture. The intent contains only the sum of all captures. */
function captureFound(intent: PaymentIntent, input: Requested): Found {
  const { status } = intent
  const received = moneyOf(intent.amount_received, intent.currency)
  const amount = received.amount - sumOf(input)
  const isOurs = intent.metadata[captureKey] === input.reference
  const isCaptureStatus = status === 'succeeded' || (status === 'requires_capture' && input.final !== true)
  if (isOurs && amount > 0n && isCaptureStatus)
    return { is: 'succeeded', ref: intent.id, money: { amount, currency: received.currency } }
  if (isOurs || amount !== 0n) return unclear(intent)
  if (status === 'requires_capture') return { is: 'absent' }
  return status === 'canceled' ? { is: 'closed' } : unclear(intent)
}

/** A cancellation has no metadata, so the cause of the release is not compared with our reference. */
function voidFound(intent: PaymentIntent, input: Requested): Found {
  const { status, amount_capturable } = intent
  const total = moneyOf(intent.amount, intent.currency)
  const received = moneyOf(intent.amount_received, intent.currency).amount
  if (received !== sumOf(input)) return unclear(intent)
  const isReleased =
    status === 'canceled' || (status === 'succeeded' && received > 0n && amount_capturable === 0)
  if (isReleased)
    return {
      is: 'succeeded',
      ref: intent.id,
      money: { amount: total.amount - received, currency: total.currency },
    }
  return status === 'requires_capture' ? { is: 'absent' } : unclear(intent)
}

/** A SetupIntent has no amount and no currency: it verifies the card with the amount 0. */
export function setupFound(setup: SetupIntent, input: Requested): Found {
  requireMode(setup, input)
  if (setup.metadata?.[referenceKey] !== input.reference)
    throw new Unreadable('The SetupIntent has another reference.')
  const { customer, id: ref, last_setup_error: error, payment_method: method, status } = setup
  if (status === 'canceled') return { is: 'closed' }
  if (status !== 'succeeded') return unfinishedFound(setup, error ?? null, input)
  const outcome = { is: 'succeeded', ref, money: { amount: 0n, currency: input.money.currency } } as const
  return customer && method ? { ...outcome, extra: { token: `${customer}/${method}` } } : outcome
}

/** The statuses in which nothing has been charged, at least so far. */
function unfinishedFound(
  intent: PaymentIntent | SetupIntent,
  error: StripeError | null,
  { mode }: Requested,
): Found {
  if (intent.status === 'processing') return { is: 'pending', ref: intent.id }
  if (intent.status === 'requires_action') return actionFound(intent, mode)
  const isFailed = intent.status === 'requires_payment_method' && error !== null
  return isFailed ? declined(intent, error) : unclear(intent)
}

export function refundFound(
  refund: Refund,
  { reference, parent }: Pick<Requested, 'reference' | 'parent'>,
): Found {
  if (refund.metadata?.[referenceKey] !== reference) throw new Unreadable('The refund has another reference.')
  if (parent !== null && refund.payment_intent !== parent.providerReference)
    throw new Unreadable('The refund is for another PaymentIntent.')
  const { id, status } = refund
  if (status === 'succeeded')
    return { is: 'succeeded', ref: id, money: moneyOf(refund.amount, refund.currency) }
  if (status === 'pending' || status === 'requires_action') return { is: 'pending', ref: id }
  if (status !== 'failed' && status !== 'canceled') return unclear(refund)
  return { is: 'declined', ref: id, decline: refundDecline(refund.failure_reason ?? '') }
}

/** Stripe states no expiry of an authentication. The core waits for the payer for a shorter time. */
const actionSeconds = 24 * 60 * 60

function actionFound(intent: PaymentIntent | SetupIntent, mode: Requested['mode']): Found {
  const { id, created, next_action: next } = intent
  const url = (next?.type === 'redirect_to_url' ? next.redirect_to_url?.url : null) ?? ''
  const { protocol = '' } = URL.parse(url) ?? {}
  // Plain http is only allowed in test mode, for an emulator on the same machine.
  if (protocol !== 'https:' && !(protocol === 'http:' && mode === 'test')) return unclear(intent)
  return {
    is: 'action',
    ref: id,
    action: { type: 'redirect', url },
    expiresAt: dateOf(created + actionSeconds),
  }
}

function declined(intent: PaymentIntent | SetupIntent, error: StripeError): Outcome {
  const { id: ref } = intent
  if (isDuplicate(error))
    return unknown(
      'duplicate_notice',
      'The card was declined as a duplicate, possibly of our own request.',
      ref,
    )
  const decline = failedDebitIn(intent) ?? declineIn(error)
  return decline === null ? unclear(intent) : { is: 'declined', ref, decline }
}

/** The reason for which the bank rejected a debit is in the failed charge. Null if there is none. */
function failedDebitIn(intent: PaymentIntent | SetupIntent): Decline | null {
  const charge = 'latest_charge' in intent ? intent.latest_charge : null
  if (charge === null || typeof charge === 'string' || charge.status !== 'failed' || charge.paid) return null
  return debitDecline(charge.failure_code ?? '')
}

/** Several PaymentIntents with one reference must not exist. */
function foundBySearch(body: string, input: Requested): Found {
  const { data, has_more, total_count } = readSearch(body)
  if (has_more || total_count !== data.length || data.length > 1)
    return unknown('unclear_state', 'The search returned several PaymentIntents.')
  const [intent] = data
  return intent === undefined ? { is: 'absent' } : intentFound(intent, input)
}

type StripeList<T> = { readonly data: readonly T[]; readonly has_more: boolean }

function foundInList<T extends SetupIntent | Refund>(
  { data, has_more }: StripeList<T>,
  input: Requested,
  found: (object: T, input: Requested) => Found,
): Found {
  const matches = data.filter(({ metadata }) => metadata?.[referenceKey] === input.reference)
  const [match] = matches
  if (match !== undefined && matches.length === 1) return found(match, input)
  if (matches.length === 0 && !has_more) return { is: 'absent' }
  return unknown('unclear_state', 'The list contains too many objects.')
}

/** A response with a status other than 200 to an operation. */
function failureIn(reply: HttpReply, input: OperationInput): Outcome {
  const { status } = reply
  if (![400, 402, 404, 409, 429].includes(status)) return unexpected(reply)
  const body = readError(reply.body)
  const { type, code } = body.error
  if (status === 402) return requestFailedIn(body, reply, input)
  // Rate limits apply before anything is processed. Other errors with this status, such as a lock timeout,
  // may occur later.
  if (status === 429 && code === 'rate_limit')
    return rejected(faultOf(body.error, 'provider_rate_limited'), reply)
  if (type !== 'invalid_request_error' || status === 409 || status === 429) return failed(body.error)
  const found = foundInError(body, input)
  // If an earlier call of the operation succeeded, the intent shows it, and a lookup proves it.
  if (found !== null && (isNew(input) || found.is === 'succeeded')) return withoutSuccess(found, body)
  if (body.error.charge && isNew(input)) return failed(body.error)
  return rejected(faultOf(body.error, 'provider_request_invalid'), reply)
}

const isNew = ({ kind }: OperationInput) => kind === 'authorize' || kind === 'verify'

/**
 * The status 402: the card was declined, its data is invalid, or Stripe does not accept card numbers from this account.
 * Without an intent and a charge, the last two prove that nothing was processed.
 */
function requestFailedIn(body: ErrorResponse, reply: HttpReply, input: OperationInput): Outcome {
  const { error } = body
  const outcome = cardErrorIn(body, input)
  if (outcome !== null) return outcome
  if (intentIn(body) !== null || error.charge) return failed(error)
  if (isInvalidCardData(error, input)) return declinedCardData(error)
  return error.type === 'invalid_request_error'
    ? rejected(faultOf(error, 'provider_request_invalid'), reply)
    : failed(error)
}

/** The card data of the request was invalid, so no intent was created. A repeated request would be invalid as well. */
function isInvalidCardData({ type, code }: StripeError, { instrument }: OperationInput): boolean {
  const isAboutData = /^(incorrect_number|invalid_(number|expiry_month|expiry_year|cvc))$/.test(code ?? '')
  return instrument?.type === 'card' && type === 'card_error' && isAboutData
}

function declinedCardData(error: StripeError): Outcome {
  const decline = declineIn(error)
  return decline === null ? failed(error) : { is: 'declined', decline }
}

/** A card error is about the intent in the response. Without an intent it proves nothing. */
function cardErrorIn(body: ErrorResponse, input: OperationInput): Outcome | null {
  const { error } = body
  const intent = intentIn(body)
  const found = foundInError(body, input)
  if (intent === null || found === null) return null
  const isUnprocessed = isNew(input) ? intent.status === 'requires_payment_method' : found.is === 'absent'
  return error.type === 'card_error' && isUnprocessed ? declined(intent, error) : withoutSuccess(found, body)
}

/** An error contradicts an intent that was not declined or cancelled. The intent must be looked up. */
function withoutSuccess(found: Found, body: ErrorResponse): Outcome {
  if (found.is === 'declined' || found.is === 'unknown') return found
  if (found.is === 'closed') return cancelled
  return unclear(intentIn(body) ?? { id: '', status: null })
}

const intentIn = ({ error }: ErrorResponse) => error.payment_intent ?? error.setup_intent ?? null

/** The meaning of the intent in an error; null if there is none of the kind that the operation changes. */
function foundInError({ error }: ErrorResponse, input: Requested): Found | null {
  if (input.kind === 'verify') return error.setup_intent ? setupFound(error.setup_intent, input) : null
  return input.kind !== 'refund' && error.payment_intent ? intentFound(error.payment_intent, input) : null
}

/**
 * Stripe checks the key before anything is processed, so 401 and 403 prove that this call did nothing. The body may be
 * the page of a gateway, unless it is JSON that contradicts this.
 */
export function credentialsRefused(reply: HttpReply): Rejected | Unknown {
  const mayBeJson = /^\s*[[{"]/.test(reply.body)
  if (mayBeJson && !isPlainError(reply.body)) return unexpected(reply)
  return { is: 'rejected', fault: credentialsFault(reply), thisCallOnly: true }
}

const credentialsFault = ({ status }: HttpReply): Fault => ({
  code: 'provider_credentials_invalid',
  message: `Stripe does not accept the secret key (${status}).`,
})

/**
 * A replayed response is the stored response to the first call with this key, so its proof covers all calls of the
 * operation.
 */
export function rejected(fault: Fault, { headers }: HttpReply): Rejected {
  return headers['idempotent-replayed'] === 'true'
    ? { is: 'rejected', fault }
    : { is: 'rejected', fault, thisCallOnly: true }
}

/** The error proves nothing: the operation may be in progress, or was processed with another body. */
export function failed(error: StripeError): Unknown {
  if (error.code === 'idempotency_key_in_use')
    return { is: 'unknown', fault: faultOf(error, 'operation_in_progress') }
  if (error.type === 'idempotency_error') return { is: 'unknown', fault: faultOf(error, 'reference_reused') }
  return { is: 'unknown', fault: faultOf(error, 'unexpected_answer') }
}

export function faultOf({ type, code, message }: StripeError, ourCode: string): Fault {
  return { code: ourCode, message: [code || type, message].filter(Boolean).join(': ') }
}

/** The failed response to a lookup proves nothing, not even that the object does not exist. */
function lookupFailed(reply: HttpReply): Unknown {
  const isRefused = reply.status === 401 || reply.status === 403
  return isRefused ? { is: 'unknown', fault: credentialsFault(reply) } : unexpected(reply)
}

const cancelled: Outcome = {
  is: 'rejected',
  fault: { code: 'operation_closed', message: 'The payment was cancelled at Stripe.' },
}

/** A cancelled intent was never charged. A successful response to any other operation must not be absent or closed. */
function toOutcome(found: Found, { kind }: Pick<Requested, 'kind'>): Outcome {
  if (found.is === 'closed' && (kind === 'authorize' || kind === 'verify')) return cancelled
  return found.is === 'closed' || found.is === 'absent'
    ? unknown('unclear_state', 'The response contradicts the operation.')
    : found
}

function requireMode({ livemode }: { readonly livemode: boolean }, { mode }: Requested): void {
  if (livemode !== (mode === 'live')) throw new Unreadable('The object is from another mode.')
}

/** The reported amount. The core compares it with the request. */
export function moneyOf(amount: number, currency: string): Money {
  if (currency === unreadableCurrency)
    throw new Unreadable('The decimal places of the currency are not certain.')
  return fromProviderAmount(BigInt(amount), currency, exponents)
}

function sumOf({ captures }: Requested): bigint {
  return captures.reduce((sum, { money }) => sum + money.amount, 0n)
}

export function dateOf(seconds: number): Date {
  return new Date(seconds * 1000)
}

function unclear({ id, status }: { readonly id: string; readonly status: string | null }): Unknown {
  return unknown('unclear_state', `The status ${status} does not determine the result.`, id)
}

function unknown(code: string, message: string, ref?: string): Unknown {
  const fault = { code, message }
  return ref === undefined ? { is: 'unknown', fault } : { is: 'unknown', ref, fault }
}

export function unexpected({ status }: HttpReply): Unknown {
  return unknown('unexpected_answer', `Unexpected status ${status}.`)
}

const readCustomer = readerOf(Customer)

export function createdCustomer({ status, body }: HttpReply): string | null {
  return status === 200 ? readCustomer(body).id : null
}

const readMethod = readerOf(PaymentMethod)
const readDetachError = readerOf(DetachError)

/** A PaymentMethod without a customer cannot be charged again. An unknown one counts as deleted. */
export function isForgotten({ status, body }: HttpReply, { token }: ForgetInput): boolean {
  const card = stripeCardOf(token)
  if (card === null || ![200, 400, 404].includes(status)) return false
  if (status === 404) return readDetachError(body).error.code === 'resource_missing'
  const method = status === 200 ? readMethod(body) : readDetachError(body).error.payment_method
  return method?.id === card.method && method.customer === null
}

export function credentialCheck({ status }: HttpReply): CredentialCheck {
  if (status === 200) return { ok: true, detail: 'Stripe accepts the secret key.' }
  if (status === 401) return { ok: false, detail: 'Stripe does not accept the secret key.' }
  if (status === 403)
    return { ok: false, detail: 'The restricted key must be allowed to read PaymentIntents and charges.' }
  return { ok: false, detail: `Stripe returned the unexpected status ${status}.` }
}
