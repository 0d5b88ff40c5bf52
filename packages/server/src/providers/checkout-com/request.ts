/** Builds the calls of the Payments API. */
import { assert } from '../../kernel/assert.ts'
import type {
  BuildContext,
  CompleteInput,
  ConnectorConfig,
  ForgetInput,
  HttpCall,
  LookupInput,
  OperationInput,
} from '../contract.ts'
import { jsonCall } from '../http-call.ts'
import { toProviderAmount } from '../provider-amounts.ts'
import { exponents } from './currencies.ts'

type Context = BuildContext<ConnectorConfig>

/** Authorizes a payment, or verifies a card, which is a payment of zero. */
export function requestPayment(input: OperationInput, context: Context): HttpCall {
  const { settings } = context.config
  const { kind, customer, returnUrl, description, statementDescriptor } = input
  const city = settings.billing_descriptor_city ?? ''
  const email = customer?.email ?? null
  const ip = input.device?.ip ?? null
  return post(input, context, '/payments', {
    ...sourceOf(input),
    amount: amountOf(input),
    currency: input.money.currency.toUpperCase(),
    reference: input.reference,
    processing_channel_id: settings.processing_channel_id,
    ...(kind === 'verify' ? {} : { capture: input.capture }),
    ...storedCredentialOf(input),
    ...threeDSecureOf(input),
    ...(returnUrl === null ? {} : { success_url: returnUrl, failure_url: returnUrl }),
    ...(email === null ? {} : { customer: { email } }),
    ...(ip === null ? {} : { payment_ip: ip }),
    ...(description === null ? {} : { description: cut(description, 100) }),
    // A descriptor without a city is rejected.
    ...(statementDescriptor === null || city === ''
      ? {}
      : { billing_descriptor: { name: statementDescriptor, city } }),
    metadata: metadataOf(input),
  })
}

/** Checkout.com voids the rest of the authorization after a final capture. */
export function capturePayment(input: OperationInput, context: Context): HttpCall {
  return post(input, context, `/payments/${parentOf(input)}/captures`, {
    amount: amountOf(input),
    capture_type: input.final ? 'Final' : 'NonFinal',
    reference: input.reference,
    metadata: metadataOf(input),
  })
}

/** Without an amount, everything that has not been captured is voided. */
export function voidPayment(input: OperationInput, context: Context): HttpCall {
  const body = { reference: input.reference, metadata: metadataOf(input) }
  return post(input, context, `/payments/${parentOf(input)}/voids`, body)
}

export function refundPayment(input: OperationInput, context: Context): HttpCall {
  return post(input, context, `/payments/${parentOf(input)}/refunds`, {
    amount: amountOf(input),
    reference: input.reference,
    metadata: metadataOf(input),
  })
}

/**
 * Looks up a payment by its id, or else by our reference. Captures, voids and refunds are looked up in the actions of
 * their payment.
 */
export function lookUp(input: LookupInput, context: Context): HttpCall {
  if (input.kind === 'authorize' || input.kind === 'verify')
    return getPayment(input.providerReference, input.reference, context)
  const { parent, reference } = input
  const paymentId = parent?.providerReference ?? null
  // Search results do not contain the actions of a payment, so this lookup is inconclusive, but it changes
  // nothing.
  if (paymentId === null) return getPayment(null, parent?.reference ?? reference, context)
  return get(`/payments/${checked(paymentId)}/actions`, context, reference)
}

/** A session id also finds the payment, and the response then contains the reason for a decline. */
export function completePayment(input: CompleteInput, context: Context): HttpCall {
  return getPayment(paymentIdOf(input), input.reference, context)
}

/** The id of the payment, or of its session if the payer has returned with it. Null: it must be searched for. */
export function paymentIdOf(input: LookupInput | CompleteInput): string | null {
  const session = 'returnParams' in input ? (input.returnParams['cko-session-id'] ?? '') : ''
  return /^sid_\w{1,60}$/.test(session) ? session : input.providerReference
}

/** The maximum number of search results. There should be at most one payment with our reference. */
const searchLimit = '100'

function getPayment(id: string | null, reference: string, context: Context): HttpCall {
  return id === null
    ? get('/payments', context, reference, { limit: searchLimit, reference })
    : get(`/payments/${checked(id)}`, context, reference)
}

/** A search that finds nothing. It needs the same permission as lookups. */
export function searchNothing(context: Context): HttpCall {
  const reference = 'switchyard-credential-check'
  return get('/payments', context, reference, { limit: '1', reference })
}

export function deleteInstrument({ token }: ForgetInput, { config }: Context): HttpCall {
  return jsonCall({
    method: 'DELETE',
    baseUrl: config.base_url,
    path: `/instruments/${checked(token)}`,
    headers: authorization(config),
  })
}

