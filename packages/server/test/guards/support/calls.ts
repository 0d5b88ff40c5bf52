// A plausible call of every operation, so that guards can go through all of them. A new operation with a
// body that cannot be empty, or with a new kind of path parameter, says here what to send.

import { confirmation } from '../../../src/domains/card-tokens/vault.ts'
import { cursorOf } from '../../../src/domains/events/stream-place.ts'
import { assert } from '../../../src/kernel/assert.ts'
import { type Id, idFromUuid, idMaker, type Kind, type Mode, modeOf } from '../../../src/kernel/id.ts'
import type { Operation } from '../../../src/platform/http/operation.ts'
import type { Workspace } from '../../support/switchyard.ts'

/** Ids for the parameters of a path, by their names. */
export type Ids = { readonly [parameter: string]: string }

const aPlan = {
  customer_id: inventId('customer_id', 'test'),
  items: [{ price_id: inventId('price_id', 'test') }],
}

/** Bodies that must hold something; every other operation takes an empty one. */
const bodies: { readonly [operation: string]: object } = {
  'api_tokens.create': { name: 'A token', role: 'READ_ONLY' },
  'invitations.create': { email: 'grace@example.com', role: 'READ_ONLY' },
  'people.update': { role: 'SUPPORT' },
  'invoices.pay': { out_of_band: true },
  'checkout_sessions.create': { amount: 1299, currency: 'eur' },
  'payment_links.create': { amount: 1299, currency: 'eur' },
  'payment_methods.attach': { customer_id: inventId('customer_id', 'test') },
  'payment_methods.create': { token: inventId('token_id', 'test') },
  'payments.create': { amount: 1299, currency: 'eur', token: inventId('token_id', 'test') },
  'payment_routes.create': { name: 'Cards', default: { type: 'decline' } },
  'payment_routes.lint': { name: 'Cards', default: { type: 'decline' } },
  'payment_routes.simulate': { operands: { amount: 1299, currency: 'eur' } },
  'dunning_policies.create': { name: 'Patient' },
  'test_clocks.advance': { by: 'P1D' },
  'payments.resolve_operation': { outcome: 'succeeded', note: 'It is in their books.' },
  'prices.create': { product_id: inventId('product_id', 'test'), currency: 'eur', unit_amount: 2999 },
  'products.create': { name: 'Team plan' },
  'provider_accounts.create': {
    provider: 'custom',
    display_name: 'Our acquirer',
    config: { base_url: 'https://psp.example.com' },
  },
  'public_checkout_sessions.confirm': { token: inventId('token_id', 'test') },
  'refunds.create': { payment_id: inventId('payment_id', 'test') },
  'provider_accounts.hold': { reason: 'Maintenance', until_at: '2036-11-14T12:00:00.000Z' },
  'subscriptions.create': aPlan,
  'subscriptions.preview': { action: 'pause' },
  'subscriptions.preview_create': aPlan,
  'tokens.create': {
    type: 'card',
    card: { number: '4242424242424242', exp_month: 12, exp_year: 2036, cvc: '123' },
  },
  'vault.confirm': { confirmation },
  'webhook_endpoints.create': { url: 'https://shop.example.com/webhooks', event_types: ['*'] },
  // Events are dated by the wall, whatever the clock of a test says.
  'webhook_recoveries.create': { since_at: new Date(Date.now() - 3_600_000).toISOString() },
}

const anHourAgo = new Date(Date.now() - 3_600_000)
/** Payments are dated by the wall too. */
const history = { from_at: anHourAgo.toISOString() }
const anEvent = idMaker(anHourAgo, 7)()
const aMoment = { at: anHourAgo, snapshot: '3:3:' }

const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

