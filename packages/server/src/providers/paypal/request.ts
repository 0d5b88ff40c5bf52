/** Builds the calls of the Orders, Payments and Vault APIs. Equal input always produces an identical request. */
import { assert } from '../../kernel/assert.ts'
import type { Money } from '../../kernel/money.ts'
import type {
  BuildContext,
  CompleteInput,
  ConnectorConfig,
  ForgetInput,
  HttpCall,
  Instrument,
  LookupInput,
  OperationInput,
} from '../contract.ts'
import { formCall, jsonCall } from '../http-call.ts'
import { toDecimal } from '../provider-amounts.ts'

type Context = BuildContext<ConnectorConfig>

/** Added to the URL to which PayPal sends a payer who cancels the authentication. */
export const cancelledParam = 'switchyard_cancelled'

/**
 * Identifies our refunds. A refund that is made in the dashboard of PayPal inherits the ids of its capture,
 * so the ids of our refunds must differ from those of their captures.
 */
export const refundMarkOf = (reference: string): string => `${reference}.refund`

export const intentOf = ({ capture }: { readonly capture: boolean }) => (capture ? 'CAPTURE' : 'AUTHORIZE')

/** PayPal captures or authorizes an order with a card in this call, unless the payer must authenticate first. */
export function createOrder(input: OperationInput, context: Context): HttpCall {
  const { reference, instrument, description, statementDescriptor } = input
  assert(
    instrument !== null,
    'An order needs a card: without one, PayPal creates an order that is never paid.',
  )
  return post(context, '/v2/checkout/orders', reference, {
    intent: intentOf(input),
    purchase_units: [
      {
        // PayPal returns this member even in its shortest responses.
        reference_id: reference,
        // PayPal can be configured to reject a second payment with the same invoice id.
        invoice_id: reference,
        custom_id: input.paymentId,
        amount: amountOf(input.money),
        description: description?.slice(0, 127) || undefined,
        soft_descriptor: softDescriptorOf(statementDescriptor),
      },
    ],
    payment_source: { card: cardOf(input, instrument, context) },
  })
}

/**
 * Captures or authorizes the order after the payer has authenticated. A payer who cancelled must not be charged, so
 * the order is only read.
 */
export function completeOrder(input: CompleteInput, context: Context): HttpCall {
  const path = `/v2/checkout/orders/${idOf(input.providerReference)}`
  if (cancelledParam in input.returnParams) return get(context, path, input.reference)
  const action = input.capture ? 'capture' : 'authorize'
  return post(context, `${path}/${action}`, `${input.reference}-complete`, {})
}

export function captureAuthorization(input: OperationInput, context: Context): HttpCall {
  const { reference, parent, money, final, statementDescriptor } = input
  const path = `/v2/payments/authorizations/${idOf(parent?.providerReference)}/capture`
  return post(context, path, reference, {
    amount: amountOf(money),
    final_capture: final,
    invoice_id: reference,
    soft_descriptor: softDescriptorOf(statementDescriptor),
  })
}

export function voidAuthorization({ reference, parent }: OperationInput, context: Context): HttpCall {
  return post(context, `/v2/payments/authorizations/${idOf(parent?.providerReference)}/void`, reference)
}

/** The provider reference of an authorization that was captured immediately is the capture id. */
export function refundCapture(input: OperationInput, context: Context): HttpCall {
  const { reference, money, captures, parent } = input
  // One call refunds one capture. PayPal rejects the refund if this capture was already refunded.
  const capture = captures.find((earlier) => earlier.money.amount >= money.amount) ?? captures[0] ?? parent
  const mark = refundMarkOf(reference)
  return post(context, `/v2/payments/captures/${idOf(capture?.providerReference)}/refund`, reference, {
    amount: amountOf(money),
    invoice_id: mark,
    custom_id: mark,
  })
}

/** An open authorization is known by its order id. A void has no id of its own. */
export function lookUp(input: LookupInput, context: Context): HttpCall {
  const { kind, reference, parent, providerReference } = input
  if (kind === 'capture') return get(context, `/v2/payments/captures/${idOf(providerReference)}`, reference)
  if (kind === 'refund') return get(context, `/v2/payments/refunds/${idOf(providerReference)}`, reference)
  if (kind === 'void')
    return get(context, `/v2/payments/authorizations/${idOf(parent?.providerReference)}`, reference)
  return get(context, `/v2/checkout/orders/${idOf(providerReference)}`, reference)
}

export function deleteToken({ token }: ForgetInput, context: Context): HttpCall {
  return call(context, 'DELETE', `/v3/vault/payment-tokens/${idOf(token)}`, {})
}

export function listWebhooks(_: null, context: Context): HttpCall {
  return call(context, 'GET', '/v1/notifications/webhooks', {})
}

export function fetchAccessToken(_: null, { config }: Context): HttpCall {
  const { client_id: id = '', client_secret: secret = '' } = config.credentials
  return formCall({
    method: 'POST',
    baseUrl: baseUrlOf(config),
    path: '/v1/oauth2/token',
    headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
    form: { grant_type: 'client_credentials' },
  })
}

