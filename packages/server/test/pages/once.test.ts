// Nobody pays twice: whatever a payer does with clicks, tabs and buttons, and whatever becomes of the network. The
// books of the simulator say how often was charged.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { numberOfScenario } from '../../../simulator/src/cards.ts'
import { cards } from '../support/checkout.ts'
import { pay, payButton, receipt, seesReceipt, typeCard } from './support/payer.ts'
import { shopForThisFile } from './support/shop.ts'

const shop = await shopForThisFile()
const once = { approvals: 1, captured: 12_900 }
/** Approved only when the time of the simulator has passed. */
const pending = numberOfScenario('5016')

test('a double click, and a third while the first is under way', async () => {
  const { workspace, link } = await shop.sell({ max_completions: 5 })
  const page = await shop.open(link)
  const confirms = countConfirms(page)
  await page.getByLabel('Email').fill('ana@example.com')
  await typeCard(page)

  await payButton(page).click({ clickCount: 2 })
  await page.evaluate('document.forms[0]?.requestSubmit()')
  await seesReceipt(page)

  expect(confirms()).toBe(1)
  expect(await shop.chargesOf(workspace)).toEqual(once)
})

test('two tabs of one browser that pay at the same moment share one session', async () => {
  const { workspace, link } = await shop.sell({ max_completions: 5 })
  const payer = await shop.newPayer()
  const tabs = await Promise.all([payer.newPage(), payer.newPage()])
  await Promise.all(tabs.map((tab) => tab.goto(link.url)))
  for (const tab of tabs) await typeCard(tab)
  // Nobody has a session before both have pressed.
  const pressed = Promise.withResolvers<void>()
  await payer.route('**/sessions', async (route) => {
    await pressed.promise
    await route.continue()
  })

  for (const tab of tabs) await payButton(tab).click()
  for (const tab of tabs) await tab.getByRole('button', { name: 'Paying…' }).waitFor()
  pressed.resolve()
  await Promise.all(tabs.map(seesReceipt))

  expect((await workspace.get(`/checkout-sessions?payment_link_id=${link.id}`)).body.data).toHaveLength(1)
  expect(await shop.chargesOf(workspace)).toEqual(once)
})

test('a second tab that is still open says that it is paid when it is looked at, and when it is pressed', async () => {
  const { workspace, link } = await shop.sell({ max_completions: 5 })
  const payer = await shop.newPayer()
  const [first, second] = await Promise.all([payer.newPage(), payer.newPage()])
  await Promise.all([first.goto(link.url), second.goto(link.url)])
  await typeCard(second)
  await pay(first)
  await seesReceipt(first)

  await payButton(second).click()
  await seesReceipt(second)

  expect(await shop.chargesOf(workspace)).toEqual(once)
})

test('a reload while the payment is under way shows how it goes on, and what becomes of it', async () => {
  const { workspace, link } = await shop.sell()
  const page = await shop.open(link)
  await pay(page, pending)
  await page.getByText('Your payment is under way').waitFor()

  await page.reload()
  await page.getByText('Your payment is under way').waitFor()
  expect(await payButton(page).count()).toBe(0)
  await shop.letPass(60)
  await seesReceipt(page)

  expect(await shop.chargesOf(workspace)).toEqual(once)
})

test('a reload before the answer has come: the payment goes on, and the page finds it', async () => {
  const { workspace, link } = await shop.sell()
  const page = await shop.open(link)
  const answered = Promise.withResolvers<void>()
  await page.route('**/confirm', async (route) => {
    await route.fetch()
    answered.resolve()
    await route.abort()
  })
  await pay(page)
  await answered.promise

  await page.reload()
  await seesReceipt(page)

  expect(await shop.chargesOf(workspace)).toEqual(once)
})

