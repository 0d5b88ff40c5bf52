// The example shop as a customer uses it, with the server and the shop in separate processes and a Chromium.
// Tests read the state of the shop from its database, and charges from the ledger of the simulator.

import { type Event, type SignedWebhook, signWebhook } from '@switchyard/sdk'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, expect, test } from 'vitest'
import { startChromium } from '../../../../scripts/services/chromium.ts'
import { cardNumberForScenario } from '../../../simulator/src/cards.ts'
import { cards, payerAt } from '../support/checkout.ts'
import { exampleShopForThisFile, readSession } from '../support/example-shop.ts'
import { openLedger } from '../support/simulator-ledger.ts'
import { colorRules, findViolations, loadAxe } from './support/accessibility.ts'
import { elementFrame, typeCardInElement } from './support/merchant-pages.ts'

const shop = await exampleShopForThisFile()
const { url, api, database, simulator, switchyard, shopkeeperLink } = shop
const browser = await startChromium()
afterAll(() => browser.close())

const problems: string[] = []
const contexts: BrowserContext[] = []
afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()))
  expect(problems.splice(0)).toEqual([])
})

/** Opens a page in a new browser context. Errors and warnings of its pages are recorded. */
async function openBrowserPage(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, ...options })
  contexts.push(context)
  context.on('console', (message) => {
    // Some tests cause these: a declined card, a rejected request, a server that is not running.
    const isExpected = /status of (422|403)|ERR_(CONNECTION|EMPTY)_/.test(message.text())
    if (['error', 'warning'].includes(message.type()) && !isExpected) problems.push(message.text())
  })
  context.on('weberror', (error) => problems.push(String(error.error())))
  return context.newPage()
}

