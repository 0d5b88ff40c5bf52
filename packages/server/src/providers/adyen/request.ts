/** Builds the calls of Adyen's Checkout API, version 72. Equal input always produces an identical request. */
import { createHash } from 'node:crypto'
import { assert } from '../../kernel/assert.ts'
import { canonical } from '../../kernel/json.ts'
import type { Money } from '../../kernel/money.ts'
import type {
  BuildContext,
  CompleteInput,
  ConnectorConfig,
  Device,
  ForgetInput,
  HttpCall,
  OperationInput,
} from '../contract.ts'
import { jsonCall } from '../http-call.ts'
import { toProviderAmount } from '../provider-amounts.ts'
import { exponents } from './currencies.ts'

type Context = BuildContext<ConnectorConfig>

/** `authorize` and `verify`. The merchant reference of the payment is our reference. */
export function createPayment(input: OperationInput, context: Context): HttpCall {
  const body = { ...paymentOf(input), ...accountOf(context) }
  return post(context, '/payments', { key: input.reference, body })
}

export function capturePayment(input: OperationInput, context: Context): HttpCall {
  return modify(input, context, { path: 'captures', body: { amount: amountOf(input.money) } })
}

export function refundPayment(input: OperationInput, context: Context): HttpCall {
  return modify(input, context, { path: 'refunds', body: { amount: amountOf(input.money) } })
}

/** A payment whose PSP reference is unknown is cancelled by its merchant reference. */
export function cancelPayment(input: OperationInput, context: Context): HttpCall {
  const { parent, reference: key } = input
  if (pspReferenceOf(parent) !== null) return modify(input, context, { path: 'cancels', body: {} })
  const reference = modificationReference(input)
  const body = { reference, paymentReference: parent?.reference, ...accountOf(context) }
  return post(context, '/cancels', { key, body })
}

/**
 * The PSP reference of a payment; null if it is unknown. Adyen may omit it from the response that redirects the payer.
 * Until the payment is completed, our own reference is stored in its place.
 */
export function pspReferenceOf(parent: OperationInput['parent']): string | null {
  return parent === null || parent.providerReference === parent.reference ? null : parent.providerReference
}

/**
 * The merchant reference of a capture, cancellation or refund. The suffix distinguishes it from the reference of a
 * payment: Adyen reports a refund that was made in the Customer Area with the reference of its payment.
 */
export function modificationReference({ reference, kind }: Pick<OperationInput, 'reference' | 'kind'>) {
  return `${reference}-${kind}`
}

/** The return parameters identify the payment and the account. */
export function completePayment(input: CompleteInput, context: Context): HttpCall {
  const details = completionDetails(input)
  return post(context, '/payments/details', { key: completionKey(input), body: { details } })
}

/**
 * The key depends on the return parameters: the payer may be redirected twice, and an equal key would return the first
 * response again.
 */
export function completionKey(input: CompleteInput): string {
  const digest = createHash('sha256')
    .update(canonical(completionDetails(input)))
    .digest('hex')
  return `${input.reference}-${digest.slice(0, 16)}`
}

/** The return parameters of a redirect. Others, such as those that a payer adds, are not passed on. */
function completionDetails({ returnParams }: CompleteInput): object {
  const { redirectResult, payload, MD, PaRes } = returnParams
  if (redirectResult !== undefined) return { redirectResult }
  return payload === undefined ? { MD, PaRes } : { payload }
}

/** Changes nothing, and needs a valid API key and merchant account. */
export function listPaymentMethods(_: null, context: Context): HttpCall {
  return post(context, '/paymentMethods', { key: null, body: accountOf(context) })
}

export function deleteStoredCard({ token }: ForgetInput, { config }: Context): HttpCall {
  const { shopperReference, id } = storedCardOf(token)
  return jsonCall({
    method: 'DELETE',
    baseUrl: baseUrlOf(config),
    path: `/storedPaymentMethods/${pathSegment(id)}`,
    query: {
      merchantAccount: config.settings.merchant_account ?? '',
      shopperReference: shopperReference ?? '',
    },
    headers: { 'x-api-key': config.credentials.api_key ?? '' },
  })
}

