// The example shop as a stranger uses it: the real server in a process of its own, the shop in another, and a
// Chromium in front of both. What the shop holds is judged by its own file, what was taken by the simulator's books.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Event, type SignedWebhook, Switchyard, signWebhook } from '@switchyard/sdk'
import axe from 'axe-core'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startChromium } from '../../../../scripts/services/chromium.ts'
import { numberOfScenario } from '../../../simulator/src/cards.ts'
import { databaseClock } from '../../src/kernel/clock.ts'
import { cards, payerAt } from '../support/checkout.ts'
import { type ExampleProcess, freePort, startExample } from '../support/example.ts'
import { ledgerOf } from '../support/ledger.ts'
import { startServer } from '../support/server-process.ts'
import { simulatorForThisFile } from '../support/simulator.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'
import { pay, payButton, typeCard } from './support/payer.ts'

const simulator = await simulatorForThisFile()
const { newWorkspace, databaseUrl } = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  // The shop is a process of its own, and knows no clock that is turned by hand.
  overrides: { clock: databaseClock },
})
const at = `127.0.0.1:${await freePort()}`
const server = await startServer('all', {
  ...{ DATABASE_URL: databaseUrl, SIMULATOR_URL: simulator.url },
  ...{ TEST_LISTEN: at, TEST_BASE_URL: `http://${at}` },
})
const browser = await startChromium()
const data = mkdtempSync(join(tmpdir(), 'switchyard-example-shop-'))
const workspace = await newWorkspace()
const environment = {
  SWITCHYARD_TOKEN: workspace.token,
  SWITCHYARD_BASE_URL: server.addresses.test,
  SHOP_DATA: data,
  PORT: await freePort(),
}
const url = `http://127.0.0.1:${environment.PORT}`
const switchyard = new Switchyard({ token: workspace.token, baseUrl: server.addresses.test })
const startShop = () => startExample('shop/main.ts', environment, /shopkeeper\?key=\w+\n/)

let shop: ExampleProcess
let books: DatabaseSync
beforeAll(async () => {
  shop = await startShop()
  books = new DatabaseSync(join(data, `${workspace.workspaceId}.sqlite`))
})
afterAll(async () => {
  books.close()
  await Promise.all([browser.close(), shop.kill(), server.kill('SIGKILL')])
  rmSync(data, { recursive: true, force: true })
})

const wrong: string[] = []
const contexts: BrowserContext[] = []
afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()))
  expect(wrong.splice(0)).toEqual([])
})

/** Somebody with a browser of their own, which is watched for whatever its pages complain about. */
async function somebody(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, ...options })
  contexts.push(context)
  context.on('console', (message) => {
    // Some tests are about that: a card was declined, somebody was refused, nobody was there.
    const isMeant = /status of (422|403)|ERR_(CONNECTION|EMPTY)_/.test(message.text())
    if (['error', 'warning'].includes(message.type()) && !isMeant) wrong.push(message.text())
  })
  context.on('weberror', (error) => wrong.push(String(error.error())))
  return context.newPage()
}

