// A function for each error code of the catalogue that triggers it over HTTP. Errors that the real API cannot
// produce in a test, such as an internal error, are triggered by a test operation on a similar server.

import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { afterAll } from 'vitest'
import { generateToken, hashToken } from '../../../src/domains/access/api-tokens/token.ts'
import { type ErrorCode, refuse } from '../../../src/kernel/errors.ts'
import { type Id, uuidOf } from '../../../src/kernel/id.ts'
import { lockNumberOf } from '../../../src/platform/db/replay.ts'
import type { HttpContext } from '../../../src/platform/http/http-context.ts'
import { scopeOf } from '../../../src/platform/http/idempotency.ts'
import { createInFlight } from '../../../src/platform/http/limits.ts'
import { operation } from '../../../src/platform/http/operation.ts'
import { addOperations, createServer } from '../../../src/platform/http/server.ts'
import { cards, createLink, payerAt } from '../../support/checkout.ts'
import { createCardToken, createEmulatedAccount } from '../../support/emulated-accounts.ts'
import { asOwner } from '../../support/owner.ts'
import { createAttachedMethod } from '../../support/payment-methods.ts'
import { stripeFile, uploadTo } from '../../support/settlement.ts'
import { simulatorForThisFile } from '../../support/simulator.ts'
import { type ApiResponse, type CallOptions, switchyardForThisFile } from '../../support/switchyard.ts'
import { collectUndeclaredErrors } from '../../support/undeclared-errors.ts'
import { inventId } from './sample-requests.ts'

