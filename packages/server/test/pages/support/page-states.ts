// Opens the payment page in each of its states, with the actions of a payer.

import type { BrowserContextOptions, Page } from 'playwright-core'
import { cardNumberForScenario } from '../../../../simulator/src/cards.ts'
import { cards, payerAt } from '../../support/checkout.ts'
import type { CheckoutPages } from './checkout-pages.ts'
import { limitPayments, pay, payButton, waitForReceipt } from './payer.ts'

export type PageState = (checkout: CheckoutPages, options: BrowserContextOptions) => Promise<Page>

const logo = [
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgAgMAAAAOFJJnAAAACVBMVEUAAAALbk////8Mb75WAAAAAXRSTlMAQObYZg',
  'AAAHtJREFUeNpl0MENwCAIBdD20BG6T0fooZDA3YMDMYIHmbIgBpOW04t+A7htq3aAawCs5kEcHY7bcDqeGfHQHrgi',
  '4qE/zsDjYJUvKK60szpQGqMYGHuVZiCk0oqDqJQBCBwMtUKzXvHKm6qgWtMcLEddw+c6uWCuvD4h6gWyiUQo8xO7Cg',
  'AAAABJRU5ErkJggg==',
].join('')
const northwind = {
  display_name: 'Northwind Bicycles',
  logo_url: `data:image/png;base64,${logo}`,
  accent_color: '#0b6e4f',
}
const order = {
  amount: undefined,
  line_items: [
    { name: 'Touring wheelset', description: '32 spokes, 700C', unit_amount: 11_900 },
    { name: 'Delivery', unit_amount: 500, quantity: 2 },
  ],
}
const allFields = {
  ...order,
  collect: ['name', 'email', 'phone', 'billing_address', 'shipping_address'],
  custom_fields: [
    { key: 'size', label: 'Frame size', type: 'dropdown', required: true, options: ['Small', 'Large'] },
    { key: 'engraving', label: 'Engraving' },
  ],
}

async function openForm(
  checkout: CheckoutPages,
  options: BrowserContextOptions,
  members: object = order,
): Promise<Page> {
  const { link } = await checkout.createLink(members, northwind)
  return checkout.open(link, options)
}

/** Pays with this card, and waits until the text is visible. */
const afterPayment =
  (number: string, text: string): PageState =>
  async (checkout, options) => {
    const page = await openForm(checkout, options)
    await pay(page, number)
    await page.getByText(text).first().waitFor()
    return page
  }

export const pageStates: Readonly<Record<string, PageState>> = {
  'open-form': openForm,
  'plain-seller': async (checkout, options) => {
    const { link } = await checkout.createLink({ description: 'Invoice 2026-114' })
    const page = await checkout.open(link, options)
    await page.getByText('Test cards').click()
    return page
  },
  'pale-accent': async (checkout, options) => {
    const { link } = await checkout.createLink(order, { ...northwind, accent_color: '#ffe566' })
    return checkout.open(link, options)
  },
  'open-amount': async (checkout, options) =>
    openForm(checkout, options, {
      amount: undefined,
      open_amount: { min: 500, max: 100_000, suggested: 2_500 },
      description: 'Support the bicycle kitchen',
    }),
  errors: async (checkout, options) => {
    const page = await openForm(checkout, options, allFields)
    await page.getByLabel('Card number').fill('4242424242424241')
    await payButton(page).click()
    await page.getByText('Fix 14 fields to continue.').waitFor()
    return page
  },
  declined: afterPayment(cards.declined, 'Payment declined'),
  processing: afterPayment(cardNumberForScenario('5016'), 'Your payment is in progress'),
  unknown: afterPayment(cards.noResponse, 'We are checking with your bank'),
  bank: async (checkout, options) => {
    const page = await openForm(checkout, options)
    await pay(page, cards.requiresAuthentication)
    await page.waitForURL(`${checkout.simulator.url}/**`)
    await page.goBack()
    await page.getByText('Continue to your bank').waitFor()
    return page
  },
  'connection-lost': async (checkout, options) => {
    const page = await openForm(checkout, options)
    await page.route('**/checkout/sessions/**', (route) => route.abort())
    await pay(page)
    await page.getByText('The connection was lost').waitFor()
    return page
  },
  'waiting-for-rate-limit': async (checkout, options) => {
    const page = await openForm(checkout, options)
    await limitPayments(page, 60)
    await pay(page)
    await page.getByText('Your payment has not been sent yet').waitFor()
    return page
  },
  receipt: async (checkout, options) => {
    const page = await openForm(checkout, options, { ...order, max_completions: 5 })
    await pay(page)
    await waitForReceipt(page)
    return page
  },
  'already-paid': async (checkout, options) => {
    const { link } = await checkout.createLink(order, northwind)
    const otherPayer = payerAt(checkout.origin)
    await otherPayer.pay(await otherPayer.openSession(link.slug))
    return checkout.open(link, options)
  },
  'not-found': (checkout, options) => checkout.open({ url: `${checkout.origin}/l/nothing` }, options),
  german: (checkout, options) => openFormWithErrors(checkout, options, 'de'),
  arabic: (checkout, options) => openFormWithErrors(checkout, options, 'ar'),
  japanese: async (checkout, options) => {
    const line_items = [{ name: 'ツーリングホイール', unit_amount: 12_900 }]
    return openForm(checkout, options, { ...order, line_items, currency: 'jpy', locale: 'ja' })
  },
}

/** Opens a form with errors, in a language with long words or with text from right to left. */
async function openFormWithErrors(
  checkout: CheckoutPages,
  options: BrowserContextOptions,
  locale: string,
): Promise<Page> {
  const page = await openForm(checkout, options, { ...order, collect: ['name', 'shipping_address'], locale })
  await page.locator('[name="card.number"]').fill('4242424242424241')
  await payButton(page).click()
  await page.locator('.fault').first().waitFor()
  return page
}
