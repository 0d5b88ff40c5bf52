// The example shop with lost responses, forms that are submitted twice and crashes. Uses the real server, the
// shop in a separate process, and the requests that a browser would send.

import { expect, test } from 'vitest'
import { cards, payerAt } from '../support/checkout.ts'
import { exampleShopForThisFile, readSession } from '../support/example-shop.ts'

const shop = await exampleShopForThisFile()
const { url, api, database, switchyard } = shop

const headers = { cookie: 'shopper=ana', 'sec-fetch-site': 'same-origin' }
const openPage = (path: string) => fetch(url + path, { headers, redirect: 'manual' })
const post = (path: string, form: Record<string, string>) =>
  fetch(url + path, { method: 'POST', headers, redirect: 'manual', body: new URLSearchParams(form) })
const readBadge = async (path: string) =>
  (await (await openPage(path)).text()).match(/badge \w+">([^<]+)/)?.[1]

async function listSubscriptions(orderId: string) {
  const all = await switchyard.subscriptions.list().all({ max: 100 })
  return all.filter(({ metadata }) => metadata.order_id === orderId)
}

/** Places an order, opens its payment page, and returns the session of the payment element. */
async function openSession(order: string, item: 'atlas' | 'letter') {
  const { headers: placed } = await post('/buy', { order, item })
  expect(placed.get('location')).toBe(`/orders/${order}/pay`)
  return readSession(await (await openPage(`/orders/${order}/pay`)).text())
}

const payerOfShop = payerAt(api.baseUrl)
const email = { email: 'ana@example.com' }

test('an order that is placed and opened several times has one session, and creates one subscription', async () => {
  const order = crypto.randomUUID()
  const sessions = [
    await openSession(order, 'letter'),
    await openSession(order, 'letter'),
    ...(await Promise.all([openSession(order, 'letter'), openSession(order, 'letter')])),
  ]
  expect(new Set(sessions.map(({ client_secret }) => client_secret)).size).toBe(1)
  const [session = { id: '', client_secret: '' }] = sessions
  expect((await payerOfShop.pay(session, cards.approved, email)).status).toBe(200)
  await payerOfShop.pay(session, cards.other, email)
  await expect.poll(() => readBadge(`/orders/${order}`), { timeout: 15_000 }).toBe('Active')

  expect(await listSubscriptions(order)).toHaveLength(1)
  expect((await openPage(`/orders/${order}/pay`)).headers.get('location')).toBe(`/orders/${order}`)
})

/** A trigger that never ends: the session is created, but the shop cannot store its secret. */
const endlessTrigger = `
  CREATE VIEW forever AS
    WITH RECURSIVE steps (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM steps) SELECT count(*) AS n FROM steps;
  CREATE TRIGGER writes_forever BEFORE UPDATE OF session_id ON orders BEGIN SELECT n FROM forever; END`

test('a shop that is killed before it stores the secret of a session replaces the session, and sells one subscription', async () => {
  const order = crypto.randomUUID()
  await post('/buy', { order, item: 'letter' })
  database.exec(endlessTrigger)
  const lostResponse = openPage(`/orders/${order}/pay`).catch(() => null)
  const listSessions = async () =>
    (await switchyard.checkoutSessions.list().all({ max: 100 })).filter(
      ({ metadata }) => metadata.order_id === order,
    )
  await expect.poll(listSessions, { timeout: 15_000 }).toHaveLength(1)
  await shop.kill()
  expect(await lostResponse).toBeNull()
  database.exec('DROP TRIGGER writes_forever; DROP VIEW forever')

  await shop.restart()
  const session = await openSession(order, 'letter')
  expect((await listSessions()).map(({ status }) => status).toSorted()).toEqual(['expired', 'open'])
  expect((await payerOfShop.pay(session, cards.approved, email)).status).toBe(200)
  await expect.poll(() => readBadge(`/orders/${order}`), { timeout: 15_000 }).toBe('Active')
  expect(await listSubscriptions(order)).toHaveLength(1)
  await post(`/orders/${order}/pause`, { seen: '1' })
  expect((await listSubscriptions(order)).map(({ status }) => status)).toEqual(['paused'])
})

test('a customer with a partial refund keeps the atlas, and can get the rest refunded', async () => {
  const order = crypto.randomUUID()
  const session = await openSession(order, 'atlas')
  await payerOfShop.pay(session, cards.approved, email)
  await expect.poll(() => readBadge(`/orders/${order}`), { timeout: 15_000 }).toBe('Paid')
  const { payment_id } = await switchyard.checkoutSessions.get(session.id)

  await switchyard.refunds.create({ payment_id: payment_id ?? '', amount: 500 })
  await expect.poll(() => readBadge(`/orders/${order}`), { timeout: 15_000 }).toBe('Partly refunded')
  expect(await (await openPage(`/orders/${order}`)).text()).toContain('Your download code')

  await post(`/shopkeeper/orders/${order}/refund${new URL(shop.shopkeeperLink()).search}`, {})
  await expect.poll(() => readBadge(`/orders/${order}`), { timeout: 15_000 }).toBe('Refunded')
  expect((await switchyard.payments.get(payment_id ?? '')).amount_refunded).toBe(2400)
})