test('a tab that was closed resumes at the link, in a new tab of the same browser', async () => {
  const { workspace, link } = await shop.sell()
  const payer = await shop.newPayer()
  const page = await payer.newPage()
  await page.goto(link.url)
  await pay(page, pending)
  await page.getByText('Your payment is under way').waitFor()
  await page.close()
  await shop.letPass(60)

  const later = await payer.newPage()
  await later.goto(link.url)
  await seesReceipt(later)

  expect(await shop.chargesOf(workspace)).toEqual(once)
})

test('back after success leads to the receipt', async () => {
  const { workspace, link } = await shop.sell({ max_completions: 5 })
  const page = await shop.open(link)
  await pay(page)
  await seesReceipt(page)

  await page.goto(`${shop.origin}/thanks`)
  await page.goBack()
  await seesReceipt(page)

  expect(await shop.chargesOf(workspace)).toEqual(once)
})

test('back after the bank leads to the receipt too', async () => {
  const { workspace, link } = await shop.sell({ max_completions: 5 })
  const page = await shop.open(link)
  await pay(page, cards.asksThePayer)
  await page.getByRole('button', { name: 'Approve' }).click()
  await seesReceipt(page)

  await page.goto(link.url)
  await seesReceipt(page)

  expect(await shop.chargesOf(workspace)).toEqual(once)
})

test('the answer is lost on the way: the page says not to pay again, asks, and shows the receipt', async () => {
  const { workspace, link } = await shop.sell()
  const page = await shop.open(link)
  await page.route('**/confirm', async (route) => {
    await route.fetch()
    await page.context().setOffline(true)
    await route.abort()
  })

  await pay(page)
  await page.getByText('Do not pay again', { exact: false }).waitFor()
  expect(await receipt(page).count()).toBe(0)
  await page.context().setOffline(false)
  await seesReceipt(page)

  expect(await shop.chargesOf(workspace)).toEqual(once)
})

test('the payment never arrived: the page says so, and the next press is a repeat of the same try', async () => {
  const { workspace, link } = await shop.sell()
  const page = await shop.open(link)
  const keys: (string | undefined)[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/confirm')) keys.push(request.headers()['idempotency-key'])
  })
  await page.route('**/confirm', (route) => route.abort(), { times: 1 })

  await pay(page)
  await page.getByText('The connection was lost before your payment reached us.', { exact: false }).waitFor()
  expect(await page.getByLabel('Card number').inputValue()).toBe('4242 4242 4242 4242')
  await payButton(page).click()
  await seesReceipt(page)

  expect(keys).toEqual([keys[0], keys[0]])
  expect(await shop.chargesOf(workspace)).toEqual(once)
})

test('offline, nothing leaves the browser, and the page says that nothing was charged', async () => {
  const { workspace, link } = await shop.sell()
  const page = await shop.open(link)
  const confirms = countConfirms(page)
  await page.context().setOffline(true)
  await pay(page)
  await page.getByText('You are offline. Nothing was charged.').waitFor()
  expect(confirms()).toBe(0)

  await page.context().setOffline(false)
  await payButton(page).click()
  await seesReceipt(page)

  expect(await shop.chargesOf(workspace)).toEqual(once)
})

test('on a slow network everything comes in the end, once', async () => {
  const { workspace, link } = await shop.sell()
  const page = await (await shop.newPayer()).newPage()
  const network = await page.context().newCDPSession(page)
  await network.send('Network.emulateNetworkConditions', {
    ...{ offline: false, latency: 600, downloadThroughput: 20_000, uploadThroughput: 10_000 },
  })
  await page.goto(link.url, { waitUntil: 'commit' })
  // Something to look at, before the script has come.
  await page.locator('.skeleton').waitFor()

  await pay(page)
  await page.getByRole('button', { name: 'Paying…' }).waitFor()
  await payButton(page).click({ force: true })
  await seesReceipt(page)

  expect(await shop.chargesOf(workspace)).toEqual(once)
})

function countConfirms(page: Page): () => number {
  let confirms = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/confirm')) confirms += 1
  })
  return () => confirms
}
