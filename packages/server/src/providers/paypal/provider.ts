/** PayPal: card payments with the Orders API v2, and their captures, voids and refunds with the Payments API v2. */
import { Type } from 'typebox'
import type { ConnectorConfig, Provider } from '../contract.ts'
import { paypalCurrencies } from './currencies.ts'
import {
  captureAuthorization,
  completeOrder,
  createOrder,
  deleteToken,
  fetchAccessToken,
  listWebhooks,
  lookUp,
  refundCapture,
  voidAuthorization,
} from './request.ts'
import {
  accessTokenIn,
  authorizationCaptured,
  authorizationVoided,
  captureRefunded,
  credentialsChecked,
  lookedUp,
  orderCompleted,
  orderCreated,
  tokenDeleted,
} from './response.ts'
import { webhookEvents, webhooks } from './webhooks.ts'

const Secret = Type.String({ minLength: 1 })

export const paypal: Provider<ConnectorConfig> = {
  id: 'paypal',
  config: Type.Object({
    base_url: Type.String({ minLength: 1 }),
    settings: Type.Object({ vault: Type.Optional(Type.String({ pattern: '^(on|off)$' })) }),
    credentials: Type.Object({ client_id: Secret, client_secret: Secret }),
    webhook_secrets: Type.Object({ webhook_id: Type.Optional(Type.Array(Secret)) }),
  }),
  setup: {
    name: 'PayPal',
    cardData: 'pan_or_token',
    cardNumbersNeedApproval: true,
    credentials: [
      {
        name: 'client_id',
        label: 'Client ID',
        help: 'In the PayPal Developer Dashboard, under Apps & Credentials, in your REST API app.',
        required: true,
        use: 'call',
      },
      {
        name: 'client_secret',
        label: 'Client secret',
        help: 'Next to the client ID of the same app. Sandbox and live have different secrets.',
        required: true,
        use: 'call',
      },
      {
        name: 'webhook_id',
        label: 'Webhook ID',
        help: 'In the webhooks section of the app, after you have added the webhook URL.',
        required: false,
        use: 'webhook',
      },
    ],
    settings: [
      {
        name: 'vault',
        label: 'Save cards at PayPal',
        help: 'Enter on if PayPal has enabled the vault for your account. Without it, cards are not saved at PayPal.',
        required: false,
        pattern: { live: '^(on|off)$', test: '^(on|off)$' },
      },
    ],
    emulated: {
      credentials: { client_id: 'emulated-{hex32}', client_secret: '{hex64}', webhook_id: '{hex16}' },
      settings: {},
    },
    domains: ['paypal.com'],
    baseUrl: (mode) => (mode === 'live' ? 'https://api-m.paypal.com' : 'https://api-m.sandbox.paypal.com'),
    webhookEvents,
    webhookHelp: 'Add the webhook in the PayPal Developer Dashboard, in the app with these credentials.',
  },
  capabilities: {
    kinds: ['authorize', 'capture', 'void', 'refund'],
    brands: 'all',
    currencies: paypalCurrencies,
    countries: 'all',
    amount: null,
    manualCapture: true,
    // PayPal refunds single captures, so a refund could not be split over several of them.
    multiCapture: false,
    partialRefund: true,
    // `complete` pays the order without a separate call that checks the result of the authentication first. So
    // authentication that the merchant requires is not guaranteed.
    threeDSecure: false,
    offSession: true,
    methods: {},
  },
  resolve: {
    // PayPal stores the request ids of orders for 6 hours, and those of captures, voids and refunds for 45 days.
    replayHours: 5,
    lookup: 'provider_id',
    close: false,
    absentIsFinalAfterMinutes: null,
    // PayPal sends no webhook for payments that it declines with an error, and none for voids alone.
    webhook: false,
    completedByUs: true,
  },
  operations: {
    authorize: { build: createOrder, parse: orderCreated },
    capture: { build: captureAuthorization, parse: authorizationCaptured },
    void: { build: voidAuthorization, parse: authorizationVoided },
    refund: { build: refundCapture, parse: captureRefunded },
  },
  complete: { build: completeOrder, parse: orderCompleted },
  lookup: { build: lookUp, parse: lookedUp },
  check: { build: listWebhooks, parse: credentialsChecked },
  forget: { build: deleteToken, parse: tokenDeleted },
  accessToken: { build: fetchAccessToken, parse: accessTokenIn },
  webhooks,
}
