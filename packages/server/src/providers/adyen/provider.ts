/**
 * Adyen, through its Checkout API. Payments cannot be looked up: a repeated request returns the first
 * response for 7 days, and webhooks report every result.
 */
import { Type } from 'typebox'
import { assert } from '../../kernel/assert.ts'
import type { ConnectorConfig, OperationInput, Outcome, Provider, Setup, Step } from '../contract.ts'
import { supportedCurrencies } from './currencies.ts'
import { disputes } from './disputes.ts'
import {
  cancelPayment,
  capturePayment,
  completePayment,
  createPayment,
  deleteStoredCard,
  listPaymentMethods,
  refundPayment,
} from './request.ts'
import {
  completionOutcome,
  credentialCheck,
  isReachable,
  modificationOutcome,
  paymentOutcome,
} from './response.ts'
import { webhookEvents, webhooks } from './webhooks.ts'

const Texts = Type.Record(Type.String(), Type.String())

const Config = Type.Object({
  base_url: Type.String({ maxLength: 1_024, pattern: '^https?://[^\\u0000-\\u0020?#]+$' }),
  settings: Type.Intersect([Type.Object({ merchant_account: Type.String({ minLength: 1 }) }), Texts]),
  credentials: Type.Intersect([Type.Object({ api_key: Type.String({ minLength: 1 }) }), Texts]),
  webhook_secrets: Type.Record(Type.String(), Type.Array(Type.String())),
})

const hexKey = '^[0-9A-Fa-f]{64}$'
const livePrefix = '^[0-9A-Za-z]+(-[0-9A-Za-z]+)+$'

const setup: Setup = {
  name: 'Adyen',
  cardData: 'pan_or_token',
  cardNumbersNeedApproval: true,
  credentials: [
    {
      name: 'api_key',
      label: 'API key',
      help: 'Customer Area > Developers > API credentials. The credential needs the roles Checkout webservice, Merchant PAL webservice and Merchant Recurring, and API dispute management to respond to disputes.',
      required: true,
      use: 'call',
    },
    {
      name: 'hmac_key',
      label: 'HMAC key',
      help: 'Customer Area > Developers > Webhooks > your standard webhook > Security > HMAC key. Create the webhook with a placeholder URL, and replace it with the URL that is shown after the account is added.',
      required: true,
      pattern: { live: hexKey, test: hexKey },
      use: 'webhook',
    },
    {
      name: 'webhook_password',
      label: 'Webhook password',
      help: 'The password of the basic authentication of the webhook, if you use it.',
      required: false,
      use: 'webhook',
    },
  ],
  settings: [
    {
      name: 'merchant_account',
      label: 'Merchant account',
      help: 'The name of the merchant account, as shown in the top left corner of the Customer Area.',
      required: true,
      identifies: true,
    },
    {
      name: 'live_url_prefix',
      label: 'Live URL prefix',
      help: 'Live Customer Area > Developers > API URLs > Prefix. Required in the live environment.',
      required: 'live',
      pattern: { live: livePrefix, test: '' },
    },
    {
      name: 'client_key',
      label: 'Client key',
      help: 'Customer Area > Developers > API credentials > Client settings. It is public. Add the address of the payment page to the allowed origins there. Needed for card fields of Adyen on payment pages.',
      required: false,
      pattern: { live: '^live_[A-Z0-9]{20,60}$', test: '^test_[A-Z0-9]{20,60}$' },
    },
    {
      name: 'client_environment',
      label: 'Client environment',
      help: 'The region of the live account: live (Europe, the default), live-us, live-au, live-apse or live-in.',
      required: false,
      pattern: { live: '^live(-us|-au|-apse|-in)?$', test: '^test$' },
    },
    {
      name: 'webhook_username',
      label: 'Webhook username',
      help: 'The username of the basic authentication of the webhook, if you use it.',
      required: false,
    },
  ],
  emulated: {
    credentials: { api_key: 'emulated-{hex48}', hmac_key: '{hex64}' },
    settings: { merchant_account: 'EmulatedMerchant' },
  },
  domains: ['adyen.com', 'adyenpayments.com'],
  baseUrl(mode, { live_url_prefix: prefix = '' }) {
    if (mode === 'test') return 'https://checkout-test.adyen.com/v72'
    assert(
      new RegExp(livePrefix).test(prefix),
      'The live URL prefix is required: the setup fields require it.',
    )
    return `https://${prefix}-checkout-live.adyenpayments.com/checkout/v72`
  },
  webhookEvents,
  webhookHelp:
    'Customer Area > Developers > Webhooks: create a standard webhook that sends JSON. To save cards, also select the recurring details under Developers > Additional data.',
}

const pay: Step<OperationInput, Outcome, ConnectorConfig> = { build: createPayment, parse: paymentOutcome }

export const adyen: Provider<ConnectorConfig> = {
  id: 'adyen',
  config: Config,
  setup,
  fields: {
    component: 'adyen',
    publicConfig: ({ client_key: key, client_environment: environment }, mode) =>
      key === undefined ? null : { client_key: key, environment: environment ?? mode },
  },
  capabilities: {
    kinds: ['verify', 'authorize', 'capture', 'void', 'refund'],
    brands: 'all',
    currencies: supportedCurrencies,
    countries: 'all',
    amount: null,
    manualCapture: true,
    // Adyen releases the rest of a partially captured authorization, unless its support enabled multiple captures.
    multiCapture: false,
    partialRefund: true,
    threeDSecure: true,
    offSession: true,
    methods: {},
  },
  resolve: {
    // Idempotency keys are valid for at least 7 days. A replay must arrive before that, so the last hour is not used.
    replayHours: 7 * 24 - 1,
    lookup: 'none',
    // A payment can be cancelled by our reference, but the result is asynchronous, and does not cover a payment that is
    // authorized later.
    close: false,
    absentIsFinalAfterMinutes: null,
    webhook: true,
    // After a redirect the card is authorized by `/payments/details`, which only the step `complete` calls.
    completedByUs: true,
  },
  operations: {
    verify: pay,
    authorize: pay,
    capture: { build: capturePayment, parse: modificationOutcome },
    void: { build: cancelPayment, parse: modificationOutcome },
    refund: { build: refundPayment, parse: modificationOutcome },
  },
  complete: { build: completePayment, parse: completionOutcome },
  health: { build: listPaymentMethods, parse: isReachable },
  check: { build: listPaymentMethods, parse: credentialCheck },
  forget: { build: deleteStoredCard, parse: ({ status }) => status === 204 },
  webhooks,
  disputes,
}