const keeperLink = () => shop.said.match(/http\S+key=\w+/)?.[0] ?? ''
const badge = (page: Page, label: string) => page.locator('.badge', { hasText: label }).waitFor()
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const orderIdOn = (page: Page) => new URL(page.url()).pathname.split('/')[2] ?? ''
const count = (table: 'shipments' | 'events', column: string, value: string) =>
  Number(books.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${column} = ?`).get(value)?.n)
const parcelsFor = (orderId: string) => count('shipments', 'order_id', orderId)

const codeOf = (orderId: string) =>
  books.prepare('SELECT code FROM shipments WHERE order_id = ?').get(orderId)?.code

/** As far as the payment page. */
async function buy(page: Page): Promise<void> {
  await page.goto(url)
  await press(page, 'Buy the atlas')
  await page.waitForURL(`${server.addresses.test}/**`)
}

/** The same without looking, for tests of what comes after. */
async function hasBought(page: Page): Promise<string> {
  const orderId = crypto.randomUUID()
  const { headers } = await page
    .context()
    .request.fetch(`${url}/buy`, {
      ...{ method: 'POST', form: { order: orderId }, maxRedirects: 0 },
      headers: { 'sec-fetch-site': 'same-origin' },
    })
    .then((answer) => ({ headers: answer.headers() }))
  const [, id = '', client_secret = ''] = /([^/]+)#(.+)$/.exec(headers.location ?? '') ?? []
  const { status } = await payerAt(server.addresses.test).pay({ id, client_secret }, cards.good, {
    email: 'ana@example.com',
  })
  expect(status).toBe(200)
  await expect.poll(() => parcelsFor(orderId)).toBe(1)
  return orderId
}

async function subscribe(page: Page, number: string = cards.good): Promise<void> {
  await page.goto(`${url}/subscribe`)
  await page.getByLabel('E-mail').fill('ana@example.com')
  await fillCard(page, number)
}

async function fillCard(page: Page, number: string): Promise<void> {
  await page.getByLabel('Card number').fill(number)
  await page.getByLabel('Expiry').fill('12/30')
  await page.getByLabel('Security code').fill('123')
  await page.getByRole('button', { name: /^Subscribe/ }).click()
}

/** What was taken for an order, and given back, by the books of the simulator. */
async function takenFor(orderId: string) {
  const payments = await switchyard.payments.list().all({ max: 100 })
  const ours = payments.filter(({ metadata }) => metadata.order_id === orderId)
  const sums = await Promise.all(ours.map(({ id }) => ledgerOf(simulator.url).sumsOf(id)))
  return sums.reduce(
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

test('who buys pays once at the payment page, and the webhook makes the order paid', async () => {
  const page = await somebody()
  await buy(page)
  await pay(page)
  await page.waitForURL(`${url}/orders/**`)
  await badge(page, 'Paid')
  const orderId = orderIdOn(page)

  expect(await page.getByText('Your download code').count()).toBe(1)
  expect(parcelsFor(orderId)).toBe(1)
  expect(await takenFor(orderId)).toEqual({ approvals: 1, captured: 2400 })
  await page.goto(`${url}/orders`)
  await badge(page, 'Paid')
})

test('a declined card leaves the order open, another card pays it, and only that one is charged', async () => {
  const page = await somebody()
  await buy(page)
  await pay(page, cards.declined)
  await page.getByText('Payment declined').waitFor()
  // They go away, and come back to the same order later.
  await page.getByRole('link', { name: /^Back to/ }).click()
  await badge(page, 'Not paid')
  await press(page, 'Pay €24.00')
  await page.getByLabel('Email').fill('ana@example.com')
  await typeCard(page)
  await payButton(page).click()
  await badge(page, 'Paid')

  expect(await takenFor(orderIdOn(page))).toEqual({ approvals: 1, captured: 2400 })
})

test('a payment page that was left alone is over some day, and the order gets another', async () => {
  const page = await somebody()
  await buy(page)
  const [session] = await switchyard.checkoutSessions.list({ limit: 1 }).all({ max: 1 })
  await switchyard.checkoutSessions.expire(session?.id ?? '')
  await page.goto(`${url}/orders`)
  await page.getByRole('link', { name: 'Atlas of Small Harbours' }).click()
  const orderId = orderIdOn(page)
  await expect.poll(() => statusOf(session?.id ?? '')).toBe('expired')
  await press(page, 'Pay €24.00')
  await pay(page)
  await badge(page, 'Paid')

  expect(await takenFor(orderId)).toEqual({ approvals: 1, captured: 2400 })
})

test('while a bank is silent the shop says that it is not known, and sends nothing', async () => {
  const page = await somebody()
  await buy(page)
  const pressed = page.waitForRequest('**/confirm')
  await pay(page, numberOfScenario('5001'))
  await pressed
  await page.goto(`${url}/orders`)
  await page.getByRole('link', { name: 'Atlas of Small Harbours' }).click()
  await reloadUntil(page, 'Waiting for your bank')

  await page.getByText('Please do not pay again').waitFor()
  expect(parcelsFor(orderIdOn(page))).toBe(0)
})

test('who comes back without having paid has not paid, whatever the address says', async () => {
  const page = await somebody()
  await buy(page)
  await page.goto(`${url}/orders`)
  await page.getByRole('link', { name: 'Atlas of Small Harbours' }).click()
  await page.goto(`${page.url()}?returned=yes&checkout_session_id=checkout_session_test_1`)
  await page.getByText('As soon as Switchyard confirms your payment').waitFor()

  expect(parcelsFor(orderIdOn(page))).toBe(0)
})

test('a webhook that comes twice, late or from somebody else sends nothing a second time', async () => {
  const page = await somebody()
  const orderId = await hasBought(page)
  const [endpoint] = await switchyard.webhookEndpoints.list().all({ max: 1 })
  const { secret } = await switchyard.webhookEndpoints.revealSecret(endpoint?.id ?? '')
  const completed = await eventOf('checkout_session.completed', orderId)
  const code = codeOf(orderId)
  const created = await eventOf('checkout_session.created', orderId)

  const twice = await deliver(await signWebhook(completed, secret))
  const late = await deliver(await signWebhook(copyOf(created), secret))
  const forged = await deliver(await signWebhook(copyOf(completed), 'whsec_c29tZWJvZHkgZWxzZQ=='))

  expect([twice, late, forged]).toEqual([200, 200, 400])
  expect([parcelsFor(orderId), codeOf(orderId)]).toEqual([1, code])
  expect(statusOf(JSON.parse(completed.data).object.id)).toBe('completed')
  await page.goto(`${url}/orders/${orderId}`)
  await badge(page, 'Paid')
})

/** Whoever puts a parcel into the books gets stuck there, with the webhook taken and the parcel not sent. */
const packsForever = `
  CREATE VIEW forever AS
    WITH RECURSIVE steps (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM steps) SELECT count(*) AS n FROM steps;
  CREATE TRIGGER packs_forever BEFORE INSERT ON shipments BEGIN SELECT n FROM forever; END`

test('a shop that is killed between the webhook and the parcel sends it once after it is back', async () => {
  const page = await somebody()
  await buy(page)
  const [session] = await switchyard.checkoutSessions.list({ limit: 1 }).all({ max: 1 })
  const orderId = session?.metadata.order_id ?? ''
  books.exec(packsForever)
  await pay(page)
  await expect
    .poll(async () => (await switchyard.checkoutSessions.get(session?.id ?? '')).status)
    .toBe('completed')
  await expect.poll(isStuck).toBe(true)
  await shop.kill()
  books.exec('DROP TRIGGER packs_forever; DROP VIEW forever')
  expect(parcelsFor(orderId)).toBe(0)

  shop = await startShop()
  await page.goto(`${url}/orders/${orderId}?returned=yes`)
  await badge(page, 'Paid')
  expect(parcelsFor(orderId)).toBe(1)
  expect(await takenFor(orderId)).toEqual({ approvals: 1, captured: 2400 })
})

test('the shopkeeper gives the money back once, and nobody else may', async () => {
  const [page, keeper] = [await somebody(), await somebody()]
  const orderId = await hasBought(page)
  expect((await page.goto(`${url}/shopkeeper`))?.status()).toBe(403)

  await keeper.goto(keeperLink())
  const row = keeper.locator('li', { hasText: orderId })
  await row.getByRole('button', { name: 'Refund €24.00' }).click()
  await row.getByText('Refunded').waitFor()
  // The second press of a double click.
  const again = await keeper.context().request.post(`${url}/shopkeeper/orders/${orderId}/refund`, {
    headers: { 'sec-fetch-site': 'same-origin' },
    maxRedirects: 0,
  })
  expect(again.status()).toBe(303)
  await page.goto(`${url}/orders/${orderId}`)
  await badge(page, 'Refunded')
  const refunds = await switchyard.refunds.list().all({ max: 100 })
  expect(refunds.filter(({ metadata }) => metadata.order_id === orderId)).toMatchObject([
    { status: 'succeeded', amount: 2400 },
  ])
})

test('a subscription begins with another card after a decline, renews, pauses, goes on and ends', async () => {
  const [page, keeper] = [await somebody(), await somebody()]
  await subscribe(page, cards.declined)
  await page.getByText('Nothing was taken.').waitFor()
  await fillCard(page, cards.good)
  await badge(page, 'Active')
  const orderId = orderIdOn(page)
  const until = await untilOn(page)

  await keeper.goto(keeperLink())
  await keeper
    .locator('li', { hasText: orderId })
    .getByRole('button', { name: /^Let a month pass/ })
    .click()
  await expect.poll(() => page.reload().then(() => untilOn(page))).toBeGreaterThan(until)
  await page.getByRole('link', { name: 'the letter' }).click()
  await page.getByText('Dear reader').waitFor()
  await page.goBack()

  await press(page, 'Pause')
  await badge(page, 'Paused')
  await page.goto(`${url}/letter`)
  await page.getByText('The letter is for subscribers.').waitFor()
  await page.goto(`${url}/orders/${orderId}`)
  await press(page, 'Go on')
  await badge(page, 'Active')
  await press(page, 'Cancel at the end of the month')
  await badge(page, 'Ends soon')
  await press(page, 'Keep it after all')
  await badge(page, 'Active')
  const invoices = await switchyard.invoices.list().all({ max: 100 })
  expect(invoices.map(({ status, total }) => [status, total])).toEqual([
    ['paid', 500],
    ['paid', 500],
  ])
})

test('no page of the shop has a barrier, by day and by night, on a phone and on a desk', async () => {
  // The checker is a script from outside, which the policy of the pages would refuse.
  const page = await somebody({ bypassCSP: true })
  const orderId = await hasBought(page)
  const paths = ['/', '/subscribe', '/orders', `/orders/${orderId}`]
  for (const path of [...paths.map((path) => url + path), keeperLink()]) {
    await page.goto(path)
    await page.evaluate(axe.source)
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [320, 1280]) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 800 })
        expect(await barriersOn(page), `${path} ${colorScheme} ${width}`).toEqual([])
        expect(
          await page.evaluate('document.documentElement.scrollWidth'),
          `${path} ${width}`,
        ).toBeLessThanOrEqual(width)
      }
  }
})

