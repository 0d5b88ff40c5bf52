// The example shop with lost responses, forms that are submitted twice and crashes. Uses the real server, the
// shop in a separate process, and the requests that a browser would send.

import { expect, test } from 'vitest'
import { cards, payerAt } from '../support/checkout.ts'
import { exampleShopForThisFile } from '../support/example-shop.ts'

const shop = await exampleShopForThisFile()
const { url, api, database, switchyard } = shop

const headers = { cookie: 'shopper=ana', 'sec-fetch-site': 'same-origin' }
const openPage = (path: string) => fetch(url + path, { headers, redirect: 'manual' })
const post = (path: string, form: Record<string, string>) =>
  fetch(url + path, { method: 'POST', headers, redirect: 'manual', body: new URLSearchParams(form) })
const readBadge = async (path: string) =>
  (await (await openPage(path)).text()).match(/badge \w+">([^<]+)/)?.[1]

/** The form as the page submits it, with a new card token each time. */
async function createForm(order: string, email = 'ana@example.com') {
  const card = { number: cards.approved, exp_month: 12, exp_year: 2030, cvc: '123' }
  const response = await fetch(`${api.baseUrl}/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'card', card }),
  })
  const { id: token } = (await response.json()) as { id: string }
  return { order, email, token }
}

async function listSubscriptions(orderId: string) {
  const all = await switchyard.subscriptions.list().all({ max: 100 })
  return all.filter(({ metadata }) => metadata.order_id === orderId)
}

test('a subscription form that is loaded and submitted several times creates one subscription', async () => {
  const first = await openPage('/subscribe')
  const path = first.headers.get('location') ?? ''
  const order = new URL(path, url).searchParams.get('order') ?? ''
  const form = await createForm(order)

  expect([first.status, (await openPage(path)).status]).toEqual([303, 200])
  const responses = [
    await post('/subscribe', form),
    await post('/subscribe', form),
    await post('/subscribe', await createForm(order, 'ana@example.org')),
  ]

  expect(responses.map((response) => response.headers.get('location'))).toEqual(
    Array(3).fill(`/orders/${order}`),
  )
  expect(await listSubscriptions(order)).toHaveLength(1)
  const [subscription] = await listSubscriptions(order)
  expect((await switchyard.customers.get(subscription?.customer_id ?? '')).email).toBe('ana@example.org')
})

/** A trigger that never ends: the subscription is created, but the shop cannot store its id. */
const endlessTrigger = `
  CREATE VIEW forever AS
    WITH RECURSIVE steps (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM steps) SELECT count(*) AS n FROM steps;
  CREATE TRIGGER writes_forever BEFORE UPDATE OF subscription_id ON orders BEGIN SELECT n FROM forever; END`

test('a shop that is killed while it creates a subscription creates no second one, and can pause the first', async () => {
  const order = crypto.randomUUID()
  database.exec(endlessTrigger)
  const lostResponse = post('/subscribe', await createForm(order)).catch(() => null)
  await expect.poll(() => listSubscriptions(order), { timeout: 15_000 }).toHaveLength(1)
  await shop.kill()
  expect(await lostResponse).toBeNull()
  database.exec('DROP TRIGGER writes_forever; DROP VIEW forever')

  await shop.restart()
  // The customer enters the card again, before or after the webhook has arrived.
  const repeated = await post('/subscribe', await createForm(order))

  expect(repeated.headers.get('location')).toBe(`/orders/${order}`)
  expect(await listSubscriptions(order)).toHaveLength(1)
  await expect.poll(() => readBadge(`/orders/${order}`), { timeout: 15_000 }).toBe('Active')
  await post(`/orders/${order}/pause`, { seen: '1' })
  expect((await listSubscriptions(order)).map(({ status }) => status)).toEqual(['paused'])
})

test('a customer with a partial refund keeps the atlas, and can get the rest refunded', async () => {
  const order = crypto.randomUUID()
  const { headers: responseHeaders } = await post('/buy', { order })
  const [, id = '', client_secret = ''] = /([^/]+)#(.+)$/.exec(responseHeaders.get('location') ?? '') ?? []
  await payerAt(api.baseUrl).pay({ id, client_secret }, cards.approved, { email: 'ana@example.com' })
  await expect.poll(() => readBadge(`/orders/${order}`), { timeout: 15_000 }).toBe('Paid')
  const { payment_id } = await switchyard.checkoutSessions.get(id)

  await switchyard.refunds.create({ payment_id: payment_id ?? '', amount: 500 })
  await expect.poll(() => readBadge(`/orders/${order}`), { timeout: 15_000 }).toBe('Partly refunded')
  expect(await (await openPage(`/orders/${order}`)).text()).toContain('Your download code')

  await post(`/shopkeeper/orders/${order}/refund${new URL(shop.shopkeeperLink()).search}`, {})
  await expect.poll(() => readBadge(`/orders/${order}`), { timeout: 15_000 }).toBe('Refunded')
  expect((await switchyard.payments.get(payment_id ?? '')).amount_refunded).toBe(2400)
})
