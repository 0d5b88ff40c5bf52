// What goes wrong while paying: the payer learns what to do, loses nothing that was typed, and can try again.

import { expect, test } from 'vitest'
import { numberOfScenario } from '../../../simulator/src/cards.ts'
import { cards } from '../support/checkout.ts'
import { focused, pay, payButton, seesReceipt, typeCard } from './support/payer.ts'
import { shopForThisFile } from './support/shop.ts'

const shop = await shopForThisFile()

// biome-ignore format: a table.
const advices = [
  ['0043', 'Your bank declined this payment. Use another card.'],
  ['0001', 'Your bank declined this payment. Call the number on your card first.'],
  ['0054', 'This card has expired. Use another card.'],
] as const

test('a decline is told with the right advice and in harmless words, and nothing that was typed is lost', async () => {
  const { workspace, link } = await shop.sell()
  const page = await shop.open(link)

  for (const [scenario, advice] of advices) {
    await pay(page, numberOfScenario(scenario))
    await page.getByText(advice, { exact: true }).waitFor()
    expect(await page.getByRole('alert').textContent()).not.toMatch(/lost|stolen|fraud|suspect/i)
    await expect.poll(() => focused(page)).toContain(advice)
    expect(await page.getByLabel('Email').inputValue()).toBe('ana@example.com')
  }
  // Three cards are enough for one session, also if the fourth is good.
  await pay(page)
  await page.getByText('Too many tries. Nothing was charged.', { exact: false }).waitFor()

  expect(await shop.chargesOf(workspace)).toEqual({ approvals: 0, captured: 0 })
})

test('after a decline another card pays', async () => {
  const { workspace, link } = await shop.sell()
  const page = await shop.open(link)
  await pay(page, cards.declined)
  await page.getByText('Payment declined').waitFor()

  await typeCard(page)
  await payButton(page).click()
  await seesReceipt(page)

  expect(await shop.chargesOf(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('a payer whose bank asks goes there and comes back to the receipt', async () => {
  const { workspace, link } = await shop.sell()
  const page = await shop.open(link)

  await pay(page, cards.asksThePayer)
  await page.waitForURL(`${shop.simulator.url}/**`)
  await page.getByRole('button', { name: 'Approve' }).click()
  await seesReceipt(page)

  expect(new URL(page.url()).pathname).toMatch(/^\/c\/checkout_session_test_/)
  expect(await shop.chargesOf(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('a payer whom the bank refuses comes back to the form, with everything there but the card', async () => {
  const { workspace, link } = await shop.sell({ collect: ['name'] })
  const page = await shop.open(link)
  await page.getByLabel('Full name').fill('Ana Duarte')

  await pay(page, cards.asksThePayer)
  await page.getByRole('button', { name: 'Fail' }).click()
  await page.getByText('Your bank could not confirm it was you. Nothing was charged.').waitFor()

  expect(await page.getByLabel('Full name').inputValue()).toBe('Ana Duarte')
  expect(await page.getByLabel('Email').inputValue()).toBe('ana@example.com')
  expect(await page.getByLabel('Card number').inputValue()).toBe('')
  await typeCard(page)
  await payButton(page).click()
  await seesReceipt(page)
  expect(await shop.chargesOf(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('who goes back from the bank is not sent there again, but can go on', async () => {
  const { workspace, link } = await shop.sell()
  const page = await shop.open(link)
  await pay(page, cards.asksThePayer)
  await page.waitForURL(`${shop.simulator.url}/**`)

  await page.goBack()
  await page.getByRole('heading', { name: 'Confirm with your bank' }).waitFor()
  expect(await payButton(page).count()).toBe(0)
  await page.getByRole('button', { name: 'Continue to your bank' }).click()
  await page.getByRole('button', { name: 'Approve' }).click()
  await seesReceipt(page)

  expect(await shop.chargesOf(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('while the outcome is not known nobody is told that it failed, and nobody can pay again', async () => {
  const { workspace, link } = await shop.sell()
  const page = await shop.open(link)

  await pay(page, cards.silent)
  await page.getByText('We are checking with your bank').waitFor()
  const shown = await page.locator('main').textContent()
  expect(shown).toContain('Do not pay again.')
  expect(shown).not.toMatch(/fail|declin|error/i)
  expect(await payButton(page).count()).toBe(0)

  await shop.letPass(120)
  await seesReceipt(page)
  expect(await shop.chargesOf(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('what the server finds wrong is shown at its field', async () => {
  const { link } = await shop.sell()
  const page = await shop.open(link)

  await pay(page, '4111111111111111')
  await page.getByText('This is a test. Use one of the test cards.').waitFor()

  await expect.poll(() => focused(page)).toBe('Card number')
  expect(await page.getByLabel('Card number').getAttribute('aria-invalid')).toBe('true')
})
