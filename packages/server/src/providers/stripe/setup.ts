/** How an account is set up: the values that the merchant enters, and the events of the webhook. */
import type { Setup } from '../contract.ts'
import { apiVersion } from './wire.ts'

export const eventTypes = [
  'charge.dispute.closed',
  'charge.dispute.created',
  'charge.dispute.funds_reinstated',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.updated',
  'payment_intent.amount_capturable_updated',
  'payment_intent.canceled',
  'payment_intent.payment_failed',
  'payment_intent.processing',
  'payment_intent.requires_action',
  'payment_intent.succeeded',
  'refund.created',
  'refund.failed',
  'refund.updated',
  'setup_intent.canceled',
  'setup_intent.requires_action',
  'setup_intent.setup_failed',
  'setup_intent.succeeded',
] as const

export const setup: Setup = {
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

/**
 * Stripe appends the suffix to the prefix of the account, which has up to 10 characters, and a separator. The whole
 * text may have 22 characters. An invalid suffix would make Stripe reject the payment.
 */
export function statementSuffix(text: string): string | null {
  const suffix = text
    .replace(/[^\x20-\x7e]|[<>\\'"*]/g, '')
    .slice(0, 10)
    .trim()
  return /[A-Za-z]/.test(suffix) ? suffix : null
}

/** Null unless it is the id of a PaymentIntent, which becomes part of a path. */
export function intentIdOf(providerReference: string | null | undefined): string | null {
  return providerReference && /^pi_[A-Za-z0-9_]+$/.test(providerReference) ? providerReference : null
}
