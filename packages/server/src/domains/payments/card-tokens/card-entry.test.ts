// How the hosted page collects a card: with its own form, or with the fields of a provider or vault. The page reads
// this together with the link or session. The tests in `test/pages` pay in a browser.

import { expect, test } from 'vitest'
import { createLink, payerAt } from '../../../../test/support/checkout.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { storeAtVault, useVault } from '../../../../test/support/vaults.ts'
import type { Id } from '../../../kernel/id.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  overrides: { limits: { providerMs: 1_500, requestMs: 10_000 } },
})
const payer = payerAt(switchyard.addresses.test)

const addAccount = async ({ post }: Workspace, provider: string, settings: object, changes: object = {}) => {
  const config = { emulated: true, settings }
  const { status, body } = await post('/provider-accounts', {
    provider,
    display_name: provider,
    config,
    ...changes,
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id as string
}
const stripeSettings = { publishable_key: 'pk_test_51Emulated' }
const mollieSettings = { profile_id: 'pfl_3RkSN1zuPE' }

/** A workspace with the fields of Stripe and then Mollie, and a link. */
async function workspaceWithFields() {
  const workspace = await switchyard.newWorkspace()
  await workspace.put('/workspace', { card_data: { mode: 'provider_fields' } })
  const stripe = await addAccount(workspace, 'stripe', stripeSettings, { position: 0 })
  const mollie = await addAccount(workspace, 'mollie', mollieSettings, { position: 1 })
  const link = await createLink(workspace, { amount: 12_900 })
  const session = await payer.openSession(link.slug)
  const readSession = async (query = '') => {
    const headers = { 'checkout-secret': session.client_secret }
    return (await payer.call('GET', `/checkout/sessions/${session.id}${query}`, undefined, headers)).body
  }
  const confirm = (body: object) =>
    payer.call('POST', `/checkout/sessions/${session.id}/confirm`, body, {
      'checkout-secret': session.client_secret,
    })
  return { workspace, stripe, mollie, link, readSession, confirm }
}

test('a workspace with its own vault shows the form of the page and its test cards', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body } = await payer.fetchLink((await createLink(workspace, { amount: 500 })).slug)

  expect(body.card_entry).toEqual({
    component: 'card_form',
    provider: null,
    provider_account_id: null,
    config: {},
  })
  expect(body.test_cards.length).toBeGreaterThan(0)
})

test('a link and its session show the fields of the first account, with public settings only', async () => {
  const { stripe, link, readSession } = await workspaceWithFields()
  const expected = {
    component: 'stripe',
    provider: 'stripe',
    provider_account_id: stripe,
    config: { publishable_key: 'pk_test_51Emulated' },
  }

  const { body } = await payer.fetchLink(link.slug)
  expect(body.card_entry).toEqual(expected)
  expect(body).not.toHaveProperty('test_cards')
  expect((await readSession()).card_entry).toEqual(expected)
})

test('a page skips accounts whose fields failed to load, and shows the requested account', async () => {
  const { stripe, mollie, link, readSession } = await workspaceWithFields()
  const accountOf = async (query: string) =>
    (await payer.fetchLink(`${link.slug}${query}`)).body.card_entry?.provider_account_id ?? null

  expect(await accountOf(`?skip=${stripe}`)).toBe(mollie)
  expect(await accountOf(`?account=${mollie}`)).toBe(mollie)
  expect(await accountOf(`?account=unknown`)).toBe(stripe)
  expect(await accountOf(`?skip=${stripe},${mollie}`)).toBe(null)
  expect((await readSession(`?skip=${stripe}`)).card_entry.provider_account_id).toBe(mollie)
})

test('while the breaker of an account is open, the page shows the fields of the next one, even if it showed those of the first one before', async () => {
  const { workspace, stripe, mollie, readSession } = await workspaceWithFields()
  const ref = { workspaceId: workspace.workspaceId as Id<'workspace'>, id: stripe as Id<'provider_account'> }
  const observed = {
    is: 'unknown',
    fault: { code: 'timeout', message: 'The provider did not answer.' },
  } as const
  for (let call = 0; call < 10; call += 1)
    switchyard.deps.health.recordResult(ref, { kind: 'authorize', observed, tookMs: 40 })
  await switchyard.health.flush()
  await switchyard.health.refresh()

  for (const query of ['', `?account=${stripe}`]) {
    expect((await readSession(query)).card_entry.provider_account_id).toBe(mollie)
  }
})

