// A payer is never charged twice, whatever they do with clicks, tabs and buttons, and whatever happens to the
// network. The ledger of the simulator shows how many times the card was charged.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { cardNumberForScenario } from '../../../simulator/src/cards.ts'
import { cards } from '../support/checkout.ts'
import { checkoutPagesForThisFile } from './support/checkout-pages.ts'
import { pay, payButton, receipt, typeCard, waitForReceipt } from './support/payer.ts'

const checkout = await checkoutPagesForThisFile()
const chargedOnce = { approvals: 1, captured: 12_900 }
/** A card that is approved only after the clock of the simulator is advanced. */
const pendingCard = cardNumberForScenario('5016')

test('a double click and a third click while the payment is in progress charge once', async () => {
  const { workspace, link } = await checkout.createLink({ max_completions: 5 })
  const page = await checkout.open(link)
  const confirms = countConfirms(page)
  await page.getByLabel('Email').fill('ana@example.com')
  await typeCard(page)

  await payButton(page).click({ clickCount: 2 })
  await page.evaluate('document.forms[0]?.requestSubmit()')
  await waitForReceipt(page)

  expect(confirms()).toBe(1)
  expect(await checkout.fetchCharges(workspace)).toEqual(chargedOnce)
})

test('two tabs of one browser that pay concurrently share one session and charge once', async () => {
  const { workspace, link } = await checkout.createLink({ max_completions: 5 })
  const payer = await checkout.newPayer()
  const tabs = await Promise.all([payer.newPage(), payer.newPage()])
  await Promise.all(tabs.map((tab) => tab.goto(link.url)))
  for (const tab of tabs) await typeCard(tab)
  // No session is created before both have clicked.
  const bothClicked = Promise.withResolvers<void>()
  await payer.route('**/sessions', async (route) => {
    await bothClicked.promise
    await route.continue()
  })

  for (const tab of tabs) await payButton(tab).click()
  for (const tab of tabs) await tab.getByRole('button', { name: 'Paying…' }).waitFor()
  bothClicked.resolve()
  await Promise.all(tabs.map(waitForReceipt))

  expect((await workspace.get(`/checkout-sessions?payment_link_id=${link.id}`)).body.data).toHaveLength(1)
  expect(await checkout.fetchCharges(workspace)).toEqual(chargedOnce)
})

test('a click on Pay in a second tab shows the receipt if the first tab has paid', async () => {
  const { workspace, link } = await checkout.createLink({ max_completions: 5 })
  const payer = await checkout.newPayer()
  const [first, second] = await Promise.all([payer.newPage(), payer.newPage()])
  await Promise.all([first.goto(link.url), second.goto(link.url)])
  await typeCard(second)
  await pay(first)
  await waitForReceipt(first)

  await payButton(second).click()
  await waitForReceipt(second)

  expect(await checkout.fetchCharges(workspace)).toEqual(chargedOnce)
})

test('a reload while the payment is in progress shows the progress and then the receipt', async () => {
  const { workspace, link } = await checkout.createLink()
  const page = await checkout.open(link)
  await pay(page, pendingCard)
  await page.getByText('Your payment is in progress').waitFor()

  await page.reload()
  await page.getByText('Your payment is in progress').waitFor()
  expect(await payButton(page).count()).toBe(0)
  await checkout.advanceTime(60)
  await waitForReceipt(page)

  expect(await checkout.fetchCharges(workspace)).toEqual(chargedOnce)
})

test('after a reload before the response arrives, the page finds the payment and shows the receipt', async () => {
  const { workspace, link } = await checkout.createLink()
  const page = await checkout.open(link)
  const responseReceived = Promise.withResolvers<void>()
  await page.route('**/confirm', async (route) => {
    await route.fetch()
    responseReceived.resolve()
    await route.abort()
  })
  await pay(page)
  await responseReceived.promise

  await page.reload()
  await waitForReceipt(page)

  expect(await checkout.fetchCharges(workspace)).toEqual(chargedOnce)
})

