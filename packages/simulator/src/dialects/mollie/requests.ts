/**
 * Validates requests and translates them into operations of the simulator. A member that Mollie does not document, or
 * that the emulator does not support, is refused. No side effects.
 */
import type { Reply } from '../../faults.ts'
import { type Instrument, isObject, redirectTypes } from '../../protocol.ts'
import { type Money, readAmount } from './amounts.ts'
import { cardNumberOfToken } from './cards.ts'
import { invalid } from './errors.ts'
import type { PaymentMembers } from './store.ts'

export type Members = { readonly [name: string]: unknown }

export type PaymentRequest = PaymentMembers & { readonly money: Money; readonly cardToken: string | null }

/** A capture or refund; `money` is null if the amount is omitted. */
export type PartRequest = {
  readonly money: Money | null
  readonly description: string
  readonly metadata: unknown
}

type Check = (value: unknown, body: Members) => string | null

const maxMetadataLength = 1024
const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const text: Check = (value) => (isText(value) ? null : 'must be a string')
const oneOf =
  (...values: string[]): Check =>
  (value) =>
    typeof value === 'string' && values.includes(value) ? null : `must be one of ${values.join(', ')}`
const url: Check = (value) =>
  isText(value) && /^https?:$/.test(URL.parse(value)?.protocol ?? '') ? null : 'must be a URL'
const id =
  (prefix: string): Check =>
  (value) =>
    isText(value) && value.startsWith(`${prefix}_`) && /^\w+$/.test(value) ? null : 'is not a valid token'
const locale: Check = (value) => (isText(value) && /^[a-z]{2}_[A-Z]{2}$/.test(value) ? null : 'is not valid')
const metadata: Check = (value) =>
  JSON.stringify(value).length <= maxMetadataLength ? null : 'is longer than 1 kB'

const addressMembers =
  'title givenName familyName organizationName streetAndNumber streetAdditional postalCode email phone city region country'.split(
    ' ',
  )
const address: Check = (value) => {
  if (!isObject(value) || Object.keys(value).some((name) => !addressMembers.includes(name)))
    return 'is not a valid address'
  const { streetAndNumber, postalCode, city, country, email } = value
  if (country !== undefined && !/^[A-Z]{2}$/.test(String(country))) return 'has an invalid country'
  const isPostal = [streetAndNumber, postalCode, city, country].every(isText)
  return isPostal || isText(email) ? null : 'must include an email or a postal address'
}

const part: { readonly [name: string]: Check } = { description: text, metadata }
const payment: { readonly [name: string]: Check } = {
  description: text,
  redirectUrl: url,
  webhookUrl: url,
  billingAddress: address,
  method: oneOf('creditcard', ...redirectTypes),
  metadata,
  captureMode: oneOf('automatic', 'manual'),
  sequenceType: oneOf('oneoff', 'first', 'recurring'),
  customerId: id('cst'),
  mandateId: id('mdt'),
  cardToken: (value) =>
    isText(value) && cardNumberOfToken(value) !== null ? null : 'is not a valid card token',
}
const customer: { readonly [name: string]: Check } = { name: text, email: text, locale, metadata }

export function readPaymentRequest(body: Members): PaymentRequest | Reply {
  const money = readAmount(body.amount)
  const problem = amountProblemOf(body, money) ?? problemOf(body, payment) ?? combinationProblemOf(body)
  if (problem !== null) return problem
  const textOf = (name: string) => (isText(body[name]) ? (body[name] as string) : null)
  const { amount } = money as Money
  const request = {
    money: money as Money,
    // Mollie truncates a description that is too long.
    description: (body.description as string).slice(0, 255),
    metadata: body.metadata ?? null,
    method: textOf('method'),
    redirectUrl: textOf('redirectUrl'),
    webhookUrl: textOf('webhookUrl'),
    sequenceType: (textOf('sequenceType') ?? 'oneoff') as PaymentRequest['sequenceType'],
    captureMode: textOf('captureMode') as PaymentRequest['captureMode'],
    customerId: textOf('customerId'),
    mandateId: textOf('mandateId'),
    cardToken: textOf('cardToken'),
  }
  const isVerification = request.sequenceType === 'first' && request.captureMode !== 'manual'
  return amount > 0 || isVerification ? request : invalid('amount', 'The amount is lower than the minimum')
}

