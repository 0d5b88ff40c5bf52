// Discounts of customers and of subscription items: the order in which they apply, and the periods that they
// apply to.

import { expect, test, vi } from 'vitest'
import { aPrice, aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'
import type { Workspace } from '../../../../test/support/switchyard.ts'

vi.setConfig({ testTimeout: 120_000 })

const switchyard = await subscriptionsForThisFile()
const { clock, settle, aPayer } = switchyard

const aCoupon = async ({ post }: Workspace, members: object): Promise<string> => {
  const { status, body } = await post('/coupons', { name: 'Offer', duration: 'forever', ...members })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

const invoicesOf = async ({ get }: Workspace, id: string) =>
  (await get(`/invoices?subscription_id=${id}`)).body.data.toReversed()
const latestOf = async (workspace: Workspace, id: string) => (await invoicesOf(workspace, id)).at(-1)

const giveDiscounts = async ({ put }: Workspace, customerId: string, ...coupons: string[]) => {
  const discounts = coupons.map((coupon_id) => ({ coupon_id }))
  const response = await put(`/customers/${customerId}/discounts`, { discounts })
  expect(response.status, JSON.stringify(response.body)).toBe(200)
  return response.body
}

const discountsOf = async ({ get }: Workspace, customerId: string) =>
  (await get(`/customers/${customerId}/discounts`)).body.discounts

test('discounts of items apply first, then those of the subscription, then those of the customer', async () => {
  const workspace = await switchyard.newWorkspace()
  const { customerId: customer_id } = await aPayer(workspace)
  const [tenth, fixed, half] = [
    await aCoupon(workspace, { name: 'Item', percent_off: '10' }),
    await aCoupon(workspace, { name: 'Subscription', amount_off: 500, currency: 'usd' }),
    await aCoupon(workspace, { name: 'Customer', percent_off: '50' }),
  ]
  const prices = [
    await aPrice(workspace, { unit_amount: 4500 }),
    await aPrice(workspace, { unit_amount: 1000 }),
  ]
  await giveDiscounts(workspace, customer_id, half)
  const body = {
    customer_id,
    items: [{ price_id: prices[0], discounts: [{ coupon_id: tenth }] }, { price_id: prices[1] }],
    discounts: [{ coupon_id: fixed }],
  }
  const { body: preview } = await workspace.post('/subscriptions/preview', { action: 'create', ...body })
  const { id, ...created } = await aSubscription(workspace, { ...body, preview_token: preview.preview_token })
  await settle()

  // 10 % of 45.00, then 5.00 over 50.50, then 50 % of 45.50.
  const invoice = await latestOf(workspace, id)
  expect(invoice).toMatchObject({ subtotal: 5500, discount_total: 450 + 500 + 2275, total: 2275 })
  expect(preview.invoices[0]).toMatchObject({ discount_total: 3225, total: 2275 })
  expect(
    invoice.discounts.map(({ name, amount }: { name: string; amount: number }) => [name, amount]),
  ).toEqual([
    ['Item', 450],
    ['Subscription', 500],
    ['Customer', 2275],
  ])
  expect(invoice.lines[0].explanation.text).toBe(
    '45.00, full period; discount: 45.00 - 4.50 (Item) - 4.01 (Subscription) - 18.25 (Customer) = 18.24',
  )
  expect(invoice.lines[1].discounts).toHaveLength(2)
  expect(created).toMatchObject({ items: [{ discounts: [{ coupon_id: tenth }] }, { discounts: [] }] })
  const { body: subscription } = await workspace.get(`/subscriptions/${id}`)
  expect(subscription.discounts).toMatchObject([{ coupon_id: fixed, in_current_period: true }])
  expect(await discountsOf(workspace, customer_id)).toMatchObject([{ coupon_id: half, periods_used: null }])
  expect((await workspace.get(`/coupons/${half}`)).body.times_redeemed).toBe(1)
})

test('a list that is based on an outdated version is rejected, so that concurrent edits are not lost', async () => {
  const workspace = await switchyard.newWorkspace()
  const { get, put } = workspace
  const customer_id = await workspace.aCustomer()
  const coupons = [
    await aCoupon(workspace, { percent_off: '10' }),
    await aCoupon(workspace, { percent_off: '20' }),
    await aCoupon(workspace, { percent_off: '30' }),
  ]
  const path = `/customers/${customer_id}/discounts`
  const edit = (etag: string, ...indexes: number[]) =>
    put(
      path,
      { discounts: indexes.map((index) => ({ coupon_id: coupons[index] })) },
      { headers: { 'if-match': etag } },
    )
  const etagOf = async () => String((await get(path)).headers.get('etag'))
  const couponsOf = async () =>
    (await discountsOf(workspace, customer_id)).map(({ coupon_id }: { coupon_id: string }) =>
      coupons.indexOf(coupon_id),
    )
  const seen = new Set<string>()
  // Adding, moving and removing a discount each make the versions that were read before outdated.
  let list: number[] = []
  for (const [first, second] of [
    [
      [0, 1],
      [0, 2],
    ],
    [
      [1, 0],
      [0, 1, 2],
    ],
    [[1], [1, 0, 2]],
    [[1, 2], []],
    [[], [1]],
  ] as const) {
    const etag = await etagOf()
    expect(seen.has(etag)).toBe(false)
    seen.add(etag)
    const saved = await edit(etag, ...first)
    expect(saved.status, JSON.stringify(saved.body)).toBe(200)
    expect(saved.headers.get('etag')).toBe(await etagOf())
    const { status, body } = await edit(etag, ...second)
    expect([status, body.code]).toEqual([412, 'version_mismatch'])
    list = [...first]
    expect(await couponsOf()).toEqual(list)
  }
  // Without a change, the version stays, and without If-Match the list is replaced.
  const etag = await etagOf()
  expect((await edit(etag)).headers.get('etag')).toBe(etag)
  await giveDiscounts(workspace, customer_id, String(coupons[2]))
  expect(await couponsOf()).toEqual([2])
})

test('subscriptions that renew at the same time use no more periods than the discount of their customer has', async () => {
  const workspace = await switchyard.newWorkspace()
  const { customerId: customer_id } = await aPayer(workspace)
  const price_id = await aPrice(workspace, { unit_amount: 1000 })
  const ids: string[] = []
  for (let index = 0; index < 4; index += 1)
    ids.push((await aSubscription(workspace, { customer_id, items: [{ price_id }] })).id)
  await settle()
  const coupon_id = await aCoupon(workspace, { percent_off: '50', duration: 'periods', duration_periods: 2 })
  await giveDiscounts(workspace, customer_id, coupon_id)

  clock.advance({ days: 31 })
  await settle()
  const totals = await Promise.all(ids.map(async (id) => (await latestOf(workspace, id)).total))
  expect(totals.toSorted()).toEqual([1000, 1000, 500, 500])
  expect(await discountsOf(workspace, customer_id)).toMatchObject([{ periods: 2, periods_used: 2 }])

  // Changes inherit the discount of their period, and net to zero when they are reversed.
  const [discounted] = ids.filter((_, index) => totals[index] === 500) as [string]
  const path = `/subscriptions/${discounted}`
  const [item] = (await workspace.get(path)).body.items
  await workspace.put(path, { items: [{ id: item.id, quantity: 3 }] })
  const up = await latestOf(workspace, discounted)
  expect(Math.abs(up.discount_total - up.subtotal / 2)).toBeLessThan(1)
  await workspace.put(path, { items: [{ id: item.id, quantity: 1 }] })
  expect((await latestOf(workspace, discounted)).total).toBe(-up.total)
  expect(await discountsOf(workspace, customer_id)).toMatchObject([{ periods_used: 2 }])
  await settle()

  clock.advance({ days: 31 })
  await settle()
  expect(await latestOf(workspace, discounted)).toMatchObject({ reason: 'cycle', discount_total: 0 })
})

test('concurrent new subscriptions of a customer share one period of a discount', async () => {
  const workspace = await switchyard.newWorkspace()
  const { customerId: customer_id } = await aPayer(workspace)
  const price_id = await aPrice(workspace, { unit_amount: 1000 })
  const coupon_id = await aCoupon(workspace, { percent_off: '50', duration: 'once' })
  await giveDiscounts(workspace, customer_id, coupon_id)

  const created = await Promise.all(
    Array.from({ length: 4 }, () => aSubscription(workspace, { customer_id, items: [{ price_id }] })),
  )
  const totals = await Promise.all(created.map(async ({ id }) => (await latestOf(workspace, id)).total))
  expect(totals.toSorted()).toEqual([1000, 1000, 1000, 500])
  expect(await discountsOf(workspace, customer_id)).toMatchObject([{ periods_used: 1 }])
})

test('if the invoice of a period is voided, the discount can be used for another period', async () => {
  const workspace = await switchyard.newWorkspace()
  const customer_id = await workspace.aCustomer()
  const price_id = await aPrice(workspace, { unit_amount: 1000 })
  const coupon_id = await aCoupon(workspace, { percent_off: '50', duration: 'once' })
  await giveDiscounts(workspace, customer_id, coupon_id)

  const { id } = await aSubscription(workspace, { customer_id, items: [{ price_id }] })
  expect(await latestOf(workspace, id)).toMatchObject({ discount_total: 500 })
  expect(await discountsOf(workspace, customer_id)).toMatchObject([{ periods_used: 1 }])
  clock.advance({ days: 2 })
  await settle()
  expect(await latestOf(workspace, id)).toMatchObject({ status: 'void' })
  expect(await discountsOf(workspace, customer_id)).toMatchObject([{ periods_used: 0 }])
})

test('a removed customer discount still applies to the rest of the period, but not to later periods', async () => {
  const workspace = await switchyard.newWorkspace()
  const { customerId: customer_id } = await aPayer(workspace)
  const price_id = await aPrice(workspace, { unit_amount: 1000 })
  const coupon_id = await aCoupon(workspace, { percent_off: '50' })
  const other = await aCoupon(workspace, { percent_off: '10' })
  const euros = await aCoupon(workspace, { amount_off: 100, currency: 'eur' })
  const [discount] = (await giveDiscounts(workspace, customer_id, coupon_id)).discounts
  const { id } = await aSubscription(workspace, { customer_id, items: [{ price_id }] })
  await settle()

  // The coupon in euros does not apply to a subscription in dollars.
  await giveDiscounts(workspace, customer_id, other, euros)
  const types = (await workspace.eventsOf(discount.id)).map(({ type }: { type: string }) => type)
  expect(types).toEqual(['discount.created', 'discount.removed'])
  const cancelled = await workspace.put(`/subscriptions/${id}/cancel`, { unused_time: 'credit' })
  expect(cancelled.status, JSON.stringify(cancelled.body)).toBe(200)
  const credit = await latestOf(workspace, id)
  expect(credit.subtotal).toBeLessThan(-990)
  expect(Math.abs(credit.discount_total - credit.subtotal / 2)).toBeLessThan(1)
  expect(credit.discounts).toMatchObject([{ coupon_id }])

  const next = await aSubscription(workspace, { customer_id, items: [{ price_id }] })
  expect((await latestOf(workspace, next.id)).discounts).toMatchObject([{ coupon_id: other, amount: 100 }])
})

test('a list that names a coupon again keeps its discount; discounts have the order of the list', async () => {
  const workspace = await switchyard.newWorkspace()
  const customer_id = await workspace.aCustomer()
  const first = await aCoupon(workspace, { percent_off: '50', max_redemptions: 1 })
  const second = await aCoupon(workspace, { percent_off: '10' })
  const [before] = (await giveDiscounts(workspace, customer_id, first)).discounts
  const after = await giveDiscounts(workspace, customer_id, second, first)

  expect(after.discounts.map((discount: { coupon_id: string }) => discount.coupon_id)).toEqual([
    second,
    first,
  ])
  expect(after.discounts[1].id).toBe(before.id)
  expect((await workspace.get(`/coupons/${first}`)).body.times_redeemed).toBe(1)
  const path = `/customers/${await workspace.aCustomer()}/discounts`
  expect((await workspace.put(path, { discounts: [{ coupon_id: first }] })).body).toMatchObject({
    code: 'discount_not_applicable',
  })
  await workspace.post('/promotion-codes', {
    coupon_id: second,
    code: 'BIG',
    minimum_amount: 100,
    currency: 'usd',
  })
  expect((await workspace.put(path, { discounts: [{ promotion_code: 'big' }] })).body.detail).toBe(
    'The promotion code has a minimum amount, so it cannot be redeemed for a customer, only for a purchase.',
  )
  expect(
    (await workspace.put(path, { discounts: [{ coupon_id: second }, { coupon_id: second }] })).status,
  ).toBe(400)
  await workspace.delete(`/customers/${customer_id}`)
  expect((await workspace.put(`/customers/${customer_id}/discounts`, { discounts: [] })).status).toBe(404)
})

test('discounts of an item end with it, and those of a new item begin with the next period', async () => {
  const workspace = await switchyard.newWorkspace()
  const { customerId: customer_id } = await aPayer(workspace)
  const [kept, removed, added] = [
    await aPrice(workspace, { unit_amount: 1000 }),
    await aPrice(workspace, { unit_amount: 2000 }),
    await aPrice(workspace, { unit_amount: 4000 }),
  ]
  const coupon_id = await aCoupon(workspace, { percent_off: '50' })
  const discounts = [{ coupon_id }]
  const { id, items } = await aSubscription(workspace, {
    customer_id,
    items: [{ price_id: kept }, { price_id: removed, discounts }],
  })
  await settle()
  expect(await latestOf(workspace, id)).toMatchObject({ subtotal: 3000, discount_total: 1000 })

  const path = `/subscriptions/${id}`
  const change = {
    items: [
      { id: items[1].id, delete: true },
      { price_id: added, discounts },
    ],
    proration: { behaviour: 'next_period' },
  }
  const { body: preview } = await workspace.post(`${path}/preview`, { action: 'update', ...change })
  const { body: scheduled } = await workspace.put(path, { ...change, preview_token: preview.preview_token })
  expect(scheduled.scheduled_change.payload.items[1]).toMatchObject({
    price_id: added,
    discounts: [{ coupon_id, in_current_period: false }],
  })
  clock.advance({ days: 31 })
  await settle()
  expect(await latestOf(workspace, id)).toMatchObject({ subtotal: 5000, discount_total: 2000 })

  // Removing the item now credits half of its price for the rest of the period.
  const { body: renewed } = await workspace.get(path)
  const gone = await workspace.put(path, { items: [{ id: renewed.items[1].id, delete: true }] })
  expect(gone.body.items).toMatchObject([{ price_id: kept, discounts: [] }])
  const credit = await latestOf(workspace, id)
  expect([credit.subtotal, credit.discount_total]).toEqual([-4000, -2000])
  await settle()
  clock.advance({ days: 31 })
  await settle()
  expect(await latestOf(workspace, id)).toMatchObject({ subtotal: 1000, discount_total: 0 })
})
