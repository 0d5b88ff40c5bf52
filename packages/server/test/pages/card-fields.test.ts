// Payers enter the card in fields of a provider. The scripts of providers are stubs, see support/card-fields.ts; the
// providers are emulated. Every test also checks that the page does not violate its content security policy.

import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { cardNumberForScenario } from '../../../simulator/src/cards.ts'
import { cards, createLink } from '../support/checkout.ts'
import { aPrice } from '../support/subscriptions.ts'
import { useVault, type VaultName } from '../support/vaults.ts'
import { findViolations, loadAxe } from './support/accessibility.ts'
import {
  cardFrame,
  serveStubs,
  serveVault,
  stubOrigins,
  typeCardInFrame,
  typeCardInVgsFrames,
} from './support/card-fields.ts'
import { checkoutPagesForThisFile } from './support/checkout-pages.ts'
import { payButton, waitForReceipt } from './support/payer.ts'
import { takeScreenshot } from './support/screenshots.ts'

const checkout = await checkoutPagesForThisFile({ hosts: stubOrigins })

const settings: Readonly<Record<string, object>> = {
  stripe: { publishable_key: 'pk_test_51Emulated' },
  adyen: { client_key: `test_${'A1'.repeat(16)}` },
  mollie: { profile_id: 'pfl_3RkSN1zuPE' },
}

/** A workspace with card fields and these accounts, in this order, and a link. */
async function createFieldsLink(providers: readonly string[], members: object = {}) {
  const workspace = await checkout.newWorkspace()
  const branding = { display_name: 'Northwind Bicycles' }
  const changes = { branding, card_data: { mode: 'provider_fields' } }
  expect((await workspace.put('/workspace', changes)).status).toBe(200)
  const accounts: string[] = []
  for (const [position, provider] of providers.entries()) {
    const { status, body } = await workspace.post('/provider-accounts', {
      provider,
      display_name: `${provider} (emulated)`,
      position,
      config: { emulated: true, settings: settings[provider] },
    })
    expect(status, JSON.stringify(body)).toBe(201)
    accounts.push(body.id)
  }
  return { workspace, accounts, link: await createLink(workspace, { amount: 12_900, ...members }) }
}

type Options = BrowserContextOptions & { readonly broken?: readonly string[] }

async function openFields(link: { readonly url: string }, { broken = [], ...options }: Options = {}) {
  // The whole page is visible: right after it is scrolled, Chromium sends a click to the frame that was there before.
  const context = await checkout.newPayer({ viewport: { width: 1280, height: 1400 }, ...options })
  await serveStubs(context, broken)
  const page = await context.newPage()
  await page.goto(link.url)
  await page.locator('.sheet').waitFor()
  return page
}

async function pay(page: Page, number: string = cards.approved): Promise<void> {
  await page.getByLabel('Email').fill('ana@example.com')
  await typeCardInFrame(page, number)
  await payButton(page).click()
}

const sourcesOf = (component: string, url: string) =>
  fetch(`${url}?fields=${component}`).then(({ headers }) => headers.get('content-security-policy') ?? '')

test('a payer pays with the card fields of Stripe, and Switchyard receives a token', async () => {
  const { workspace, accounts, link } = await createFieldsLink(['stripe'])
  const page = await openFields(link)
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.postData() ?? ''))

  await page.getByLabel('Email').fill('ana@example.com')
  // The button moves while the fields are rendered, so it is clicked after that.
  await cardFrame(page).getByLabel('Security code').waitFor()
  await payButton(page).click()
  await page.getByText('Complete the card details.').waitFor()
  await pay(page)
  await waitForReceipt(page)

  expect(await page.locator('.receipt').textContent()).toContain('Visa ·· 4242')
  const [payment] = (await workspace.get('/payments')).body.data
  expect(payment).toMatchObject({
    status: 'succeeded',
    provider_account_id: accounts[0],
    card: { brand: 'visa', last4: '4242', exp_year: 2030 },
  })
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
  expect(sent.join()).toContain('ctoken_sim_approve')
  expect(sent.join()).not.toContain(cards.approved)
})

