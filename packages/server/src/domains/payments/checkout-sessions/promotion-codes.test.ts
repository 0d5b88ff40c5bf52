// Promotion codes that payers enter on a payment page: their discounts, and that no redemption is lost or used twice.

import { expect, test } from 'vitest'
import { cards, createLink, type PublicSession, payerAt } from '../../../../test/support/checkout.ts'
import { aPrice, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'
import type { Workspace } from '../../../../test/support/switchyard.ts'

const switchyard = await subscriptionsForThisFile()
const { clock, settle, advanceTime } = switchyard
const allowed = { allow_promotion_codes: true }

async function createCode({ post }: Workspace, code: string, coupon: object = {}, terms: object = {}) {
  const body = { name: 'Spring offer', percent_off: '20', duration: 'once', ...coupon }
  const created = await post('/coupons', 'amount_off' in coupon ? { ...body, percent_off: undefined } : body)
  expect(created.status, JSON.stringify(created.body)).toBe(201)
  const promotion = await post('/promotion-codes', { coupon_id: created.body.id, code, ...terms })
  expect(promotion.status, JSON.stringify(promotion.body)).toBe(201)
  return { couponPath: `/coupons/${created.body.id}`, codePath: `/promotion-codes/${promotion.body.id}` }
}

type Paths = Awaited<ReturnType<typeof createCode>>

/** How many times the coupon and the code were redeemed, including reservations. */
async function redeemed({ get }: Workspace, { couponPath, codePath }: Paths): Promise<number[]> {
  return [(await get(couponPath)).body.times_redeemed, (await get(codePath)).body.times_redeemed]
}

async function createSession(workspace: Workspace, members: object): Promise<PublicSession> {
  const { status, body } = await workspace.post('/checkout-sessions', { ...allowed, ...members })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

/** What the page shows before the payer pays. */
const check = ({ address }: Workspace, path: string, body: object, session?: PublicSession) =>
  payerAt(address).call(
    'POST',
    `${path}/promotion-code`,
    body,
    session === undefined ? {} : { 'checkout-secret': session.client_secret },
  )

const checkSession = (workspace: Workspace, session: PublicSession, body: object) =>
  check(workspace, `/checkout/sessions/${session.id}`, body, session)

const use = { promotion_code: 'spring' }

test('a payer of a link sees the reduced amount before paying, and the charge, the receipt and the event show the discount', async () => {
  const workspace = await switchyard.newWorkspace()
  const paths = await createCode(workspace, 'SPRING')
  const link = await createLink(workspace, { amount: 1299, ...allowed })
  expect(link).toMatchObject(allowed)
  const payer = payerAt(workspace.address)
  expect((await payer.fetchLink(link.slug)).body).toMatchObject({ ...allowed, discounts: [] })
  const shown = await check(workspace, `/checkout/links/${link.slug}`, use)
  expect(shown.body).toEqual({
    object: 'promotion',
    name: 'Spring offer',
    amount: 1039,
    discount: 260,
    recurring_amount: null,
  })
  // Viewing a price reserves nothing.
  expect(await redeemed(workspace, paths)).toEqual([0, 0])

  const session = await payer.openSession(link.slug)
  const paid = await payer.pay(session, cards.approved, { ...use, email: 'ada@example.com' })
  const discounts = [{ name: 'Spring offer', amount: 260 }]
  expect(paid.body, JSON.stringify(paid.body)).toMatchObject({
    status: 'completed',
    amount: 1039,
    discounts,
    payment: { amount: 1039 },
  })
  await settle()
  expect((await payer.receipt(session)).body).toMatchObject({ amount: 1039, discounts })
  const [mail] = (await workspace.get('/mails')).body.data
  expect((await workspace.get(`/mails/${mail.id}`)).body.text).toMatch(/Spring offer: -€2\.60/)
  expect((await workspace.eventsOf(session.id)).at(-1)).toMatchObject({
    type: 'checkout_session.completed',
    object: { amount: 1039, discount_total: 260, discounts: [{ name: 'Spring offer' }] },
  })
  expect((await workspace.get('/payments')).body.data).toMatchObject([{ amount: 1039, status: 'succeeded' }])
  expect(await redeemed(workspace, paths)).toEqual([1, 1])
})

test('a code for certain products applies only to their items, and to the quantities and amounts that the payer chose', async () => {
  const workspace = await switchyard.newWorkspace()
  const price_id = await aPrice(workspace, { recurring: null, unit_amount: 1000 })
  const product = (await workspace.get(`/prices/${price_id}`)).body.product_id
  await createCode(workspace, 'PRODUCT', { product_ids: [product] })
  const line_items = [
    { price_id, quantity: 2 },
    { name: 'Delivery', unit_amount: 500 },
  ]
  const session = await createSession(workspace, { line_items })
  const code = { promotion_code: 'PRODUCT' }
  expect((await checkSession(workspace, session, code)).body).toMatchObject({ amount: 2100, discount: 400 })
  const paid = await payerAt(workspace.address).pay(session, cards.approved, code)
  expect(paid.body).toMatchObject({ status: 'completed', amount: 2100, payment: { amount: 2100 } })

  const open = await createLink(workspace, { open_amount: { min: 1000, max: 9000 }, ...allowed })
  const path = `/checkout/links/${open.slug}`
  expect((await check(workspace, path, { ...code, amount: 5000 })).body).toMatchObject({
    code: 'discount_not_applicable',
    detail: 'The promotion code is for other products.',
  })
  await createCode(workspace, 'SPRING')
  expect((await check(workspace, path, { ...use, amount: 5000 })).body).toMatchObject({ amount: 4000 })
  expect((await check(workspace, path, { ...use, amount: 500 })).body.errors).toMatchObject([
    { pointer: '/amount', code: 'too_small' },
  ])
})

test('a code applies to the first invoice of a subscription, even if the payer chose the quantities', async () => {
  const workspace = await switchyard.newWorkspace()
  const paths = await createCode(workspace, 'SPRING', { duration: 'forever' })
  const limits = { adjustable_quantity: true, quantity_limits: { min: 1, max: 5 } }
  const session = await createSession(workspace, {
    mode: 'subscription',
    line_items: [
      { price_id: await aPrice(workspace), ...limits },
      { name: 'Setup', unit_amount: 5000 },
    ],
  })
  const chosen = { ...use, quantities: [2, 1] }
  expect((await checkSession(workspace, session, chosen)).body).toMatchObject({
    amount: 2 * 2999 - 1200 + 5000,
    discount: 1200,
    recurring_amount: 2 * 2999 - 1200,
  })
  const payer = payerAt(workspace.address)
  const paid = await payer.pay(session, cards.approved, { ...chosen, email: 'ada@example.com' })
  expect(paid.body, JSON.stringify(paid.body)).toMatchObject({ status: 'completed', amount: 9798 })
  await settle()
  const { body } = await workspace.get(`/checkout-sessions/${session.id}`)
  expect(body).toMatchObject({ amount: 9798, discount_total: 1200 })
  const { data: invoices } = (await workspace.get(`/invoices?subscription_id=${body.subscription_id}`)).body
  expect(invoices).toMatchObject([{ status: 'paid', discount_total: 1200, total: 9798, amount_paid: 9798 }])
  expect(await redeemed(workspace, paths)).toEqual([1, 1])
})

test('with a trial the code is redeemed, and applies to the first invoice after the trial', async () => {
  const workspace = await switchyard.newWorkspace()
  const paths = await createCode(workspace, 'SPRING')
  const session = await createSession(workspace, {
    mode: 'subscription',
    line_items: [{ price_id: await aPrice(workspace) }],
    subscription: { trial: { days: 7 } },
  })
  expect((await checkSession(workspace, session, use)).body).toMatchObject({ amount: 0, discount: 0 })
  await payerAt(workspace.address).pay(session, cards.approved, { ...use, email: 'ada@example.com' })
  await settle()
  expect(await redeemed(workspace, paths)).toEqual([1, 1])
  clock.advance({ days: 7, minutes: 1 })
  await settle()
  expect((await workspace.get('/invoices')).body.data).toMatchObject([{ total: 2399, status: 'paid' }])
})

test('a declined payment releases the redemption, and the payer can pay with or without the code', async () => {
  const workspace = await switchyard.newWorkspace()
  const paths = await createCode(workspace, 'SPRING', { max_redemptions: 1 })
  const payer = payerAt(workspace.address)
  const [first, second] = [
    await createSession(workspace, { amount: 1299, currency: 'eur' }),
    await createSession(workspace, { amount: 1299, currency: 'eur' }),
  ]
  const declined = await payer.pay(first, cards.declined, use)
  expect(declined.body).toMatchObject({ status: 'open', amount: 1299, discounts: [] })
  expect(await redeemed(workspace, paths)).toEqual([0, 0])
  await payer.pay(first, cards.declined, use)
  expect((await payer.pay(second, cards.approved, use)).body).toMatchObject({ amount: 1039 })
  expect((await payer.pay(first, cards.approved, use)).body).toMatchObject({
    code: 'discount_not_applicable',
    detail: 'The coupon has reached its maximum number of redemptions.',
  })
  expect((await payer.pay(first, cards.approved)).body).toMatchObject({ status: 'completed', amount: 1299 })
  expect(await redeemed(workspace, paths)).toEqual([1, 1])
})

test('a payment in progress keeps its redemption until its outcome is known', async () => {
  const workspace = await switchyard.newWorkspace()
  const paths = await createCode(workspace, 'SPRING', { max_redemptions: 1 })
  const payer = payerAt(workspace.address)
  const session = await createSession(workspace, { amount: 1299, currency: 'eur' })
  const unknown = await payer.pay(session, cards.noResponse, use)
  expect(unknown.body).toMatchObject({ status: 'processing', amount: 1039 })
  expect(await redeemed(workspace, paths)).toEqual([1, 1])
  const other = await createSession(workspace, { amount: 1299, currency: 'eur' })
  expect((await checkSession(workspace, other, use)).body.code).toBe('discount_not_applicable')
  await advanceTime(2)
  expect((await payer.fetchSession(session)).body).toMatchObject({ status: 'completed', amount: 1039 })
  expect(await redeemed(workspace, paths)).toEqual([1, 1])

  const abandoned = await createCode(workspace, 'OTHER')
  const pending = await createSession(workspace, { amount: 1299, currency: 'eur' })
  await payer.pay(pending, cards.requiresAuthentication, { promotion_code: 'OTHER' })
  expect(await redeemed(workspace, abandoned)).toEqual([1, 1])
  await payer.call('POST', `/checkout/sessions/${pending.id}/change-method`, undefined, {
    'checkout-secret': pending.client_secret,
  })
  await settle()
  expect((await payer.fetchSession(pending)).body).toMatchObject({ status: 'open', discounts: [] })
  expect(await redeemed(workspace, abandoned)).toEqual([0, 0])
})

test('exactly 4 of 12 concurrent payments with a code limited to 4 redemptions get the discount', async () => {
  const workspace = await switchyard.newWorkspace()
  const paths = await createCode(workspace, 'SPRING', { max_redemptions: 4 })
  const payer = payerAt(workspace.address)
  const sessions = await Promise.all(
    Array.from({ length: 12 }, () => createSession(workspace, { amount: 1299, currency: 'eur' })),
  )
  const answers = await Promise.all(sessions.map((session) => payer.pay(session, cards.approved, use)))
  await settle()
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused.map(({ body }) => body.code)).toEqual(Array(8).fill('discount_not_applicable'))
  const { data: payments } = (await workspace.get('/payments')).body
  expect(payments.map(({ amount, status }: { amount: number; status: string }) => [amount, status])).toEqual(
    Array(4).fill([1039, 'succeeded']),
  )
  expect(await redeemed(workspace, paths)).toEqual([4, 4])
})

test('the limits of a code are enforced, and a page that does not accept codes refuses them', async () => {
  const workspace = await switchyard.newWorkspace()
  const payer = payerAt(workspace.address)
  const session = await createSession(workspace, { amount: 1299, currency: 'eur' })
  const detailOf = async (code: string, coupon: object = {}, terms: object = {}) => {
    await createCode(workspace, code, coupon, terms)
    return (await checkSession(workspace, session, { promotion_code: code })).body.detail
  }
  const later = new Date(
    Date.parse((await workspace.get('/workspace')).body.updated_at) + 60_000,
  ).toISOString()
  expect(await detailOf('MINIMUM', {}, { minimum_amount: 1300, currency: 'eur' })).toBe(
    'The amount is below the minimum amount of the promotion code.',
  )
  expect(await detailOf('CURRENCY', { amount_off: 100, currency: 'usd' })).toBe(
    'The coupon is only for purchases in usd.',
  )
  expect(await detailOf('MINE', {}, { customer_id: await workspace.aCustomer() })).toBe(
    'The promotion code is for another customer.',
  )
  expect(await detailOf('ALL', { percent_off: '99' })).toBe(
    'The discount leaves less than the smallest amount that can be charged.',
  )
  await createCode(workspace, 'FIRST', {}, { first_purchase: true })
  const earlier = await createSession(workspace, {
    mode: 'subscription',
    line_items: [{ price_id: await aPrice(workspace) }],
  })
  await payer.pay(earlier, cards.approved, { email: 'ada@example.com' })
  await settle()
  const first = { promotion_code: 'FIRST', email: 'ada@example.com' }
  expect((await payer.pay(session, cards.approved, first)).body.detail).toBe(
    'The promotion code is only for a first purchase.',
  )
  expect(await detailOf('EXPIRED', {}, { expires_at: later })).toBeUndefined()
  clock.advance({ minutes: 2 })
  expect((await checkSession(workspace, session, { promotion_code: 'EXPIRED' })).body.detail).toBe(
    'The promotion code has expired.',
  )

  const without = await createSession(workspace, {
    amount: 1299,
    currency: 'eur',
    allow_promotion_codes: false,
  })
  for (const { body } of [
    await checkSession(workspace, without, use),
    await payer.pay(without, cards.approved, use),
  ])
    expect(body.errors).toMatchObject([{ pointer: '/promotion_code', code: 'not_together' }])
  const { body: coupons } = await workspace.get('/coupons?limit=1')
  const both = { mode: 'subscription', line_items: [{ price_id: await aPrice(workspace) }], ...allowed }
  const discounts = [{ coupon_id: coupons.data[0].id }]
  const refused = await workspace.post('/checkout-sessions', { ...both, discounts })
  expect(refused.body.errors).toMatchObject([{ pointer: '/allow_promotion_codes', code: 'not_together' }])
  for (const path of ['/checkout-sessions', '/payment-links'])
    expect((await workspace.post(path, { mode: 'setup', ...allowed })).body.errors).toMatchObject([
      { pointer: '/allow_promotion_codes', code: 'not_together' },
    ])
})
