// A payer opens a link, pays, and gets a receipt. The tests cover every kind of price and every field that a
// link can collect.

import { expect, test } from 'vitest'
import { cards } from '../support/checkout.ts'
import { checkoutPagesForThisFile } from './support/checkout-pages.ts'
import { focusedLabel, pay, payButton, typeCard, waitForReceipt } from './support/payer.ts'

const checkout = await checkoutPagesForThisFile()

test('after a payment the page shows the receipt, even when the same URL is opened later', async () => {
  const { workspace, link } = await checkout.createLink({ description: 'Touring wheelset' })
  const page = await checkout.open(link)
  await page.getByRole('heading', { name: '€129.00' }).waitFor()
  expect(await page.title()).toBe('€129.00 · Northwind Bicycles')

  await pay(page)
  await waitForReceipt(page)

  const { body } = await workspace.get('/payments')
  const [payment] = body.data
  const text = await page.locator('.receipt').textContent()
  expect(text).toContain('Visa ·· 4242')
  expect(text).toContain('ana@example.com')
  expect(text).toContain(payment.id)
  expect(payment).toMatchObject({ status: 'succeeded', amount: 12_900, payment_link_id: link.id })
  await expect.poll(() => focusedLabel(page)).toMatch(/^Paid on/)

  await page.reload()
  await waitForReceipt(page)
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('opening a link does not create a session', async () => {
  const { workspace, link } = await checkout.createLink()

  const page = await checkout.open(link)
  await page.reload()
  await page.getByLabel('Card number').fill('42')

  expect((await workspace.get(`/checkout-sessions?payment_link_id=${link.id}`)).body.data).toEqual([])
})

test('the payer can enter an open amount within its limits, in their own number format', async () => {
  const { workspace, link } = await checkout.createLink({
    amount: undefined,
    open_amount: { min: 500, max: 100_000, suggested: 2_500 },
    description: 'Support the bicycle kitchen',
  })
  const page = await checkout.open(link)
  const amount = page.getByLabel('Amount')
  expect([await amount.inputValue(), await payButton(page).textContent()]).toEqual(['25.00', 'Pay €25.00'])

  await amount.fill('4.99')
  await pay(page)
  await page.getByText('The amount must be at least €5.00.').waitFor()
  await expect.poll(() => focusedLabel(page)).toBe('Amount')

  await amount.fill('1.234,50')
  await payButton(page).click()
  await page.getByText('Enter an amount like 20.00.').waitFor()

  await amount.fill('17,5')
  expect(await payButton(page).textContent()).toBe('Pay €17.50')
  await payButton(page).click()
  await waitForReceipt(page)
  await page.getByRole('heading', { name: '€17.50' }).waitFor()
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 1_750 })
})

test('items are listed with their prices, and the payer can change an adjustable quantity', async () => {
  const { workspace, link } = await checkout.createLink({
    amount: undefined,
    line_items: [
      { name: 'Ticket', description: 'Sunday', unit_amount: 750, quantity: 2, adjustable_quantity: true },
    ],
  })
  const page = await checkout.open(link)
  expect(await page.getByLabel('Your order').textContent()).toContain('2 × Ticket')

  await pay(page, cards.declined)
  await page.getByText('Your bank declined this payment. Use another card.').waitFor()
  await page.getByLabel('Quantity').fill('3')
  expect(await payButton(page).textContent()).toBe('Pay €22.50')
  await typeCard(page)
  await payButton(page).click()
  await waitForReceipt(page)

  expect(await page.getByLabel('Your order').textContent()).toContain('3 × Ticket')
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 2_250 })
})