export function tokenOf(shopperReference: string, storedPaymentMethodId: string): string {
  return `${shopperReference}/${storedPaymentMethodId}`
}

/** Null for a token without a shopper reference, which was not created by this connector. */
export function storedCardOf(token: string): { shopperReference: string | null; id: string } {
  const slash = token.lastIndexOf('/')
  return { shopperReference: slash < 1 ? null : token.slice(0, slash), id: token.slice(slash + 1) }
}

function paymentOf(input: OperationInput): object {
  const { billing } = input
  return {
    reference: input.reference,
    amount: amountOf(input.money),
    paymentMethod: paymentMethodOf(input),
    returnUrl: input.returnUrl ?? undefined,
    shopperEmail: input.customer?.email ?? textIn(billing, 'email'),
    shopperStatement: input.statementDescriptor ?? undefined,
    billingAddress: billingAddressOf(billing),
    // Adyen limits the names of metadata members to 20 characters.
    metadata: { switchyard_payment: input.paymentId },
    ...captureOf(input),
    ...storedCredentialOf(input),
    ...(input.initiator === 'customer' ? authenticationOf(input) : {}),
  }
}

/**
 * Both members override the capture setting of the account. With a delay of 0 hours Adyen captures the payment
 * immediately after the authorization.
 */
function captureOf({ kind, capture }: OperationInput): object {
  if (kind === 'verify') return {}
  return capture ? { captureDelayHours: 0 } : { additionalData: { manualCapture: 'true' } }
}

function paymentMethodOf({ instrument, storedCredential }: OperationInput): object {
  assert(instrument !== null, 'A payment must have an instrument.')
  if (instrument.type === 'token' && isEncryptedCard(instrument.token))
    return { type: 'scheme', ...encryptedCardOf(instrument.token) }
  if (instrument.type === 'token')
    return { type: 'scheme', storedPaymentMethodId: storedCardOf(instrument.token).id }
  return {
    type: 'scheme',
    number: instrument.number,
    expiryMonth: String(instrument.expMonth).padStart(2, '0'),
    expiryYear: String(instrument.expYear),
    cvc: instrument.cvc,
    holderName: instrument.name,
    networkPaymentReference: storedCredential.networkTransactionId ?? undefined,
  }
}

/**
 * The Card component returns the parts of a card encrypted, as an object. The token of a saved card is not an
 * object.
 */
function isEncryptedCard(token: string): boolean {
  return token.startsWith('{')
}

const encryptedParts = [
  'encryptedCardNumber',
  'encryptedExpiryMonth',
  'encryptedExpiryYear',
  'encryptedSecurityCode',
  'holderName',
] as const

/** Other members, which a payer could have added, are not passed on. */
function encryptedCardOf(token: string): object {
  const parts: Readonly<Record<string, unknown>> = JSON.parse(token)
  return Object.fromEntries(
    encryptedParts.flatMap((name) => (typeof parts[name] === 'string' ? [[name, parts[name]]] : [])),
  )
}

/**
 * A saved card may later be charged without the payer, so the first payment uses the recurring processing
 * model with the strictest rules. Adyen allows a different model for each later payment.
 */
function storedCredentialOf({ storedCredential, instrument, initiator, ...input }: OperationInput): object {
  const { use } = storedCredential
  const isStored = instrument?.type === 'token' && !isEncryptedCard(instrument.token)
  const stored = isStored ? storedCardOf(instrument.token) : null
  if (use === 'none' && stored === null) return { shopperInteraction: 'Ecommerce' }
  const isFirst = use === 'first' && stored === null
  const isCustomerInitiated = initiator === 'customer' && use === 'subsequent'
  return {
    shopperReference: stored?.shopperReference ?? input.customer?.id ?? input.paymentId,
    // The initiator is the merchant if another provider has already verified the card: the payer is not
    // present.
    shopperInteraction: isFirst && initiator === 'customer' ? 'Ecommerce' : 'ContAuth',
    recurringProcessingModel: isCustomerInitiated ? 'CardOnFile' : 'UnscheduledCardOnFile',
    storePaymentMethod: isFirst ? true : undefined,
  }
}

