// An example body for each operation that takes one. The compiler requires all of them and checks their members, and
// `packages/sdk/test/api-pages.test.ts` sends each to a server.

import type { Operations } from '../../../packages/sdk/src/index.ts'
import { confirmation } from '../../../packages/server/src/domains/payments/card-tokens/vault.ts'

type Bodies = {
  readonly [Id in keyof Operations as 'body' extends keyof Operations[Id]
    ? Id
    : never]: 'body' extends keyof Operations[Id] ? Operations[Id]['body'] : never
}

/** The same characters as in the examples of the schemas. */
const idOf = (kind: string) => `${kind}_test_01M7CYVGQTEAKSNTBFR026MPQ1`

const account = idOf('provider_account')
const route = {
  name: 'Cards',
  rules: [
    {
      name: 'Large amounts',
      when: { field: 'amount', op: 'gte', value: 100_000 },
      // biome-ignore lint/suspicious/noThenProperty: the member name of the API; the object is never awaited.
      then: { type: 'priority', targets: [account] },
    },
  ],
  default: { type: 'priority', targets: [account] },
} satisfies Operations['payment_routes.lint']['body']
const creditNote = {
  invoice_id: idOf('invoice'),
  reason: 'order_change' as const,
  lines: [{ invoice_line_id: idOf('invoice_line'), amount: 20000 }],
  refund_amount: 20000,
}
const oneOffInvoice = {
  customer_id: idOf('customer'),
  currency: 'eur' as const,
  collection_method: 'send_invoice' as const,
  terms: { days: 14 },
  lines: [{ description: 'Workshop, one day', unit_amount: 120000 }],
}
const recurring = { customer_id: idOf('customer'), items: [{ price_id: idOf('price'), quantity: 3 }] }

