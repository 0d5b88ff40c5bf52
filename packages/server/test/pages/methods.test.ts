// Payers choose a method other than a card on the payment page: iDEAL, Bancontact, PayPal or a bank debit.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { findViolations, loadAxe } from './support/accessibility.ts'
import { checkoutPagesForThisFile } from './support/checkout-pages.ts'
import { pay, payButton, waitForReceipt } from './support/payer.ts'
import { takeScreenshot } from './support/screenshots.ts'

const checkout = await checkoutPagesForThisFile()

async function violationsOf(page: Page): Promise<string[]> {
  await loadAxe(page)
  return findViolations(page)
}

const choose = (page: Page, name: string) => page.getByRole('radio', { name }).check()

test('a payer chooses iDEAL, approves the payment at the bank and sees the receipt', async () => {
  const { workspace, link } = await checkout.createLink()
  const page = await checkout.open(link, { bypassCSP: true })
  const methods = page.getByRole('group', { name: 'Payment method' }).getByRole('radio')
  await methods.first().waitFor()
  expect(await methods.count()).toBe(5)
  expect(await page.getByRole('radio', { name: 'Card' }).isChecked()).toBe(true)
  await takeScreenshot(page, 'methods-card', { fullPage: true })
  await choose(page, 'iDEAL')
  expect(await page.getByLabel('Card number').count()).toBe(0)
  await page.getByText('You approve the payment at iDEAL in the next step.').waitFor()
  expect(await violationsOf(page)).toEqual([])
  await takeScreenshot(page, 'methods-ideal', { fullPage: true })
  await payButton(page).click()
  await page.waitForURL(`${checkout.simulator.url}/**`)
  await page.getByRole('button', { name: 'Approve' }).click()
  await waitForReceipt(page)
  await page.getByText('iDEAL').waitFor()
  expect(await violationsOf(page)).toEqual([])
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('a payer who goes back from the bank can pay by card, and is charged once', async () => {
  const { workspace, link } = await checkout.createLink()
  const page = await checkout.open(link, { bypassCSP: true })
  await choose(page, 'Bancontact')
  await payButton(page).click()
  await page.getByText('Fix 1 field to continue.').waitFor()
  await page.getByLabel('Account holder').fill('Ana Duarte')
  await payButton(page).click()
  await page.waitForURL(`${checkout.simulator.url}/**`)
  const bank = page.url()
  await page.goto(link.url)
  await page.getByRole('heading', { name: 'Continue with Bancontact' }).waitFor()
  expect(await violationsOf(page)).toEqual([])
  await takeScreenshot(page, 'methods-back', { fullPage: true })
  await page.getByRole('button', { name: 'Pay another way' }).click()
  await choose(page, 'Card')
  await pay(page)
  await waitForReceipt(page)
  const response = await fetch(bank, { method: 'POST', body: new URLSearchParams({ result: 'approve' }) })
  expect(response.status).toBe(404)
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

// biome-ignore format: a table.
test.each([
  ['en', 'SEPA direct debit',       'IBAN', 'Account holder',       /^By paying, you authorize/,        /^Debit requested on /],
  ['de', 'SEPA-Lastschrift',        'IBAN', 'Kontoinhaber',         /^Mit der Zahlung ermächtigen Sie/, /^Lastschrift beauftragt am /],
  ['es', 'Adeudo domiciliado SEPA', 'IBAN', 'Titular de la cuenta', /^Al pagar, usted autoriza/,        /^Adeudo solicitado el /],
  ['fr', 'Prélèvement SEPA',        'IBAN', 'Titulaire du compte',  /^En payant, vous autorisez/,       /^Prélèvement demandé le /],
  ['ja', 'SEPA口座振替',             'IBAN', '口座名義人',            /^お支払いにより/,                   /口座振替を依頼しました$/],
  ['ar', 'الخصم المباشر SEPA',      'IBAN', 'صاحب الحساب',          /^بالدفع، تفوّض/,                    /^طُلب الخصم في /],
])('a SEPA debit in %s shows the mandate, and the session is pending', async (locale, name, iban, holder, mandate, requested) => {
  const { workspace, link } = await checkout.createLink({ locale })
  const page = await checkout.open(link, { bypassCSP: true })
  await choose(page, name)
  await page.getByText(mandate).waitFor()
  // The email address is required for the notification before the debit.
  await payButton(page).click()
  expect(await page.locator('[aria-invalid=true]').count()).toBe(3)
  await page.getByLabel(iban).fill('DE89 3704 0044 0532 0130 01')
  await page.getByLabel(holder).fill('Ana Duarte')
  await page.locator('[name=email]').fill('ana@example.com')
  await payButton(page).click()
  expect(await page.locator('[aria-invalid=true]').count()).toBe(1)
  expect(await violationsOf(page)).toEqual([])
  await takeScreenshot(page, `methods-sepa-${locale}`, { fullPage: true })
  await page.getByLabel(iban).fill('de89 3704 0044 0532 0130 00')
  await payButton(page).click()
  await page.getByText(requested).waitFor()
  await takeScreenshot(page, `methods-pending-${locale}`, { fullPage: true })
  const [session] = (await workspace.get('/checkout-sessions')).body.data
  expect(session).toMatchObject({ status: 'completed', payment_status: 'pending' })
  expect((await workspace.get(`/payments/${session.payment_id}`)).body.sepa_debit).toMatchObject({
    account_holder_name: 'Ana Duarte',
    mandate: { text_version: `2026-11-${locale}` },
  })
})

// biome-ignore format: a table.
test.each([
  ['en', 'ACH direct debit',   /^By paying, you authorize/,        /^Debit requested on /],
  ['de', 'ACH-Lastschrift',    /^Mit der Zahlung ermächtigen Sie/, /^Lastschrift beauftragt am /],
  ['es', 'Adeudo directo ACH', /^Al pagar, usted autoriza/,        /^Adeudo solicitado el /],
  ['fr', 'Prélèvement ACH',    /^En payant, vous autorisez/,       /^Prélèvement demandé le /],
  ['ja', 'ACH口座振替',         /^お支払いにより/,                   /口座振替を依頼しました$/],
  ['ar', 'الخصم المباشر ACH',  /^بالدفع، تفوّض/,                    /^طُلب الخصم في /],
])('an ACH debit in %s shows the authorization, and the session is pending', async (locale, name, authorization, requested) => {
  const { workspace, link } = await checkout.createLink({ locale, currency: 'usd' })
  const page = await checkout.open(link, { bypassCSP: true })
  await choose(page, name)
  await page.getByText(authorization).waitFor()
  const fill = (field: string, value: string) => page.locator(`[name="ach_debit.${field}"]`).fill(value)
  await fill('routing_number', '110000001')
  await fill('account_number', '000123456789')
  await fill('holder', 'Ana Duarte')
  await page.locator('[name="ach_debit.account_type"]').selectOption('savings')
  await page.locator('[name=email]').fill('ana@example.com')
  await payButton(page).click()
  expect(await page.locator('[aria-invalid=true]').count()).toBe(1)
  expect(await violationsOf(page)).toEqual([])
  await takeScreenshot(page, `methods-ach-${locale}`, { fullPage: true })
  await fill('routing_number', '110000000')
  await payButton(page).click()
  await page.getByText(requested).waitFor()
  const [session] = (await workspace.get('/checkout-sessions')).body.data
  expect((await workspace.get(`/payments/${session.payment_id}`)).body.ach_debit).toMatchObject({
    bank_code: '110000000',
    mandate: { text_version: `2026-11-${locale}` },
  })
})

// biome-ignore format: a table.
test.each([
  ['en', 'Bacs Direct Debit',   'The Direct Debit Guarantee',                    /^Debit requested on /],
  ['de', 'Bacs-Lastschrift',    'Die Direct Debit Guarantee',                    /^Lastschrift beauftragt am /],
  ['es', 'Adeudo directo Bacs', 'La Direct Debit Guarantee',                     /^Adeudo solicitado el /],
  ['fr', 'Prélèvement Bacs',    'La Direct Debit Guarantee',                     /^Prélèvement demandé le /],
  ['ja', 'Bacs口座振替',         'Direct Debit Guarantee（口座振替保証）',          /口座振替を依頼しました$/],
  ['ar', 'الخصم المباشر Bacs',  'ضمان الخصم المباشر (Direct Debit Guarantee)',   /^طُلب الخصم في /],
])('a Bacs debit in %s shows the guarantee, and the session is pending', async (locale, name, guarantee, requested) => {
  const { workspace, link } = await checkout.createLink({ locale, currency: 'gbp' })
  const page = await checkout.open(link, { bypassCSP: true })
  await choose(page, name)
  await page.getByText(guarantee, { exact: true }).waitFor()
  const fill = (field: string, value: string) => page.locator(`[name="bacs_debit.${field}"]`).fill(value)
  await fill('sort_code', '10-88')
  await fill('account_number', '12345')
  await fill('holder', 'Ana Duarte')
  await page.locator('[name=email]').fill('ana@example.com')
  await payButton(page).click()
  expect(await page.locator('[aria-invalid=true]').count()).toBe(2)
  expect(await violationsOf(page)).toEqual([])
  await takeScreenshot(page, `methods-bacs-${locale}`, { fullPage: true })
  await fill('sort_code', '10-88-00')
  await fill('account_number', '00012345')
  await payButton(page).click()
  await page.getByText(requested).waitFor()
  const [session] = (await workspace.get('/checkout-sessions')).body.data
  expect((await workspace.get(`/payments/${session.payment_id}`)).body.bacs_debit).toMatchObject({
    bank_code: '108800',
    last4: '2345',
    mandate: { text_version: `2026-11-${locale}` },
  })
})

test('a page in a currency that no other method supports has no choice', async () => {
  const { link } = await checkout.createLink({ currency: 'jpy' })
  const page = await checkout.open(link)
  await page.getByLabel('Card number').waitFor()
  expect(await page.getByRole('radio').count()).toBe(0)
})