/** Native 3-D Secure 2 needs Adyen's component in the payment page, so it is disabled: Adyen redirects instead. */
function authenticationOf({ threeDSecure, returnUrl, device }: OperationInput): object {
  return {
    authenticationData: {
      attemptAuthentication: threeDSecure === 'required' ? 'always' : undefined,
      threeDSRequestData: { nativeThreeDS: 'disabled' },
    },
    channel: 'Web',
    origin: returnUrl === null ? undefined : (URL.parse(returnUrl)?.origin ?? undefined),
    browserInfo: device === null ? undefined : browserInfoOf(device),
    shopperIP: device?.ip ?? undefined,
  }
}

/**
 * 3-D Secure on the web needs all members. The first two are enough for Adyen to redirect the payer.
 */
function browserInfoOf(device: Device): object | undefined {
  const { userAgent, acceptHeader } = device
  if (userAgent === null || acceptHeader === null) return undefined
  const screen = {
    language: device.language,
    colorDepth: device.colorDepth,
    screenWidth: device.screenWidth,
    screenHeight: device.screenHeight,
    timeZoneOffset: device.timeZoneOffsetMinutes,
    javaEnabled: device.javaEnabled,
  }
  const isComplete = Object.values(screen).every((member) => member !== null)
  return { userAgent, acceptHeader, ...(isComplete ? screen : {}) }
}

/** Adyen requires all members except the state. An address that lacks one is omitted. */
function billingAddressOf(billing: OperationInput['billing']): object | undefined {
  const address = billing?.address
  const street = textIn(address, 'line1')
  const city = textIn(address, 'city')
  const postalCode = textIn(address, 'postal_code')
  const country = textIn(address, 'country')
  const state = textIn(address, 'state')
  if (!street || !city || !postalCode || !country || postalCode.length > 10) return undefined
  return {
    // Our first line contains the house number. Adyen's own plugins send an empty string in this case.
    houseNumberOrName: textIn(address, 'line2') ?? '',
    street,
    city,
    postalCode,
    country,
    stateOrProvince: state && /^[A-Z]{2,3}$/.test(state) ? state : undefined,
  }
}

function textIn(value: unknown, name: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const member = (value as Readonly<Record<string, unknown>>)[name]
  return typeof member === 'string' && member !== '' ? member : undefined
}

function amountOf(money: Money): { currency: string; value: number } {
  const value = Number(toProviderAmount(money, exponents))
  assert(
    Number.isSafeInteger(value),
    'An amount must be a safe integer: the schema of the request requires it.',
  )
  return { currency: money.currency.toUpperCase(), value }
}

type Modification = { readonly path: 'captures' | 'cancels' | 'refunds'; readonly body: object }

function modify(input: OperationInput, context: Context, { path, body }: Modification): HttpCall {
  const pspReference = pspReferenceOf(input.parent)
  assert(pspReference !== null, 'A payment that was authorized must have a PSP reference.')
  return post(context, `/payments/${pathSegment(pspReference)}/${path}`, {
    key: input.reference,
    body: { ...body, reference: modificationReference(input), ...accountOf(context) },
  })
}

/** Encoding is not enough: it does not change `..`, which would address another resource. */
function pathSegment(reference: string): string {
  assert(
    /^[A-Za-z0-9_-]{1,64}$/.test(reference),
    'A reference of Adyen must have 1 to 64 letters, digits, _ or -.',
  )
  return reference
}

function accountOf({ config }: Context): object {
  return { merchantAccount: config.settings.merchant_account }
}

function post(
  { config }: Context,
  path: string,
  { key, body }: { readonly key: string | null; readonly body: object },
): HttpCall {
  return jsonCall({
    method: 'POST',
    baseUrl: baseUrlOf(config),
    path,
    headers: {
      'x-api-key': config.credentials.api_key ?? '',
      ...(key === null ? {} : { 'idempotency-key': key }),
    },
    body,
  })
}

function baseUrlOf({ base_url }: ConnectorConfig): string {
  return base_url.replace(/\/+$/, '')
}