const simulator = await simulatorForThisFile()
// With TRUST_PROXY, so that a trigger can set its own client address.
export const switchyard = await switchyardForThisFile({
  environment: { TRUST_PROXY: 'true', SIMULATOR_URL: simulator.url },
})
/** Nothing listens on port 1, and the payment page is not built. */
const withoutDatabase = await switchyardForThisFile({
  environment: { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing', CHECKOUT_PAGES: '/nowhere' },
})
/** A token that the directory of another cell lists. */
const tokenOfOtherCell = generateToken('secret', 'test')
await asOwner(switchyard.databaseUrl, async (client) => {
  await client.query(`insert into control.cells values ('eu2', 'https://api.eu2.example.com',
    'https://test.eu2.example.com', 'https://dashboard.eu2.example.com')`)
  await client.query(`insert into control.cell_keys values ($1, 'eu2')`, [hashToken(tokenOfOtherCell)])
})
const workspace = await switchyard.newWorkspace('test')
const live = await switchyard.newWorkspace('live')
const { post, put, get, token } = workspace

/** Servers that triggers created, closed at the end. */
const servers: FastifyInstance[] = []
afterAll(async () => {
  for (const server of servers) await server.close()
})

const customers = (options: CallOptions, body: unknown = {}) => post('/customers', body, options)
const withHeaders = (headers: Record<string, string>, body: unknown = {}) => customers({ headers }, body)

const cardInput = { type: 'card', card: { number: '4242424242424242', exp_month: 12, exp_year: 2036 } }
const order = { amount: 1299, currency: 'eur' }
/** A card with insufficient funds. */
const cardWithoutFunds = '4000000000510000'
const createToken = async (number = cardInput.card.number): Promise<string> =>
  (await post('/tokens', { ...cardInput, card: { ...cardInput.card, number } })).body.id
const endpointInput = { url: 'https://shop.example.com/webhooks', event_types: ['*'] }

const priceInput = (product_id: string) => ({ product_id, currency: 'eur', unit_amount: 2999 })
const createPrice = async (members: object = {}) => {
  const { body: product } = await post('/products', { name: 'Team plan' })
  return (await post('/prices', { ...priceInput(product.id), ...members })).body
}

const createCoupon = async (members: object = {}): Promise<string> => {
  const input = { name: 'Spring offer', percent_off: '20', duration: 'once', ...members }
  return (await post('/coupons', input)).body.id
}

const createImport = async (): Promise<string> => {
  const { body: accounts } = await get('/provider-accounts?limit=1')
  const input = { provider_account_id: accounts.data[0].id, format: 'stripe_payout_reconciliation' }
  return (await post('/settlement-imports', input)).body.id
}

const monthly = { recurring: { interval: 'month' } }
const subscriptionInput = async (members: object = {}) => ({
  customer_id: await workspace.aCustomer(),
  items: [{ price_id: (await createPrice(monthly)).id }],
  trial: { days: 14 },
  ...members,
})

export const errorTriggers: { readonly [C in ErrorCode]?: () => Promise<ApiResponse> } = {
  invalid_json: () => customers({ raw: '{' }),
  invalid_request: () => customers({}, { nme: 'Ada' }),
  invalid_cursor: () => get('/customers?starting_after=nonsense'),
  unknown_version: () => withHeaders({ 'switchyard-version': '1999-01-01' }),
  invalid_idempotency_key: () => withHeaders({ 'idempotency-key': 'two words' }),
  token_missing: () => customers({ token: null }),
  token_invalid: () => customers({ token: 'sk_test_junk' }),
  token_expired: async () => {
    const input = { name: 'expires soon', role: 'ADMIN', expires_at: '2026-11-14T12:00:01.000Z' }
    const { body } = await post('/api-tokens', input)
    switchyard.clock.advance({ seconds: 2 })
    return get('/me', { token: body.token })
  },
  wrong_cell: () => get('/me', { token: tokenOfOtherCell }),
  token_wrong_address: () => get('/me', { token: live.token }),
  session_required: () => switchyard.openBrowser().get('/session'),
  sign_in_refused: () => switchyard.openBrowser().signIn('nobody@example.com', 'wrong'),
  second_factor_required: async () => {
    const organization = await switchyard.newOrganization()
    const browser = await switchyard.signIn(organization)
    await browser.post('/session/totp')
    // Confirm the authenticator directly, instead of entering a code.
    await asOwner(switchyard.databaseUrl, (client) =>
      client.query('update control.people set totp_confirmed_at = now() where totp_secret is not null'),
    )
    return browser.signIn(organization.email, organization.password)
  },
  sign_in_locked: async () => {
    const browser = switchyard.openBrowser()
    for (let tries = 0; tries < 4; tries += 1) await browser.signIn('locked@example.com', 'wrong')
    return browser.signIn('locked@example.com', 'wrong')
  },
  fresh_proof_required: async () => {
    const browser = await switchyard.signIn(await switchyard.newOrganization())
    // Backdate the session in the database. Advancing the clock would affect triggers that run concurrently.
    await asOwner(switchyard.databaseUrl, (client) =>
      client.query(
        `update control.sessions set created_at = created_at - interval '5 minutes' where person_id = $1`,
        [uuidOf(browser.session.person.id)],
      ),
    )
    return browser.post('/session/totp')
  },
  foreign_origin: () =>
    switchyard.openBrowser().post('/session', {}, { headers: { origin: 'https://evil.example' } }),
  live_mode_only: async () => {
    const { test } = await switchyard.newOrganization()
    const body = { email: 'grace@example.com', role: 'ADMIN' }
    return switchyard.call('test', 'POST', '/invitations', body, { token: test.token })
  },
  last_admin: async () => {
    const { id } = await live.aPerson('ADMIN')
    return live.post(`/people/${id}/deactivate`)
  },
  email_taken: async () => {
    const { email } = await live.aPerson()
    return live.post('/invitations', { email, role: 'READ_ONLY' })
  },
  provider_signature_invalid: async () => {
    const config = { base_url: 'https://psp.example.com' }
    const { body } = await post('/provider-accounts', {
      provider: 'custom',
      display_name: 'Our acquirer',
      config,
    })
    return post(`/provider-webhooks/${body.id}`, {})
  },
  mail_event_unauthorized: () => post('/mail-events/postmark', {}),
  checkout_secret_invalid: () => get(`/checkout/sessions/${inventId('checkout_session_id', 'test')}`),
  login_code_invalid: async () => {
    const { slug } = await createLink(workspace, { saved_methods: { show: true } })
    const path = `/checkout/links/${slug}/login-codes`
    const { body } = await payerAt(switchyard.addresses.test).call('POST', path, { email: 'ada@example.com' })
    return post(`${path}/${body.id}`, { code: '000000' })
  },
  no_places_left: async () => {
    const payer = payerAt(switchyard.addresses.test)
    const { slug } = await createLink(workspace)
    const [first, second] = [await payer.openSession(slug), await payer.openSession(slug)]
    // The first payer, who is still authenticating at the bank, uses up the payment limit.
    await payer.pay(first, cards.requiresAuthentication)
    return payer.pay(second)
  },
  too_many_tries: async () => {
    const payer = payerAt(switchyard.addresses.test, '192.0.2.2')
    const { slug } = await createLink(workspace, { max_completions: null })
    for (let tries = 0; tries < 20; tries += 1) await payer.pay(await payer.openSession(slug), cards.declined)
    return payer.pay(await payer.openSession(slug))
  },
  page_not_built: () => withoutDatabase.call('test', 'GET', '/l/x'),
  test_clock_advancing: async () => {
    const { body } = await post('/test-clocks', {})
    await asOwner(switchyard.databaseUrl, (client) =>
      client.query(`update test_clocks set status = 'advancing', target_at = now_at`),
    )
    return post('/customers', { test_clock_id: body.id })
  },
  role_not_allowed: async () => customers({ token: await workspace.tokenFor('READ_ONLY') }),
  publishable_token_not_allowed: async () => get('/me', { token: await workspace.tokenFor('publishable') }),
  test_mode_only: () =>
    live.post('/provider-accounts', { provider: 'simulator', display_name: 'A simulator' }),
  raw_cards_disabled: async () =>
    live.post('/tokens', cardInput, { token: await live.tokenFor('publishable') }),
  vault_unavailable: async () => {
    const other = await switchyard.newWorkspace('test')
    await other.put('/workspace', { card_data: { vault: { provider: 'basis_theory', emulated: true } } })
    return other.post('/tokens', { type: 'vault_token', vault_token: { token: 'unavailable' } })
  },
  payment_failed: async () => post('/payments', { ...order, token: await createToken(cardWithoutFunds) }),
  payment_method_declined: async () =>
    post('/payment-methods', { token: await createToken(cardWithoutFunds) }),
  order_has_payment: async () => {
    const orderWithReference = { ...order, order_reference: 'order-4711' }
    await post('/payments', { ...orderWithReference, token: await createToken() })
    return post('/payments', { ...orderWithReference, token: await createToken() })
  },
  attached_to_other_customer: async () => {
    const { body } = await post('/payment-methods', { token: await createToken() })
    const path = `/payment-methods/${body.id}/attach`
    await post(path, { customer_id: await workspace.aCustomer() })
    return post(path, { customer_id: await workspace.aCustomer() })
  },
  credential_exists: async () => {
    const { body } = await post('/payment-methods', { token: await createToken() })
    await post(`/payment-methods/${body.id}/attach`, { customer_id: await workspace.aCustomer() })
    const { provider_account_id } = body.authorization
    return post(`/payment-methods/${body.id}/credentials`, { provider_account_id })
  },
  card_number_unavailable: async () => {
    const other = await switchyard.newWorkspace()
    const { body: accounts } = await other.get('/provider-accounts')
    const { body: account } = await other.post('/provider-accounts', {
      provider: 'checkout_com',
      display_name: 'Fields',
      card_data: 'token',
      config: { emulated: true },
    })
    const card = { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030 }
    const provider_token = { provider_account_id: account.id, token: 'tok_sim_approve', card }
    const { body: token } = await other.post('/tokens', { type: 'provider_token', provider_token })
    const { body: method } = await other.post('/payment-methods', { token: token.id })
    await other.post(`/payment-methods/${method.id}/attach`, { customer_id: await other.aCustomer() })
    return other.post(`/payment-methods/${method.id}/credentials`, {
      provider_account_id: accounts.data[0].id,
    })
  },
  not_found: () => get(`/customers/${inventId('customer_id', 'test')}`),
  unknown_path: () => get('/custmers'),
  head_too_large: () => get(`/customers?email=${'a'.repeat(17_000)}`),
  method_not_allowed: () => workspace.delete('/customers'),
  invalid_state: async () => {
    const { body } = await post('/api-tokens', { name: 'revoked', role: 'ADMIN' })
    await post(`/api-tokens/${body.id}/revoke`)
    return post(`/api-tokens/${body.id}/roll`)
  },
  limit_reached: async () => {
    const { post: postToFull } = await switchyard.newWorkspace('test')
    for (let created = 0; created < 20; created += 1) await postToFull('/webhook-endpoints', endpointInput)
    return postToFull('/webhook-endpoints', endpointInput)
  },
  too_many_secrets: async () => {
    const { body } = await post('/webhook-endpoints', endpointInput)
    for (let rotations = 1; rotations < 5; rotations += 1)
      await post(`/webhook-endpoints/${body.id}/rotate_secret`)
    return post(`/webhook-endpoints/${body.id}/rotate_secret`)
  },
  reference_not_found: async () => {
    await workspace.aCustomer()
    const { body } = await get('/events?limit=1')
    const webhook_endpoint_ids = [inventId('webhook_endpoint_id', 'test')]
    return post(`/events/${body.data[0].id}/resend`, { webhook_endpoint_ids })
  },
  download_link_invalid: async () => get('/downloads/test.0.0.0.0'),
  invalid_settlement_file: async () => uploadTo(workspace, await createImport(), 'surprise\n'),
  settlement_import_running: async () => {
    const [importId, otherId] = [await createImport(), await createImport()]
    await asOwner(switchyard.databaseUrl, (client) =>
      client.query("update control.settlement_upload_lease set import_id = $1, lease_until = 'infinity'", [
        uuidOf(otherId as Id<'settlement_import'>),
      ]),
    )
    const response = await uploadTo(workspace, importId, stripeFile([]))
    await asOwner(switchyard.databaseUrl, (client) =>
      client.query("update control.settlement_upload_lease set import_id = null, lease_until = '-infinity'"),
    )
    return response
  },
  journal_settings_incomplete: async () => {
    await post('/payments', { ...order, token: await createToken() })
    return post('/exports', { of: 'journal', format: 'datev', from: '2026-11-01', to: '2026-11-30' })
  },
  payment_disputed: async () => {
    const { body } = await post('/payments', { ...order, token: await createToken() })
    await workspace.aDispute(body.id)
    return post('/refunds', { payment_id: body.id })
  },
  disputes_not_supported: async () => {
    const disputed = await switchyard.newWorkspace('test')
    const account = await createEmulatedAccount(disputed, 'mollie')
    const token = await createCardToken(account, { number: '4242424242424242', scenario: 'approve' })
    const { body } = await disputed.post('/payments', { ...order, token })
    return disputed.post(`/disputes/${await disputed.aDispute(body.id)}/accept`)
  },
  evidence_invalid: async () => {
    const { body } = await post('/payments', { ...order, token: await createToken() })
    return post(`/disputes/${await workspace.aDispute(body.id)}/submit`)
  },
  payment_in_progress: async () => {
    const paying = await switchyard.newWorkspace('test')
    const customer_id = await paying.aCustomer()
    const payment_method_id = await createAttachedMethod(paying, customer_id)
    const invoice = await paying.anInvoice({ customer_id })
    const { body: accounts } = await paying.get('/provider-accounts')
    // Whether the provider charges or not, no response arrives.
    for (const { id } of accounts.data)
      await simulator.configure(id, { outage: true, outage_manner: 'reset' })
    await paying.post(`/invoices/${invoice}/pay`, { payment_method_id })
    return paying.post(`/invoices/${invoice}/void`)
  },
  legal_fields_missing: async () => {
    const customer_id = await live.aCustomer()
    return live.post(`/invoices/${await live.anInvoice({ customer_id })}/finalize`)
  },
  e_invoice_incomplete: async () => workspace.get(`/invoices/${await workspace.anInvoice()}/xml`),
  object_in_use: async () => workspace.delete(`/products/${(await createPrice()).product_id}`),
  lookup_key_taken: async () => {
    await createPrice({ lookup_key: 'team_monthly' })
    return post('/prices', { ...priceInput((await createPrice()).product_id), lookup_key: 'team_monthly' })
  },
  promotion_code_taken: async () => {
    const body = { coupon_id: await createCoupon(), code: 'SPRING20' }
    await post('/promotion-codes', body)
    return post('/promotion-codes', body)
  },
  discount_not_applicable: async () => {
    const coupon_id = await createCoupon()
    await put(`/coupons/${coupon_id}`, { active: false })
    const items = [{ price_id: (await createPrice(monthly)).id }]
    const { body: customer } = await post('/customers', {})
    return post('/subscriptions', { customer_id: customer.id, items, discounts: [{ coupon_id }] })
  },
  price_inactive: async () => {
    const { id, product_id } = await createPrice({ active: false })
    return put(`/products/${product_id}`, { default_price_id: id })
  },
  mixed_interval: async () => {
    const yearly = await createPrice({ recurring: { interval: 'year' } })
    const items = [{ price_id: (await createPrice(monthly)).id }, { price_id: yearly.id }]
    return post('/subscriptions', await subscriptionInput({ items }))
  },
  scheduled_change_conflict: async () => {
    const { body } = await post('/subscriptions', await subscriptionInput())
    await put(`/subscriptions/${body.id}/cancel`, { at: 'period_end' })
    return put(`/subscriptions/${body.id}/pause`, { at: 'period_end' })
  },
  preview_stale: async () => {
    const { body } = await post('/subscriptions', await subscriptionInput())
    const path = `/subscriptions/${body.id}`
    const { body: preview } = await post(`${path}/preview`, { action: 'pause' })
    await put(path, { description: 'Team' })
    return put(`${path}/pause`, { preview_token: preview.preview_token })
  },
  route_invalid: () => {
    const targets = [inventId('provider_account_id', 'test')]
    return post('/payment-routes', { name: 'Nobody', default: { type: 'priority', targets } })
  },
  // Well formed, but not one of the test cards.
  test_card_required: () =>
    post('/tokens', { ...cardInput, card: { ...cardInput.card, number: '4000000000000002' } }),
  url_not_allowed: () => post('/webhook-endpoints', { ...endpointInput, url: 'https://10.0.0.1/webhooks' }),
  conflict: updateLockedRow,
  version_mismatch: async () => {
    const path = `/customers/${await workspace.aCustomer()}`
    return put(path, { name: 'Ada' }, { headers: { 'if-match': '"7"' } })
  },
  idempotency_key_in_use: repeatLockedKey,
  body_too_large: () => customers({ raw: JSON.stringify({ name: 'x'.repeat(300_000) }) }),
  unsupported_media_type: () => customers({ raw: 'name=Ada', headers: { 'content-type': 'text/plain' } }),
  idempotency_key_reused: async () => {
    await withHeaders({ 'idempotency-key': 'order-1' }, { name: 'Ada' })
    return withHeaders({ 'idempotency-key': 'order-1' }, { name: 'Grace' })
  },
  rate_limited: async () => {
    const guess = { token: 'sk_test_junk', headers: { 'x-forwarded-for': '192.0.2.1' } }
    for (let guesses = 0; guesses < 20; guesses += 1) await get('/me', guess)
    return get('/me', guess)
  },
  too_many_in_flight: exceedInFlightLimit,
  internal_error: () =>
    callTestServer({}, () => {
      throw new Error('A bug.')
    }),
  unavailable: () => withoutDatabase.call('test', 'GET', '/me', undefined, { token }),
  read_only: () => callTestServer({}, async () => refuse('read_only', { retryAfterSeconds: 5 })),
  overloaded: () => callTestServer({ isOverloaded: () => true }, async () => ({})),
}

/** Calls an operation that returns an undeclared error, and returns the reports about it. */
export async function triggerUndeclared(): Promise<readonly string[]> {
  const { call, undeclared } = await startTestServer({}, async () => refuse('conflict'))
  await call()
  return undeclared
}

/**
 * The first request with a key holds a lock until it commits. Here the lock is held longer than a repeated
 * request waits for it.
 */
async function repeatLockedKey(): Promise<ApiResponse> {
  const { body: me } = await get('/me')
  const parts = { operation: 'customers.create', params: {}, key: 'order-2' }
  const scope = scopeOf({
    ...parts,
    workspaceId: me.workspace_id,
    holder: me.api_token_id,
  })
  return asOwner(switchyard.databaseUrl, async (client) => {
    await client.query('select pg_advisory_lock($1)', [lockNumberOf(scope)])
    return withHeaders({ 'idempotency-key': parts.key })
  })
}

/** A request waits for a locked row until its statement timeout, and then fails. */
async function updateLockedRow(): Promise<ApiResponse> {
  const id = await workspace.aCustomer()
  return asOwner(switchyard.databaseUrl, async (client) => {
    await client.query('begin')
    await client.query('select from customers where id = $1 for update', [uuidOf(id as Id<'customer'>)])
    return put(`/customers/${id}`, { name: 'Ada' })
  })
}

async function exceedInFlightLimit(): Promise<ApiResponse> {
  const started = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const { call } = await startTestServer({ inFlight: createInFlight(1) }, async () => {
    started.resolve()
    await released.promise
    return {}
  })
  const first = call()
  await started.promise
  const second = await call()
  released.resolve()
  await first
  return second
}

async function callTestServer(
  changes: Partial<HttpContext>,
  handle: () => Promise<object>,
): Promise<ApiResponse> {
  const { call } = await startTestServer(changes, handle)
  return call()
}

/** Starts a server with one operation. It is configured like the real server, except for `changes`. */
async function startTestServer(changes: Partial<HttpContext>, handle: () => Promise<object>) {
  const context: HttpContext = {
    ...switchyard.httpContext('test'),
    access: { 'test.act': ['ADMIN'] },
    ...changes,
  }
  const app = createServer(context)
  const testOperation = operation({
    id: 'test.act',
    method: 'GET',
    path: '/act',
    summary: 'Run the function of the test',
    response: Type.Object({}),
    present: () => ({}),
    handle,
  })
  addOperations(app, context, [testOperation])
  const undeclared = collectUndeclaredErrors(app)
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  servers.push(app)
  const call = async (): Promise<ApiResponse> => {
    const response = await fetch(`${address}/act`, { headers: { authorization: `Bearer ${token}` } })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  return { call, undeclared }
}
