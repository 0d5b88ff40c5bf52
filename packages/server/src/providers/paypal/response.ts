/**
 * Interprets responses of the Orders and Payments APIs. An order proves nothing by its own status: a completed order
 * may contain a declined payment. Only the status of its capture or authorization is conclusive.
 */
import { type Static, Type } from 'typebox'
import type { Money } from '../../kernel/money.ts'
import type {
  AccessToken,
  CompleteInput,
  CredentialCheck,
  Decline,
  Fault,
  Found,
  HttpReply,
  LookupInput,
  OperationInput,
  Outcome,
} from '../contract.ts'
import { codeWithAdvice } from '../declines.ts'
import { fromDecimal } from '../provider-amounts.ts'
import { readerOf, testOf, Unreadable } from '../read.ts'
import { declinedIssues, duplicateCodes, processorCodes, rejectedIssues } from './declines.ts'
import { intentOf, refundMarkOf } from './request.ts'

const Id = Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$' })
const Text = Type.Optional(Type.String())
const Links = Type.Optional(Type.Array(Type.Object({ href: Type.String(), rel: Type.String() })))

/** The members of captures, authorizations and refunds that are used. */
export const Payment = Type.Object({
  id: Id,
  status: Type.String(),
  amount: Type.Object({ currency_code: Type.String(), value: Type.String() }),
  invoice_id: Text,
  custom_id: Text,
  expiration_time: Text,
  status_details: Type.Optional(Type.Object({ reason: Text })),
  processor_response: Type.Optional(Type.Object({ response_code: Text, payment_advice_code: Text })),
  network_transaction_reference: Type.Optional(Type.Object({ id: Text })),
  links: Links,
})
export type Payment = Static<typeof Payment>

const Order = Type.Object({
  id: Id,
  status: Type.String(),
  intent: Text,
  create_time: Text,
  purchase_units: Type.Array(
    Type.Object({
      reference_id: Type.String(),
      payments: Type.Optional(
        Type.Object({
          captures: Type.Optional(Type.Array(Payment)),
          authorizations: Type.Optional(Type.Array(Payment)),
        }),
      ),
    }),
    { minItems: 1, maxItems: 1 },
  ),
  payment_source: Type.Optional(
    Type.Object({
      card: Type.Optional(
        Type.Object({
          attributes: Type.Optional(
            Type.Object({ vault: Type.Optional(Type.Object({ id: Text, status: Text })) }),
          ),
        }),
      ),
    }),
  ),
  links: Links,
})
type Order = Static<typeof Order>

const ErrorBody = Type.Object({
  name: Type.String(),
  message: Text,
  details: Type.Optional(Type.Array(Type.Object({ issue: Type.String(), description: Text }))),
  links: Links,
})
type ErrorBody = Static<typeof ErrorBody>

const Token = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  token_type: Type.String({ pattern: '^[Bb]earer$' }),
  expires_in: Type.Integer({ minimum: 1 }),
})

const readOrder = readerOf(Order)
const readPayment = readerOf(Payment)
const readError = readerOf(ErrorBody)
const readToken = readerOf(Token)
const isRefusal = testOf(
  Type.Union([Type.Object({ name: Type.String() }), Type.Object({ error: Type.String() })]),
)
const isNotFound = testOf(Type.Object({ name: Type.Literal('RESOURCE_NOT_FOUND') }))

/** What the members of an operation, a lookup and a completion have in common. */
type Subject = Pick<LookupInput, 'kind' | 'reference' | 'parent' | 'captures' | 'mode' | 'capture'>

export function orderCreated(reply: HttpReply, input: OperationInput): Outcome {
  if (!isSuccess(reply)) return errorOutcome(reply)
  const order = readOrder(reply.body)
  const createdAt = order.create_time ?? reply.headers.date ?? ''
  const { mode, returnUrl } = input
  return orderOutcome(order, input) ?? actionIn(order.links, { order, mode, createdAt, returnUrl })
}

export function orderCompleted(reply: HttpReply, input: CompleteInput): Outcome {
  const { providerReference: id, mode, createdAt } = input
  if (isSuccess(reply)) {
    const order = orderOf(reply, input)
    return orderOutcome(order, input) ?? actionIn(order.links, { order, mode, createdAt })
  }
  if (reply.status !== 422 || id === null) return errorOutcome(reply)
  // The payer returned without having authenticated.
  const { details = [], links } = readError(reply.body)
  const isUnauthenticated =
    details.length > 0 && details.every(({ issue }) => issue === 'PAYER_ACTION_REQUIRED')
  if (!isUnauthenticated) return errorOutcome(reply)
  const order = { id, status: 'PAYER_ACTION_REQUIRED' }
  return actionIn(links, { order, mode, createdAt })
}

