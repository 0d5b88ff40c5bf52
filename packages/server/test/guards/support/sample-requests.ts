// Sample requests for every operation, so that guards can call all of them. A new operation with a body that
// cannot be empty, or with a new kind of path parameter, needs an entry here.

import { randomUUID } from 'node:crypto'
import { maxDestinations } from '../../../src/domains/finance/exports/destination.ts'
import { confirmation } from '../../../src/domains/payments/card-tokens/vault.ts'
import { formatCursor } from '../../../src/domains/webhooks/events/reader-position.ts'
import { assert } from '../../../src/kernel/assert.ts'
import { type Id, idFromUuid, idMaker, type Kind, type Mode, modeOf } from '../../../src/kernel/id.ts'
import type { Operation } from '../../../src/platform/http/operation.ts'
import { stripeFile } from '../../support/settlement.ts'
import type { Workspace } from '../../support/switchyard.ts'

/** Ids for path parameters, by name. */
export type Ids = { readonly [parameter: string]: string }

const subscriptionInput = {
  customer_id: inventId('customer_id', 'test'),
  items: [{ price_id: inventId('price_id', 'test') }],
}

const creditNoteInput = {
  invoice_id: inventId('invoice_id', 'test'),
  lines: [{ invoice_line_id: inventId('invoice_line_id', 'test'), amount: 100 }],
}

/** Bodies that cannot be empty; every other operation accepts an empty one. */
const bodies: { readonly [operation: string]: object } = {
  'api_tokens.create': { name: 'A token', role: 'READ_ONLY' },
  'invitations.create': { email: 'grace@example.com', role: 'READ_ONLY' },
  'people.update': { role: 'SUPPORT' },
  'invoices.pay': { out_of_band: true },
  'credit_notes.create': creditNoteInput,
  'credit_notes.preview': creditNoteInput,
  'invoices.create': { customer_id: inventId('customer_id', 'test'), currency: 'eur' },
  'invoices.preview': { customer_id: inventId('customer_id', 'test'), currency: 'eur' },
  'invoices.add_line': { description: 'Workshop', unit_amount: 120000 },
  'checkout_sessions.create': { amount: 1299, currency: 'eur' },
  'payment_links.create': { amount: 1299, currency: 'eur' },
  'payment_methods.attach': { customer_id: inventId('customer_id', 'test') },
  'payment_methods.create': { token: inventId('token_id', 'test') },
  'payment_methods.create_credential': { provider_account_id: inventId('provider_account_id', 'test') },
  'payments.create': { amount: 1299, currency: 'eur', token: inventId('token_id', 'test') },
  'payment_routes.create': { name: 'Cards', default: { type: 'decline' } },
  'payment_routes.lint': { name: 'Cards', default: { type: 'decline' } },
  'payment_routes.simulate': { operands: { amount: 1299, currency: 'eur' } },
  'customers.update_discounts': { discounts: [] },
  'coupons.create': { name: 'Spring offer', percent_off: '20', duration: 'once' },
  'promotion_codes.create': { coupon_id: inventId('coupon_id', 'test'), code: 'SPRING20' },
  'dunning_policies.create': { name: 'Patient' },
  'test_clocks.advance': { by: 'P1D' },
  'payments.resolve_operation': { outcome: 'succeeded', note: 'The provider lists it as captured.' },
  'meters.create': { event_name: 'api_request', aggregation: 'count' },
  'meter_events.cancel': { events: [{ id: 'req_1', event_name: 'api_request' }] },
  'meter_events.create': {
    events: [{ id: 'req_1', event_name: 'api_request', customer_id: inventId('customer_id', 'test') }],
  },
  'usage_alerts.create': {
    meter_id: inventId('meter_id', 'test'),
    name: 'Included requests',
    threshold: '8000',
  },
  'prices.create': { product_id: inventId('product_id', 'test'), currency: 'eur', unit_amount: 2999 },
  'products.create': { name: 'Team plan' },
  'provider_accounts.create': {
    provider: 'custom',
    display_name: 'Our acquirer',
    config: { base_url: 'https://psp.example.com' },
  },
  'export_destinations.create': {
    endpoint_url: 'https://storage.example.com',
    region: 'eu-central-1',
    bucket: 'example-exports',
    access_key_id: 'AKIAIOSFODNN7EXAMPLE',
    secret_access_key: 'wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY',
    of: ['payments'],
    format: 'csv',
  },
  'exports.create': { of: 'payments', format: 'csv', from: '2026-11-01', to: '2026-11-30' },
  'public_checkout_sessions.confirm': { token: inventId('token_id', 'test') },
  'disputes.update': { evidence: { explanation: 'Delivered on Monday.' } },
  'settlement_imports.create': {
    provider_account_id: inventId('provider_account_id', 'test'),
    format: 'stripe_payout_reconciliation',
  },
  'settlement_lines.resolve': { resolution: 'fee', note: 'A monthly fee.' },
  'portal_sessions.create': { customer_id: inventId('customer_id', 'test') },
  'mail_settings.update': { reply_to: 'support@example.com' },
  'seller.update': { legal_name: 'Example GmbH' },
  'tax_provider.update': { provider: 'stripe_tax', emulated: true },
  'tax_rates.create': { name: 'Germany 19%', percentage: '19' },
  'tax_rules.create': { tax_rate_id: inventId('tax_rate_id', 'test') },
  'tax_rules.preview': { customer_id: inventId('customer_id', 'test') },
  'mail_settings.preview': { kind: 'receipt' },
  'files.create': { purpose: 'receipt', name: 'receipt.pdf', content: 'JVBERi0xLjcK' },
  'refunds.create': { payment_id: inventId('payment_id', 'test') },
  'provider_accounts.hold': { reason: 'Maintenance', until_at: '2036-11-14T12:00:00.000Z' },
  'subscriptions.create': subscriptionInput,
  'subscriptions.preview': { action: 'pause' },
  'subscriptions.preview_create': subscriptionInput,
  'tokens.create': {
    type: 'card',
    card: { number: '4242424242424242', exp_month: 12, exp_year: 2036, cvc: '123' },
  },
  'vault.confirm': { confirmation },
  'webhook_endpoints.create': { url: 'https://shop.example.com/webhooks', event_types: ['*'] },
  // Events have wall-clock timestamps, even if the test has a manual clock.
  'webhook_recoveries.create': { since_at: new Date(Date.now() - 3_600_000).toISOString() },
}

