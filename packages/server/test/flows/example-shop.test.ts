// The example shop when answers are lost, forms are sent again and it is killed on the way: the real server, the shop
// in a process of its own, and requests as a browser sends them.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Switchyard } from '@switchyard/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseClock } from '../../src/kernel/clock.ts'
import { cards, payerAt } from '../support/checkout.ts'
import { type ExampleProcess, freePort, startExample } from '../support/example.ts'
import { startServer } from '../support/server-process.ts'
import { simulatorForThisFile } from '../support/simulator.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'

const simulator = await simulatorForThisFile()
const { newWorkspace, databaseUrl } = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  overrides: { clock: databaseClock },
})
const at = `127.0.0.1:${await freePort()}`
const server = await startServer('all', {
  ...{ DATABASE_URL: databaseUrl, SIMULATOR_URL: simulator.url },
  ...{ TEST_LISTEN: at, TEST_BASE_URL: `http://${at}` },
})
const data = mkdtempSync(join(tmpdir(), 'switchyard-example-shop-'))
const workspace = await newWorkspace()
const environment = {
  ...{ SWITCHYARD_TOKEN: workspace.token, SWITCHYARD_BASE_URL: server.addresses.test },
  ...{ SHOP_DATA: data, PORT: await freePort() },
}
const url = `http://127.0.0.1:${environment.PORT}`
const switchyard = new Switchyard({ token: workspace.token, baseUrl: server.addresses.test })
const startShop = () => startExample('shop/main.ts', environment, /shopkeeper\?key=\w+\n/)

let shop: ExampleProcess
let books: DatabaseSync
beforeAll(async () => {
  shop = await startShop()
  // The shop writes at the same time: whoever comes second waits.
  books = new DatabaseSync(join(data, `${workspace.workspaceId}.sqlite`), { timeout: 10_000 })
})
afterAll(async () => {
  books.close()
  await Promise.all([shop.kill(), server.kill('SIGKILL')])
  rmSync(data, { recursive: true, force: true })
})

const headers = { cookie: 'shopper=ana', 'sec-fetch-site': 'same-origin' }
const open = (path: string) => fetch(url + path, { headers, redirect: 'manual' })
const post = (path: string, form: Record<string, string>) =>
  fetch(url + path, { method: 'POST', headers, redirect: 'manual', body: new URLSearchParams(form) })
const badgeOf = async (path: string) => (await (await open(path)).text()).match(/badge \w+">([^<]+)/)?.[1]

/** The form as the page fills it: each time that a card is typed it becomes another token. */
async function aForm(order: string, email = 'ana@example.com') {
  const card = { number: cards.good, exp_month: 12, exp_year: 2030, cvc: '123' }
  const answer = await fetch(`${server.addresses.test}/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${workspace.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'card', card }),
  })
  const { id: token } = (await answer.json()) as { id: string }
  return { order, email, token }
}

async function subscriptionsOf(orderId: string) {
  const all = await switchyard.subscriptions.list().all({ max: 100 })
  return all.filter(({ metadata }) => metadata.order_id === orderId)
}

test('a form for a subscription is about one order, however often it is loaded and sent', async () => {
  const first = await open('/subscribe')
  const path = first.headers.get('location') ?? ''
  const order = new URL(path, url).searchParams.get('order') ?? ''
  const form = await aForm(order)

  expect([first.status, (await open(path)).status]).toEqual([303, 200])
  const answers = [
    await post('/subscribe', form),
    await post('/subscribe', form),
    await post('/subscribe', await aForm(order, 'ana@example.org')),
  ]

  expect(answers.map((answer) => answer.headers.get('location'))).toEqual(Array(3).fill(`/orders/${order}`))
  expect(await subscriptionsOf(order)).toHaveLength(1)
  const [one] = await subscriptionsOf(order)
  expect((await switchyard.customers.get(one?.customer_id ?? '')).email).toBe('ana@example.org')
})

/** Whoever writes down which subscription it is gets stuck there: it was made, and the shop does not know. */
const writesForever = `
  CREATE VIEW forever AS
    WITH RECURSIVE steps (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM steps) SELECT count(*) AS n FROM steps;
  CREATE TRIGGER writes_forever BEFORE UPDATE OF subscription_id ON orders BEGIN SELECT n FROM forever; END`

test('a shop that is killed while it subscribes somebody has one subscription, which can be paused', async () => {
  const order = crypto.randomUUID()
  books.exec(writesForever)
  const lost = post('/subscribe', await aForm(order)).catch(() => null)
  await expect.poll(() => subscriptionsOf(order), { timeout: 15_000 }).toHaveLength(1)
  await shop.kill()
  expect(await lost).toBeNull()
  books.exec('DROP TRIGGER writes_forever; DROP VIEW forever')

  shop = await startShop()
  // They type their card once more, before or after the webhook has come.
  const again = await post('/subscribe', await aForm(order))

  expect(again.headers.get('location')).toBe(`/orders/${order}`)
  expect(await subscriptionsOf(order)).toHaveLength(1)
  await expect.poll(() => badgeOf(`/orders/${order}`), { timeout: 15_000 }).toBe('Active')
  await post(`/orders/${order}/pause`, { seen: '1' })
  expect((await subscriptionsOf(order)).map(({ status }) => status)).toEqual(['paused'])
})

test('who has a part of the money back keeps the atlas, and can get the rest', async () => {
  const order = crypto.randomUUID()
  const { headers: sent } = await post('/buy', { order })
  const [, id = '', client_secret = ''] = /([^/]+)#(.+)$/.exec(sent.get('location') ?? '') ?? []
  await payerAt(server.addresses.test).pay({ id, client_secret }, cards.good, { email: 'ana@example.com' })
  await expect.poll(() => badgeOf(`/orders/${order}`), { timeout: 15_000 }).toBe('Paid')
  const { payment_id } = await switchyard.checkoutSessions.get(id)

  await switchyard.refunds.create({ payment_id: payment_id ?? '', amount: 500 })
  await expect.poll(() => badgeOf(`/orders/${order}`), { timeout: 15_000 }).toBe('Partly refunded')
  expect(await (await open(`/orders/${order}`)).text()).toContain('Your download code')

  const [, key = ''] = /key=(\w+)/.exec(shop.said) ?? []
  await post(`/shopkeeper/orders/${order}/refund?key=${key}`, {})
  await expect.poll(() => badgeOf(`/orders/${order}`), { timeout: 15_000 }).toBe('Refunded')
  expect((await switchyard.payments.get(payment_id ?? '')).amount_refunded).toBe(2400)
})
