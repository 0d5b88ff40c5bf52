/**
 * Builds the calls to the Stripe API. Every call that changes something has an idempotency key derived from our
 * reference, and names the API version, so that a change of the default version of the account has no effect.
 */
import {
  type BuildContext,
  type ConnectorConfig,
  customerKeyOf,
  type ForgetInput,
  type HttpCall,
  type Instrument,
  type LookupInput,
  type OperationInput,
  type Redirect,
} from '../contract.ts'
import { type FormValue, formCall } from '../http-call.ts'
import { toProviderAmount } from '../provider-amounts.ts'
import { exponents } from './currencies.ts'
import { intentIdOf, statementSuffix } from './setup.ts'
import { apiVersion, captureKey, paymentKey, referenceKey } from './wire.ts'

type Context = BuildContext<ConnectorConfig>
type Form = { readonly [name: string]: FormValue }

/** A PaymentMethod or a new confirmation token, and the customer of a saved card. Our token of a saved card has both. */
type StripeCard = { readonly customer: string | null; readonly method: string }

const tokenPattern = /^(?:(cus_[A-Za-z0-9]+)\/(?=pm_))?((?:pm|ctoken)_[A-Za-z0-9_]+)$/

export function stripeCardOf(token: string): StripeCard | null {
  const [, customer = null, method] = tokenPattern.exec(token) ?? []
  return method === undefined ? null : { customer, method }
}

/**
 * Why the connector cannot perform the operation; null if it can. `build` has no way to refuse, so it makes a call that
 * changes nothing instead, and `parse` reports the rejection.
 */
export function refusalOf(input: OperationInput): string | null {
  const { kind, parent } = input
  if (kind !== 'authorize' && kind !== 'verify')
    return intentIdOf(parent?.providerReference) === null
      ? 'The PaymentIntent of the authorization is unknown.'
      : null
  if (input.redirect !== undefined) return redirectRefusalOf(input.redirect)
  return input.debit === undefined ? cardRefusalOf(input) : debitRefusalOf(input)
}

function cardRefusalOf(input: OperationInput): string | null {
  const { kind, instrument, money, storedCredential } = input
  if (instrument === null) return 'The card is no longer available.'
  const saved = instrument.type === 'token' ? stripeCardOf(instrument.token) : null
  if (instrument.type === 'token' && saved === null)
    return 'Stripe accepts only tokens of the form ctoken_…, pm_… or cus_…/pm_….'
  if (storedCredential.use === 'first' && !customerOf(input))
    return 'Stripe saves a card only for a customer, and none was created.'
  return kind === 'verify' && money.amount !== 0n ? 'A verification must have the amount 0.' : null
}

/** The customer in the token of the card, or the one created for this operation. */
function customerOf({ instrument, providerCustomer }: OperationInput): string | null {
  const saved = instrument?.type === 'token' ? stripeCardOf(instrument.token) : null
  return saved?.customer ?? providerCustomer ?? null
}

/** Whether only the customer of the saved card is missing. */
export function needsCustomer(input: OperationInput): boolean {
  return refusalOf(input) !== null && refusalOf({ ...input, providerCustomer: 'cus_new' }) === null
}

export function createCustomer(input: OperationInput, context: Context): HttpCall {
  return post(context, '/v1/customers', customerKeyOf(input), { metadata: metadataOf(input) })
}

/** A saved bank account is a PaymentMethod of a customer, like a saved card. */
function debitRefusalOf(input: OperationInput): string | null {
  const { kind, debit, instrument, capture, storedCredential } = input
  const saved = instrument?.type === 'token' ? stripeCardOf(instrument.token) : null
  if (saved === null && debit?.account == null) return 'The bank account is no longer available.'
  const needsOwner = saved !== null || kind === 'verify' || storedCredential.use === 'first'
  if (needsOwner && customerOf(input) === null)
    return 'Stripe saves a bank account only for a customer, and none was created.'
  return capture || kind === 'verify' ? null : 'A debit cannot be captured later.'
}

/** The type and the immediate capture are not checked here: routes respect the capabilities of Stripe. */
function redirectRefusalOf({ type, holderName }: Redirect): string | null {
  return type === 'bancontact' && holderName === null ? 'Stripe requires the name of the payer.' : null
}

/** Creates and confirms a PaymentIntent. */
export function authorize(input: OperationInput, context: Context): HttpCall {
  const { capture, initiator, money, storedCredential, threeDSecure } = input
  if (refusalOf(input) !== null) return probe(context)
  const isAuthenticated = input.instrument !== null && initiator === 'customer' && threeDSecure === 'required'
  const wantsMulticapture = !capture && context.config.settings.request_multicapture === 'if_available'
  return post(context, '/v1/payment_intents', input.reference, {
    ...methodForm(input),
    amount: toProviderAmount(money, exponents).toString(),
    currency: money.currency,
    // The default of the API, `automatic_async`, confirms a payment before it is captured.
    capture_method: capture ? 'automatic' : 'manual',
    description: input.description?.slice(0, maxDescription).toWellFormed(),
    expand: ['latest_charge'],
    off_session: initiator === 'merchant' ? true : null,
    payment_method_options: {
      card: {
        request_multicapture: wantsMulticapture ? 'if_available' : null,
        request_three_d_secure: isAuthenticated ? 'any' : null,
      },
    },
    setup_future_usage: storedCredential.use === 'first' ? 'off_session' : null,
    statement_descriptor_suffix: statementSuffix(input.statementDescriptor ?? ''),
  })
}

