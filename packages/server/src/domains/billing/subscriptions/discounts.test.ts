// Coupons and promotion codes on subscriptions: which invoices they reduce, and how many times they can be redeemed.

import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { aPrice, aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'
import type { Workspace } from '../../../../test/support/switchyard.ts'

const switchyard = await subscriptionsForThisFile()
const { clock, settle, aPayer } = switchyard

const aCoupon = async ({ post }: Workspace, members: object): Promise<string> => {
  const { status, body } = await post('/coupons', { name: 'Spring offer', duration: 'once', ...members })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

type Invoice = {
  reason: string
  status: string
  subtotal: number
  discount_total: number
  discounts: { coupon_id: string; amount: number }[]
  total: number
  lines: { kind: string; amount: number; discounts: { amount: number }[]; explanation: { text: string } }[]
}

async function subscribed(workspace: Workspace, members: object = {}) {
  const { customerId: customer_id } = await aPayer(workspace)
  const price_id = await aPrice(workspace)
  const { id } = await aSubscription(workspace, { customer_id, items: [{ price_id }], ...members })
  await settle()
  const readInvoices = async () =>
    (await workspace.get(`/invoices?subscription_id=${id}`)).body.data.toReversed() as Invoice[]
  const renew = async () => {
    clock.advance({ days: 31 })
    await settle()
    return (await readInvoices()).at(-1)
  }
  return { id, path: `/subscriptions/${id}`, customer_id, price_id, readInvoices, renew }
}

test('discounts apply in their order, once to the first period, and for as many periods as they last', async () => {
  const workspace = await switchyard.newWorkspace()
  const twice = await aCoupon(workspace, { percent_off: '20', duration: 'periods', duration_periods: 2 })
  const once = await aCoupon(workspace, { name: 'Welcome', amount_off: 500, currency: 'usd' })
  const { path, readInvoices, renew } = await subscribed(workspace, {
    discounts: [{ coupon_id: twice }, { coupon_id: once }],
  })

  const [first] = await readInvoices()
  expect(first).toMatchObject({ status: 'paid', subtotal: 2999, discount_total: 1100, total: 1899 })
  expect(first?.discounts).toMatchObject([
    { coupon_id: twice, amount: 600 },
    { coupon_id: once, amount: 500 },
  ])
  expect(first?.lines[0]?.explanation.text).toBe(
    '29.99, full period; discount: 29.99 - 6.00 (Spring offer) - 5.00 (Welcome) = 18.99',
  )
  expect((await workspace.get(path)).body.discounts).toMatchObject([
    { coupon_id: twice, periods: 2, periods_used: 1, in_current_period: true },
    { coupon_id: once, periods: 1, periods_used: 1, in_current_period: true },
  ])

  expect(await renew()).toMatchObject({ discount_total: 600, total: 2399, status: 'paid' })
  expect((await workspace.get(path)).body.discounts).toMatchObject([{ coupon_id: twice, periods_used: 2 }])
  expect(await renew()).toMatchObject({ discount_total: 0, discounts: [], total: 2999 })
  expect((await workspace.get(path)).body.discounts).toEqual([])
  expect((await workspace.get(`/coupons/${twice}`)).body.times_redeemed).toBe(1)
})

test('a change keeps the discount of the current period, does not use another of its periods, and can be reversed exactly', async () => {
  const workspace = await switchyard.newWorkspace()
  const coupon_id = await aCoupon(workspace, { percent_off: '20' })
  const { path, readInvoices, renew, price_id } = await subscribed(workspace, { discounts: [{ coupon_id }] })
  const other = await aPrice(workspace, { unit_amount: 4999 })
  const { body: before } = await workspace.get(path)
  const [item] = before.items

  clock.advance({ days: 10 })
  const body = { items: [{ id: item.id, price_id: other }] }
  const { body: preview } = await workspace.post(`${path}/preview`, { action: 'update', ...body })
  const changed = await workspace.put(path, { ...body, preview_token: preview.preview_token })
  expect(changed.status, JSON.stringify(changed.body)).toBe(200)
  const [, up] = await readInvoices()
  expect(up).toMatchObject({ reason: 'change', total: preview.invoices[0].total })
  expect(up?.discount_total).toBe(preview.invoices[0].discount_total)
  const [credit, debit] = up?.lines ?? []
  expect(credit?.discounts[0]?.amount).toBeLessThan(0)
  expect(Math.abs((debit?.discounts[0]?.amount ?? 0) - (debit?.amount ?? 0) * 0.2)).toBeLessThan(1)
  expect(up?.total).toBe((up?.subtotal ?? 0) - (up?.discount_total ?? 0))

  const back = await workspace.put(path, { items: [{ id: item.id, price_id }] })
  expect(back.status, JSON.stringify(back.body)).toBe(200)
  const down = (await readInvoices()).at(-1)
  expect([down?.total, down?.discount_total]).toEqual([-(up?.total ?? 0), -(up?.discount_total ?? 0)])
  await settle()
  // The coupon was for one period.
  expect(await renew()).toMatchObject({ reason: 'cycle', subtotal: 2999, discount_total: 0 })
})

test.each([
  { off: { percent_off: '100' }, terms: {} },
  { off: { amount_off: 1000, currency: 'usd' }, terms: {} },
  { off: { percent_off: '100' }, terms: { duration: 'periods', duration_periods: 1 } },
])(
  'a coupon for one period is applied once, even if the interval changes: $off $terms',
  async ({ off, terms }) => {
    const workspace = await switchyard.newWorkspace()
    const coupon_id = await aCoupon(workspace, { ...off, ...terms })
    const monthly = await aPrice(workspace, { unit_amount: 1000 })
    const yearly = await aPrice(workspace, { unit_amount: 10_000, recurring: { interval: 'year' } })
    const { path, readInvoices } = await subscribed(workspace, {
      items: [{ price_id: monthly }],
      discounts: [{ coupon_id }],
    })
    const switchTo = async (price_id: string) => {
      const { body } = await workspace.get(path)
      const changed = await workspace.put(path, { items: [{ id: body.items[0].id, price_id }] })
      expect(changed.status, JSON.stringify(changed.body)).toBe(200)
      await settle()
      return (await readInvoices()).at(-1)
    }
    const discountOf = async () =>
      (await readInvoices()).reduce((sum, { discount_total }) => sum + discount_total, 0)

    // At the start of the period, a change and its reversal net to zero.
    const there = await switchTo(yearly)
    expect(there).toMatchObject({ total: 9_000 })
    expect(await switchTo(monthly)).toMatchObject({ total: -9_000 })
    for (const [days, price_id] of [
      [27, yearly],
      [360, monthly],
      [27, yearly],
    ] as const) {
      clock.advance({ days })
      await settle()
      await switchTo(price_id)
    }
    expect(await discountOf()).toBe(1000)
    expect((await workspace.get(path)).body.discounts).toMatchObject([{ periods: 1, periods_used: 1 }])
  },
)

test('an added discount applies from the next period on, and a removed discount still applies to the current period', async () => {
  const workspace = await switchyard.newWorkspace()
  const forever = await aCoupon(workspace, { percent_off: '50', duration: 'forever' })
  const later = await aCoupon(workspace, { percent_off: '10' })
  const { path, readInvoices, renew } = await subscribed(workspace, { discounts: [{ coupon_id: forever }] })

  const { body: after } = await workspace.put(path, { discounts: [{ coupon_id: later }] })
  expect(after.discounts).toMatchObject([{ coupon_id: later, in_current_period: false }])
  clock.advance({ days: 1 })
  await workspace.put(path, { items: [{ id: after.items[0].id, quantity: 2 }] })
  const change = (await readInvoices()).at(-1)
  expect(change?.discounts).toMatchObject([{ coupon_id: forever }])
  expect(await renew()).toMatchObject({ discount_total: 600, discounts: [{ coupon_id: later }] })
})

test('a discount never exceeds its lines, and applies only to its products', async () => {
  const workspace = await switchyard.newWorkspace()
  const everything = await aCoupon(workspace, { amount_off: 1_000_000, currency: 'usd', duration: 'forever' })
  const { readInvoices, renew } = await subscribed(workspace, { discounts: [{ coupon_id: everything }] })
  expect((await readInvoices())[0]).toMatchObject({ subtotal: 2999, discount_total: 2999, total: 0 })
  // The excess is not carried over.
  expect(await renew()).toMatchObject({ discount_total: 2999, total: 0 })

  const { body: product } = await workspace.post('/products', { name: 'Other' })
  const elsewhere = await aCoupon(workspace, { percent_off: '50', product_ids: [product.id] })
  const other = await subscribed(workspace, { discounts: [{ coupon_id: elsewhere }] })
  expect((await other.readInvoices())[0]).toMatchObject({ discount_total: 0, total: 2999 })
  // A coupon that reduces nothing is not used up.
  expect((await workspace.get(other.path)).body.discounts).toMatchObject([{ periods_used: 0 }])
})

test('a code is refused if the coupon is archived, or the customer, currency, amount or purchase do not match', async () => {
  const workspace = await switchyard.newWorkspace()
  const { post, put } = workspace
  const coupon_id = await aCoupon(workspace, { percent_off: '20' })
  const { customer_id, price_id } = await subscribed(workspace)
  const tryCode = async (code: string, terms: object) => {
    await post('/promotion-codes', { coupon_id, code, ...terms })
    const body = { customer_id, items: [{ price_id }], discounts: [{ promotion_code: code.toLowerCase() }] }
    return (await post('/subscriptions', body)).body
  }

  expect(await tryCode('FIRST', { first_purchase: true })).toMatchObject({
    code: 'discount_not_applicable',
    detail: 'The promotion code is only for a first purchase.',
  })
  expect(await tryCode('MINIMUM', { minimum_amount: 3000, currency: 'usd' })).toMatchObject({
    detail: 'The amount is below the minimum amount of the promotion code.',
  })
  const someone = await workspace.aCustomer()
  expect(await tryCode('MINE', { customer_id: someone })).toMatchObject({
    detail: 'The promotion code is for another customer.',
  })
  expect(await tryCode('EXACT', { minimum_amount: 2999, currency: 'usd' })).toMatchObject({
    object: 'subscription',
    discounts: [{ coupon_id }],
  })
  const euros = await aCoupon(workspace, { amount_off: 500, currency: 'eur' })
  const inEuros = await post('/subscriptions', {
    customer_id,
    items: [{ price_id }],
    discounts: [{ coupon_id: euros }],
  })
  expect(inEuros.body).toMatchObject({ code: 'discount_not_applicable', resource_id: euros })
  await put(`/coupons/${coupon_id}`, { active: false })
  expect(await tryCode('LATE', {})).toMatchObject({ detail: 'The coupon is archived.' })
})

test('of 200 concurrent redemptions of a code with a limit of 100, exactly 100 succeed', async () => {
  const workspace = await switchyard.newWorkspace()
  const coupon_id = await aCoupon(workspace, { percent_off: '20', max_redemptions: 100 })
  const { body: code } = await workspace.post('/promotion-codes', { coupon_id, code: 'HUNDRED' })
  const { customerId: customer_id } = await aPayer(workspace)
  const price_id = await aPrice(workspace)
  const body = {
    customer_id,
    items: [{ price_id }],
    trial: { days: 14 },
    discounts: [{ promotion_code: 'hundred' }],
  }

  // A workspace may not send 200 requests concurrently: retry the rejected ones, as a client does.
  const redeem = async (_: unknown, index: number): Promise<string> => {
    const send = () =>
      workspace.post('/subscriptions', body, { headers: { 'idempotency-key': `redeem-${index}` } })
    let answer = await send()
    while (answer.body.retryable) {
      await pause(1000 * Number(answer.headers.get('retry-after') ?? 1))
      answer = await send()
    }
    return answer.status === 201 ? 'created' : answer.body.code
  }
  const results = await Promise.all(Array.from({ length: 200 }, redeem))

  expect(Object.groupBy(results, (result) => result)).toEqual({
    created: Array(100).fill('created'),
    discount_not_applicable: Array(100).fill('discount_not_applicable'),
  })
  expect((await workspace.get(`/coupons/${coupon_id}`)).body.times_redeemed).toBe(100)
  expect((await workspace.get(`/promotion-codes/${code.id}`)).body.times_redeemed).toBe(100)
})

test('a removed discount takes no more than its remaining amount off a replacement period', async () => {
  const workspace = await switchyard.newWorkspace()
  const coupon_id = await aCoupon(workspace, { percent_off: '50', duration: 'forever' })
  const monthly = await aPrice(workspace, { unit_amount: 1000 })
  const yearly = await aPrice(workspace, { unit_amount: 10_000, recurring: { interval: 'year' } })
  const { path, readInvoices } = await subscribed(workspace, {
    items: [{ price_id: monthly }],
    discounts: [{ coupon_id }],
  })
  const { body } = await workspace.get(path)
  const changed = await workspace.put(path, {
    items: [{ id: body.items[0].id, price_id: yearly }],
    discounts: [],
  })
  expect(changed.status, JSON.stringify(changed.body)).toBe(200)
  await settle()
  const invoices = await readInvoices()
  expect(invoices.reduce((sum, { discount_total }) => sum + discount_total, 0)).toBe(500)
  expect(invoices.at(-1)).toMatchObject({ total: 9_000 })
})