/** Values for parameters of a query that nobody could guess. */
export const queries: { readonly [operation: string]: { readonly [member: string]: string } } = {
  'invoices.lines': {
    starting_after: inventId('invoice_line_id', 'test'),
    ending_before: inventId('invoice_line_id', 'test'),
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
  'reports.billing_history': { from: dayAgo(40), to: dayAgo(0) },
  'reports.payments': { from: anHourAgo.toISOString(), to: new Date().toISOString() },
  'search.list': { q: '4242 12.99' },
  'test_clocks.timeline': { starting_after: inventId('event_id', 'test') },
  'events.stream': {
    types: 'customer.*',
    since: anHourAgo.toISOString(),
    starting_after: idFromUuid('event', 'test', anEvent),
    cursor: cursorOf({
      is: 'catching up',
      since: aMoment,
      until: aMoment,
      after: { uuid: anEvent, sequence: 1 },
    }),
  },
}

/** How an object of a kind comes to be, through the API, under those that stand before it in the path. */
const makers: { readonly [parameter: string]: (workspace: Workspace, above: Ids) => Promise<string> } = {
  customer_id: (workspace) => workspace.aCustomer(),
  checkout_session_id: aSession,
  payment_link_id: async ({ post }) => (await post('/payment-links', bodies['payment_links.create'])).body.id,
  api_token_id: async ({ post }) =>
    (await post('/api-tokens', { name: 'Another', role: 'READ_ONLY' })).body.id,
  dunning_campaign_id: (workspace) => workspace.aCampaign(),
  dunning_policy_id: async ({ post }) => (await post('/dunning-policies', { name: 'Patient' })).body.id,
  event_id: async (workspace) => {
    await workspace.aCustomer()
    return (await workspace.get('/events?limit=1')).body.data[0].id
  },
  invitation_id: async ({ post }) => (await post('/invitations', bodies['invitations.create'])).body.id,
  invoice_id: (workspace) => workspace.anInvoice(),
  operation_id: anOperation,
  payment_id: aPayment,
  person_id: async (workspace) => (await workspace.aPerson()).id,
  payment_method_id: aMethod,
  payment_route_id: aRoute,
  price_id: aPrice,
  product_id: aProduct,
  provider_account_id: anAccount,
  refund_id: aRefund,
  route_simulation_id: aSimulation,
  subscription_id: aSubscription,
  test_clock_id: aClock,
  webhook_endpoint_id: anEndpoint,
  delivery_id: async (workspace) => {
    const endpoint = await anEndpoint(workspace)
    await workspace.aCustomer()
    return (await workspace.get(`/webhook-endpoints/${endpoint}/deliveries`)).body.data[0].id
  },
  webhook_recovery_id: aRecovery,
  // Every route has a first one.
  revision: async () => '1',
  request_id: async ({ get }) => String((await get('/me')).headers.get('request-id')),
}

/** Secrets of sessions, which are shown once. */
const secrets = new Map<string, string>()

async function aSession({ post }: Workspace): Promise<string> {
  const { body } = await post('/checkout-sessions', bodies['checkout_sessions.create'])
  secrets.set(body.id, body.client_secret)
  return body.id
}

/** Headers that the operation asks for. Of a session that we did not make nobody knows the secret. */
export function headersOf(operation: Operation, ids: Ids): Record<string, string> {
  const secret = secrets.get(ids.checkout_session_id ?? '') ?? 'cs_nobody'
  return operation.headers === undefined ? {} : { 'checkout-secret': secret }
}

/** A workspace has room for twenty: when it is full, the newest makes way. */
async function anEndpoint(workspace: Workspace): Promise<string> {
  const { get, post, delete: remove } = workspace
  // Where it can be, at an address of this machine where nobody listens: no guard should ask a name server.
  const own = isTest(workspace) ? { url: 'http://127.0.0.1:1024/webhooks' } : {}
  const create = () => post('/webhook-endpoints', { ...bodies['webhook_endpoints.create'], ...own })
  const first = await create()
  if (first.status === 201) return first.body.id
  const { body } = await get('/webhook-endpoints?limit=1')
  await remove(`/webhook-endpoints/${body.data[0].id}`)
  return (await create()).body.id
}

/** A workspace has room for fifty: when it is full, the newest makes way. Nobody listens where it can be. */
async function anAccount(workspace: Workspace): Promise<string> {
  const { get, post } = workspace
  const own = isTest(workspace) ? { config: { base_url: 'http://127.0.0.1:1024' } } : {}
  const create = () => post('/provider-accounts', { ...bodies['provider_accounts.create'], ...own })
  const first = await create()
  if (first.status === 201) return first.body.id
  const { body } = await get('/provider-accounts?limit=1')
  await post(`/provider-accounts/${body.data[0].id}/archive`)
  return (await create()).body.id
}

/** A draft, so that it can be deleted. There is room for a hundred: when it is full, the newest makes way. */
async function aRoute({ get, post, delete: remove }: Workspace): Promise<string> {
  const create = () => post('/payment-routes', { ...bodies['payment_routes.create'], draft: true })
  const first = await create()
  if (first.status === 201) return first.body.id
  const { body } = await get('/payment-routes?limit=1')
  await remove(`/payment-routes/${body.data[0].id}`)
  return (await create()).body.id
}

/** One runs at a time, so it needs a route of its own. */
async function aSimulation({ post }: Workspace, { payment_route_id }: Ids): Promise<string> {
  return (await post(`/payment-routes/${payment_route_id}/simulate`, { history })).body.id
}

/** Where cards are not real. Elsewhere nothing is charged for a test, and the id is one that never was. */
function isTest({ workspaceId }: Pick<Workspace, 'workspaceId'>): boolean {
  return modeOf(workspaceId as Id<'workspace'>) === 'test'
}

async function aToken({ post }: Workspace): Promise<string> {
  return (await post('/tokens', bodies['tokens.create'])).body.id
}

/** One that holds money, so that it can be captured or cancelled. The simulator has to run. */
async function aPayment(workspace: Workspace): Promise<string> {
  if (!isTest(workspace)) return inventId('payment_id', 'live')
  const order = { amount: 1299, currency: 'eur', capture_method: 'manual', token: await aToken(workspace) }
  return (await workspace.post('/payments', order)).body.id
}

/** One of which the provider says that it took another amount, so that a person has to look. */
async function anOddPayment({ workspaceId, post }: Workspace): Promise<string> {
  if (!isTest({ workspaceId })) return inventId('payment_id', 'live')
  const card = {
    ...bodies['tokens.create'],
    card: { number: '4000000050140005', exp_month: 12, exp_year: 2036 },
  }
  const { body: token } = await post('/tokens', card)
  return (await post('/payments', { amount: 1299, currency: 'eur', token: token.id })).body.id
}

async function anOperation(workspace: Workspace, { payment_id: above }: Ids): Promise<string> {
  if (!isTest(workspace)) return inventId('operation_id', 'live')
  const path = `/payments/${above ?? (await aPayment(workspace))}/operations`
  return (await workspace.get(path)).body.data[0].id
}

async function aMethod(workspace: Workspace): Promise<string> {
  if (!isTest(workspace)) return inventId('payment_method_id', 'live')
  return (await workspace.post('/payment-methods', { token: await aToken(workspace) })).body.id
}

async function aRefund(workspace: Workspace): Promise<string> {
  if (!isTest(workspace)) return inventId('refund_id', 'live')
  return (await workspace.post('/refunds', { payment_id: await aCaptured(workspace) })).body.id
}

async function aCaptured(workspace: Workspace): Promise<string> {
  const id = await aPayment(workspace)
  await workspace.post(`/payments/${id}/capture`, {})
  return id
}

/** Production has none. */
async function aClock({ workspaceId, post }: Workspace): Promise<string> {
  if (!isTest({ workspaceId })) return inventId('test_clock_id', 'live')
  return (await post('/test-clocks', {})).body.id
}

async function aProduct({ post }: Workspace): Promise<string> {
  return (await post('/products', bodies['products.create'])).body.id
}

/** In its trial nothing is charged for it. */
async function aTrial(workspace: Workspace): Promise<object> {
  const terms = { ...bodies['prices.create'], recurring: { interval: 'month' } }
  const product_id = await aProduct(workspace)
  const { body: price } = await workspace.post('/prices', { ...terms, product_id })
  return { customer_id: await workspace.aCustomer(), items: [{ price_id: price.id }], trial: { days: 14 } }
}

async function aSubscription(workspace: Workspace): Promise<string> {
  return (await workspace.post('/subscriptions', await aTrial(workspace))).body.id
}

async function aPrice(workspace: Workspace): Promise<string> {
  const terms = { ...bodies['prices.create'], product_id: await aProduct(workspace) }
  return (await workspace.post('/prices', terms)).body.id
}

async function aRecovery({ post }: Workspace, { webhook_endpoint_id }: Ids): Promise<string> {
  const path = `/webhook-endpoints/${webhook_endpoint_id}/recover`
  return (await post(path, bodies['webhook_recoveries.create'])).body.id
}

/** What makes the list of a new object hold something. */
const entries: { readonly [operation: string]: (workspace: Workspace, ids: Ids) => Promise<string> } = {
  'deliveries.list': (workspace) => workspace.aCustomer(),
  'deliveries.list_all': (workspace) => makeObject(workspace, 'delivery_id'),
  'dunning_campaigns.list': (workspace) => workspace.aCampaign(),
  'invitations.list': (workspace) => makeObject(workspace, 'invitation_id'),
  'invoices.list': (workspace) => workspace.anInvoice(),
  'people.list': async (workspace) => (await workspace.aPerson()).id,
  'checkout_sessions.list': aSession,
  'payment_links.list': (workspace) => makeObject(workspace, 'payment_link_id'),
  'payment_methods.list': aMethod,
  'payment_routes.list': aRoute,
  'payments.list': aPayment,
  'prices.list': aPrice,
  'subscriptions.list': aSubscription,
  'test_clocks.list': aClock,
  'test_clocks.timeline': (workspace, { test_clock_id }) => workspace.aCustomer({ test_clock_id }),
  'products.list': aProduct,
  'refunds.list': aRefund,
  'route_simulations.list': aSimulation,
  'webhook_recoveries.list': aRecovery,
}

/** Bodies that name an object, which has to be there for the operation to succeed. */
const ownBodies: { readonly [operation: string]: (workspace: Workspace) => Promise<object> } = {
  'payment_methods.attach': async (workspace) => ({ customer_id: await workspace.aCustomer() }),
  'payment_methods.create': async (workspace) => ({ token: await aToken(workspace) }),
  'payments.create': async (workspace) => {
    const token = await aToken(workspace)
    return { ...bodies['payments.create'], token, order_reference: `order of ${token}` }
  },
  'prices.create': async (workspace) => ({
    ...bodies['prices.create'],
    product_id: await aProduct(workspace),
  }),
  'public_checkout_sessions.confirm': async (workspace) => ({ token: await aToken(workspace) }),
  'refunds.create': async (workspace) => ({ payment_id: await aCaptured(workspace) }),
  'subscriptions.create': aTrial,
  'subscriptions.preview_create': aTrial,
}

/** A body with which the operation succeeds in this workspace. */
export async function makeBody(workspace: Workspace, operation: Operation): Promise<object | undefined> {
  return ownBodies[operation.id]?.(workspace) ?? bodyOf(operation)
}

export function bodyOf(operation: Operation): object | undefined {
  if (operation.method === 'GET' || operation.method === 'DELETE') return undefined
  return bodies[operation.id] ?? {}
}

/** The names of the parameters in the path, in their order. */
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

/** Operations that need an object in a certain state. */
const ownMakers: { readonly [operation: string]: typeof makers } = {
  'payments.resolve_operation': { payment_id: anOddPayment },
}

/** New objects that the operation could be called with. */
export async function makeObjects(workspace: Workspace, operation: Operation): Promise<Ids> {
  const ids: Record<string, string> = {}
  for (const parameter of parametersOf(operation)) {
    const make = ownMakers[operation.id]?.[parameter]
    ids[parameter] = await (make?.(workspace, ids) ?? makeObject(workspace, parameter, ids))
  }
  return ids
}

export function makeObject(workspace: Workspace, parameter: string, above: Ids = {}): Promise<string> {
  const make = makers[parameter]
  assert(make !== undefined, `Say in calls.ts how an object for :${parameter} is made.`)
  return make(workspace, above)
}

/** The path of a list that has something to show. */
export async function makeList(workspace: Workspace, operation: Operation): Promise<string> {
  const ids = await makeObjects(workspace, operation)
  await entries[operation.id]?.(workspace, ids)
  return pathWith(operation, ids)
}

/** Ids that have the right form and never were. */
export function inventIds(operation: Operation, mode: Mode): Ids {
  return Object.fromEntries(parametersOf(operation).map((name) => [name, inventId(name, mode)]))
}

/** An id that has the right form and never was. */
export function inventId(parameter: string, mode: Mode): string {
  const kind = parameter.replace(/_id$/, '') as Kind
  return idFromUuid(kind, mode, idMaker(new Date('2026-11-14T12:00:00.000Z'), 7)())
}