function barriersOn(page: Page): Promise<string[]> {
  return page.evaluate(
    'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" ")))',
  )
}

/** What the shop holds of an object. */
function statusOf(objectId: string): unknown {
  const row = books.prepare('SELECT json FROM objects WHERE id = ?').get(objectId)
  return row === undefined ? null : JSON.parse(String(row.json)).status
}

async function eventOf(
  type: 'checkout_session.created' | 'checkout_session.completed',
  orderId: string,
): Promise<Event> {
  const events = await switchyard.events.list({ type }).all({ max: 100 })
  const found = events.find(({ data: text }) => JSON.parse(text).object.metadata.order_id === orderId)
  if (found === undefined) throw new Error(`There is no ${type} of order ${orderId}.`)
  return found
}

/** The same content under another id, as if it were told anew. */
function copyOf(event: Event): Event {
  const id = `${event.id.slice(0, -1)}${event.id.endsWith('0') ? '1' : '0'}`
  return { ...event, id, data: event.data.replace(event.id, id) }
}

async function deliver({ body, headers }: SignedWebhook): Promise<number> {
  return (await fetch(`${url}/webhooks`, { method: 'POST', headers, body })).status
}

/** Whether the shop answers nobody, since it is stuck in its books. */
async function isStuck(): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(300) }).then(
    () => false,
    () => true,
  )
}

async function untilOn(page: Page): Promise<number> {
  const text = (await page.getByText('You can read').textContent()) ?? ''
  return Date.parse(text.match(/until (.*)\./)?.[1] ?? '')
}

/** What was asked for is heard of by a webhook, a moment later. */
async function reloadUntil(page: Page, label: string): Promise<void> {
  await expect.poll(() => page.reload().then(() => page.locator('.badge').textContent())).toBe(label)
}
