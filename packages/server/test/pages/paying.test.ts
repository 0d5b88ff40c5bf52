// A payer opens a link, pays, and has a receipt: with every kind of price, and with everything that can be asked.

import { expect, test } from 'vitest'
import { cards } from '../support/checkout.ts'
import { focused, pay, payButton, seesReceipt, typeCard } from './support/payer.ts'
import { shopForThisFile } from './support/shop.ts'

const shop = await shopForThisFile()

test('a link is opened, paid and shows its receipt; the same address shows it again later', async () => {
  const { workspace, link } = await shop.sell({ description: 'Touring wheelset' })
  const page = await shop.open(link)
  await page.getByRole('heading', { name: '€129.00' }).waitFor()
  expect(await page.title()).toBe('€129.00 · Northwind Bicycles')

  await pay(page)
  await seesReceipt(page)

  const { body } = await workspace.get('/payments')
  const [payment] = body.data
  const shown = await page.locator('.receipt').textContent()
  expect(shown).toContain('Visa ·· 4242')
  expect(shown).toContain('ana@example.com')
  expect(shown).toContain(payment.id)
  expect(payment).toMatchObject({ status: 'succeeded', amount: 12_900, payment_link_id: link.id })
  await expect.poll(() => focused(page)).toMatch(/^Paid on/)

  await page.reload()
  await seesReceipt(page)
  expect(await shop.chargesOf(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('opening a link makes no session: that takes a press of the button', async () => {
  const { workspace, link } = await shop.sell()

  const page = await shop.open(link)
  await page.reload()
  await page.getByLabel('Card number').fill('42')

  expect((await workspace.get(`/checkout-sessions?payment_link_id=${link.id}`)).body.data).toEqual([])
})

test('of an open amount the payer says how much, in their own way of writing, and cannot leave the bounds', async () => {
  const { workspace, link } = await shop.sell({
    amount: undefined,
    open_amount: { min: 500, max: 100_000, suggested: 2_500 },
    description: 'Support the bicycle kitchen',
  })
  const page = await shop.open(link)
  const amount = page.getByLabel('Amount')
  expect([await amount.inputValue(), await payButton(page).textContent()]).toEqual(['25.00', 'Pay €25.00'])

  await amount.fill('4.99')
  await pay(page)
  await page.getByText('The amount must be at least €5.00.').waitFor()
  await expect.poll(() => focused(page)).toBe('Amount')

  await amount.fill('1.234,50')
  await payButton(page).click()
  await page.getByText('Enter an amount like 20.00.').waitFor()

  await amount.fill('17,5')
  expect(await payButton(page).textContent()).toBe('Pay €17.50')
  await payButton(page).click()
  await seesReceipt(page)
  await page.getByRole('heading', { name: '€17.50' }).waitFor()
  expect(await shop.chargesOf(workspace)).toEqual({ approvals: 1, captured: 1_750 })
})

test('things are listed with their prices, and where it is allowed the payer says how many', async () => {
  const { workspace, link } = await shop.sell({
    amount: undefined,
    line_items: [
      { name: 'Ticket', description: 'Sunday', unit_amount: 750, quantity: 2, adjustable_quantity: true },
    ],
  })
  const page = await shop.open(link)
  expect(await page.getByLabel('Your order').textContent()).toContain('2 × Ticket')

  await pay(page, cards.declined)
  await page.getByText('Your bank declined this payment. Use another card.').waitFor()
  await page.getByLabel('Quantity').fill('3')
  expect(await payButton(page).textContent()).toBe('Pay €22.50')
  await typeCard(page)
  await payButton(page).click()
  await seesReceipt(page)

  expect(await page.getByLabel('Your order').textContent()).toContain('3 × Ticket')
  expect(await shop.chargesOf(workspace)).toEqual({ approvals: 1, captured: 2_250 })
})

test('what the seller asks for is asked, checked and handed over', async () => {
  const { workspace, link } = await shop.sell({
    collect: ['name', 'email', 'phone', 'billing_address', 'shipping_address'],
    custom_fields: [
      { key: 'size', label: 'Frame size', type: 'dropdown', required: true, options: ['Small', 'Large'] },
      { key: 'club', label: 'Club number', type: 'numeric' },
    ],
  })
  const page = await shop.open(link)
  await payButton(page).click()
  await page.getByText('Fix 14 fields to continue.').waitFor()
  await expect.poll(() => focused(page)).toBe('Email')

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
  await expect.poll(() => focused(page)).toContain('Club number')
  await page.getByLabel('Club number').fill('4711')
  await payButton(page).click()
  await seesReceipt(page)

  const { body } = await workspace.get(`/checkout-sessions?payment_link_id=${link.id}`)
  expect(body.data[0].payer).toMatchObject({
    ...{ name: 'Ana Duarte', email: 'ana@example.com', phone: '+351 912 345 678' },
    shipping_address: { line1: 'Rua Augusta 1', city: 'Lisboa', country: 'PT' },
    billing_address: { line1: 'Rua Augusta 1', city: 'Lisboa', country: 'PT' },
    custom_fields: { size: 'Large', club: '4711' },
  })
})

test('a session of a server is paid at its own address, and the payer goes on to the shop', async () => {
  const { workspace } = await shop.sell()
  const success_url = `${shop.origin}/thanks`
  const { body: session } = await workspace.post('/checkout-sessions', {
    ...{ amount: 4_900, currency: 'gbp', success_url, cancel_url: 'https://shop.example.com/cart' },
  })
  const page = await shop.open(session)
  expect(await page.getByRole('link', { name: /^Back to/ }).getAttribute('href')).toBe(
    'https://shop.example.com/cart',
  )

  await pay(page)
  await page.waitForURL(`${success_url}?checkout_session_id=${session.id}`)

  // Who comes back stays: the receipt is here, and the way to the shop.
  await page.goto(session.url)
  await seesReceipt(page)
  expect(await page.getByRole('link', { name: /^Back to/ }).count()).toBe(1)
  expect(await shop.chargesOf(workspace)).toEqual({ approvals: 1, captured: 4_900 })
})

test('a link for many can be paid by the same payer again, but only on purpose', async () => {
  const { workspace, link } = await shop.sell({ max_completions: 2 })
  const page = await shop.open(link)
  await pay(page)
  await seesReceipt(page)

  await page.getByRole('button', { name: 'Make another payment' }).click()
  expect(await page.getByLabel('Card number').inputValue()).toBe('')
  await typeCard(page)
  await payButton(page).click()
  await seesReceipt(page)

  expect(await shop.chargesOf(workspace)).toEqual({ approvals: 2, captured: 25_800 })
})

test('a click on a test card fills it in', async () => {
  const { workspace, link } = await shop.sell()
  const page = await shop.open(link)
  await page.getByText('Test. No money moves.').waitFor()

  await page.getByText('Test cards').click()
  await page.getByRole('button', { name: 'Approves' }).click()
  await payButton(page).click()
  await seesReceipt(page)

  expect(await shop.chargesOf(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})