export function authorizationCaptured(reply: HttpReply, input: OperationInput): Outcome {
  return isSuccess(reply) ? captureOutcome(readPayment(reply.body), input) : errorOutcome(reply)
}

/** PayPal may confirm a void without details. A lookup then finds the voided authorization. */
export function authorizationVoided(reply: HttpReply, input: OperationInput): Outcome {
  if (isSuccess(reply)) return voidOutcome(readPayment(reply.body), input)
  const id = input.parent?.providerReference ?? undefined
  if (reply.status === 204) return unknown('not_confirmed', 'PayPal returned no details of the void.', id)
  const outcome = errorOutcome(reply)
  return outcome.is === 'unknown' && id !== undefined ? { ...outcome, ref: id } : outcome
}

export function captureRefunded(reply: HttpReply, input: OperationInput): Outcome {
  return isSuccess(reply) ? refundOutcome(readPayment(reply.body), input) : errorOutcome(reply)
}

export function lookedUp(reply: HttpReply, input: LookupInput): Found {
  if (isUnauthorized(reply)) return { is: 'unknown', fault: credentialsFault(reply) }
  if (reply.status === 404 && isNotFound(reply.body)) return { is: 'absent' }
  if (reply.status !== 200) return unexpected(reply)
  if (input.kind === 'capture') return captureOutcome(samePayment(reply, input), input)
  if (input.kind === 'refund') return refundOutcome(samePayment(reply, input), input)
  if (input.kind === 'void') return voidOutcome(readPayment(reply.body), input)
  const order = orderOf(reply, input)
  return orderOutcome(order, input) ?? unpaidOrder(order, reply, input)
}

export function tokenDeleted({ status, body }: HttpReply): boolean {
  return status === 204 || (status === 404 && isNotFound(body))
}

export function accessTokenIn({ status, body }: HttpReply): AccessToken {
  if (status !== 200) throw new Unreadable(`Unexpected status ${status}.`)
  const { access_token: token, expires_in: expiresInSeconds } = readToken(body)
  return { token, expiresInSeconds }
}

export function credentialsChecked({ status }: HttpReply): CredentialCheck {
  if (status === 200) return { ok: true, detail: 'PayPal accepts the credentials.' }
  return { ok: false, detail: `PayPal does not accept the credentials (${status}).` }
}

/** The outcome of the payment in an order; null if there is no payment yet. */
function orderOutcome(order: Order, input: Subject): Outcome | null {
  const [payment, ...others] = paymentsIn(order, input)
  if (payment === undefined) return null
  // While the outcome is open, the provider reference is the order id, because the lookup reads the order.
  const isExpected = payment.type === (input.capture ? 'capture' : 'authorization')
  if (!isExpected || others.length > 0 || order.status !== 'COMPLETED')
    return unknown('unclear_order', `The order is ${order.status} and its payment is unclear.`, order.id)
  requireReference(payment.invoice_id ?? input.reference, input.reference)
  const outcome = paymentOutcome(payment.type, payment)
  if (outcome.is === 'succeeded') return withToken(outcome, order)
  return outcome.is === 'pending' || outcome.is === 'unknown' ? { ...outcome, ref: order.id } : outcome
}

function paymentsIn(order: Order, { reference, capture }: Subject) {
  const [unit] = order.purchase_units
  requireReference(unit?.reference_id, reference)
  requireReference(order.intent ?? intentOf({ capture }), intentOf({ capture }))
  const { captures = [], authorizations = [] } = unit?.payments ?? {}
  return [
    ...captures.map((payment) => ({ ...payment, type: 'capture' as const })),
    ...authorizations.map((payment) => ({ ...payment, type: 'authorization' as const })),
  ]
}

function captureOutcome(capture: Payment, { reference }: Subject): Outcome {
  requireReference(capture.invoice_id, reference)
  return paymentOutcome('capture', capture)
}

function refundOutcome(refund: Payment, { reference }: Subject): Outcome {
  const mark = refundMarkOf(reference)
  requireReference(refund.custom_id === mark ? mark : refund.invoice_id, mark)
  return paymentOutcome('refund', refund)
}

/** PayPal reports the authorized amount. What was captured before the void was not voided. */
function voidOutcome(authorization: Payment, { parent, captures }: Subject): Outcome {
  if (authorization.id !== parent?.providerReference)
    throw new Unreadable('The authorization has a different id.')
  requireReference(authorization.invoice_id ?? parent.reference, parent.reference)
  const { id, status } = authorization
  if (status !== 'VOIDED') return unknown('not_voided', `The authorization is ${status}.`, id)
  const authorized = moneyIn(authorization)
  const amount = captures.reduce((rest, { money }) => rest - money.amount, authorized.amount)
  if (amount < 0n) throw new Unreadable('More was captured than authorized.')
  return { is: 'succeeded', ref: id, money: { amount, currency: authorized.currency } }
}