test('after a tab is closed during a payment, the link shows the receipt in a new tab of the same browser', async () => {
  const { workspace, link } = await checkout.createLink()
  const payer = await checkout.newPayer()
  const page = await payer.newPage()
  await page.goto(link.url)
  await pay(page, pendingCard)
  await page.getByText('Your payment is in progress').waitFor()
  await page.close()
  await checkout.advanceTime(60)

  const newTab = await payer.newPage()
  await newTab.goto(link.url)
  await waitForReceipt(newTab)

  expect(await checkout.fetchCharges(workspace)).toEqual(chargedOnce)
})

test('navigating back after a payment leads to the receipt', async () => {
  const { workspace, link } = await checkout.createLink({ max_completions: 5 })
  const page = await checkout.open(link)
  await pay(page)
  await waitForReceipt(page)

  await page.goto(`${checkout.origin}/thanks`)
  await page.goBack()
  await waitForReceipt(page)

  expect(await checkout.fetchCharges(workspace)).toEqual(chargedOnce)
})

test('opening the link again after authentication at the bank leads to the receipt', async () => {
  const { workspace, link } = await checkout.createLink({ max_completions: 5 })
  const page = await checkout.open(link)
  await pay(page, cards.requiresAuthentication)
  await page.getByRole('button', { name: 'Approve' }).click()
  await waitForReceipt(page)

  await page.goto(link.url)
  await waitForReceipt(page)

  expect(await checkout.fetchCharges(workspace)).toEqual(chargedOnce)
})

test('if the response is lost, the page warns not to pay again, polls the status, and shows the receipt', async () => {
  const { workspace, link } = await checkout.createLink()
  const page = await checkout.open(link)
  await page.route('**/confirm', async (route) => {
    await route.fetch()
    await page.context().setOffline(true)
    await route.abort()
  })

  await pay(page)
  await page.getByText('Do not pay again', { exact: false }).waitFor()
  expect(await receipt(page).count()).toBe(0)
  await page.context().setOffline(false)
  await waitForReceipt(page)

  expect(await checkout.fetchCharges(workspace)).toEqual(chargedOnce)
})

test('if the payment never reached the server, the page shows that, and the next click repeats the same attempt', async () => {
  const { workspace, link } = await checkout.createLink()
  const page = await checkout.open(link)
  const keys: (string | undefined)[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/confirm')) keys.push(request.headers()['idempotency-key'])
  })
  await page.route('**/confirm', (route) => route.abort(), { times: 1 })

  await pay(page)
  await page.getByText('The connection was lost before your payment reached us.', { exact: false }).waitFor()
  expect(await page.getByLabel('Card number').inputValue()).toBe('4242 4242 4242 4242')
  await payButton(page).click()
  await waitForReceipt(page)

  expect(keys).toEqual([keys[0], keys[0]])
  expect(await checkout.fetchCharges(workspace)).toEqual(chargedOnce)
})

test('while the browser is offline, nothing is sent, and the page shows that nothing was charged', async () => {
  const { workspace, link } = await checkout.createLink()
  const page = await checkout.open(link)
  const confirms = countConfirms(page)
  await page.context().setOffline(true)
  await pay(page)
  await page.getByText('You are offline. Nothing was charged.').waitFor()
  expect(confirms()).toBe(0)

  await page.context().setOffline(false)
  await payButton(page).click()
  await waitForReceipt(page)

  expect(await checkout.fetchCharges(workspace)).toEqual(chargedOnce)
})

test('on a slow network the payment succeeds and charges once', async () => {
  const { workspace, link } = await checkout.createLink()
  const page = await (await checkout.newPayer()).newPage()
  const network = await page.context().newCDPSession(page)
  await network.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 600,
    downloadThroughput: 20_000,
    uploadThroughput: 10_000,
  })
  await page.goto(link.url, { waitUntil: 'commit' })
  // A placeholder is visible before the script is loaded.
  await page.locator('.skeleton').waitFor()

  await pay(page)
  await page.getByRole('button', { name: 'Paying…' }).waitFor()
  await payButton(page).click({ force: true })
  await waitForReceipt(page)

  expect(await checkout.fetchCharges(workspace)).toEqual(chargedOnce)
})

function countConfirms(page: Page): () => number {
  let confirms = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/confirm')) confirms += 1
  })
  return () => confirms
}