const anHourAgo = new Date(Date.now() - 3_600_000)
/** Payments have wall-clock timestamps too. */
const history = { from_at: anHourAgo.toISOString() }
const eventUuid = idMaker(anHourAgo, 7)()
const position = { at: anHourAgo, snapshot: '3:3:' }

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

/** Values for query parameters that cannot be derived from the schema. */
export const queries: { readonly [operation: string]: { readonly [member: string]: string } } = {
  'invoices.lines': {
    starting_after: inventId('invoice_line_id', 'test'),
    ending_before: inventId('invoice_line_id', 'test'),
  },
  'meters.report': { from: '2026-11-14T00:00:00.000Z', to: '2026-11-14T12:00:00.000Z' },
  'meters.usage': {
    customer_id: inventId('customer_id', 'test'),
    from: '2026-11-14T00:00:00.000Z',
    to: '2026-11-14T12:00:00.000Z',
  },
  'usage_alerts.triggers': {
    starting_after: inventId('usage_alert_trigger_id', 'test'),
    ending_before: inventId('usage_alert_trigger_id', 'test'),
  },
  'payment_routes.diff': { against: '1' },
  'payment_routes.revisions': {
    starting_after: inventId('payment_route_revision_id', 'test'),
    ending_before: inventId('payment_route_revision_id', 'test'),
  },
  'provider_accounts.health': {
    from: '2026-11-14T00:00:00.000Z',
    to: '2026-11-14T12:00:00.000Z',
    lane: 'rest',
  },
  'balances.list': { as_of: daysAgo(0) },
  'disputes.list': { respond_by: '2036-11-28T23:59:59.000Z' },
  'reports.billing_history': { from: daysAgo(40), to: daysAgo(0) },
  'reports.payments': { from: anHourAgo.toISOString(), to: new Date().toISOString() },
  'search.list': { q: '4242 12.99' },
  'test_clocks.timeline': { starting_after: inventId('event_id', 'test') },
  'events.stream': {
    types: 'customer.*',
    since: anHourAgo.toISOString(),
    starting_after: idFromUuid('event', 'test', eventUuid),
    cursor: formatCursor({
      kind: 'catching_up',
      since: position,
      until: position,
      after: { uuid: eventUuid, sequence: 1 },
    }),
  },
}