function requireReference(actual: string | undefined, expected: string): void {
  if (actual !== expected) throw new Unreadable('The response is about a different operation.')
}

function orderOf(reply: HttpReply, { providerReference }: Pick<LookupInput, 'providerReference'>): Order {
  const order = readOrder(reply.body)
  if (order.id !== providerReference) throw new Unreadable('The order has a different id.')
  return order
}

function samePayment(reply: HttpReply, { providerReference }: LookupInput): Payment {
  const payment = readPayment(reply.body)
  if (payment.id !== providerReference) throw new Unreadable('The payment has a different id.')
  return payment
}

/** Other statuses, such as `FAILED` of a capture or `PARTIALLY_CAPTURED`, do not prove an outcome. */
const outcomeByStatus = {
  authorization: new Map([
    ['CREATED', 'succeeded'],
    ['PENDING', 'pending'],
    ['DENIED', 'declined'],
  ]),
  capture: new Map([
    ['COMPLETED', 'succeeded'],
    ['PENDING', 'pending'],
    ['DECLINED', 'declined'],
  ]),
  refund: new Map([
    ['COMPLETED', 'succeeded'],
    ['PENDING', 'pending'],
    ['FAILED', 'declined'],
    ['CANCELLED', 'declined'],
  ]),
} as const

export function paymentOutcome(type: keyof typeof outcomeByStatus, payment: Payment): Outcome {
  const { id: ref, status } = payment
  switch (outcomeByStatus[type].get(status)) {
    case 'succeeded': {
      const extra = extraIn(payment)
      const outcome = { is: 'succeeded', ref, money: moneyIn(payment) } as const
      return Object.keys(extra).length === 0 ? outcome : { ...outcome, extra }
    }
    case 'pending':
      return { is: 'pending', ref }
    case 'declined':
      return declined(payment)
    default:
      return unknown('unclear_status', `The ${type} is ${status}.`, ref)
  }
}

export function moneyIn({ amount }: Payment): Money {
  return fromDecimal(amount.value, amount.currency_code)
}

function extraIn({ network_transaction_reference: network, expiration_time: expiry }: Payment) {
  return {
    ...(network?.id ? { networkTransactionId: network.id } : {}),
    ...(expiry ? { captureBeforeAt: dateOf(expiry) } : {}),
  }
}

type Succeeded = Extract<Outcome, { is: 'succeeded' }>

/** PayPal may save a card later than it approves the payment. Then there is no token. */
function withToken(outcome: Succeeded, { payment_source: source }: Order): Succeeded {
  const { id: token, status } = source?.card?.attributes?.vault ?? {}
  if (token === undefined || status !== 'VAULTED' || !/^[\w-]{1,255}$/.test(token)) return outcome
  return { ...outcome, extra: { ...outcome.extra, token } }
}

function declined({ id: ref, processor_response: response, status_details: details }: Payment): Outcome {
  const { response_code: networkCode, payment_advice_code: adviceCode } = response ?? {}
  if (networkCode !== undefined && duplicateCodes.has(networkCode))
    return unknown('duplicate_notice', 'PayPal declined it as a duplicate, possibly of our own request.', ref)
  const isBlocked = details?.reason === 'DECLINED_BY_RISK_FRAUD_FILTERS'
  const code = processorCodes.get(networkCode ?? '') ?? 'generic_decline'
  const decline: Decline = {
    code: isBlocked ? 'blocked_by_provider' : codeWithAdvice(code, adviceCode ?? ''),
    ...(networkCode ? { networkCode } : {}),
    ...(adviceCode ? { adviceCode } : {}),
  }
  return { is: 'declined', ref, decline }
}

/** The core waits for a payer no longer than this. A later return must not complete the order. */
const actionMinutes = 30
/**
 * After this time no completion of an order can still be in transit. PayPal has not deleted the order yet: it keeps
 * orders for three hours at least.
 */
const unpaidMinutes = 75

type ActionDetails = {
  readonly order: Pick<Order, 'id' | 'status'>
  readonly mode: Subject['mode']
  readonly createdAt: Date | string
  readonly returnUrl?: string | null
}