test('a route chooses the account without the card, and lint warns about rules on the card', async () => {
  const { workspace, stripe, mollie, link } = await workspaceWithFields()
  const ruleFor = (field: string, value: string, ...targets: readonly string[]) =>
    Object.fromEntries([
      ['name', value],
      ['when', { field, op: 'eq', value }],
      ['then', { type: 'priority', targets }],
    ])
  const definition = {
    rules: [ruleFor('card.brand', 'visa', stripe), ruleFor('currency', 'eur', mollie, stripe)],
    default: { type: 'priority', targets: [stripe] },
  }
  const { status, body } = await workspace.post('/payment-routes', { name: 'Pages', ...definition })
  expect(status, JSON.stringify(body)).toBe(201)
  expect(body.lint).toContainEqual(
    expect.objectContaining({
      severity: 'warning',
      code: 'card_unknown_at_choice',
      pointer: '/rules/0/when',
    }),
  )
  await workspace.post(`/payment-routes/${body.id}/publish`, { revision: 1 })
  await workspace.put(`/payment-links/${link.id}`, { payment_route_id: body.id })

  expect((await payer.fetchLink(`${link.slug}?account=none`)).body.card_entry.provider_account_id).toBe(
    mollie,
  )
})

test('a token of the fields is confirmed at its account, without card details if the fields report none', async () => {
  const { workspace, mollie, confirm } = await workspaceWithFields()

  const confirmed = await confirm({
    provider_token: { provider_account_id: mollie, token: 'tkn_sim_approve' },
  })

  expect(confirmed.body).toMatchObject({ payment: { card: { brand: 'unknown', last4: '' } } })
  const [payment] = (await workspace.get('/payments')).body.data
  expect(payment).toMatchObject({ provider_account_id: mollie, card: { exp_month: 0, exp_year: 0 } })
})

test('an unknown outcome keeps the session processing, without card fields', async () => {
  const { stripe, readSession, confirm } = await workspaceWithFields()

  await confirm({ provider_token: { provider_account_id: stripe, token: 'ctoken_sim_5004' } })

  expect(await readSession()).toMatchObject({
    status: 'processing',
    payment: { unknown: true },
    card_entry: null,
  })
})

test('a confirmation without a card is refused, and so is a card number as a token', async () => {
  const { stripe, confirm } = await workspaceWithFields()

  expect(await confirm({})).toMatchObject({ status: 400, body: { errors: [{ pointer: '/card' }] } })
  expect(
    await confirm({ provider_token: { provider_account_id: stripe, token: '4242424242424242' } }),
  ).toMatchObject({ status: 400, body: { errors: [{ pointer: '/provider_token/token' }] } })
})

test('a workspace with a card vault shows its fields, and the token pays at any account', async () => {
  const workspace = await switchyard.newWorkspace()
  await useVault(workspace, 'basis_theory', ['stripe'])
  const link = await createLink(workspace, { amount: 12_900 })
  const session = await payer.openSession(link.slug)
  expect((await payer.fetchSession(session)).body.card_entry).toEqual({
    component: 'basis_theory',
    provider: 'basis_theory',
    provider_account_id: null,
    config: { public_api_key: 'key_emulated_public' },
  })

  const { vault_token } = (await storeAtVault(simulator.url, 'basis_theory', '4242424242424242')) as {
    vault_token: object
  }
  const { body } = await payer.call(
    'POST',
    `/checkout/sessions/${session.id}/confirm`,
    { vault_token },
    { 'checkout-secret': session.client_secret },
  )

  expect(body).toMatchObject({ status: 'completed', payment: { card: { brand: 'visa', last4: '4242' } } })
})

test('in production, a page needs an account with a public key', async () => {
  const workspace = await switchyard.newWorkspace('live')
  const order = { amount: 500, currency: 'eur' }
  expect(await workspace.post('/checkout-sessions', order)).toMatchObject({
    status: 403,
    body: { code: 'raw_cards_disabled', detail: expect.stringContaining('publishable_key') },
  })

  const { status, body } = await workspace.post('/provider-accounts', {
    provider: 'stripe',
    display_name: 'Stripe',
    credentials: { secret_key: 'sk_live_51Abcdefgh' },
    config: { settings: { publishable_key: 'pk_live_51Abcdefgh' } },
  })
  expect(status, JSON.stringify(body)).toBe(201)

  const session = await workspace.post('/checkout-sessions', order)
  expect(session.status, JSON.stringify(session.body)).toBe(201)
  const shown = await payerAt(switchyard.addresses.live).fetchSession(session.body)
  expect(shown.body.card_entry).toMatchObject({ component: 'stripe', provider_account_id: body.id })
})

test('a payer can only send tokens of the fields that the page shows', async () => {
  const { workspace, stripe, confirm } = await workspaceWithFields()
  const other = await addAccount(workspace, 'checkout_com', {})
  const tokenOf = (account: string) => ({
    provider_token: { provider_account_id: account, token: 'ctoken_sim_approve' },
  })
  const refused = {
    status: 400,
    body: { errors: [{ pointer: '/provider_token/provider_account_id', code: 'not_in_list' }] },
  }

  expect(await confirm(tokenOf(other))).toMatchObject(refused)
  await workspace.put('/workspace', { card_data: { mode: 'own_vault' } })
  expect(await confirm(tokenOf(stripe))).toMatchObject(refused)
})