/**
 * Creates an object for a path parameter through the API. `parents` are the objects that precede it in the
 * path.
 */
const objectFactories: {
  readonly [parameter: string]: (workspace: Workspace, parents: Ids) => Promise<string>
} = {
  customer_id: (workspace) => workspace.aCustomer(),
  checkout_session_id: createSession,
  payment_link_id: async ({ post }) => (await post('/payment-links', bodies['payment_links.create'])).body.id,
  api_token_id: async ({ post }) =>
    (await post('/api-tokens', { name: 'Another', role: 'READ_ONLY' })).body.id,
  dunning_campaign_id: (workspace) => workspace.aCampaign(),
  coupon_id: createCoupon,
  promotion_code_id: async (workspace) => {
    const body = { coupon_id: await createCoupon(workspace), code: `CODE-${randomUUID()}` }
    return (await workspace.post('/promotion-codes', body)).body.id
  },
  meter_id: createMeter,
  usage_alert_id: (workspace) => workspace.aTriggeredAlert(),
  dunning_policy_id: async ({ post }) => (await post('/dunning-policies', { name: 'Patient' })).body.id,
  event_id: async (workspace) => {
    await workspace.aCustomer()
    return (await workspace.get('/events?limit=1')).body.data[0].id
  },
  invitation_id: async ({ post }) => (await post('/invitations', bodies['invitations.create'])).body.id,
  credit_note_id: aCreditNote,
  invoice_id: (workspace) => workspace.anInvoice(),
  invoice_line_id: async (workspace, { invoice_id: id }) =>
    (await workspace.get(`/invoices/${id ?? (await workspace.anInvoice())}`)).body.lines[0].id,
  operation_id: createOperation,
  payment_id: createPayment,
  person_id: async (workspace) => (await workspace.aPerson()).id,
  payment_method_id: createPaymentMethod,
  payment_route_id: createRoute,
  price_id: createPrice,
  product_id: createProduct,
  provider_account_id: createAccount,
  refund_id: createRefund,
  dispute_id: createDispute,
  export_id: (workspace) => workspace.anExport(),
  export_destination_id: createDestination,
  mail_id: (workspace) => workspace.anEmail(),
  cancellation_request_id: (workspace) => workspace.aCancellationRequest(),
  file_id: async ({ post }) => (await post('/files', bodies['files.create'])).body.id,
  route_simulation_id: createSimulation,
  settlement_import_id: createImport,
  settlement_line_id: createLine,
  subscription_id: createSubscription,
  tax_rate_id: createTaxRate,
  tax_rule_id: async (workspace) =>
    (await workspace.post('/tax-rules', { tax_rate_id: await createTaxRate(workspace) })).body.id,
  test_clock_id: createTestClock,
  webhook_endpoint_id: createEndpoint,
  delivery_id: async (workspace) => {
    const endpoint = await createEndpoint(workspace)
    await workspace.aCustomer()
    return (await workspace.get(`/webhook-endpoints/${endpoint}/deliveries`)).body.data[0].id
  },
  webhook_recovery_id: createRecovery,
  // Every route has a first revision.
  revision: async () => '1',
  request_id: async ({ get }) => String((await get('/me')).headers.get('request-id')),
}

/** The client secrets of checkout sessions. The API returns a secret only once. */
const secrets = new Map<string, string>()

async function createRunningExport({ post }: Workspace): Promise<string> {
  return (await post('/exports', bodies['exports.create'])).body.id
}

async function createSession({ post }: Workspace): Promise<string> {
  const { body } = await post('/checkout-sessions', bodies['checkout_sessions.create'])
  secrets.set(body.id, body.client_secret)
  return body.id
}

/** Headers that the operation requires. For a session that was not created here, the secret is wrong. */
export function headersOf(operation: Operation, ids: Ids): Record<string, string> {
  const secret = secrets.get(ids.checkout_session_id ?? '') ?? 'cs_nobody'
  return {
    ...(operation.headers === undefined ? {} : { 'checkout-secret': secret }),
    ...(operation.upload === undefined ? {} : { 'content-type': operation.upload }),
  }
}

/**
 * Creates a webhook endpoint. If the workspace has reached its limit of twenty, the newest is deleted first.
 */
