/**
 * The Stripe connector: PaymentIntents for cards that Stripe has tokenized, for card numbers if Stripe
 * has enabled them for the account, and for SEPA debits. For 24 hours Stripe returns the first response to a repeated request,
 * even if that was a server error; then only a lookup can determine the result.
 */
import type { Capabilities, ConnectorConfig, Provider, Resolution, Setup } from '../contract.ts'
import { operationKinds, publicSetting, sepaDebit } from '../contract.ts'
import { currencies } from './currencies.ts'
import { disputes } from './disputes.ts'
import {
  authorize,
  capture,
  close,
  createCustomer,
  detach,
  lookUp,
  needsCustomer,
  probe,
  refund,
  verify,
  voidAuthorization,
} from './request.ts'
import {
  closedOrFound,
  completedIn,
  createdCustomer,
  credentialCheck,
  foundByLookup,
  isForgotten,
  outcomeIn,
} from './response.ts'
import { eventsIn, eventTypes, verifySignature } from './webhooks.ts'
import { apiVersion, Config } from './wire.ts'

const capabilities: Capabilities = {
  kinds: operationKinds,
  brands: 'all',
  currencies,
  countries: 'all',
  // The limits depend on the currency and on the card brand. Stripe rejects other amounts without processing them.
  amount: null,
  manualCapture: true,
  multiCapture: true,
  partialRefund: true,
  threeDSecure: true,
  offSession: true,
  // A bank account can only be saved for a customer, which is created with a call of its own.
  methods: { sepa_debit: { ...sepaDebit, reusable: false } },
}

const resolve: Resolution = {
  // Keys are stored for at least 24 hours. The last hour is a margin for a call that arrives late.
  replayHours: 23,
  lookup: 'reference',
  close: true,
  // The search index is up to an hour behind during an outage. After a server error, Stripe may complete or undo the
  // operation even later, so “not found” is conclusive only after two more days.
  absentIsFinalAfterMinutes: 2 * 24 * 60,
  // A webhook about a cancelled PaymentIntent does not identify the void that cancelled it.
  webhook: false,
  completedByUs: false,
}

const setup: Setup = {
  name: 'Stripe',
  cardData: 'pan_or_token',
  cardNumbersNeedApproval: true,
  credentials: [
    {
      name: 'secret_key',
      label: 'Secret key',
      help: 'In the Stripe Dashboard under Developers, API keys. A restricted key needs write access to PaymentIntents, SetupIntents, customers, refunds, PaymentMethods, disputes and files, and read access to charges.',
      required: true,
      use: 'call',
      pattern: { live: '^(sk|rk)_live_[A-Za-z0-9_]{8,500}$', test: '^(sk|rk)_test_[A-Za-z0-9_]{8,500}$' },
    },
    {
      name: 'signing_secret',
      label: 'Webhook signing secret',
      help: 'In the Stripe Dashboard on the page of the webhook endpoint. It begins with whsec_.',
      required: false,
      use: 'webhook',
      pattern: { live: '^whsec_[A-Za-z0-9+/=_-]{8,500}$', test: '^whsec_[A-Za-z0-9+/=_-]{8,500}$' },
    },
  ],
  settings: [
    {
      name: 'publishable_key',
      label: 'Publishable key',
      help: 'In the Stripe Dashboard under Developers, API keys. It begins with pk_ and is public. Needed for card fields of Stripe on payment pages.',
      required: false,
      pattern: { live: '^pk_live_[A-Za-z0-9_]{8,500}$', test: '^pk_test_[A-Za-z0-9_]{8,500}$' },
    },
    {
      name: 'request_multicapture',
      label: 'Multicapture',
      help: 'if_available if Stripe has enabled multicapture for this account, otherwise never. Default: never.',
      required: false,
      pattern: { live: '^(if_available|never)$', test: '^(if_available|never)$' },
    },
  ],
  emulated: { settings: {}, credentials: { secret_key: 'sk_test_{hex48}', signing_secret: 'whsec_{hex48}' } },
  domains: ['stripe.com'],
  baseUrl: () => 'https://api.stripe.com',
  webhookEvents: eventTypes,
  webhookHelp: `In the Stripe Dashboard under Developers, Webhooks, add an endpoint with these events and the API version ${apiVersion}. With another API version, each event triggers a lookup.`,
}

export const stripe: Provider<ConnectorConfig> = {
  id: 'stripe',
  config: Config,
  capabilities,
  resolve,
  setup,
  fields: { component: 'stripe', publicConfig: publicSetting('publishable_key') },
  operations: {
    verify: { build: verify, parse: outcomeIn },
    authorize: { build: authorize, parse: outcomeIn },
    capture: { build: capture, parse: outcomeIn },
    void: { build: voidAuthorization, parse: outcomeIn },
    refund: { build: refund, parse: outcomeIn },
  },
  complete: { build: lookUp, parse: completedIn },
  lookup: { build: lookUp, parse: foundByLookup },
  close: { build: close, parse: closedOrFound },
  health: { build: (_, context) => probe(context), parse: ({ status }) => status === 200 },
  check: { build: (_, context) => probe(context), parse: credentialCheck },
  customers: { isNeeded: needsCustomer, create: { build: createCustomer, parse: createdCustomer } },
  forget: { build: detach, parse: isForgotten },
  disputes,
  webhooks: { signature: 'time', verify: verifySignature, parse: eventsIn },
  // Multicapture depends on the pricing plan. How Stripe treats the request on other accounts is not documented.
  narrow: ({ settings }) => ({
    capabilities: { ...capabilities, multiCapture: settings.request_multicapture === 'if_available' },
    resolve,
  }),
}