/** PayPal documents that the return URL must also be added to the URL of its page. */
function actionIn(links: Order['links'], { order, mode, createdAt, returnUrl }: ActionDetails): Outcome {
  const link = links?.find(({ rel }) => rel === 'payer-action')
  if (order.status !== 'PAYER_ACTION_REQUIRED' || link === undefined)
    return unknown('unpaid_order', `The order is ${order.status} and has no payment.`, order.id)
  const url = URL.parse(link.href)
  const protocols = mode === 'test' ? ['https:', 'http:'] : ['https:']
  if (url === null || !protocols.includes(url.protocol))
    throw new Unreadable('The URL for the payer is not safe.')
  if (returnUrl) url.searchParams.set('redirect_uri', returnUrl)
  const expiresAt = addMinutes(dateOf(createdAt), actionMinutes)
  return { is: 'action', ref: order.id, action: { type: 'redirect', url: url.href }, expiresAt }
}

/**
 * Only our own calls pay an order: the one that created it, and the completion when the payer returns. If the order
 * is still unpaid long after the last of them, it was not paid and never will be.
 */
function unpaidOrder({ id, status }: Order, { headers }: HttpReply, { createdAt }: LookupInput): Found {
  const isUnpaid = ['CREATED', 'APPROVED', 'PAYER_ACTION_REQUIRED'].includes(status)
  const readAt = new Date(headers.date ?? '')
  if (isUnpaid && readAt >= addMinutes(createdAt, unpaidMinutes)) return { is: 'closed' }
  return unknown('unpaid_order', `The order is ${status} and has no payment.`, id)
}

const credentialsFault = ({ status }: HttpReply): Fault => ({
  code: 'provider_credentials_invalid',
  message: `PayPal does not accept our credentials (${status}).`,
})

const errorNames: ReadonlyMap<number, string> = new Map([
  [400, 'INVALID_REQUEST'],
  [404, 'RESOURCE_NOT_FOUND'],
  [422, 'UNPROCESSABLE_ENTITY'],
  [429, 'RATE_LIMIT_REACHED'],
])

/** An error proves only that this call did nothing: an earlier one with the same reference may have succeeded. */
function errorOutcome(reply: HttpReply): Outcome {
  const { status, body } = reply
  if (isUnauthorized(reply)) return credentialsRefused(reply)
  if (!errorNames.has(status)) return unexpected(reply)
  const error = readError(body)
  if (error.name !== errorNames.get(status)) return unexpected(reply)
  if (status === 422) return issueOutcome(reply, error)
  const code = status === 429 ? 'provider_rate_limited' : 'provider_request_invalid'
  return rejected({ code, message: messageOf(error) })
}

/** A gateway may return any text. JSON must be an error, and not a payment. */
function credentialsRefused(reply: HttpReply): Outcome {
  const mayBeJson = /^\s*[[{"]/.test(reply.body)
  return mayBeJson && !isRefusal(reply.body) ? unexpected(reply) : rejected(credentialsFault(reply))
}

/** Several issues are only interpreted if they agree. */
function issueOutcome(reply: HttpReply, error: ErrorBody): Outcome {
  const issues = error.details?.map(({ issue }) => issue) ?? []
  const [first = ''] = issues
  const message = messageOf(error)
  const declineCode = declinedIssues.get(first)
  if (declineCode !== undefined && issues.every((issue) => declinedIssues.has(issue)))
    return { is: 'declined', decline: { code: declineCode, message } }
  const faultCode = rejectedIssues.get(first)
  if (faultCode !== undefined && issues.every((issue) => rejectedIssues.has(issue)))
    return rejected({ code: faultCode, message })
  return first === '' ? unexpected(reply) : unknown('unclear_error', message)
}

function messageOf({ name, message, details }: ErrorBody): string {
  const [detail] = details ?? []
  return [detail?.issue ?? name, detail?.description ?? message].filter(Boolean).join(': ')
}

const isSuccess = ({ status }: HttpReply) => status === 200 || status === 201
const isUnauthorized = ({ status }: HttpReply) => status === 401 || status === 403

type Unknown = Extract<Outcome, { is: 'unknown' }>

function unknown(code: string, message: string, ref?: string): Unknown {
  return { is: 'unknown', ...(ref === undefined ? {} : { ref }), fault: { code, message } }
}

const rejected = (fault: Fault): Outcome => ({ is: 'rejected', fault, thisCallOnly: true })

const unexpected = ({ status }: HttpReply) => unknown('unexpected_answer', `Unexpected status ${status}.`)

function dateOf(value: Date | string): Date {
  const date = new Date(value)
  if (Number.isNaN(date.getTime())) throw new Unreadable('The response contains no valid time.')
  return date
}

const addMinutes = (date: Date, minutes: number) => new Date(date.getTime() + minutes * 60_000)
