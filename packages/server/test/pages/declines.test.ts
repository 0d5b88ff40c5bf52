// Errors while paying: the payer sees what to do, loses no input, and can try again.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { cardNumberForScenario } from '../../../simulator/src/cards.ts'
import { cards } from '../support/checkout.ts'
import { checkoutPagesForThisFile } from './support/checkout-pages.ts'
import {
  focusedLabel,
  limitOpens,
  limitPayments,
  pay,
  payButton,
  rejectOnce,
  typeCard,
  waitForReceipt,
} from './support/payer.ts'

const checkout = await checkoutPagesForThisFile()

// biome-ignore format: a table.
const adviceByScenario = [
  ['0043', 'Your bank declined this payment. Use another card.'],
  ['0001', 'Your bank declined this payment. Call the number on your card first.'],
  ['0054', 'This card has expired. Use another card.'],
] as const

test('a decline is shown with the right advice and without mention of fraud, and no input is lost', async () => {
  const { workspace, link } = await checkout.createLink()
  const page = await checkout.open(link)

  for (const [scenario, advice] of adviceByScenario) {
    await pay(page, cardNumberForScenario(scenario))
    await page.getByText(advice, { exact: true }).waitFor()
    expect(await page.getByRole('alert').textContent()).not.toMatch(/lost|stolen|fraud|suspect/i)
    await expect.poll(() => focusedLabel(page)).toContain(advice)
    expect(await page.getByLabel('Email').inputValue()).toBe('ana@example.com')
  }
  // A session allows three declined cards, even if the fourth would be approved.
  await pay(page)
  await page.getByText('Too many attempts. Nothing was charged.', { exact: false }).waitFor()

  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 0, captured: 0 })
})

test('after a decline another card succeeds', async () => {
  const { workspace, link } = await checkout.createLink()
  const page = await checkout.open(link)
  await pay(page, cards.declined)
  await page.getByText('Payment declined').waitFor()

  await typeCard(page)
  await payButton(page).click()
  await waitForReceipt(page)

  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('a payment that exceeds the rate limit is sent automatically after Retry-After, and charges once', async () => {
  const { workspace, link } = await checkout.createLink()
  const page = await checkout.open(link)
  await limitPayments(page, 2)

  await pay(page)
  await page.getByText('Your payment has not been sent yet').waitFor()
  const text = await page.locator('main').textContent()
  expect(text).toMatch(/sent automatically in about \d seconds\. Nothing has been charged\./)
  expect(await payButton(page).count()).toBe(0)
  await waitForReceipt(page)

  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('opening a link above the rate limit is retried automatically after Retry-After, and charges once', async () => {
  const { workspace, link } = await checkout.createLink()
  const page = await checkout.open(link)
  await limitOpens(page, 1)

  await pay(page)
  await page.getByText('Your payment has not been sent yet').waitFor()
  await waitForReceipt(page)

  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

const noVault = { status: 403, code: 'raw_cards_disabled' } as const

/** The page says that cards cannot be used, and not that somebody else is paying. */
async function expectNoCards(page: Page): Promise<void> {
  await page.getByText('Cards cannot be used here').waitFor()
  const text = await page.locator('main').textContent()
  expect(text).toContain('Nothing was charged.')
  expect(text).not.toContain('Someone else is paying')
  expect(await payButton(page).count()).toBe(0)
}

test.each([
  ['opens a session', '**/checkout/links/*/sessions'],
  ['pays', '**/confirm'],
])('if the vault is off when the payer %s, the page says that cards cannot be used', async (_, url) => {
  const { link } = await checkout.createLink()
  const page = await checkout.open(link)
  await rejectOnce(page, url, noVault)

  await pay(page)

  await expectNoCards(page)
})

test('if the vault is off when a link or a session is loaded, the page says that cards cannot be used', async () => {
  const { workspace, link } = await checkout.createLink()
  const { body: session } = await workspace.post('/checkout-sessions', { amount: 1299, currency: 'eur' })
  const page = await (await checkout.newPayer()).newPage()

  await rejectOnce(page, '**/checkout/links/*', noVault)
  await page.goto(link.url)
  await expectNoCards(page)
  await rejectOnce(page, '**/checkout/sessions/*', noVault)
  await page.goto(session.url)
  await expectNoCards(page)
})

test('a payer who cancels the wait for the rate limit gets the form back with the input, and nothing is sent', async () => {
  const { workspace, link } = await checkout.createLink()
  const page = await checkout.open(link)
  await limitPayments(page, 2)

  await pay(page)
  await page.getByRole('button', { name: 'Go back without paying' }).click()
  await payButton(page).waitFor()
  expect(await page.getByLabel('Card number').inputValue()).toContain('4242')
  await page.waitForTimeout(5_000)

  expect(await payButton(page).count()).toBe(1)
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 0, captured: 0 })
})

test('a payer whose bank requires authentication is redirected there and returns to the receipt', async () => {
  const { workspace, link } = await checkout.createLink()
  const page = await checkout.open(link)

  await pay(page, cards.requiresAuthentication)
  await page.waitForURL(`${checkout.simulator.url}/**`)
  await page.getByRole('button', { name: 'Approve' }).click()
  await waitForReceipt(page)

  expect(new URL(page.url()).pathname).toMatch(/^\/c\/checkout_session_test_/)
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('a payer whose authentication fails returns to the form, with all input except the card', async () => {
  const { workspace, link } = await checkout.createLink({ collect: ['name'] })
  const page = await checkout.open(link)
  await page.getByLabel('Full name').fill('Ana Duarte')

  await pay(page, cards.requiresAuthentication)
  await page.getByRole('button', { name: 'Fail' }).click()
  await page.getByText('Your bank could not confirm it was you. Nothing was charged.').waitFor()

  expect(await page.getByLabel('Full name').inputValue()).toBe('Ana Duarte')
  expect(await page.getByLabel('Email').inputValue()).toBe('ana@example.com')
  expect(await page.getByLabel('Card number').inputValue()).toBe('')
  await typeCard(page)
  await payButton(page).click()
  await waitForReceipt(page)
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('a payer who navigates back from the bank is not sent there again, but can continue', async () => {
  const { workspace, link } = await checkout.createLink()
  const page = await checkout.open(link)
  await pay(page, cards.requiresAuthentication)
  await page.waitForURL(`${checkout.simulator.url}/**`)

  await page.goBack()
  await page.getByRole('heading', { name: 'Confirm with your bank' }).waitFor()
  expect(await payButton(page).count()).toBe(0)
  await page.getByRole('button', { name: 'Continue to your bank' }).click()
  await page.getByRole('button', { name: 'Approve' }).click()
  await waitForReceipt(page)

  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('while the outcome is unknown the page does not report a failure, and no second payment is possible', async () => {
  const { workspace, link } = await checkout.createLink()
  const page = await checkout.open(link)

  await pay(page, cards.noResponse)
  await page.getByText('We are checking with your bank').waitFor()
  const text = await page.locator('main').textContent()
  expect(text).toContain('Do not pay again.')
  expect(text).not.toMatch(/fail|declin|error/i)
  expect(await payButton(page).count()).toBe(0)

  await checkout.advanceTime(120)
  await waitForReceipt(page)
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('a validation error from the server is shown next to its field', async () => {
  const { link } = await checkout.createLink()
  const page = await checkout.open(link)

  await pay(page, '4111111111111111')
  await page.getByText('This is a test. Use one of the test cards.').waitFor()

  await expect.poll(() => focusedLabel(page)).toBe('Card number')
  expect(await page.getByLabel('Card number').getAttribute('aria-invalid')).toBe('true')
})