export function readPartRequest(body: Members, isAmountRequired: boolean): PartRequest | Reply {
  const isOmitted = body.amount == null && !isAmountRequired
  const money = isOmitted ? null : readAmount(body.amount)
  const problem = (isOmitted ? null : amountProblemOf(body, money as Money)) ?? problemOf(body, part)
  if (problem !== null) return problem
  if ((money as Money | null)?.amount === 0) return invalid('amount', 'The amount is lower than the minimum')
  const description = isText(body.description) ? body.description.slice(0, 255) : ''
  return { money: money as Money | null, description, metadata: body.metadata ?? null }
}

/** The problem of a new customer, or null. */
export function customerProblemOf(body: Members): Reply | null {
  return problemOf(body, customer)
}

function amountProblemOf(body: Members, money: ReturnType<typeof readAmount>): Reply | null {
  if (body.amount == null) return invalid('amount', "The 'amount' field is missing")
  if (typeof money !== 'string') return null
  return invalid(money, `The amount contains an invalid ${money.split('.')[1] ?? 'member'}`)
}

/** Mollie treats null as omitted. */
function problemOf(body: Members, checks: { readonly [name: string]: Check }): Reply | null {
  for (const [name, value] of Object.entries(body)) {
    if (name === 'amount' && checks !== customer) continue
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined
    if (check === undefined) return invalid(name, `The '${name}' field is not supported`)
    const problem = value === null ? null : check(value, body)
    if (problem !== null) return invalid(name, `The '${name}' field ${problem}`)
  }
  return null
}

function combinationProblemOf(body: Members): Reply | null {
  const { sequenceType, mandateId, cardToken } = body
  const isRecurring = sequenceType === 'recurring'
  const required = {
    description: true,
    redirectUrl: !isRecurring,
    customerId: mandateId != null || isRecurring || sequenceType === 'first',
    method: cardToken != null,
  }
  const isRedirect = redirectTypes.some((type) => type === body.method)
  if (
    isRedirect &&
    (body.captureMode === 'manual' || (sequenceType ?? 'oneoff') !== 'oneoff' || cardToken != null)
  )
    return invalid('method', 'The method does not support this payment')
  const missing = Object.entries(required).find(([name, isRequired]) => isRequired && body[name] == null)
  if (missing !== undefined) return invalid(missing[0], `The '${missing[0]}' field is missing`)
  if (cardToken != null && (mandateId != null || isRecurring))
    return invalid('cardToken', 'A card token can only be used for a new card')
  const isFirstWithMandate = mandateId != null && sequenceType === 'first'
  return isFirstWithMandate ? invalid('mandateId', 'A first payment creates a mandate') : null
}

type PaymentOperation = {
  readonly reference: string
  readonly request: PaymentRequest
  readonly instrument: Instrument
}

/** The request of the `custom` protocol. A payment of zero verifies the card. */
export function operationOf({ reference, request, instrument }: PaymentOperation): Members {
  const { money, metadata: given, sequenceType, captureMode, redirectUrl, customerId } = request
  const members = isObject(given) ? given : {}
  return {
    reference,
    kind: money.amount === 0 ? 'verify' : 'authorize',
    mode: 'test',
    ...money,
    capture: captureMode !== 'manual',
    initiator: sequenceType === 'recurring' ? 'merchant' : 'customer',
    stored_credential: { use: sequenceType === 'first' ? 'first' : 'none' },
    instrument,
    payment_id: isText(members.switchyard_payment_id) ? members.switchyard_payment_id : reference,
    return_url: redirectUrl,
    customer: { id: customerId },
    metadata: { simulate: members.simulate },
  }
}

/** Switchyard's reference, or else the idempotency key. */
export function referenceIn(given: unknown, key: string | null): string | null {
  const reference = isObject(given) ? given.switchyard_reference : undefined
  return isText(reference) ? reference : key
}
