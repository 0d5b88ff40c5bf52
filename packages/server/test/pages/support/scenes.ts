// Every state of the payment page, each reached as a payer reaches it.

import type { BrowserContextOptions, Page } from 'playwright-core'
import { numberOfScenario } from '../../../../simulator/src/cards.ts'
import { cards, payerAt } from '../../support/checkout.ts'
import { pay, payButton, seesReceipt } from './payer.ts'
import type { Shop } from './shop.ts'

export type Scene = (shop: Shop, options: BrowserContextOptions) => Promise<Page>

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
const everything = {
  ...order,
  collect: ['name', 'email', 'phone', 'billing_address', 'shipping_address'],
  custom_fields: [
    { key: 'size', label: 'Frame size', type: 'dropdown', required: true, options: ['Small', 'Large'] },
    { key: 'engraving', label: 'Engraving' },
  ],
}

async function opened(shop: Shop, options: BrowserContextOptions, members: object = order): Promise<Page> {
  const { link } = await shop.sell(members, northwind)
  return shop.open(link, options)
}

/** After the card was tried, when what is to be seen is there. */
const tried =
  (number: string, text: string): Scene =>
  async (shop, options) => {
    const page = await opened(shop, options)
    await pay(page, number)
    await page.getByText(text).first().waitFor()
    return page
  }

export const scenes: Readonly<Record<string, Scene>> = {
  'open-form': opened,
  'plain-seller': async (shop, options) => {
    const { link } = await shop.sell({ description: 'Invoice 2026-114' })
    const page = await shop.open(link, options)
    await page.getByText('Test cards').click()
    return page
  },
  'pale-accent': async (shop, options) => {
    const { link } = await shop.sell(order, { ...northwind, accent_color: '#ffe566' })
    return shop.open(link, options)
  },
  'open-amount': async (shop, options) =>
    opened(shop, options, {
      amount: undefined,
      open_amount: { min: 500, max: 100_000, suggested: 2_500 },
      description: 'Support the bicycle kitchen',
    }),
  faults: async (shop, options) => {
    const page = await opened(shop, options, everything)
    await page.getByLabel('Card number').fill('4242424242424241')
    await payButton(page).click()
    await page.getByText('Fix 14 fields to continue.').waitFor()
    return page
  },
  declined: tried(cards.declined, 'Payment declined'),
  processing: tried(numberOfScenario('5016'), 'Your payment is under way'),
  unknown: tried(cards.silent, 'We are checking with your bank'),
  bank: async (shop, options) => {
    const page = await opened(shop, options)
    await pay(page, cards.asksThePayer)
    await page.waitForURL(`${shop.simulator.url}/**`)
    await page.goBack()
    await page.getByText('Continue to your bank').waitFor()
    return page
  },
  'connection-lost': async (shop, options) => {
    const page = await opened(shop, options)
    await page.route('**/checkout/sessions/**', (route) => route.abort())
    await pay(page)
    await page.getByText('The connection was lost').waitFor()
    return page
  },
  receipt: async (shop, options) => {
    const page = await opened(shop, options, { ...order, max_completions: 5 })
    await pay(page)
    await seesReceipt(page)
    return page
  },
  'already-paid': async (shop, options) => {
    const { link } = await shop.sell(order, northwind)
    const somebody = payerAt(shop.origin)
    await somebody.pay(await somebody.openOne(link.slug))
    return shop.open(link, options)
  },
  'not-found': (shop, options) => shop.open({ url: `${shop.origin}/l/nothing` }, options),
  german: (shop, options) => filledInWrong(shop, options, 'de'),
  arabic: (shop, options) => filledInWrong(shop, options, 'ar'),
  japanese: async (shop, options) => {
    const line_items = [{ name: 'ツーリングホイール', unit_amount: 12_900 }]
    return opened(shop, options, { ...order, line_items, currency: 'jpy', locale: 'ja' })
  },
}

/** Long words, and letters that run the other way. */
async function filledInWrong(shop: Shop, options: BrowserContextOptions, locale: string): Promise<Page> {
  const page = await opened(shop, options, { ...order, collect: ['name', 'shipping_address'], locale })
  await page.locator('[name="card.number"]').fill('4242424242424241')
  await payButton(page).click()
  await page.locator('.fault').first().waitFor()
  return page
}