test('the fields that the seller collects are shown, validated and submitted', async () => {
  const { workspace, link } = await checkout.createLink({
    collect: ['name', 'email', 'phone', 'billing_address', 'shipping_address'],
    custom_fields: [
      { key: 'size', label: 'Frame size', type: 'dropdown', required: true, options: ['Small', 'Large'] },
      { key: 'club', label: 'Club number', type: 'numeric' },
    ],
  })
  const page = await checkout.open(link)
  await payButton(page).click()
  await page.getByText('Fix 14 fields to continue.').waitFor()
  await expect.poll(() => focusedLabel(page)).toBe('Email')

  await page.getByLabel('Email').fill('ana@example.com')
  await page.getByLabel('Full name').fill('Ana Duarte')
  await page.getByLabel('Phone').fill('+351 912 345 678')
  await page.getByLabel('Frame size').selectOption('Large')
  await page.getByLabel('Club number').fill('x')
  for (const group of ['Delivery address', 'Billing address']) {
    const address = page.getByRole('group', { name: group })
    await address.getByLabel('Street and number').fill('Rua Augusta 1')
    await address.getByLabel('City').fill('Lisboa')
    await address.getByLabel('Country').selectOption({ label: 'Portugal' })
  }
  await typeCard(page)
  await payButton(page).click()
  await page.getByText('Fix 1 field to continue.').waitFor()
  await expect.poll(() => focusedLabel(page)).toContain('Club number')
  await page.getByLabel('Club number').fill('4711')
  await payButton(page).click()
  await waitForReceipt(page)

  const { body } = await workspace.get(`/checkout-sessions?payment_link_id=${link.id}`)
  expect(body.data[0].payer).toMatchObject({
    name: 'Ana Duarte',
    email: 'ana@example.com',
    phone: '+351 912 345 678',
    shipping_address: { line1: 'Rua Augusta 1', city: 'Lisboa', country: 'PT' },
    billing_address: { line1: 'Rua Augusta 1', city: 'Lisboa', country: 'PT' },
    custom_fields: { size: 'Large', club: '4711' },
  })
})

test('a session that a server created is paid at its own URL, and the payer is redirected to the shop', async () => {
  const { workspace } = await checkout.createLink()
  const success_url = `${checkout.origin}/thanks`
  const { body: session } = await workspace.post('/checkout-sessions', {
    amount: 4_900,
    currency: 'gbp',
    success_url,
    cancel_url: 'https://shop.example.com/cart',
  })
  const page = await checkout.open(session)
  expect(await page.getByRole('link', { name: /^Back to/ }).getAttribute('href')).toBe(
    'https://shop.example.com/cart',
  )

  await pay(page)
  await page.waitForURL(`${success_url}?checkout_session_id=${session.id}`)

  // A payer who returns is not redirected again: the page shows the receipt and a link to the shop.
  await page.goto(session.url)
  await waitForReceipt(page)
  expect(await page.getByRole('link', { name: /^Back to/ }).count()).toBe(1)
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 4_900 })
})

test('a payer can pay again with a link that allows several payments, after clicking Make another payment', async () => {
  const { workspace, link } = await checkout.createLink({ max_completions: 2 })
  const page = await checkout.open(link)
  await pay(page)
  await waitForReceipt(page)

  await page.getByRole('button', { name: 'Make another payment' }).click()
  expect(await page.getByLabel('Card number').inputValue()).toBe('')
  await typeCard(page)
  await payButton(page).click()
  await waitForReceipt(page)

  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 2, captured: 25_800 })
})

test('a click on a test card fills in the card', async () => {
  const { workspace, link } = await checkout.createLink()
  const page = await checkout.open(link)
  await page.getByText('Test. No money moves.').waitFor()

  await page.getByText('Test cards').click()
  await page.getByRole('button', { name: 'Approves' }).click()
  await payButton(page).click()
  await waitForReceipt(page)

  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('a slow click on the pay button counts, even if the last field is invalid', async () => {
  const { workspace, link } = await checkout.createLink()
  const page = await checkout.open(link)
  await page.getByLabel('Email').fill('ana@example.com')
  await typeCard(page)
  await page.getByLabel('Security code').fill('1')

  await payButton(page).click({ delay: 150 })
  await page.getByText('Fix 1 field to continue.').waitFor()
  await expect.poll(() => focusedLabel(page)).toBe('Security code')

  await page.getByLabel('Security code').fill('123')
  await payButton(page).click({ delay: 150 })
  await waitForReceipt(page)
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})