/** The card, bank account or redirect method of a PaymentIntent. A debit is processing until the bank confirms it. */
function methodForm(input: OperationInput): Form {
  const { debit, redirect, returnUrl: return_url } = input
  const common = { confirm: true, metadata: metadataOf(input) }
  if (redirect !== undefined) {
    const payment_method_data = { type: redirect.type, billing_details: { name: redirect.holderName } }
    return { ...common, allowed_payment_method_types: [redirect.type], payment_method_data, return_url }
  }
  if (debit === undefined) return cardForm(input)
  const { type, account, mandate } = debit
  const form = { ...common, allowed_payment_method_types: [type], customer: customerOf(input) }
  // Stripe debits a saved account with the mandate of its SetupIntent.
  if (input.instrument?.type === 'token')
    return { ...form, payment_method: stripeCardOf(input.instrument.token)?.method }
  const acceptance = { type: 'offline', accepted_at: secondsOf(new Date(mandate.acceptedAt)) }
  const billing_details = { name: account?.holderName, email: account?.email }
  const iban = account !== null && 'iban' in account ? account.iban : null
  return {
    ...form,
    mandate_data: { customer_acceptance: acceptance },
    payment_method_data: { type, sepa_debit: { iban }, billing_details },
  }
}

/** Creates and confirms a SetupIntent, which checks the card with the issuer without an amount, or registers a mandate. */
export function verify(input: OperationInput, context: Context): HttpCall {
  if (refusalOf(input) !== null) return probe(context)
  return post(context, '/v1/setup_intents', input.reference, {
    ...methodForm(input),
    payment_method_options: {
      card: { request_three_d_secure: input.threeDSecure === 'required' ? 'any' : null },
    },
    usage: 'off_session',
  })
}

export function capture(input: OperationInput, context: Context): HttpCall {
  const id = intentIdOf(input.parent?.providerReference)
  if (id === null) return probe(context)
  return post(context, `/v1/payment_intents/${id}/capture`, input.reference, {
    amount_to_capture: toProviderAmount(input.money, exponents).toString(),
    // Without it the rest of the authorization is released.
    final_capture: input.final ? null : false,
    metadata: { [captureKey]: input.reference },
  })
}

/** After a partial capture the rest is released by a final capture of 0. */
export function voidAuthorization(input: OperationInput, context: Context): HttpCall {
  const id = intentIdOf(input.parent?.providerReference)
  if (id === null) return probe(context)
  const release = { amount_to_capture: 0, final_capture: true }
  return input.captures.length === 0
    ? post(context, `/v1/payment_intents/${id}/cancel`, input.reference, {})
    : post(context, `/v1/payment_intents/${id}/capture`, input.reference, release)
}

export function refund(input: OperationInput, context: Context): HttpCall {
  const id = intentIdOf(input.parent?.providerReference)
  if (id === null) return probe(context)
  return post(context, '/v1/refunds', input.reference, {
    amount: toProviderAmount(input.money, exponents).toString(),
    metadata: metadataOf(input),
    payment_intent: id,
  })
}

/** What a lookup reads. Only PaymentIntents can be searched by metadata; the lists are always up to date. */
type LookupTarget =
  | { readonly object: 'payment_intent' | 'setup_intent' | 'refund'; readonly id: string }
  | { readonly object: 'search' | 'setup_intents' | 'nothing' }
  | { readonly object: 'refunds'; readonly intentId: string }

export function lookupTargetOf({ kind, parent, providerReference }: LookupInput): LookupTarget {
  const own = providerReference ?? ''
  const intentId = intentIdOf(kind === 'authorize' ? own : parent?.providerReference)
  if (kind === 'verify')
    return /^seti_\w+$/.test(own) ? { object: 'setup_intent', id: own } : { object: 'setup_intents' }
  if (kind === 'refund' && /^(re|pyr)_\w+$/.test(own)) return { object: 'refund', id: own }
  if (intentId === null) return { object: kind === 'authorize' ? 'search' : 'nothing' }
  return kind === 'refund' ? { object: 'refunds', intentId } : { object: 'payment_intent', id: intentId }
}