async function createEndpoint(workspace: Workspace): Promise<string> {
  const { get, post, delete: remove } = workspace
  // In test mode, use a local address where nothing listens, because guards must not send DNS queries.
  const overrides = isTest(workspace) ? { url: 'http://127.0.0.1:1024/webhooks' } : {}
  const create = () => post('/webhook-endpoints', { ...bodies['webhook_endpoints.create'], ...overrides })
  const first = await create()
  if (first.status === 201) return first.body.id
  const { body } = await get('/webhook-endpoints?limit=1')
  await remove(`/webhook-endpoints/${body.data[0].id}`)
  return (await create()).body.id
}

/**
 * Creates a provider account. If the workspace has reached its limit of fifty, the newest is archived first.
 * In test mode nothing listens on its address.
 */
async function createAccount(workspace: Workspace): Promise<string> {
  const { get, post } = workspace
  const overrides = isTest(workspace) ? { config: { base_url: 'http://127.0.0.1:1024' } } : {}
  const create = () => post('/provider-accounts', { ...bodies['provider_accounts.create'], ...overrides })
  const first = await create()
  if (first.status === 201) return first.body.id
  const { body } = await get('/provider-accounts?limit=1')
  await post(`/provider-accounts/${body.data[0].id}/archive`)
  return (await create()).body.id
}

/**
 * Creates a draft, which can be deleted. If the workspace has reached its limit of a hundred routes, the
 * newest is deleted first.
 */
async function createRoute({ get, post, delete: remove }: Workspace): Promise<string> {
  const create = () => post('/payment-routes', { ...bodies['payment_routes.create'], draft: true })
  const first = await create()
  if (first.status === 201) return first.body.id
  const { body } = await get('/payment-routes?limit=1')
  await remove(`/payment-routes/${body.data[0].id}`)
  return (await create()).body.id
}

/** Creates a simulation on a new route, because a route can have only one running simulation. */
async function createSimulation({ post }: Workspace, { payment_route_id }: Ids): Promise<string> {
  return (await post(`/payment-routes/${payment_route_id}/simulate`, { history })).body.id
}

/** In live mode nothing may be charged, so the functions below return ids that do not exist. */
function isTest({ workspaceId }: Pick<Workspace, 'workspaceId'>): boolean {
  return modeOf(workspaceId as Id<'workspace'>) === 'test'
}

async function createToken({ post }: Workspace): Promise<string> {
  return (await post('/tokens', bodies['tokens.create'])).body.id
}

/** Creates an authorized payment, which can be captured or cancelled. Requires the simulator. */
async function createPayment(workspace: Workspace): Promise<string> {
  if (!isTest(workspace)) return inventId('payment_id', 'live')
  const order = {
    amount: 1299,
    currency: 'eur',
    capture_method: 'manual',
    token: await createToken(workspace),
  }
  return (await workspace.post('/payments', order)).body.id
}

/** Creates a payment for which the provider reports another amount, so that it needs review. */
async function createPaymentInReview({ workspaceId, post }: Workspace): Promise<string> {
  if (!isTest({ workspaceId })) return inventId('payment_id', 'live')
  const card = {
    ...bodies['tokens.create'],
    card: { number: '4000000050140005', exp_month: 12, exp_year: 2036 },
  }
  const { body: token } = await post('/tokens', card)
  return (await post('/payments', { amount: 1299, currency: 'eur', token: token.id })).body.id
}

async function createOperation(workspace: Workspace, { payment_id: existing }: Ids): Promise<string> {
  if (!isTest(workspace)) return inventId('operation_id', 'live')
  const path = `/payments/${existing ?? (await createPayment(workspace))}/operations`
  return (await workspace.get(path)).body.data[0].id
}

async function createPaymentMethod(workspace: Workspace): Promise<string> {
  if (!isTest(workspace)) return inventId('payment_method_id', 'live')
  return (await workspace.post('/payment-methods', { token: await createToken(workspace) })).body.id
}

async function createAttachedMethod(workspace: Workspace): Promise<string> {
  const id = await createPaymentMethod(workspace)
  await workspace.post(`/payment-methods/${id}/attach`, { customer_id: await workspace.aCustomer() })
  return id
}

/** The last account by position, because the card was already verified at the first one. */
async function lastSimulatedAccount({ get }: Workspace): Promise<string> {
  const { data } = (await get('/provider-accounts?limit=100')).body
  type Account = { id: string; provider: string; status: string; position: number }
  const simulated = (data as Account[]).filter(
    ({ provider, status }) => provider === 'simulator' && status === 'active',
  )
  return simulated.toSorted((a, b) => b.position - a.position)[0]?.id ?? ''
}