test('a payer authenticates by redirect after entering the card in the card fields of Adyen', async () => {
  const { workspace, accounts, link } = await createFieldsLink(['adyen'])
  const page = await openFields(link)

  await pay(page, cards.requiresAuthentication)
  await page.waitForURL(`${checkout.simulator.url}/**`)
  await page.getByRole('button', { name: 'Approve' }).click()
  await waitForReceipt(page)

  const [payment] = (await workspace.get('/payments')).body.data
  expect(payment).toMatchObject({
    status: 'succeeded',
    provider_account_id: accounts[0],
    card: { brand: 'visa', last4: '0006', exp_month: 0, exp_year: 0 },
  })
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('a payer pays with the card fields of Mollie, which report nothing about the card', async () => {
  const { workspace, accounts, link } = await createFieldsLink(['mollie'])
  const page = await openFields(link)

  await pay(page, cards.requiresAuthentication)
  await page.waitForURL(`${checkout.simulator.url}/**`)
  await page.getByRole('button', { name: 'Approve' }).click()
  await waitForReceipt(page)

  const [payment] = (await workspace.get('/payments')).body.data
  expect(payment).toMatchObject({
    status: 'succeeded',
    provider_account_id: accounts[0],
    card: { brand: 'unknown', last4: '' },
  })
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

/** A workspace with an emulated vault, two accounts that take card numbers from it, and a link. */
async function createVaultLink(vault: VaultName) {
  const workspace = await checkout.newWorkspace()
  const accounts = await useVault(workspace, vault, ['stripe', 'adyen'])
  return { workspace, accounts, link: await createLink(workspace, { amount: 12_900 }) }
}

const typeCard = { basis_theory: typeCardInFrame, vgs: typeCardInVgsFrames } as const
const vaults = ['basis_theory', 'vgs'] as const

test('a payer pays with the card fields of VGS, and Switchyard receives aliases', async () => {
  const { workspace, accounts, link } = await createVaultLink('vgs')
  const page = await openFields(link)
  const { sent: stored } = await serveVault(page.context(), 'vgs', checkout.simulator.url)
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.url().startsWith(checkout.origin)) sent.push(request.postData() ?? '')
  })

  await page.getByLabel('Email').fill('ana@example.com')
  await page.frameLocator('#card-fields-cvc iframe').getByLabel('Security code').waitFor()
  await payButton(page).click()
  await page.getByText('Complete the card details.').waitFor()
  await typeCardInVgsFrames(page)
  await payButton(page).click()
  await waitForReceipt(page)

  expect(await page.locator('.receipt').textContent()).toContain('Visa ·· 4242')
  expect((await workspace.get('/payments')).body.data).toMatchObject([
    {
      status: 'succeeded',
      provider_account_id: accounts[0],
      card: { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030 },
    },
  ])
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
  expect(stored.map((body) => JSON.parse(body).data)).toEqual([
    [
      { format: 'UUID', storage: 'PERSISTENT', value: cards.approved },
      { format: 'UUID', storage: 'VOLATILE', value: '123' },
    ],
  ])
  expect(sent.join()).toMatch(/"cvc_token":"tok_sandbox_[0-9a-f]{32}"/)
  expect(sent.join()).not.toContain(cards.approved)
})

test('a payer pays with the card fields of Basis Theory, and Switchyard receives a token', async () => {
  const { workspace, accounts, link } = await createVaultLink('basis_theory')
  const page = await openFields(link)
  const { sent: stored } = await serveVault(page.context(), 'basis_theory', checkout.simulator.url)
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.url().startsWith(checkout.origin)) sent.push(request.postData() ?? '')
  })

  await page.getByLabel('Email').fill('ana@example.com')
  await cardFrame(page).getByLabel('Security code').waitFor()
  await payButton(page).click()
  await page.getByText('Complete the card details.').waitFor()
  await pay(page)
  await waitForReceipt(page)

  expect(await page.locator('.receipt').textContent()).toContain('Visa ·· 4242')
  expect((await workspace.get('/payments')).body.data).toMatchObject([
    {
      status: 'succeeded',
      provider_account_id: accounts[0],
      card: { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030 },
    },
  ])
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
  expect(stored.map((body) => JSON.parse(body).data.number)).toEqual([cards.approved])
  expect(sent.join()).toContain('"vault_token":{"token":"')
  expect(sent.join()).not.toContain(cards.approved)
})