export function lookUp(input: LookupInput, context: Context): HttpCall {
  const target = lookupTargetOf(input)
  switch (target.object) {
    case 'payment_intent':
      return get(context, `/v1/payment_intents/${target.id}`, { 'expand[0]': 'latest_charge' })
    case 'setup_intent':
      return get(context, `/v1/setup_intents/${target.id}`, {})
    case 'refund':
      return get(context, `/v1/refunds/${target.id}`, {})
    case 'search':
      return get(context, '/v1/payment_intents/search', {
        query: `metadata['${referenceKey}']:'${input.reference}'`,
        limit: '2',
        'expand[0]': 'data.latest_charge',
        'expand[1]': 'total_count',
      })
    case 'setup_intents':
      return get(context, '/v1/setup_intents', {
        'created[gte]': String(secondsOf(input.createdAt) - clockToleranceSeconds),
        'created[lte]': String(secondsOf(input.createdAt) + setupWindowSeconds),
        // More of them could exceed the maximum size of a response.
        limit: '50',
      })
    case 'refunds':
      return get(context, '/v1/refunds', { payment_intent: target.intentId, limit: '100' })
    default:
      return probe(context)
  }
}

/** Cancels the intent of an authorization or verification. Other operations cannot be closed, so they are looked up. */
export function close(input: LookupInput, context: Context): HttpCall {
  const path = cancelPathOf(input)
  if (path === null) return lookUp(input, context)
  // The key changes every ten minutes: Stripe would repeat the stored response to an earlier attempt, even a 500.
  const attempt = Math.floor(context.now.getTime() / 600_000)
  return post(context, path, `${input.reference}-close-${attempt}`, {})
}

/** Null if the operation cannot be closed, or not yet because its intent is unknown. */
export function cancelPathOf(input: LookupInput): string | null {
  const target = lookupTargetOf(input)
  if (input.kind === 'authorize' && target.object === 'payment_intent')
    return `/v1/payment_intents/${target.id}/cancel`
  return target.object === 'setup_intent' ? `/v1/setup_intents/${target.id}/cancel` : null
}

export function detach({ token }: ForgetInput, context: Context): HttpCall {
  const card = stripeCardOf(token)
  if (card === null) return probe(context)
  return post(context, `/v1/payment_methods/${card.method}/detach`, `forget-${card.method}`, {})
}

/** Reads one payment. The secret key needs the same permissions for this as for a lookup. */
export function probe(context: Context): HttpCall {
  return get(context, '/v1/payment_intents', { limit: '1', 'expand[0]': 'data.latest_charge' })
}

/** The limit of the description of a PaymentIntent. Payments here may have longer descriptions. */
const maxDescription = 1_000
/** The clock of Stripe may differ from ours. */
const clockToleranceSeconds = 300
/** A SetupIntent may have been created by the last replay of the operation. */
const setupWindowSeconds = 24 * 60 * 60

/** The members that a PaymentIntent and a SetupIntent have in common. The caller has checked the card. */
function cardForm(input: OperationInput): Form {
  const { instrument } = input
  const saved = instrument?.type === 'token' ? stripeCardOf(instrument.token) : null
  const isConfirmation = saved?.method.startsWith('ctoken_') === true
  return {
    allowed_payment_method_types: ['card'],
    confirm: true,
    confirmation_token: isConfirmation ? saved?.method : null,
    customer: customerOf(input),
    metadata: metadataOf(input),
    payment_method: isConfirmation ? null : saved?.method,
    payment_method_data: instrument?.type === 'card' ? cardData(instrument) : null,
    // A merchant-initiated payment that requires authentication is declined, so the payer is not redirected.
    return_url: input.initiator === 'customer' ? input.returnUrl : null,
    // Without this, a card that Stripe.js has collected would have to be authenticated with Stripe.js instead
    // of a redirect.
    use_stripe_sdk: isConfirmation ? false : null,
  }
}

/** Stripe accepts card numbers only from accounts for which it has enabled the raw card data APIs. */
function cardData({ number, expMonth, expYear, cvc, name }: Extract<Instrument, { type: 'card' }>): Form {
  return {
    type: 'card',
    card: { number, exp_month: expMonth, exp_year: expYear, cvc },
    billing_details: { name },
  }
}

function metadataOf({ reference, paymentId }: OperationInput): Form {
  return { [referenceKey]: reference, [paymentKey]: paymentId }
}

export function secondsOf(at: Date): number {
  return Math.floor(at.getTime() / 1000)
}

export function post(context: Context, path: string, idempotencyKey: string, form: Form): HttpCall {
  const headers = { ...headersOf(context), 'idempotency-key': idempotencyKey }
  return formCall({ method: 'POST', baseUrl: baseUrlOf(context), path, headers, form })
}

export function get(context: Context, path: string, query: Readonly<Record<string, string>>): HttpCall {
  const withQuery = Object.keys(query).length === 0 ? {} : { query }
  const headers = headersOf(context)
  return formCall({ method: 'GET', baseUrl: baseUrlOf(context), path, headers, ...withQuery })
}

function headersOf({ config }: Context): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${config.credentials.secret_key}`, 'stripe-version': apiVersion }
}

function baseUrlOf({ config }: Context): string {
  return config.base_url.replace(/\/+$/, '')
}