async function createRefund(workspace: Workspace): Promise<string> {
  if (!isTest(workspace)) return inventId('refund_id', 'live')
  return (await workspace.post('/refunds', { payment_id: await createCapturedPayment(workspace) })).body.id
}

async function createDispute(workspace: Workspace): Promise<string> {
  if (!isTest(workspace)) return inventId('dispute_id', 'live')
  const id = await workspace.aDispute(await createCapturedPayment(workspace))
  await workspace.put(`/disputes/${id}`, bodies['disputes.update'])
  return id
}

async function createCapturedPayment(workspace: Workspace): Promise<string> {
  const id = await createPayment(workspace)
  await workspace.post(`/payments/${id}/capture`, {})
  return id
}

async function createImport(workspace: Workspace): Promise<string> {
  const provider_account_id = await createAccount(workspace)
  const input = { ...bodies['settlement_imports.create'], provider_account_id }
  return (await workspace.post('/settlement-imports', input)).body.id
}

async function createLine(workspace: Workspace): Promise<string> {
  await createAccount(workspace)
  return workspace.aSettlementLine()
}

/** Live mode has no test clocks. */
async function createTestClock({ workspaceId, post }: Workspace): Promise<string> {
  if (!isTest({ workspaceId })) return inventId('test_clock_id', 'live')
  return (await post('/test-clocks', {})).body.id
}

async function createCoupon({ post }: Workspace): Promise<string> {
  return (await post('/coupons', bodies['coupons.create'])).body.id
}

async function createProduct({ post }: Workspace): Promise<string> {
  return (await post('/products', bodies['products.create'])).body.id
}

/** The input for a subscription with a trial, so that nothing is charged. */
async function createTrialInput(workspace: Workspace): Promise<object> {
  const input = { ...bodies['prices.create'], recurring: { interval: 'month' } }
  const product_id = await createProduct(workspace)
  const { body: price } = await workspace.post('/prices', { ...input, product_id })
  return { customer_id: await workspace.aCustomer(), items: [{ price_id: price.id }], trial: { days: 14 } }
}

async function createSubscription(workspace: Workspace): Promise<string> {
  return (await workspace.post('/subscriptions', await createTrialInput(workspace))).body.id
}

async function createPrice(workspace: Workspace): Promise<string> {
  const input = { ...bodies['prices.create'], product_id: await createProduct(workspace) }
  return (await workspace.post('/prices', input)).body.id
}

async function createRecovery({ post }: Workspace, { webhook_endpoint_id }: Ids): Promise<string> {
  const path = `/webhook-endpoints/${webhook_endpoint_id}/recover`
  return (await post(path, bodies['webhook_recoveries.create'])).body.id
}

/** A workspace has one meter per event name. */
async function createMeter({ post }: Workspace): Promise<string> {
  const event_name = `api_request_${randomUUID().replaceAll('-', '_')}`
  return (await post('/meters', { event_name, aggregation: 'count' })).body.id
}

/** Creates an entry for a list operation, so that the list is not empty. */
const listEntryFactories: {
  readonly [operation: string]: (workspace: Workspace, ids: Ids) => Promise<string>
} = {
  'deliveries.list': (workspace) => workspace.aCustomer(),
  'deliveries.list_all': (workspace) => createObject(workspace, 'delivery_id'),
  'dunning_campaigns.list': (workspace) => workspace.aCampaign(),
  'invitations.list': (workspace) => createObject(workspace, 'invitation_id'),
  'invoices.list': (workspace) => workspace.anInvoice(),
  'mails.list': (workspace) => workspace.anEmail(),
  'cancellation_requests.list': (workspace) => workspace.aCancellationRequest(),
  'meters.list': createMeter,
  'usage_alerts.list': (workspace) => workspace.aTriggeredAlert(),
  'people.list': async (workspace) => (await workspace.aPerson()).id,
  'checkout_sessions.list': createSession,
  'payment_links.list': (workspace) => createObject(workspace, 'payment_link_id'),
  'payment_methods.list': createPaymentMethod,
  'payment_routes.list': createRoute,
  'payments.list': createPayment,
  'prices.list': createPrice,
  'subscriptions.list': createSubscription,
  'test_clocks.list': createTestClock,
  'test_clocks.timeline': (workspace, { test_clock_id }) => workspace.aCustomer({ test_clock_id }),
  'products.list': createProduct,
  'refunds.list': createRefund,
  'disputes.list': createDispute,
  'export_destinations.list': (workspace) => createObject(workspace, 'export_destination_id'),
  'exports.list': (workspace) => createObject(workspace, 'export_id'),
  'route_simulations.list': createSimulation,
  'settlement_imports.list': createImport,
  'settlement_lines.list': createLine,
  'payouts.list': createLine,
  'webhook_recoveries.list': createRecovery,
}