test.each(vaults)(
  'with a card in %s, a decline fails over without asking for the card again',
  async (vault) => {
    const { workspace, accounts, link } = await createVaultLink(vault)
    const page = await openFields(link)
    await serveVault(page.context(), vault, checkout.simulator.url)

    await page.getByLabel('Email').fill('ana@example.com')
    await typeCard[vault](page, '4000000050090002')
    await payButton(page).click()
    await waitForReceipt(page)

    expect((await workspace.get('/payments')).body.data).toMatchObject([
      { status: 'succeeded', provider_account_id: accounts[1] },
    ])
    expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
  },
)

test.each(vaults)(
  'if %s stores no card, no payment is created, and the payer can try again',
  async (vault) => {
    const { workspace, link } = await createVaultLink(vault)
    const page = await openFields(link)
    await page.getByLabel('Email').fill('ana@example.com')
    await typeCard[vault](page)
    for (const api of ['https://*.sandbox.verygoodproxy.com/**', 'https://api.basistheory.com/**'])
      await page.context().route(api, (route) => route.abort())
    await payButton(page).click()
    await page.getByText('Nothing was charged').waitFor()
    expect((await workspace.get('/payments')).body.data).toEqual([])

    await serveVault(page.context(), vault, checkout.simulator.url)
    await payButton(page).click()
    await waitForReceipt(page)
    expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
  },
)

test.each(vaults)(
  'if the script of %s does not load within 8 seconds, the page offers the other methods',
  async (vault) => {
    const { link } = await createVaultLink(vault)
    const page = await openFields(link, { broken: [vault] })

    await page.waitForURL(new RegExp(`fields=${vault}`))
    await page.getByRole('radio', { name: 'Card' }).waitFor({ state: 'detached' })
    await page.getByRole('radio', { name: 'iDEAL' }).waitFor()
  },
)