export const bodies: Bodies = {
  'workspace.update': { name: 'Shop', branding: { display_name: 'Example Shop', accent_color: '#0b6e4f' } },
  'people.update': { role: 'SUPPORT' },
  'people.sign_out': { remove_passkeys: true },
  'invitations.create': { email: 'grace@example.com', role: 'DEVELOPER' },
  'api_tokens.create': { name: 'Shop server', role: 'DEVELOPER' },
  'api_tokens.roll': { overlap_seconds: 3600 },
  'test_clocks.create': { now_at: '2027-03-01T00:00:00.000Z', name: 'A year of billing' },
  'test_clocks.advance': { by: 'P1M' },
  'customers.create': { name: 'Ada Lovelace', email: 'ada@example.com', metadata: { order: '4711' } },
  'customers.update_payment_method_link': { return_url: 'https://shop.example.com/account' },
  'customers.update': { phone: '+442071234567', metadata: { order: null } },
  'provider_accounts.create': {
    provider: 'custom',
    display_name: 'Our acquirer',
    config: { base_url: 'https://acquirer.example.com/switchyard' },
  },
  'provider_accounts.update': { display_name: 'Our acquirer', position: 2 },
  'provider_accounts.hold': { reason: 'Maintenance', until_at: '2036-11-15T06:00:00.000Z' },
  'provider_accounts.rotate_secret': { overlap_seconds: 3600 },
  'payment_routes.create': { ...route, is_default: true },
  'payment_routes.update': { ...route, draft: true },
  'payment_routes.lint': route,
  'payment_routes.simulate': { operands: { amount: 129_900, currency: 'eur' } },
  'tokens.create': {
    type: 'card',
    card: { number: '4242 4242 4242 4242', exp_month: 12, exp_year: 2036, cvc: '123' },
  },
  'settlement_imports.create': {
    provider_account_id: idOf('provider_account'),
    format: 'stripe_payout_reconciliation',
    file_name: 'november.csv',
  },
  'settlement_lines.resolve': { resolution: 'fee', note: 'Monthly fee, see invoice 4711.' },
  'vault.confirm': { confirmation },
  'payment_methods.create': { token: idOf('token'), usage: 'off_session' },
  'payment_methods.update': { card: { exp_month: 12, exp_year: 2040 } },
  'payment_methods.create_credential': { provider_account_id: idOf('provider_account') },
  'payment_methods.attach': { customer_id: idOf('customer') },
  'payments.create': {
    amount: 1299,
    currency: 'eur',
    payment_method_id: idOf('payment_method'),
    order_reference: '4711',
  },
  'payments.update': { description: 'A book', metadata: { order: '4711' } },
  'payments.capture': { amount: 1000 },
  'payments.resolve_operation': { outcome: 'not_processed', note: 'Not in the provider report of that day.' },
  'portal_sessions.create': {
    customer_id: idOf('customer'),
    return_url: 'https://shop.example.com/account',
  },
  'cancellation_requests.accept': { at: 'period_end' },
  'cancellation_requests.reject': { note: 'The contract has already ended.' },
  'portal_configuration.update': { pause: true, switch_plan: { price_ids: [idOf('price')] } },
  'mail_settings.update': { reply_to: 'support@example.com', kinds: { payment_failed: true } },
  'tax_provider.update': { provider: 'stripe_tax', config: { secret_key: 'rk_test_1aB2cD3eF4gH5iJ6' } },
  'seller.update': {
    legal_name: 'Example GmbH',
    address: { line1: 'Unter den Linden 1', postal_code: '10117', city: 'Berlin', country: 'DE' },
    tax_ids: [{ type: 'eu_vat', value: 'DE123456789' }],
    time_zone: 'Europe/Berlin',
  },
  'tax_rates.create': { name: 'Germany 19%', percentage: '19', country: 'DE' },
  'tax_rates.update': { active: false },
  'tax_rules.create': { tax_rate_id: idOf('tax_rate'), country: 'DE' },
  'tax_rules.preview': { customer_id: idOf('customer') },
  'mail_settings.preview': { kind: 'payment_failed', locale: 'de' },
  'files.create': { purpose: 'receipt', name: 'receipt.pdf', content: 'JVBERi0xLjcK' },
  'disputes.update': { evidence: { explanation: 'The customer received the order on 14 November.' } },
  'refunds.create': { payment_id: idOf('payment'), amount: 300, reason: 'requested_by_customer' },
  'export_destinations.create': {
    name: 'Data warehouse',
    endpoint_url: 'https://s3.eu-central-1.amazonaws.com',
    region: 'eu-central-1',
    bucket: 'example-exports',
    prefix: 'switchyard',
    access_key_id: 'AKIAIOSFODNN7EXAMPLE',
    secret_access_key: 'wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY',
    of: ['payments', 'journal'],
    format: 'parquet',
  },
  'export_destinations.update': { of: ['payments', 'refunds', 'journal'] },
  'exports.create': { of: 'journal', format: 'csv', from: '2026-11-01', to: '2026-11-30' },
  'journal_settings.update': { accounts: [{ account: 'clearing', number: '1360' }] },
  'products.create': { name: 'Team plan', unit_label: 'seat', features: ['Support by e-mail'] },
  'products.update': { description: 'For up to 50 people', default_price_id: idOf('price') },
  'meters.create': { event_name: 'api_request', aggregation: 'sum', dimensions: ['region'] },
  'meter_events.cancel': { events: [{ event_name: 'api_request', id: 'req_8f14e45f' }] },
  'meter_events.create': {
    events: [
      {
        id: 'req_8f14e45f',
        event_name: 'api_request',
        customer_id: idOf('customer'),
        value: '1.5',
        dimensions: { region: 'eu' },
      },
    ],
  },
  'usage_alerts.create': {
    meter_id: idOf('meter'),
    name: '80% of the included requests',
    threshold: '8000',
  },
  'usage_alerts.update': { active: false },
  'prices.create': {
    product_id: idOf('product'),
    currency: 'eur',
    unit_amount: 1500,
    recurring: { interval: 'month' },
    lookup_key: 'team-monthly',
  },
  'prices.update': { nickname: 'Monthly, from March on', active: true },
  'coupons.create': { name: 'Spring offer', percent_off: '20', duration: 'periods', duration_periods: 3 },
  'coupons.update': { active: false },
  'customers.update_discounts': { discounts: [{ coupon_id: idOf('coupon') }] },
  'promotion_codes.create': { coupon_id: idOf('coupon'), code: 'SPRING20', max_redemptions: 100 },
  'promotion_codes.update': { active: false },
  'credit_notes.create': creditNote,
  'credit_notes.preview': creditNote,
  'invoices.create': oneOffInvoice,
  'invoices.preview': oneOffInvoice,
  'invoices.update': { terms: { days: 30 }, purchase_order: 'PO-4711' },
  'invoices.add_line': { description: 'Travel', unit_amount: 18000 },
  'invoices.update_line': { quantity: 2 },
  'invoices.pay': { payment_method_id: idOf('payment_method') },
  'subscriptions.create': { ...recurring, trial: { days: 14 } },
  'subscriptions.update': {
    items: [{ id: idOf('subscription_item'), quantity: 5 }],
    proration: { behaviour: 'invoice_now' },
  },
  'subscriptions.pause': { at: 'period_end', unused_time: 'keep' },
  'subscriptions.resume': { open_invoices: 'collect' },
  'subscriptions.cancel': { at: 'period_end', feedback: 'Too expensive' },
  'subscriptions.preview_create': { ...recurring, trial: { days: 14 } },
  'subscriptions.preview': { action: 'update', items: [{ id: idOf('subscription_item'), quantity: 5 }] },
  'dunning_policies.create': { name: 'Patient', retry_days: [3, 10, 20], grace: 'campaign' },
  'dunning_policies.update': { final: { subscription: 'pause', invoice: 'leave_open' } },
  'payment_links.create': {
    currency: 'eur',
    line_items: [{ name: 'A book', unit_amount: 1299, quantity: 1 }],
    collect: ['email'],
  },
  'payment_links.update': { max_completions: 3, description: 'For the reading group' },
  'checkout_sessions.create': {
    amount: 1299,
    currency: 'eur',
    success_url: 'https://shop.example.com/thanks',
    cancel_url: 'https://shop.example.com/basket',
  },
  'public_checkout_sessions.confirm': { token: idOf('token'), email: 'ada@example.com' },
  'webhook_endpoints.create': {
    url: 'https://shop.example.com/webhooks',
    event_types: ['payment.*', 'invoice.paid'],
  },
  'webhook_endpoints.update': { timeout_seconds: 10, rate_limit: 50 },
  'webhook_endpoints.enable': { recover: 'held' },
  'webhook_endpoints.rotate_secret': { overlap_seconds: 3600 },
  'webhook_endpoints.test': { type: 'customer.created' },
  'events.resend': { webhook_endpoint_ids: [idOf('webhook_endpoint')] },
  'webhook_recoveries.create': { since_at: '2026-11-14T12:00:00.000Z', states: ['held', 'exhausted'] },
}