/** Bodies that reference an object, which must exist for the operation to succeed. */
const bodyFactories: { readonly [operation: string]: (workspace: Workspace) => Promise<object> } = {
  'invoices.create': oneOffInput,
  'invoices.preview': oneOffInput,
  'tax_rules.create': async (workspace) => ({ tax_rate_id: await createTaxRate(workspace), country: 'DE' }),
  'tax_rules.preview': async (workspace) => ({ customer_id: await workspace.aCustomer() }),
  'promotion_codes.create': async (workspace) => ({
    coupon_id: await createCoupon(workspace),
    code: `CODE-${randomUUID()}`,
  }),
  'usage_alerts.create': async (workspace) => ({
    meter_id: await createMeter(workspace),
    name: 'Included requests',
    threshold: '8000',
  }),
  'credit_notes.create': noteInput,
  'credit_notes.preview': noteInput,
  'portal_sessions.create': async (workspace) => ({ customer_id: await workspace.aCustomer() }),
  'payment_methods.attach': async (workspace) => ({ customer_id: await workspace.aCustomer() }),
  'payment_methods.create': async (workspace) => ({ token: await createToken(workspace) }),
  'payment_methods.create_credential': async (workspace) => ({
    provider_account_id: await lastSimulatedAccount(workspace),
  }),
  'payments.create': async (workspace) => {
    const token = await createToken(workspace)
    return { ...bodies['payments.create'], token, order_reference: `order of ${token}` }
  },
  'prices.create': async (workspace) => ({
    ...bodies['prices.create'],
    product_id: await createProduct(workspace),
  }),
  'public_checkout_sessions.confirm': async (workspace) => ({ token: await createToken(workspace) }),
  'refunds.create': async (workspace) => ({ payment_id: await createCapturedPayment(workspace) }),
  'settlement_imports.create': async (workspace) => ({
    ...bodies['settlement_imports.create'],
    provider_account_id: await createAccount(workspace),
  }),
  'subscriptions.create': createTrialInput,
  'subscriptions.preview_create': createTrialInput,
}

/** If the workspace has as many destinations as allowed, the oldest is deleted first. */
async function createDestination({ get, post, ...workspace }: Workspace): Promise<string> {
  const { data } = (await get('/export-destinations')).body
  if (data.length === maxDestinations) await workspace.delete(`/export-destinations/${data.at(-1).id}`)
  return (await post('/export-destinations', bodies['export_destinations.create'])).body.id
}

/** A body with which the operation succeeds in this workspace. */
export async function createBody(
  workspace: Workspace,
  operation: Operation,
): Promise<object | string | undefined> {
  return bodyFactories[operation.id]?.(workspace) ?? bodyOf(operation)
}

export function bodyOf(operation: Operation): object | string | undefined {
  if (operation.upload !== undefined) return stripeFile([])
  if (operation.method === 'GET' || operation.method === 'DELETE') return undefined
  return bodies[operation.id] ?? {}
}

/** The names of the path parameters, in order. */
export function parametersOf({ path }: Operation): string[] {
  return [...path.matchAll(/:([a-z_]+)/g)].map(([, name]) => name as string)
}

export function pathWith(operation: Operation, ids: Ids): string {
  return operation.path.replaceAll(/:([a-z_]+)/g, (_, name: string) => {
    const id = ids[name]
    assert(id !== undefined, `No id for :${name}.`)
    return id
  })
}

/** Factories for operations that need an object in a certain state. */
const specialFactories: { readonly [operation: string]: typeof objectFactories } = {
  'exports.cancel': { export_id: createRunningExport },
  'invoices.add_line': { invoice_id: createDraft },
  'invoices.delete': { invoice_id: createDraft },
  'invoices.delete_line': { invoice_id: createDraft },
  'invoices.send': { invoice_id: createDraft },
  'invoices.update': { invoice_id: createDraft },
  'invoices.update_line': { invoice_id: createDraft },
  'credit_notes.xml': { credit_note_id: createElectronicNote },
  'invoices.xml': { invoice_id: createElectronicInvoice },
  'payment_methods.create_credential': { payment_method_id: createAttachedMethod },
  'payments.resolve_operation': { payment_id: createPaymentInReview },
}

