/**
 * Builds the calls of Mollie's Payments API v2. Mollie has no API for card numbers: a card is a token of Mollie
 * Components (`tkn_…`), or a saved card (a customer and a mandate). Other methods open a page of Mollie. A call that Mollie does not support is not built.
 */
import type { Money } from '../../kernel/money.ts'
import {
  type BuildContext,
  type ConnectorConfig,
  customerKeyOf,
  type EarlierOperation,
  type ForgetInput,
  type HttpCall,
  type LookupInput,
  type OperationInput,
  type Redirect,
} from '../contract.ts'
import { jsonCall } from '../http-call.ts'
import { toDecimal } from '../provider-amounts.ts'

type Context = BuildContext<ConnectorConfig>

export function createPayment(input: OperationInput, context: Context): HttpCall {
  const body = {
    ...amountAndTexts(input),
    ...(input.redirect === undefined
      ? { ...captureModeOf(input), ...cardOf(input) }
      : redirectOf(input, input.redirect)),
    webhookUrl: context.config.webhook_url,
  }
  return post(context, input, { path: '/v2/payments', body })
}

export function createCapture(input: OperationInput, context: Context): HttpCall {
  return post(context, input, {
    path: `${pathOfPayment(input.parent)}/captures`,
    body: amountAndTexts(input),
  })
}

/** Releases the rest of the authorization. Mollie accepts the request and processes it later. */
export function releaseAuthorization(input: OperationInput, context: Context): HttpCall {
  return post(context, input, { path: `${pathOfPayment(input.parent)}/release-authorization` })
}

export function createRefund(input: OperationInput, context: Context): HttpCall {
  return post(context, input, { path: `${pathOfPayment(input.parent)}/refunds`, body: amountAndTexts(input) })
}

/** Mollie finds objects by its own ids only. A released authorization is visible in its payment. */
export function getOperation(input: LookupInput, context: Context): HttpCall {
  // The reference identifies the call in logs. Mollie ignores the header.
  const headers = { 'switchyard-reference': input.reference }
  return call(context, { method: 'GET', path: pathOfOperation(input), headers })
}

function pathOfOperation({ kind, parent, providerReference }: LookupInput): string {
  if (kind === 'capture') return `${pathOfPayment(parent)}/captures/${idIn(providerReference, 'cpt')}`
  if (kind === 'refund') return `${pathOfPayment(parent)}/refunds/${idIn(providerReference, 're')}`
  return pathOfPayment(kind === 'void' ? parent : { providerReference })
}

/** Revokes the mandate of a saved card. A card token expires after an hour and cannot be deleted. */
export function revokeMandate({ token }: ForgetInput, context: Context): HttpCall {
  const { customerId, mandateId } = cardTokenParts(token)
  if (mandateId === null) throw new Error('Only a saved card has a mandate.')
  return call(context, { method: 'DELETE', path: `/v2/customers/${customerId}/mandates/${mandateId}` })
}

/** The payment method for cards: readable with every API key of a profile. */
export function getCardMethod(_: null, context: Context): HttpCall {
  return call(context, { method: 'GET', path: '/v2/methods/creditcard' })
}

/** The id of the payment of a capture, void or refund. */
export function paymentIdOf(earlier: Pick<EarlierOperation, 'providerReference'> | null): string {
  return idIn(earlier?.providerReference ?? null, 'tr')
}

/** Whether the token is a new card of Mollie Components, and not a saved card. */
export function isNewCard({ instrument }: Pick<OperationInput, 'instrument'>): boolean {
  return instrument?.type === 'token' && cardTokenParts(instrument.token).cardToken !== null
}

const maxDescriptionLength = 255

function amountAndTexts({ money, description, statementDescriptor, reference, paymentId }: OperationInput) {
  // Mollie requires a description, and shows it on the card statement if possible.
  const text = description || statementDescriptor || reference
  return {
    amount: amountOf(money),
    description: [...text].slice(0, maxDescriptionLength).join(''),
    metadata: { switchyard_reference: reference, switchyard_payment_id: paymentId },
  }
}

function amountOf(money: Money) {
  return { currency: money.currency.toUpperCase(), value: toDecimal(money) }
}

/** A verification has no amount that could be held. */
function captureModeOf({ kind, capture }: OperationInput) {
  return kind === 'verify' ? {} : { captureMode: capture ? 'automatic' : 'manual' }
}

/** The payer approves the payment on the page of the method, which Mollie opens. It is charged immediately. */
function redirectOf(input: OperationInput, { type }: Redirect): object {
  if (input.kind !== 'authorize' || !input.capture || input.storedCredential.use !== 'none')
    throw new Error('Mollie charges iDEAL, Bancontact and PayPal immediately and once.')
  return { method: type, sequenceType: 'oneoff', ...payerFieldsOf(input) }
}

function cardOf(input: OperationInput): object {
  const { instrument, storedCredential } = input
  if (instrument?.type !== 'token')
    throw new Error('Mollie accepts tokens of Mollie Components and saved cards, but no card numbers.')
  const { customerId, mandateId, cardToken } = cardTokenParts(instrument.token)
  if (mandateId === null) return newCardOf(input, cardToken, customerId)
  if (storedCredential.use !== 'subsequent' || input.kind === 'verify')
    throw new Error('A saved card can only be charged again.')
  return savedCardOf(input, { customerId, mandateId })
}