const waitForBadge = (page: Page, label: string) => page.locator('.badge', { hasText: label }).waitFor()
const clickButton = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const readOrderId = (page: Page) => new URL(page.url()).pathname.split('/')[2] ?? ''
const countRows = (table: 'shipments' | 'events', column: string, value: string) =>
  Number(database.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${column} = ?`).get(value)?.n)
const countShipments = (orderId: string) => countRows('shipments', 'order_id', orderId)

const readDownloadCode = (orderId: string) =>
  database.prepare('SELECT code FROM shipments WHERE order_id = ?').get(orderId)?.code

/** Places an order, up to the payment element. */
async function startCheckout(page: Page, button = 'Buy the atlas'): Promise<void> {
  await page.goto(url)
  await clickButton(page, button)
  await page.waitForURL(`${url}/orders/*/pay`)
}

async function pay(page: Page, number: string = cards.approved): Promise<void> {
  await typeCardInElement(page, number)
  await page.locator('#pay-button').click()
}

/** Places and pays an order with requests instead of clicks. */
async function createPaidOrder(page: Page): Promise<string> {
  const orderId = crypto.randomUUID()
  const { request } = page.context()
  const headers = { 'sec-fetch-site': 'same-origin' }
  const response = await request.post(`${url}/buy`, { form: { order: orderId, item: 'atlas' }, headers })
  const { status } = await payerAt(api.baseUrl).pay(readSession(await response.text()), cards.approved, {
    email: 'ana@example.com',
  })
  expect(status).toBe(200)
  await expect.poll(() => countShipments(orderId)).toBe(1)
  return orderId
}

/** The approvals and the captured amount of an order, according to the ledger of the simulator. */
async function fetchChargesOf(orderId: string) {
  const payments = await switchyard.payments.list().all({ max: 100 })
  const orderPayments = payments.filter(({ metadata }) => metadata.order_id === orderId)
  const totals = await Promise.all(orderPayments.map(({ id }) => openLedger(simulator.url).fetchTotals(id)))
  return totals.reduce(
    (all, { approvals, captured }) => ({
      approvals: all.approvals + approvals,
      captured: all.captured + captured,
    }),
    {
      approvals: 0,
      captured: 0,
    },
  )
}

test('a customer pays once with the payment element, and the webhook marks the order as paid', async () => {
  const page = await openBrowserPage()
  await startCheckout(page)
  await pay(page)
  await page.waitForURL(`${url}/orders/**`)
  await waitForBadge(page, 'Paid')
  const orderId = readOrderId(page)

  expect(await page.getByText('Your download code').count()).toBe(1)
  expect(countShipments(orderId)).toBe(1)
  expect(await fetchChargesOf(orderId)).toEqual({ approvals: 1, captured: 2400 })
  await page.goto(`${url}/orders`)
  await waitForBadge(page, 'Paid')
})

test('a declined card leaves the order open, another card pays it, and only that one is charged', async () => {
  const page = await openBrowserPage()
  await startCheckout(page)
  await pay(page, cards.declined)
  await page.getByText('Your bank declined this payment.').waitFor()
  // The customer leaves, and returns to the same order later.
  await page.goto(`${url}/orders/${readOrderId(page)}`)
  await waitForBadge(page, 'Not paid')
  await page.getByRole('link', { name: 'Pay €24.00' }).click()
  await pay(page)
  await waitForBadge(page, 'Paid')

  expect(await fetchChargesOf(readOrderId(page))).toEqual({ approvals: 1, captured: 2400 })
})

test('after its checkout session has expired, an order gets a new payment page', async () => {
  const page = await openBrowserPage()
  await startCheckout(page)
  const [session] = await switchyard.checkoutSessions.list({ limit: 1 }).all({ max: 1 })
  await switchyard.checkoutSessions.expire(session?.id ?? '')
  await page.goto(`${url}/orders`)
  await page.getByRole('link', { name: 'Atlas of Small Harbours' }).click()
  const orderId = readOrderId(page)
  await expect.poll(() => readStoredStatus(session?.id ?? '')).toBe('expired')
  await page.getByRole('link', { name: 'Pay €24.00' }).click()
  await pay(page)
  await waitForBadge(page, 'Paid')

  expect(await fetchChargesOf(orderId)).toEqual({ approvals: 1, captured: 2400 })
})

test('while the outcome is unknown, the shop shows that it is waiting, and ships nothing', async () => {
  const page = await openBrowserPage()
  await startCheckout(page)
  const confirmRequest = page.waitForRequest('**/confirm')
  await pay(page, cardNumberForScenario('5001'))
  await confirmRequest
  await page.goto(`${url}/orders`)
  await page.getByRole('link', { name: 'Atlas of Small Harbours' }).click()
  await reloadUntil(page, 'Waiting for your bank')

  await page.getByText('Please do not pay again').waitFor()
  expect(countShipments(readOrderId(page))).toBe(0)
})

test('an order stays unpaid if the customer returns without paying, whatever the URL contains', async () => {
  const page = await openBrowserPage()
  await startCheckout(page)
  await page.goto(`${url}/orders`)
  await page.getByRole('link', { name: 'Atlas of Small Harbours' }).click()
  await page.goto(`${page.url()}?returned=yes&checkout_session_id=checkout_session_test_1`)
  await page.getByText('As soon as Switchyard confirms your payment').waitFor()

  expect(countShipments(readOrderId(page))).toBe(0)
})

test('a webhook that arrives twice, late or with a forged signature causes no second shipment', async () => {
  const page = await openBrowserPage()
  const orderId = await createPaidOrder(page)
  const [endpoint] = await switchyard.webhookEndpoints.list().all({ max: 1 })
  const { secret } = await switchyard.webhookEndpoints.revealSecret(endpoint?.id ?? '')
  const completed = await findEvent('checkout_session.completed', orderId)
  const code = readDownloadCode(orderId)
  const created = await findEvent('checkout_session.created', orderId)

  const twice = await deliver(await signWebhook(completed, secret))
  const late = await deliver(await signWebhook(withOtherId(created), secret))
  const forged = await deliver(await signWebhook(withOtherId(completed), 'whsec_c29tZWJvZHkgZWxzZQ=='))

  expect([twice, late, forged]).toEqual([200, 200, 400])
  expect([countShipments(orderId), readDownloadCode(orderId)]).toEqual([1, code])
  expect(readStoredStatus(JSON.parse(completed.data).object.id)).toBe('completed')
  await page.goto(`${url}/orders/${orderId}`)
  await waitForBadge(page, 'Paid')
})

/** A trigger that never ends: the webhook is received, but the shipment cannot be stored. */
const endlessTrigger = `
  CREATE VIEW forever AS
    WITH RECURSIVE steps (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM steps) SELECT count(*) AS n FROM steps;
  CREATE TRIGGER packs_forever BEFORE INSERT ON shipments BEGIN SELECT n FROM forever; END`

test('a shop that is killed between the webhook and the shipment ships once after its restart', async () => {
  const page = await openBrowserPage()
  await startCheckout(page)
  const [session] = await switchyard.checkoutSessions.list({ limit: 1 }).all({ max: 1 })
  const orderId = session?.metadata.order_id ?? ''
  database.exec(endlessTrigger)
  await pay(page)
  await expect
    .poll(async () => (await switchyard.checkoutSessions.get(session?.id ?? '')).status)
    .toBe('completed')
  await expect.poll(isStuck).toBe(true)
  await shop.kill()
  database.exec('DROP TRIGGER packs_forever; DROP VIEW forever')
  expect(countShipments(orderId)).toBe(0)

  await shop.restart()
  await page.goto(`${url}/orders/${orderId}?returned=yes`)
  await waitForBadge(page, 'Paid')
  expect(countShipments(orderId)).toBe(1)
  expect(await fetchChargesOf(orderId)).toEqual({ approvals: 1, captured: 2400 })
})

test('only the shopkeeper can refund an order, and a double click refunds it once', async () => {
  const [page, shopkeeper] = [await openBrowserPage(), await openBrowserPage()]
  const orderId = await createPaidOrder(page)
  expect((await page.goto(`${url}/shopkeeper`))?.status()).toBe(403)

  await shopkeeper.goto(shopkeeperLink())
  const row = shopkeeper.locator('li', { hasText: orderId })
  await row.getByRole('button', { name: 'Refund €24.00' }).click()
  await row.getByText('Refunded').waitFor()
  // The second click of a double click.
  const repeated = await shopkeeper.context().request.post(`${url}/shopkeeper/orders/${orderId}/refund`, {
    headers: { 'sec-fetch-site': 'same-origin' },
    maxRedirects: 0,
  })
  expect(repeated.status()).toBe(303)
  await page.goto(`${url}/orders/${orderId}`)
  await waitForBadge(page, 'Refunded')
  const refunds = await switchyard.refunds.list().all({ max: 100 })
  expect(refunds.filter(({ metadata }) => metadata.order_id === orderId)).toMatchObject([
    { status: 'succeeded', amount: 2400 },
  ])
})

test('a subscription starts after a decline and 3-D Secure, pauses, resumes, can be cancelled and gets another card', async () => {
  const page = await openBrowserPage()
  await startCheckout(page, 'Subscribe')
  await pay(page, cards.declined)
  await page.getByText('Your bank declined this payment.').waitFor()
  await pay(page, cards.requiresAuthentication)
  await page.waitForURL(`${simulator.url}/**`)
  await page.getByRole('button', { name: 'Approve' }).click()
  await waitForBadge(page, 'Active')
  const orderId = readOrderId(page)
  expect(await fetchChargesOf(orderId)).toEqual({ approvals: 1, captured: 500 })
  await page.getByRole('link', { name: 'the letter' }).click()
  await page.getByText('Dear reader').waitFor()
  await page.goBack()

  await clickButton(page, 'Pause')
  await waitForBadge(page, 'Paused')
  await page.goto(`${url}/letter`)
  await page.getByText('The letter is for subscribers.').waitFor()
  await page.goto(`${url}/orders/${orderId}`)
  await clickButton(page, 'Resume')
  await waitForBadge(page, 'Active')
  await clickButton(page, 'Cancel at the end of the month')
  await waitForBadge(page, 'Ends soon')
  await clickButton(page, 'Keep subscription')
  await waitForBadge(page, 'Active')

  const readMethod = async () =>
    (await switchyard.subscriptions.list().all({ max: 100 })).find(
      ({ metadata }) => metadata.order_id === orderId,
    )?.payment_method_id
  const firstMethod = await readMethod()
  await page.getByRole('link', { name: 'Use another card' }).click()
  await pay(page, cards.other)
  await page.waitForURL(`${url}/orders/${orderId}`)
  expect(await readMethod()).not.toBe(firstMethod)
  expect(await fetchChargesOf(orderId)).toMatchObject({ captured: 500 })
})

test('no page of the shop has accessibility violations, in both themes, on a phone and on a desktop', async () => {
  const page = await openBrowserPage({ bypassCSP: true })
  await startCheckout(page)
  await elementFrame(page).getByLabel('Card number').waitFor()
  const payPath = new URL(page.url()).pathname
  const orderId = await createPaidOrder(page)
  const paths = ['/', payPath, '/orders', `/orders/${orderId}`]
  for (const path of [...paths.map((path) => url + path), shopkeeperLink()]) {
    await page.goto(path)
    await loadAxe(page)
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [320, 1280]) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 800 })
        const rules = colorScheme === 'dark' ? { rules: colorRules } : {}
        // elements.test.ts checks the frame.
        const options = { ...rules, exclude: ['iframe'] }
        expect(await findViolations(page, options), `${path} ${colorScheme} ${width}`).toEqual([])
        expect(
          await page.evaluate('document.documentElement.scrollWidth'),
          `${path} ${width}`,
        ).toBeLessThanOrEqual(width)
      }
  }
})