/** Settings that must exist before the operations at a path, by path. */
const requiredSettings: { readonly [path: string]: string } = {
  '/tax-provider': '/tax-provider',
  '/tax-provider/check': '/tax-provider',
}

/** Creates the objects in the path of an operation, and the settings that it requires. */
export async function createObjects(workspace: Workspace, operation: Operation): Promise<Ids> {
  const ids: Record<string, string> = {}
  const settings = requiredSettings[operation.path]
  if (settings !== undefined) await workspace.put(settings, bodies[`${operation.id.split('.')[0]}.update`])
  for (const parameter of parametersOf(operation)) {
    const create = specialFactories[operation.id]?.[parameter]
    ids[parameter] = await (create?.(workspace, ids) ?? createObject(workspace, parameter, ids))
  }
  return ids
}

export function createObject(workspace: Workspace, parameter: string, parents: Ids = {}): Promise<string> {
  const create = objectFactories[parameter]
  assert(create !== undefined, `Add a factory for :${parameter} to sample-requests.ts.`)
  return create(workspace, parents)
}

/** Creates a list that is not empty, and returns its path. */
export async function createList(workspace: Workspace, operation: Operation): Promise<string> {
  const ids = await createObjects(workspace, operation)
  await listEntryFactories[operation.id]?.(workspace, ids)
  return pathWith(operation, ids)
}

/** Well-formed ids that do not exist. */
export function inventIds(operation: Operation, mode: Mode): Ids {
  return Object.fromEntries(parametersOf(operation).map((name) => [name, inventId(name, mode)]))
}

/** A well-formed id that does not exist. */
export function inventId(parameter: string, mode: Mode): string {
  const kind = parameter.replace(/_id$/, '') as Kind
  return idFromUuid(kind, mode, idMaker(new Date('2026-11-14T12:00:00.000Z'), 7)())
}

async function createTaxRate({ post }: Workspace): Promise<string> {
  return (await post('/tax-rates', bodies['tax_rates.create'])).body.id
}

async function oneOffInput({ post }: Workspace) {
  const { body: customer } = await post('/customers', { email: 'ada@example.com' })
  return {
    customer_id: customer.id,
    currency: 'eur',
    lines: [{ description: 'Workshop', unit_amount: 120000 }],
  }
}

async function createDraft(workspace: Workspace): Promise<string> {
  return (await workspace.post('/invoices', await oneOffInput(workspace))).body.id
}

/** An invoice with all fields that an e-invoice requires. */
async function createElectronicInvoice({ post, put }: Workspace): Promise<string> {
  const address = { line1: '1 Main Street', city: 'Springfield', country: 'US' }
  const registration = { register: 'Delaware', number: '12345' }
  await put('/seller', { legal_name: 'Example Inc.', address, registration, tax_ids: [] })
  const { body: customer } = await post('/customers', { name: 'Ada Lovelace', address })
  const { body: invoice } = await post('/invoices', {
    customer_id: customer.id,
    currency: 'eur',
    collection_method: 'send_invoice',
    lines: [{ description: 'Workshop', unit_amount: 120000 }],
  })
  await post(`/invoices/${invoice.id}/finalize`)
  return invoice.id
}

async function createElectronicNote(workspace: Workspace): Promise<string> {
  const { body: invoice } = await workspace.get(`/invoices/${await createElectronicInvoice(workspace)}`)
  const lines = [{ invoice_line_id: invoice.lines[0].id, amount: 100 }]
  return (await workspace.post('/credit-notes', { invoice_id: invoice.id, lines })).body.id
}

async function noteInput(workspace: Workspace) {
  const { body: invoice } = await workspace.get(`/invoices/${await workspace.anInvoice()}`)
  return { invoice_id: invoice.id, lines: [{ invoice_line_id: invoice.lines[0].id, amount: 100 }] }
}

async function aCreditNote(workspace: Workspace): Promise<string> {
  return (await workspace.post('/credit-notes', await noteInput(workspace))).body.id
}