/** A new card that is to be saved belongs to a Mollie customer: the one in the token, or one created for this operation. */
function newCardOf(input: OperationInput, cardToken: string, customerId: string | null): object {
  const { use } = input.storedCredential
  if (use === 'subsequent') throw new Error('A token of Mollie Components can only be used once.')
  const card = { method: 'creditcard', cardToken, ...payerFieldsOf(input) }
  if (use === 'none' && input.kind !== 'verify') return { ...card, sequenceType: 'oneoff' }
  const owner = customerId ?? input.providerCustomer
  if (owner === undefined) throw new Error('Mollie saves a card only for a customer, and none was created.')
  return { ...card, sequenceType: 'first', customerId: owner }
}

export function needsCustomer(input: OperationInput): boolean {
  const { instrument, kind, storedCredential } = input
  const savesCard = kind === 'verify' || (kind === 'authorize' && storedCredential.use === 'first')
  if (!savesCard || instrument?.type !== 'token' || input.providerCustomer !== undefined) return false
  const [, customerId, cardToken] = cardTokenPattern.exec(instrument.token) ?? []
  return cardToken !== undefined && customerId === undefined
}

export function createCustomer(input: OperationInput, context: Context): HttpCall {
  const { reference, paymentId } = input
  const body = { metadata: { switchyard_reference: reference, switchyard_payment_id: paymentId } }
  return post(context, { reference: customerKeyOf(input) }, { path: '/v2/customers', body })
}

/** Without the payer the mandate is charged immediately; with the payer, Mollie may ask for authentication. */
function savedCardOf(input: OperationInput, mandate: { customerId: string; mandateId: string }): object {
  if (input.initiator === 'customer')
    return { ...mandate, method: 'creditcard', sequenceType: 'oneoff', ...payerFieldsOf(input) }
  if (!input.capture) throw new Error('Mollie does not document manual capture for recurring payments.')
  return { ...mandate, sequenceType: 'recurring' }
}

function payerFieldsOf({ returnUrl, billing }: OperationInput) {
  if (returnUrl === null) throw new Error('Mollie requires a return URL for the payer.')
  const billingAddress = billingAddressOf(billing ?? {})
  return { redirectUrl: returnUrl, ...(billingAddress === null ? {} : { billingAddress }) }
}

/** Mollie rejects incomplete addresses, so an address is only sent with all required members. */
function billingAddressOf(billing: Readonly<Record<string, unknown>>): object | null {
  const { line1, city, postal_code, country } = (billing.address ?? {}) as Readonly<Record<string, unknown>>
  const isComplete = [line1, city, postal_code, country].every(
    (text) => typeof text === 'string' && text !== '',
  )
  return isComplete ? { streetAndNumber: line1, postalCode: postal_code, city, country } : null
}

type CardTokenParts =
  | { readonly customerId: string | null; readonly cardToken: string; readonly mandateId: null }
  | { readonly customerId: string; readonly cardToken: null; readonly mandateId: string }

const cardTokenPattern = /^(?:(cst_\w{1,64})\/)?(?:(tkn_\w{1,64})|(mdt_\w{1,64}))$/

/** `tkn_…` and `cst_…/tkn_…` are new cards, `cst_…/mdt_…` is a saved card. */
function cardTokenParts(token: string): CardTokenParts {
  const [, customerId = null, cardToken = null, mandateId = null] = cardTokenPattern.exec(token) ?? []
  if (cardToken !== null) return { customerId, cardToken, mandateId: null }
  if (customerId !== null && mandateId !== null) return { customerId, cardToken: null, mandateId }
  throw new Error('The token is neither a card token nor a saved card of Mollie.')
}

function pathOfPayment(earlier: Pick<EarlierOperation, 'providerReference'> | null): string {
  return `/v2/payments/${paymentIdOf(earlier)}`
}

/** Ids are part of addresses, so only ids of the expected form are used. */
function idIn(id: string | null, prefix: 'tr' | 'cpt' | 're'): string {
  if (id === null || !id.startsWith(`${prefix}_`) || !/^\w{1,68}$/.test(id))
    throw new Error(`The operation has no Mollie id that begins with ${prefix}_.`)
  return id
}

type Parts = {
  readonly path: string
  readonly body?: object
}

/** Mollie returns the first response again if the key is repeated within an hour. */
function post(context: Context, { reference }: Pick<OperationInput, 'reference'>, parts: Parts): HttpCall {
  return call(context, { ...parts, method: 'POST', headers: { 'idempotency-key': reference } })
}

type CallParts = Parts & {
  readonly method: HttpCall['method']
  readonly headers?: Readonly<Record<string, string>>
}

function call({ config }: Context, { headers = {}, ...parts }: CallParts): HttpCall {
  return jsonCall({
    ...parts,
    baseUrl: config.base_url.replace(/\/+$/, ''),
    headers: {
      ...headers,
      accept: 'application/hal+json',
      authorization: `Bearer ${config.credentials.api_key ?? ''}`,
    },
  })
}