/** Tokens of the browser components can be used once. Stored cards are instruments (`src_…`). */
function sourceOf({ instrument, storedCredential, billing }: OperationInput): object {
  // The card has been deleted. Checkout.com rejects a payment without a source.
  if (instrument === null) return {}
  const { use } = storedCredential
  const address = addressOf(billing)
  if (instrument.type === 'token') {
    const { token } = instrument
    const isStored = use === 'subsequent' || token.startsWith('src_')
    if (isStored) return { source: { type: 'id', id: token } }
    return { source: { type: 'token', token, store_for_future_use: use === 'first', ...address } }
  }
  const { number, expMonth, expYear, cvc, name } = instrument
  const card = {
    type: 'card',
    number,
    expiry_month: expMonth,
    expiry_year: expYear,
    ...(cvc === undefined ? {} : { cvv: cvc }),
    ...(name === undefined ? {} : { name }),
    ...(use === 'subsequent' ? { stored: true } : { store_for_future_use: use === 'first' }),
    ...address,
  }
  return { source: card }
}

/** The network transaction id of the first payment also identifies it if another provider processed it. */
function storedCredentialOf({ kind, initiator, storedCredential }: OperationInput): object {
  const { use, networkTransactionId } = storedCredential
  if (initiator === 'merchant')
    return {
      merchant_initiated: true,
      payment_type: 'Unscheduled',
      ...(networkTransactionId === null ? {} : { previous_payment_id: networkTransactionId }),
    }
  if (use === 'none') return {}
  return { merchant_initiated: false, ...(kind === 'verify' ? { payment_type: 'Unscheduled' } : {}) }
}

/** Unless 3-D Secure is required, Checkout.com requests it only if the issuer does. */
function threeDSecureOf({ threeDSecure, storedCredential }: OperationInput): object {
  if (threeDSecure !== 'required') return {}
  // Later payments without the payer are declined unless the first one was challenged.
  const challenge =
    storedCredential.use === 'first' ? { challenge_indicator: 'challenge_requested_mandate' } : {}
  return { '3ds': { enabled: true, ...challenge } }
}

/** The name of each member and its maximum length. A longer text is cut, because it would be rejected. */
const addressMembers = [
  ['line1', 'address_line1', 200],
  ['line2', 'address_line2', 200],
  ['city', 'city', 50],
  ['postal_code', 'zip', 50],
  ['country', 'country', 2],
] as const

function addressOf(billing: OperationInput['billing']): object {
  const address = (billing?.address ?? {}) as Readonly<Record<string, unknown>>
  const members = addressMembers.flatMap(([ours, theirs, maxLength]) => {
    const text = address[ours]
    return typeof text === 'string' && text !== '' ? [[theirs, cut(text, maxLength)]] : []
  })
  // Only codes such as CA are accepted. The name of a state would be rejected.
  const state =
    typeof address.state === 'string' && /^[A-Za-z0-9]{1,2}$/.test(address.state) ? address.state : null
  if (state !== null) members.push(['state', state])
  return members.length === 0 ? {} : { billing_address: Object.fromEntries(members) }
}

/** Counts characters, so that none is split. */
function cut(text: string, length: number): string {
  return Array.from(text).slice(0, length).join('').toWellFormed()
}

function metadataOf({ paymentId }: OperationInput): object {
  return { switchyard_payment_id: paymentId }
}

function amountOf({ money }: OperationInput): number {
  const amount = Number(toProviderAmount(money, exponents))
  assert(Number.isSafeInteger(amount), 'An amount must be a safe integer: the capabilities limit it.')
  return amount
}

function parentOf({ parent }: OperationInput): string {
  const id = parent?.providerReference ?? null
  assert(id !== null, 'A capture, void or refund needs the id of the payment.')
  return checked(id)
}

/** An id of Checkout.com that is part of a path. Encoding it would not suffice: `..` stays unchanged. */
function checked(id: string): string {
  assert(
    /^[\w-]{1,64}$/.test(id),
    'An id in a path must have 1 to 64 letters, digits, underscores and hyphens.',
  )
  return id
}

function post(input: OperationInput, { config }: Context, path: string, body: object): HttpCall {
  const headers = { ...authorization(config), 'cko-idempotency-key': input.reference }
  return jsonCall({ method: 'POST', baseUrl: config.base_url, path, headers, body })
}

/** The header with our reference is for proxies and logs. Checkout.com ignores it. */
function get(
  path: string,
  { config }: Context,
  reference: string,
  query: Readonly<Record<string, string>> = {},
): HttpCall {
  const headers = { ...authorization(config), 'switchyard-reference': reference }
  const search = Object.keys(query).length === 0 ? {} : { query }
  return jsonCall({ method: 'GET', baseUrl: config.base_url, path, ...search, headers })
}

function authorization({ credentials }: ConnectorConfig): { authorization: string } {
  return { authorization: `Bearer ${credentials.secret_key}` }
}