/** The status of an object in the database of the shop. */
function readStoredStatus(objectId: string): unknown {
  const row = database.prepare('SELECT json FROM objects WHERE id = ?').get(objectId)
  return row === undefined ? null : JSON.parse(String(row.json)).status
}

async function findEvent(
  type: 'checkout_session.created' | 'checkout_session.completed',
  orderId: string,
): Promise<Event> {
  const events = await switchyard.events.list({ type }).all({ max: 100 })
  const event = events.find(({ data: text }) => JSON.parse(text).object.metadata.order_id === orderId)
  if (event === undefined) throw new Error(`There is no ${type} of order ${orderId}.`)
  return event
}

/** An event with the same content and another id. */
function withOtherId(event: Event): Event {
  const id = `${event.id.slice(0, -1)}${event.id.endsWith('0') ? '1' : '0'}`
  return { ...event, id, data: event.data.replace(event.id, id) }
}

async function deliver({ body, headers }: SignedWebhook): Promise<number> {
  return (await fetch(`${url}/webhooks`, { method: 'POST', headers, body })).status
}

/** Whether the shop does not respond because its database is stuck. */
async function isStuck(): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(300) }).then(
    () => false,
    () => true,
  )
}

/** Reloads the page until the shop has received the webhook and shows this badge. */
async function reloadUntil(page: Page, label: string): Promise<void> {
  await expect.poll(() => page.reload().then(() => page.locator('.badge').textContent())).toBe(label)
}