test('after a decline that allows another account, the payer enters the card in the card fields of the next account', async () => {
  const { workspace, accounts, link } = await createFieldsLink(['stripe', 'adyen'])
  const page = await openFields(link)
  await cardFrame(page).getByText('js.stripe.com').waitFor()

  await pay(page, cardNumberForScenario('0005'))
  await cardFrame(page).getByText('checkoutshopper-test.adyen.com').waitFor()
  await page.getByText('Payment declined').waitFor()
  expect(await page.getByLabel('Email').inputValue()).toBe('ana@example.com')

  await typeCardInFrame(page)
  await payButton(page).click()
  await waitForReceipt(page)
  const { data } = (await workspace.get('/payments')).body
  expect(data.map((payment: { provider_account_id: string }) => payment.provider_account_id)).toEqual([
    accounts[1],
    accounts[0],
  ])
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('after a decline that allows no other account, the payer enters a card in the same fields', async () => {
  const { workspace, link } = await createFieldsLink(['stripe', 'adyen'])
  const page = await openFields(link)

  await pay(page, cards.declined)
  await page.getByText('Payment declined').waitFor()
  await typeCardInFrame(page)
  await payButton(page).click()
  await waitForReceipt(page)

  expect(new URL(page.url()).searchParams.get('fields')).toBe('stripe')
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('if a script does not load within 8 seconds, the page shows the fields of the next account', async () => {
  const { workspace, accounts, link } = await createFieldsLink(['stripe', 'adyen'])
  const page = await openFields(link, { broken: ['stripe'] })
  await page.waitForURL(/fields=stripe/)
  await page.getByText('Loading the card fields').waitFor()
  await page.getByLabel('Email').fill('ana@example.com')

  await cardFrame(page).getByText('checkoutshopper-test.adyen.com').waitFor()
  expect(new URL(page.url()).searchParams.get('skip')).toBe(accounts[0])
  expect(await page.getByLabel('Email').inputValue()).toBe('ana@example.com')
  await typeCardInFrame(page)
  await payButton(page).click()
  await waitForReceipt(page)

  expect((await workspace.get('/payments')).body.data[0].provider_account_id).toBe(accounts[1])
})

test('if the fields of three accounts do not load, the page offers the other methods', async () => {
  const { accounts, link } = await createFieldsLink(['stripe', 'adyen', 'mollie', 'stripe'])
  const page = await openFields(link, { broken: ['stripe', 'adyen', 'mollie'] })

  await page.waitForURL(/fields=mollie/)
  await page.getByRole('radio', { name: 'Card' }).waitFor({ state: 'detached' })
  await page.getByRole('radio', { name: 'iDEAL' }).waitFor()
  expect(await page.getByRole('radio').first().isChecked()).toBe(true)
  expect(new URL(page.url()).searchParams.get('skip')).toBe(accounts.slice(0, 2).join())
  expect(new URL(page.url()).searchParams.get('fields')).toBe('mollie')
})

test('a payer saves a card with the card fields of Stripe, without a charge', async () => {
  const { workspace, accounts } = await createFieldsLink(['stripe'])
  const customer_id = await workspace.aCustomer()
  const { body: session } = await workspace.post('/checkout-sessions', { mode: 'setup', customer_id })
  const page = await openFields(session)

  await pay(page)
  await page.getByText(/^Card saved on /).waitFor()
  expect((await workspace.get(`/payment-methods?customer_id=${customer_id}`)).body.data).toMatchObject([
    { status: 'attached', credentials: [{ type: 'provider_token', provider_account_id: accounts[0] }] },
  ])
  expect(await checkout.fetchCharges(workspace)).toMatchObject({ captured: 0 })
})

test.each(['stripe', 'mollie'])(
  'a payer buys a subscription with the card fields of %s',
  async (provider) => {
    const { workspace, accounts } = await createFieldsLink([provider])
    const price = await aPrice(workspace, { currency: 'eur', unit_amount: 1_900 })
    const link = await createLink(workspace, { mode: 'subscription', line_items: [{ price_id: price }] })
    const page = await openFields(link)

    await pay(page, cards.requiresAuthentication)
    await page.waitForURL(`${checkout.simulator.url}/**`)
    await page.getByRole('button', { name: 'Approve' }).click()
    await waitForReceipt(page)
    await checkout.settle()

    expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 1_900 })
    const [subscription] = (await workspace.get('/subscriptions')).body.data
    expect(subscription).toMatchObject({ status: 'active' })
    expect((await workspace.get(`/payment-methods/${subscription.payment_method_id}`)).body).toMatchObject({
      credentials: [{ type: 'provider_token', provider_account_id: accounts[0] }],
    })
  },
)

test('a seller without card fields and other methods cannot take payments on the page', async () => {
  const { link } = await createFieldsLink([], { currency: 'jpy' })
  const page = await openFields(link)

  await page.getByText('Cards cannot be used here').waitFor()
  expect(await payButton(page).count()).toBe(0)
})

test('the policy allows the sources of the selected component only', async () => {
  const { link } = await createFieldsLink([])
  const [stripe, adyen, vgs, basisTheory, other] = await Promise.all(
    ['stripe', 'adyen', 'vgs', 'basis_theory', 'evil'].map((component) => sourcesOf(component, link.url)),
  )

  expect(stripe).toContain("script-src 'self' https://js.stripe.com")
  expect(stripe).not.toMatch(/adyen|mollie|unsafe/)
  expect(adyen).toContain('frame-src https://checkoutshopper-test.adyen.com')
  expect(adyen).not.toMatch(/stripe|live|unsafe/)
  expect(vgs).toContain("script-src 'self' https://js.verygoodvault.com;")
  expect(vgs).not.toMatch(/stripe|adyen|unsafe/)
  expect(basisTheory).toContain("script-src 'self' https://js.basistheory.com;")
  expect(basisTheory).not.toMatch(/stripe|adyen|verygood|unsafe/)
  expect(other).toBe((await fetch(link.url)).headers.get('content-security-policy'))
  expect(other).toContain("trusted-types 'none'")
})

test.each([
  ['phone', { viewport: { width: 360, height: 740 } }],
  ['desktop', { viewport: { width: 1280, height: 900 } }],
])('the page with card fields is accessible on a %s', async (name, options) => {
  const { link } = await createFieldsLink(['stripe'])
  const page = await openFields(link, { ...options, bypassCSP: true })
  await cardFrame(page).getByLabel('Card number').waitFor()
  await takeScreenshot(page, `card-fields-${name}`, { fullPage: true })
  await loadAxe(page)

  expect(await findViolations(page)).toEqual([])
})
