// Payers buy a subscription or store a card on the payment page. The page shows what is charged now and later.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { cards, createLink } from '../support/checkout.ts'
import { aPrice } from '../support/subscriptions.ts'
import { findViolations, loadAxe } from './support/accessibility.ts'
import { checkoutPagesForThisFile } from './support/checkout-pages.ts'
import { pay, payButton, waitForReceipt } from './support/payer.ts'
import { takeScreenshot } from './support/screenshots.ts'

const checkout = await checkoutPagesForThisFile()

async function createSubscriptionLink(members: object = {}, item: object = {}) {
  const workspace = await checkout.newWorkspace()
  await workspace.put('/workspace', { branding: { display_name: 'Northwind Bicycles' } })
  const price = await aPrice(workspace, { currency: 'eur', unit_amount: 1_900 })
  const line_items = [{ price_id: price, ...item }]
  return { workspace, link: await createLink(workspace, { mode: 'subscription', line_items, ...members }) }
}

async function violationsOf(page: Page): Promise<string[]> {
  await loadAxe(page)
  return findViolations(page)
}

test('a payer chooses a quantity, authenticates at the bank, and has an active subscription', async () => {
  const { workspace, link } = await createSubscriptionLink(
    {},
    { adjustable_quantity: true, quantity_limits: { min: 1, max: 3 } },
  )
  const page = await checkout.open(link, { bypassCSP: true })
  await page.getByText(/^€19\.00 per month, next charged on /).waitFor()
  const more = page.getByRole('button', { name: 'Increase: Team plan' })
  await more.click()
  await more.click()
  expect(await more.isDisabled()).toBe(true)
  await page.getByText(/^€57\.00 per month, next charged on /).waitFor()
  expect(await payButton(page).textContent()).toBe('Pay €57.00')
  await page.getByText('Northwind Bicycles will charge this card automatically until you cancel.').waitFor()
  expect(await violationsOf(page)).toEqual([])

  await pay(page, cards.requiresAuthentication)
  await page.waitForURL(`${checkout.simulator.url}/**`)
  await page.getByRole('button', { name: 'Approve' }).click()
  await waitForReceipt(page)
  expect(await violationsOf(page)).toEqual([])
  await checkout.settle()

  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 5_700 })
  expect((await workspace.get('/subscriptions')).body.data).toMatchObject([
    { status: 'active', items: [{ quantity: 3 }] },
  ])
  expect((await workspace.get('/invoices')).body.data).toMatchObject([{ status: 'paid', total: 5_700 }])
})

// biome-ignore format: a table.
test.each([
  ['en', 'Subscribe',       /^Free until .*, then €19\.00 per month\.$/,        /^Subscribed on /],
  ['de', 'Abonnieren',      /^Kostenlos bis .*, danach 19,00 € pro Monat\.$/,   /^Abonniert am /],
  ['es', 'Suscribirse',     /^Gratis hasta el .*, después 19,00 € al mes\.$/,   /^Suscrito el /],
  ['fr', 'S’abonner',       /^Gratuit jusqu’au .*, puis 19,00 € par mois\.$/,   /^Abonnement souscrit le /],
  ['ja', '申し込む',         /^.*まで無料、その後は1か月あたり€19\.00。$/,          /に申し込み済み$/],
  ['ar', 'اشترك',           /^مجانًا حتى .* شهريًا\.$/,                          /^تم الاشتراك في /],
])('a trial in %s is free now, and shows what is charged later', async (locale, button, terms, subscribed) => {
  const { workspace, link } = await createSubscriptionLink({ subscription: { trial: { days: 14 } }, locale })
  const page = await checkout.open(link, { bypassCSP: true })
  const text = (await page.locator('.summary p.description').textContent()) ?? ''
  expect(text.replaceAll(/\s/g, ' ')).toMatch(terms)
  expect(await payButton(page).textContent()).toBe(button)
  expect(await violationsOf(page)).toEqual([])

  await page.locator('[name=email]').fill('ana@example.com')
  await page.locator('[name="card.number"]').fill(cards.approved)
  await page.locator('[name="card.expiry"]').fill('12/30')
  await page.locator('[name="card.cvc"]').fill('123')
  await page.locator('[name="card.name"]').fill('Ana Duarte')
  await payButton(page).click()
  await page.getByText(subscribed).waitFor()
  expect(await checkout.fetchCharges(workspace)).toMatchObject({ captured: 0 })
})

test('a payer stores a card, and the page says that nothing is charged', async () => {
  const workspace = await checkout.newWorkspace()
  await workspace.put('/workspace', { branding: { display_name: 'Northwind Bicycles' } })
  const customer_id = await workspace.aCustomer()
  const { body: session } = await workspace.post('/checkout-sessions', { mode: 'setup', customer_id })
  const page = await checkout.open(session, { bypassCSP: true })
  await page.getByRole('heading', { name: 'Save card' }).waitFor()
  await page
    .getByText('Your card is stored for payments to Northwind Bicycles. Nothing is charged now.')
    .waitFor()
  expect(await violationsOf(page)).toEqual([])
  await pay(page, cards.requiresAuthentication)
  await page.waitForURL(`${checkout.simulator.url}/**`)
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByText(/^Card saved on /).waitFor()
  expect((await workspace.get(`/payment-methods?customer_id=${customer_id}`)).body.data).toMatchObject([
    { status: 'attached' },
  ])
})

test('the page of a known customer shows the tax that is added, and charges the total of the invoice', async () => {
  const workspace = await checkout.newWorkspace()
  const { post, put } = workspace
  await put('/seller', { address: { country: 'DE' }, tax: 'rates' })
  const { body: rate } = await post('/tax-rates', { name: 'Germany', percentage: '19' })
  await post('/tax-rules', { tax_rate_id: rate.id, country: 'DE' })
  const price = await aPrice(workspace, { currency: 'eur', unit_amount: 1_900 })
  const customer_id = await workspace.aCustomer({ address: { country: 'DE' } })
  const line_items = [{ price_id: price }]
  const { body: session } = await post('/checkout-sessions', {
    mode: 'subscription',
    line_items,
    customer_id,
  })
  const page = await checkout.open(session, { bypassCSP: true })
  await page.getByText(/^€22\.61 per month, next charged on /).waitFor()
  await page.getByText('Includes 19% tax: €3.61').waitFor()
  expect(await payButton(page).textContent()).toBe('Pay €22.61')
  expect(await violationsOf(page)).toEqual([])
  await takeScreenshot(page, 'checkout-tax')

  await pay(page, cards.approved)
  await waitForReceipt(page)
  await checkout.settle()
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 2_261 })
  expect((await workspace.get('/invoices')).body.data).toMatchObject([
    { status: 'paid', total: 2_261, tax_total: 361 },
  ])
})