function cardOf(input: OperationInput, instrument: Instrument, { config }: Context): object {
  const { initiator, returnUrl, storedCredential, threeDSecure } = input
  const withPayer = initiator === 'customer'
  const savesCard =
    storedCredential.use === 'first' && instrument.type === 'card' && config.settings.vault === 'on'
  const attributes = {
    ...(withPayer
      ? { verification: { method: threeDSecure === 'required' ? 'SCA_ALWAYS' : 'SCA_WHEN_REQUIRED' } }
      : {}),
    ...(savesCard ? { vault: { store_in_vault: 'ON_SUCCESS' } } : {}),
  }
  return {
    ...(instrument.type === 'token' ? { vault_id: instrument.token } : cardNumberOf(input, instrument)),
    attributes: Object.keys(attributes).length === 0 ? undefined : attributes,
    stored_credential: storedCredentialOf(input, instrument),
    experience_context:
      withPayer && returnUrl !== null
        ? { return_url: returnUrl, cancel_url: cancelUrlOf(returnUrl) }
        : undefined,
  }
}

function cardNumberOf(
  { billing, initiator }: OperationInput,
  card: Extract<Instrument, { type: 'card' }>,
): object {
  const name = card.name ?? textIn(billing, 'name')
  return {
    number: card.number,
    expiry: `${card.expYear}-${String(card.expMonth).padStart(2, '0')}`,
    // PayPal rejects a security code in payments that the merchant initiates.
    security_code: initiator === 'customer' ? card.cvc : undefined,
    name: name?.slice(0, 300),
    billing_address: billingAddressOf(billing),
  }
}

/** The kind of later payments is not known when a card is saved: unscheduled payments include recurring ones. */
function storedCredentialOf(
  { storedCredential: { use, networkTransactionId }, initiator }: OperationInput,
  instrument: Instrument,
): object | undefined {
  if (initiator === 'merchant')
    return {
      payment_initiator: 'MERCHANT',
      payment_type: 'UNSCHEDULED',
      usage: use === 'subsequent' ? 'SUBSEQUENT' : 'DERIVED',
      previous_network_transaction_reference: previousTransactionOf(networkTransactionId, instrument),
    }
  if (use === 'none') return undefined
  return use === 'first'
    ? { payment_initiator: 'CUSTOMER', payment_type: 'UNSCHEDULED', usage: 'FIRST' }
    : { payment_initiator: 'CUSTOMER', payment_type: 'ONE_TIME', usage: 'SUBSEQUENT' }
}

/**
 * PayPal knows the first transaction of its own saved cards. For networks other than Visa and American Express it
 * also requires the date of that transaction, which is not stored.
 */
function previousTransactionOf(id: string | null, instrument: Instrument): object | undefined {
  if (id === null || instrument.type === 'token' || !['visa', 'amex'].includes(instrument.brand))
    return undefined
  return /^[\w\-@.:&+=*^'~#!$%()]{9,36}$/.test(id) ? { id } : undefined
}

function billingAddressOf(billing: OperationInput['billing']): object | undefined {
  const address = billing?.address as Readonly<Record<string, unknown>> | null | undefined
  const country = textIn(address, 'country')
  if (country === undefined) return undefined
  return {
    address_line_1: textIn(address, 'line1')?.slice(0, 300),
    address_line_2: textIn(address, 'line2')?.slice(0, 300),
    admin_area_2: textIn(address, 'city')?.slice(0, 120),
    admin_area_1: textIn(address, 'state')?.slice(0, 300),
    postal_code: textIn(address, 'postal_code')?.slice(0, 60),
    country_code: country,
  }
}

function textIn(
  object: Readonly<Record<string, unknown>> | null | undefined,
  name: string,
): string | undefined {
  const value = object?.[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The characters that card statements can show. */
function softDescriptorOf(text: string | null): string | undefined {
  return text?.replace(/[^A-Za-z0-9 .*-]/g, '').slice(0, 22) || undefined
}

function cancelUrlOf(returnUrl: string): string {
  const url = new URL(returnUrl)
  url.searchParams.set(cancelledParam, '1')
  return url.href
}

const amountOf = (money: Money) => ({ currency_code: money.currency.toUpperCase(), value: toDecimal(money) })

/** An id that is part of a path. */
function idOf(id: string | null | undefined): string {
  assert(
    id && /^[\w-]{1,255}$/.test(id),
    'The id of a PayPal object must be known, with 1 to 255 letters, digits, - or _.',
  )
  return id
}

const baseUrlOf = ({ base_url: url }: ConnectorConfig) => url.replace(/\/+$/, '')

function post(context: Context, path: string, requestId: string, body?: object): HttpCall {
  const headers = { 'paypal-request-id': requestId, prefer: 'return=representation' }
  return call(context, 'POST', path, headers, body)
}

/** The header with the reference is for people who search the logs of a proxy; PayPal ignores it. */
function get(context: Context, path: string, reference: string): HttpCall {
  return call(context, 'GET', path, { 'switchyard-reference': reference })
}

function call(
  { config, accessToken }: Context,
  method: HttpCall['method'],
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): HttpCall {
  return jsonCall({
    method,
    baseUrl: baseUrlOf(config),
    path,
    headers: { ...(accessToken === null ? {} : { authorization: `Bearer ${accessToken}` }), ...headers },
    ...(body === undefined ? {} : { body }),
  })
}
