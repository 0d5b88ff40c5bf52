// The payment page in six languages, one of them written from right to left. Amounts have the decimal places
// that ISO 4217 defines for their currency.

import { expect, test } from 'vitest'
import { cards } from '../support/checkout.ts'
import { checkoutPagesForThisFile } from './support/checkout-pages.ts'
import { payButton } from './support/payer.ts'

const checkout = await checkoutPagesForThisFile()

// biome-ignore format: a table.
test.each([
  ['de', 'ltr', 'Kartennummer',         '129,00 € bezahlen', /^Bezahlt am /],
  ['es', 'ltr', 'Número de tarjeta',    'Pagar 129,00 €',    /^Pagado el /],
  ['fr', 'ltr', 'Numéro de carte',      'Payer 129,00 €',    /^Payé le /],
  ['ja', 'ltr', 'カード番号',            '€129.00を支払う',    /に支払い済み$/],
  ['ar', 'rtl', 'رقم البطاقة',           /^ادفع /,            /^دُفع في /],
])('a link in %s is shown with the direction %s and can be paid', async (locale, direction, number, button, paid) => {
  const { workspace, link } = await checkout.createLink({ locale })
  const page = await checkout.open(link)
  const html = page.locator('html')
  expect([await html.getAttribute('lang'), await html.getAttribute('dir')]).toEqual([locale, direction])
  expect((await payButton(page).textContent())?.replaceAll(/\s/g, ' ')).toMatch(button)

  await page.getByLabel(number).fill(cards.approved)
  await page.locator('[name="card.expiry"]').fill('12/30')
  await page.locator('[name="card.cvc"]').fill('123')
  await page.locator('[name="card.name"]').fill('Ana Duarte')
  await payButton(page).click()
  await page.getByText(paid).waitFor()

  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('a link without a language uses the language of the browser, or English if it is not supported', async () => {
  const { link } = await checkout.createLink()

  const french = await checkout.open(link, { locale: 'fr-CA' })
  const finnish = await checkout.open(link, { locale: 'fi-FI' })

  expect(await french.getByLabel('Numéro de carte').count()).toBe(1)
  expect(await finnish.getByLabel('Card number').count()).toBe(1)
})

test('if a language cannot be loaded, the page falls back to English', async () => {
  const { link } = await checkout.createLink({ locale: 'de' })
  const page = await (await checkout.newPayer()).newPage()
  await page.route('**/assets/de-*', (route) => route.abort())

  await page.goto(link.url)

  await page.getByLabel('Card number').waitFor()
})

// biome-ignore format: a table.
test.each([
  ['jpy', 1_234,     '¥1,234'],
  ['iqd', 1_234_567, 'IQD 1,234.567'],
])('an amount in %s is shown with the decimal places of its currency', async (currency, amount, text) => {
  const { link } = await checkout.createLink({ amount, currency })
  const page = await checkout.open(link)

  expect((await page.getByRole('heading').textContent())?.replaceAll(/\s/g, ' ')).toBe(text)
})

test('digits of an Arabic keyboard are accepted', async () => {
  const open_amount = { min: 500, max: 100_000 }
  const { workspace, link } = await checkout.createLink({ amount: undefined, open_amount, locale: 'ar' })
  const page = await checkout.open(link)

  await page.locator('[name=amount]').fill('١٢٫٥')
  await page.locator('[name="card.number"]').fill('٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢')
  await page.locator('[name="card.expiry"]').fill('١٢/٣٠')
  await page.locator('[name="card.cvc"]').fill('١٢٣')
  await page.locator('[name="card.name"]').fill('مها')
  await payButton(page).click()
  await page.locator('.receipt').waitFor()

  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 1_250 })
})
