/**
 * Mollie (Payments API v2): iDEAL, Bancontact and PayPal, and card payments with tokens of Mollie Components
 * or with saved cards, which a customer and a mandate identify. For 3-D Secure the payer is redirected to
 * Mollie's checkout.
 */
import { Type } from 'typebox'
import type {
  Capabilities,
  ConnectorConfig,
  OperationInput,
  Outcome,
  Provider,
  Resolution,
  Setup,
  Step,
} from '../contract.ts'
import { bancontact, ideal, operationKinds, paypalIn } from '../contract.ts'
import { supportedCurrencies } from './currencies.ts'
import {
  createCapture,
  createCustomer,
  createPayment,
  createRefund,
  getCardMethod,
  getOperation,
  needsCustomer,
  releaseAuthorization,
  revokeMandate,
} from './request.ts'
import {
  captureOutcome,
  completedOutcome,
  createdCustomer,
  credentialCheck,
  foundByLookup,
  isRevoked,
  paymentOutcome,
  refundOutcome,
  releaseOutcome,
} from './response.ts'
import { webhooks } from './webhooks.ts'

const capabilities: Capabilities = {
  kinds: operationKinds,
  // Mollie Components accepts a card only if the profile supports its brand.
  brands: 'all',
  currencies: supportedCurrencies,
  countries: 'all',
  amount: null,
  manualCapture: true,
  // By default, Mollie releases the rest of a card authorization after the first capture.
  multiCapture: false,
  partialRefund: true,
  threeDSecure: true,
  offSession: true,
  // Mollie supports PayPal in more currencies; these are the ones that every PayPal account accepts.
  methods: { ideal, bancontact, paypal: paypalIn(['eur', 'gbp', 'usd']) },
}

const resolve: Resolution = {
  /**
   * Mollie keeps idempotency keys for one hour (docs.mollie.com, API idempotency, 2026-10; an older version of the
   * page says 24 hours). A replay must arrive before that, so the last 15 minutes are not used.
   */
  replayHours: 0.75,
  lookup: 'provider_id',
  // A payment can be canceled only if Mollie allows it, and not without its id.
  close: false,
  absentIsFinalAfterMinutes: null,
  // A webhook does not say which capture or refund has changed.
  webhook: false,
  completedByUs: false,
}

const setup: Setup = {
  name: 'Mollie',
  cardData: 'token',
  credentials: [
    {
      name: 'api_key',
      label: 'API key',
      help: 'In the Mollie dashboard under Developers, API keys. Use the key of the profile that Mollie Components uses.',
      required: true,
      use: 'call',
      pattern: { live: '^live_\\w+$', test: '^test_\\w+$' },
    },
  ],
  settings: [
    {
      name: 'profile_id',
      label: 'Profile id',
      help: 'In the Mollie dashboard under Developers, API keys. It begins with pfl_ and is public. Needed for card fields of Mollie on payment pages.',
      required: false,
      pattern: { live: '^pfl_[A-Za-z0-9]{4,60}$', test: '^pfl_[A-Za-z0-9]{4,60}$' },
    },
  ],
  emulated: {
    credentials: { api_key: 'test_{hex30}' },
    settings: {},
  },
  domains: ['mollie.com'],
  baseUrl: () => 'https://api.mollie.com',
  webhookEvents: [],
  webhookHelp: 'Nothing has to be created at Mollie: the webhook URL is sent with each payment.',
}

const pay: Step<OperationInput, Outcome, ConnectorConfig> = { build: createPayment, parse: paymentOutcome }

export const mollie: Provider<ConnectorConfig> = {
  id: 'mollie',
  vaultObstacle: 'Mollie accepts no card numbers.',
  config: Type.Object({
    base_url: Type.String(),
    settings: Type.Record(Type.String(), Type.String()),
    credentials: Type.Object({ api_key: Type.String() }),
    webhook_secrets: Type.Record(Type.String(), Type.Array(Type.String())),
  }),
  setup,
  fields: {
    component: 'mollie',
    publicConfig: ({ profile_id: id }, mode) =>
      id === undefined ? null : { profile_id: id, testmode: String(mode === 'test') },
  },
  capabilities,
  resolve,
  operations: {
    verify: pay,
    authorize: pay,
    capture: { build: createCapture, parse: captureOutcome },
    void: { build: releaseAuthorization, parse: releaseOutcome },
    refund: { build: createRefund, parse: refundOutcome },
  },
  complete: { build: getOperation, parse: completedOutcome },
  lookup: { build: getOperation, parse: foundByLookup },
  health: { build: getCardMethod, parse: ({ status }) => status === 200 },
  check: { build: getCardMethod, parse: credentialCheck },
  customers: { isNeeded: needsCustomer, create: { build: createCustomer, parse: createdCustomer } },
  forget: { build: revokeMandate, parse: isRevoked },
  webhooks,
}
