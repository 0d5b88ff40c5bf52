/** Checkout.com: card payments through the Payments API, with a secret key of one processing channel. */
import { Type } from 'typebox'
import {
  type ConnectorConfig,
  type OperationInput,
  type Outcome,
  operationKinds,
  type Provider,
  type Step,
} from '../contract.ts'
import { currencies, maxAmount } from './currencies.ts'
import {
  capturePayment,
  completePayment,
  deleteInstrument,
  lookUp,
  refundPayment,
  requestPayment,
  searchNothing,
  voidPayment,
} from './request.ts'
import { actionOutcome, completedOutcome, credentialCheck, foundOutcome, paymentOutcome } from './response.ts'
import { eventNames, eventsIn, verifySignature } from './webhooks.ts'

const channelPattern = '^pc_[a-z0-9]{26}$'
const prefixPattern = '^(pl-)?[a-z0-9]{1,30}$'
/** A person may choose the key. A short one could be guessed. */
const signatureKeyPattern = '^.{16,}$'
const cityPattern = '^[^\\u0000-\\u001f]{1,13}$'

const Config = Type.Object({
  base_url: Type.String({ maxLength: 1_024, pattern: '^https?://[^\\u0000-\\u0020?#]+[^/]$' }),
  settings: Type.Object({
    processing_channel_id: Type.String({ pattern: channelPattern }),
    prefix: Type.Optional(Type.String({ pattern: prefixPattern })),
    billing_descriptor_city: Type.Optional(Type.String({ pattern: cityPattern })),
  }),
  credentials: Type.Object({ secret_key: Type.String({ minLength: 1 }) }),
  webhook_secrets: Type.Object({
    signature_key: Type.Optional(Type.Array(Type.String({ pattern: signatureKeyPattern }))),
  }),
})

const pay: Step<OperationInput, Outcome, ConnectorConfig> = { build: requestPayment, parse: paymentOutcome }

export const checkoutCom: Provider<ConnectorConfig> = {
  id: 'checkout_com',
  config: Config,
  setup: {
    name: 'Checkout.com',
    cardData: 'pan_or_token',
    cardNumbersNeedApproval: true,
    credentials: [
      {
        name: 'secret_key',
        label: 'Secret API key',
        help: 'In the Checkout.com Dashboard, open Developers, then Keys. The key needs the permissions to request, capture, void, refund and read payments, and to manage instruments.',
        required: true,
        pattern: {
          live: '^sk_(?!sbox_|test_)[a-z0-9]{26}[a-z0-9*#$=]$',
          test: '^sk_sbox_[a-z0-9]{26}[a-z0-9*#$=]$',
        },
        use: 'call',
      },
      {
        name: 'signature_key',
        label: 'Webhook signature key',
        help: 'The signature key of the webhook, which you choose or generate when you create it, with at least 16 characters. Without it, webhooks are rejected, results are only looked up, and a decline whose response was lost needs review.',
        required: false,
        pattern: { live: signatureKeyPattern, test: signatureKeyPattern },
        use: 'webhook',
      },
    ],
    settings: [
      {
        name: 'processing_channel_id',
        label: 'Processing channel ID',
        help: 'In the Checkout.com Dashboard, open Settings, then Account structure. The ID begins with pc_.',
        required: true,
        identifies: true,
        pattern: { live: channelPattern, test: channelPattern },
      },
      {
        name: 'prefix',
        label: 'Base URL prefix',
        help: 'The first eight characters of your client ID without cli_. In the Checkout.com Dashboard, open Settings, then Account structure. The live and sandbox environments have different client IDs.',
        required: true,
        pattern: { live: prefixPattern, test: prefixPattern },
      },
      {
        name: 'billing_descriptor_city',
        label: 'City on statements',
        help: 'Checkout.com requires a city with each statement descriptor, up to 13 characters. Without it, statement descriptors are not sent.',
        required: false,
        pattern: { live: cityPattern, test: cityPattern },
      },
    ],
    emulated: {
      credentials: { secret_key: 'sk_sbox_{hex27}', signature_key: '{hex48}' },
      settings: { processing_channel_id: 'pc_00000000000000000000000000', prefix: 'emulated' },
    },
    domains: ['checkout.com'],
    baseUrl: (mode, { prefix = '' }) => {
      const host = mode === 'test' ? 'api.sandbox.checkout.com' : 'api.checkout.com'
      return `https://${prefix === '' ? '' : `${prefix}.`}${host}`
    },
    webhookEvents: eventNames,
    webhookHelp:
      'In the Checkout.com Dashboard, open Developers, then Webhooks, and create a webhook with this URL, these events and a signature key.',
  },
  capabilities: {
    kinds: operationKinds,
    brands: 'all',
    currencies,
    countries: 'all',
    amount: { min: 1, max: maxAmount },
    manualCapture: true,
    multiCapture: true,
    partialRefund: true,
    threeDSecure: true,
    offSession: true,
    methods: {},
  },
  resolve: {
    // A repeat returns the first response only if that was a success. After an error a repeat is processed again, although
    // the first request may have been processed too. So requests are never repeated.
    replayHours: 0,
    lookup: 'reference',
    close: false,
    // Payments are created before Checkout.com responds. The documentation states no delay after which a
    // search finds a new payment.
    absentIsFinalAfterMinutes: 24 * 60,
    // An accepted action may not be listed yet.
    neverAbsent: ['capture', 'void', 'refund'],
    webhook: true,
    completedByUs: false,
  },
  operations: {
    verify: pay,
    authorize: pay,
    capture: { build: capturePayment, parse: actionOutcome },
    void: { build: voidPayment, parse: actionOutcome },
    refund: { build: refundPayment, parse: actionOutcome },
  },
  complete: { build: completePayment, parse: completedOutcome },
  lookup: { build: lookUp, parse: foundOutcome },
  health: { build: (_, context) => searchNothing(context), parse: ({ status }) => status === 200 },
  check: { build: (_, context) => searchNothing(context), parse: credentialCheck },
  // An unknown instrument counts as deleted.
  forget: { build: deleteInstrument, parse: ({ status }) => status === 204 || status === 404 },
  webhooks: { signature: 'body', verify: verifySignature, parse: eventsIn },
}
