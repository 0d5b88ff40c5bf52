// Sessions and links that sell a subscription. The payer pays first: everything else is written after the payment.

import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { cards, type PublicSession, payerAt, slugOf } from '../../../../test/support/checkout.ts'
import { inTransaction } from '../../../../test/support/invoices.ts'
import { ledgerDifferences, postingsOf } from '../../../../test/support/ledger.ts'
import { aPrice, aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'
import type { Workspace } from '../../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'

const switchyard = await subscriptionsForThisFile()
const { deps, settle, settleOnly, advanceTime, clock } = switchyard

async function createSession(workspace: Workspace, members: object): Promise<PublicSession> {
  const { status, body } = await workspace.post('/checkout-sessions', { mode: 'subscription', ...members })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

const fetch = async ({ get }: Workspace, path: string) => (await get(path)).body
const ada = { email: 'ada@example.com', name: 'Ada Lovelace' }

/** What a completed session has created. */
async function resultOf(workspace: Workspace, { id }: { id: string }) {
  const session = await fetch(workspace, `/checkout-sessions/${id}`)
  const subscription = await fetch(workspace, `/subscriptions/${session.subscription_id}`)
  const { data: invoices } = await fetch(workspace, `/invoices?subscription_id=${session.subscription_id}`)
  const { data: payments } = await fetch(workspace, '/payments?limit=100')
  return { session, subscription, invoices, payments }
}

test('a payer buys a subscription with a setup fee, and everything is created after the payment', async () => {
  const workspace = await switchyard.newWorkspace()
  const priceId = await aPrice(workspace)
  const session = await createSession(workspace, {
    line_items: [
      {
        price_id: priceId,
        quantity: 2,
        adjustable_quantity: true,
        quantity_limits: { min: 1, max: 5 },
      },
      { name: 'Setup', unit_amount: 5000 },
    ],
    subscription: { metadata: { plan: 'team' } },
    collect: ['name'],
  })
  const payer = payerAt(workspace.address)
  const page = (await payer.fetchSession(session)).body
  expect(page).toMatchObject({
    checkout_mode: 'subscription',
    collect: ['email', 'name'],
    subscription: { due_now: 2 * 2999 + 5000, amount: 2 * 2999, interval: 'month', interval_count: 1 },
    items: [{ name: 'Team plan', recurring: { interval: 'month' } }, { name: 'Setup' }],
  })

  const refused = await payer.pay(session, cards.approved, { ...ada, quantities: [6, 1] })
  expect(refused.body.errors).toMatchObject([{ pointer: '/quantities/0', code: 'too_large' }])
  const paid = await payer.pay(session, cards.approved, { ...ada, quantities: [3, 1] })
  expect(paid.body, JSON.stringify(paid.body)).toMatchObject({ status: 'completed' })
  await settle()

  const result = await resultOf(workspace, session)
  const total = 3 * 2999 + 5000
  expect(result.session).toMatchObject({ status: 'completed', amount: total })
  expect(result.subscription).toMatchObject({
    status: 'active',
    checkout_session_id: session.id,
    customer_id: result.session.customer_id,
    payment_method_id: result.session.payment_method_id,
    metadata: { plan: 'team' },
    items: [{ price_id: priceId, quantity: 3 }],
  })
  expect(result.payments).toMatchObject([
    { amount: total, status: 'succeeded', invoice_id: result.invoices[0].id },
  ])
  expect(result.invoices).toMatchObject([
    {
      number: expect.stringMatching(/-000001$/),
      status: 'paid',
      total,
      amount_paid: total,
      payment_id: result.payments[0].id,
      lines: [
        { kind: 'cycle', amount: 3 * 2999 },
        { kind: 'one_time', amount: 5000, description: 'Setup' },
      ],
    },
  ])
  expect(await fetch(workspace, `/customers/${result.session.customer_id}`)).toMatchObject(ada)
  const events = await workspace.eventsOf(session.id)
  expect(events.at(-1)).toMatchObject({
    type: 'checkout_session.completed',
    object: { subscription_id: result.subscription.id },
  })
  // Postings are ordered by the ids of their causes, here an operation and its payment of the same millisecond.
  const postings = await postingsOf(workspace, result.payments[0].id)
  expect(postings.toSorted()).toEqual([
    `payment_applied: unapplied > receivable ${total}`,
    `payment_captured: clearing > unapplied ${total}`,
  ])
  expect(await ledgerDifferences(deps, workspace.workspaceId)).toEqual([])
})

test('the stored card pays the renewal, without the setup fee', async () => {
  const workspace = await switchyard.newWorkspace()
  const session = await createSession(workspace, {
    line_items: [
      { price_id: await aPrice(workspace, { recurring: { interval: 'day' } }) },
      { name: 'Setup', unit_amount: 100 },
    ],
  })
  await payerAt(workspace.address).pay(session, cards.approved, ada)
  await settle()
  clock.advance({ hours: 25 })
  await settle()
  const { invoices } = await resultOf(workspace, session)
  expect(invoices.map(({ status, total }: { status: string; total: number }) => [status, total])).toEqual([
    ['paid', 2999],
    ['paid', 3099],
  ])
})

test('a trial verifies the card and charges nothing, and the first invoice follows the trial', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body: link } = await workspace.post('/payment-links', {
    mode: 'subscription',
    line_items: [{ price_id: await aPrice(workspace) }],
    subscription: { trial: { days: 7 } },
  })
  const payer = payerAt(workspace.address)
  expect((await payer.fetchLink(slugOf(link))).body).toMatchObject({
    checkout_mode: 'subscription',
    subscription: { due_now: 0, amount: 2999, trial_end_at: expect.any(String) },
  })
  const session = await payer.openSession(slugOf(link))
  await payer.pay(session, cards.approved, ada)
  await settle()
  const started = await resultOf(workspace, session)
  expect(started.subscription).toMatchObject({ status: 'trialing', trial: { end_at: expect.any(String) } })
  expect(started.payments).toMatchObject([{ purpose: 'verification', amount: 0, invoice_id: null }])
  expect(started.invoices).toEqual([])
  expect(await fetch(workspace, `/payment-links/${link.id}`)).toMatchObject({ status: 'completed' })

  clock.advance({ days: 7, minutes: 1 })
  await settle()
  const { subscription, invoices } = await resultOf(workspace, session)
  expect(subscription.status).toBe('active')
  expect(invoices).toMatchObject([{ status: 'paid', total: 2999 }])
})

test('declined and abandoned payments create nothing and use no invoice number', async () => {
  const workspace = await switchyard.newWorkspace()
  const line_items = [{ price_id: await aPrice(workspace) }]
  const session = await createSession(workspace, { line_items })
  const payer = payerAt(workspace.address)
  const declined = await payer.pay(session, cards.declined, ada)
  expect(declined.body).toMatchObject({ status: 'open', payment: { status: 'failed' } })
  await payer.pay(await createSession(workspace, { line_items }), cards.requiresAuthentication, ada)
  await settle()
  for (const path of ['/subscriptions', '/invoices', '/customers'])
    expect((await fetch(workspace, path)).data, path).toEqual([])
  expect((await fetch(workspace, '/payments')).data).toMatchObject([
    { invoice_id: null },
    { invoice_id: null },
  ])

  await payer.pay(session, cards.approved, ada)
  await settle()
  const { invoices } = await resultOf(workspace, session)
  expect(invoices).toMatchObject([{ number: expect.stringMatching(/-000001$/), status: 'paid' }])
  expect(await ledgerDifferences(deps, workspace.workspaceId)).toEqual([])
})

test('a price that is archived during the payment is still sold, and credit stays for the next invoice', async () => {
  const workspace = await switchyard.newWorkspace()
  const customerId = await workspace.aCustomer({ email: 'ada@example.com' })
  // Cancelling with a credit for the unused time leaves a credit balance.
  const earlier = await aSubscription(workspace, { customer_id: customerId, payment_method_id: null })
  await workspace.post(`/invoices/${earlier.latest_invoice_id}/finalize`)
  await workspace.post(`/invoices/${earlier.latest_invoice_id}/pay`, { out_of_band: true })
  await settle()
  await workspace.put(`/subscriptions/${earlier.id}/cancel`, { at: 'now', unused_time: 'credit' })
  await settle()

  const priceId = await aPrice(workspace)
  const session = await createSession(workspace, {
    customer_id: customerId,
    line_items: [{ price_id: priceId }],
  })
  await payerAt(workspace.address).pay(session, cards.noResponse)
  const archived = await workspace.put(`/prices/${priceId}`, { active: false })
  expect(archived.status, JSON.stringify(archived.body)).toBe(200)
  expect((await workspace.delete(`/prices/${priceId}`)).status).toBe(409)
  await advanceTime(2)
  const { subscription, invoices, session: completed } = await resultOf(workspace, session)
  expect(completed).toMatchObject({ status: 'completed', customer_id: customerId })
  expect(subscription).toMatchObject({ status: 'active', items: [{ price_id: priceId }] })
  expect(invoices).toMatchObject([{ status: 'paid', amount_paid: 2999, credit_applied: 0 }])
  expect(await ledgerDifferences(deps, workspace.workspaceId)).toEqual([])
})

test('a payment whose customer was deleted in the meantime is refunded', async () => {
  const workspace = await switchyard.newWorkspace()
  const customerId = await workspace.aCustomer()
  const session = await createSession(workspace, {
    customer_id: customerId,
    line_items: [{ price_id: await aPrice(workspace) }],
  })
  await payerAt(workspace.address).pay(session, cards.noResponse)
  await workspace.delete(`/customers/${customerId}`)
  await advanceTime(2)
  const { data: payments } = await fetch(workspace, '/payments')
  expect(payments).toMatchObject([{ amount_captured: 2999, amount_refunded: 2999 }])
  expect(await fetch(workspace, `/checkout-sessions/${session.id}`)).toMatchObject({ subscription_id: null })
  expect((await fetch(workspace, '/subscriptions')).data).toEqual([])
  expect(await ledgerDifferences(deps, workspace.workspaceId)).toEqual([])
})

test('concurrent confirmations and workers create one subscription, and the database refuses a second', async () => {
  const workspace = await switchyard.newWorkspace()
  const session = await createSession(workspace, { line_items: [{ price_id: await aPrice(workspace) }] })
  const payer = payerAt(workspace.address)
  await Promise.all([1, 2, 3].map(() => payer.pay(session, cards.approved, ada)))
  await Promise.all([settleOnly('checkout_session.settle'), payer.fetchSession(session), settle()])
  const { subscription, invoices, payments } = await resultOf(workspace, session)
  expect([payments.length, invoices.length]).toEqual([1, 1])
  expect((await fetch(workspace, '/subscriptions')).data).toHaveLength(1)

  const other = await aSubscription(workspace)
  const second = inTransaction(deps, workspace.workspaceId, (tx) =>
    sql`update subscriptions set checkout_session_id = ${uuidOf(session.id as Id<'checkout_session'>)}
      where id = ${uuidOf(other.id as Id<'subscription'>)}`.execute(tx.db),
  )
  await expect(second).rejects.toThrow('one_subscription_per_checkout')
  const orphaned = inTransaction(deps, workspace.workspaceId, (tx) =>
    sql`update checkout_sessions set subscription_id = null
      where subscription_id = ${uuidOf(subscription.id as Id<'subscription'>)}`.execute(tx.db),
  )
  await expect(orphaned).rejects.toThrow('a_sold_subscription_exists')
})

test('an anchored first period is charged in part, as the subscription preview shows', async () => {
  const workspace = await switchyard.newWorkspace()
  const customerId = await workspace.aCustomer()
  const priceId = await aPrice(workspace)
  const anchor = { day_of_month: 1 }
  const session = await createSession(workspace, {
    customer_id: customerId,
    line_items: [{ price_id: priceId }],
    subscription: { anchor },
  })
  const preview = await workspace.post('/subscriptions/preview', {
    action: 'create',
    customer_id: customerId,
    items: [{ price_id: priceId }],
    anchor,
  })
  const page = (await payerAt(workspace.address).fetchSession(session)).body
  await payerAt(workspace.address).pay(session, cards.approved)
  await settle()
  const { invoices } = await resultOf(workspace, session)
  expect(invoices).toMatchObject([{ status: 'paid', lines: [{ explanation: { rule: 'first_stub' } }] }])
  expect(invoices[0].total).toBe(preview.body.invoices[0].total)
  expect(invoices[0].total).toBe(page.subscription.due_now)
})

test('members that a mode does not allow are refused', async () => {
  const workspace = await switchyard.newWorkspace()
  const [monthly, once] = [await aPrice(workspace), await aPrice(workspace, { recurring: null })]
  const other = await switchyard.newWorkspace()
  const cases: readonly [object, string][] = [
    [{ line_items: [{ price_id: once }] }, '/line_items'],
    [{ line_items: [{ price_id: monthly }, { price_id: monthly }] }, '/line_items/1/price_id'],
    [{ line_items: [{ price_id: monthly }], capture_method: 'manual' }, '/capture_method'],
    [
      { line_items: [{ price_id: monthly }, { price_id: once }], subscription: { trial: { days: 3 } } },
      '/subscription/trial',
    ],
    [{ line_items: [{ price_id: monthly, unit_amount: 5 }] }, '/line_items/0/unit_amount'],
    [{ line_items: [{ price_id: monthly }, { name: 'Setup' }] }, '/line_items/1/unit_amount'],
    [
      {
        line_items: [
          { price_id: monthly, quantity: 9, adjustable_quantity: true, quantity_limits: { min: 1, max: 5 } },
        ],
      },
      '/line_items/0/quantity_limits',
    ],
    [
      { line_items: [{ price_id: monthly }], subscription: { anchor: { time_zone: 'Mars/Base' } } },
      '/subscription/anchor/time_zone',
    ],
    [{ mode: 'payment', line_items: [{ price_id: monthly }] }, '/line_items/0/price_id'],
    [{ mode: 'payment', amount: 100, currency: 'usd', subscription: {} }, '/subscription'],
    [{ line_items: [{ price_id: await aPrice(other) }] }, '/line_items/0/price_id'],
  ]
  for (const [members, pointer] of cases)
    for (const path of ['/checkout-sessions', '/payment-links']) {
      const { status, body } = await workspace.post(path, { mode: 'subscription', ...members })
      expect([status, body.errors?.[0]?.pointer], JSON.stringify([members, body])).toEqual([
        pointer === '/line_items/0/price_id' && body.code === 'reference_not_found' ? status : 400,
        pointer,
      ])
    }
  const yearly = await aPrice(workspace, { recurring: { interval: 'year' } })
  const mixed = await workspace.post('/checkout-sessions', {
    mode: 'subscription',
    line_items: [{ price_id: monthly }, { price_id: yearly }],
  })
  expect(mixed.body).toMatchObject({ code: 'mixed_interval' })
  // A one-time price can be paid for without a subscription.
  const book = await createSession(workspace, { mode: 'payment', line_items: [{ price_id: once }] })
  const paid = await payerAt(workspace.address).pay(book, cards.approved)
  expect(paid.body).toMatchObject({ status: 'completed', payment: { amount: 2999 } })
})

test('a session reserves a redemption of its coupon, releases it when it expires, and uses it when it is paid', async () => {
  const workspace = await switchyard.newWorkspace()
  const { post, get } = workspace
  const { body: coupon } = await post('/coupons', {
    name: 'Spring offer',
    percent_off: '20',
    duration: 'once',
    max_redemptions: 1,
  })
  await post('/promotion-codes', { coupon_id: coupon.id, code: 'SPRING20', first_purchase: true })
  const line_items = [{ price_id: await aPrice(workspace) }, { name: 'Setup', unit_amount: 5000 }]
  const body = { line_items, discounts: [{ promotion_code: 'spring20' }] }
  const timesRedeemed = async () => [
    (await get(`/coupons/${coupon.id}`)).body.times_redeemed,
    (await get('/promotion-codes?code=SPRING20')).body.data[0].times_redeemed,
  ]

  const first = await createSession(workspace, body)
  expect(await timesRedeemed()).toEqual([1, 1])
  const second = await post('/checkout-sessions', { mode: 'subscription', ...body })
  expect(second.body).toMatchObject({ code: 'discount_not_applicable' })
  for (let repeat = 0; repeat < 2; repeat += 1) await post(`/checkout-sessions/${first.id}/expire`, {})
  expect(await timesRedeemed()).toEqual([0, 0])

  const session = await createSession(workspace, body)
  const payer = payerAt(workspace.address)
  const due = 2999 - 600 + 5000
  expect((await payer.fetchSession(session)).body.subscription).toMatchObject({ due_now: due, amount: 2999 })
  const paid = await payer.pay(session, cards.approved, ada)
  expect(paid.body, JSON.stringify(paid.body)).toMatchObject({ status: 'completed' })
  await settle()

  const result = await resultOf(workspace, session)
  expect(result.subscription.discounts).toMatchObject([{ coupon_id: coupon.id, periods_used: 1 }])
  expect(result.invoices).toMatchObject([{ status: 'paid', discount_total: 600, total: due }])
  expect(result.payments).toMatchObject([{ amount: due }])
  expect(await timesRedeemed()).toEqual([1, 1])
})

test('the first invoice of a checkout contains the tax of an inclusive price, and exclusive prices require a customer', async () => {
  const workspace = await switchyard.newWorkspace()
  await workspace.put('/seller', { address: { country: 'DE' }, tax: 'rates' })
  const { body: rate } = await workspace.post('/tax-rates', { name: 'Germany', percentage: '19' })
  await workspace.post('/tax-rules', { tax_rate_id: rate.id, country: 'DE' })
  const exclusive = { mode: 'subscription', line_items: [{ price_id: await aPrice(workspace) }] }
  const refused = await workspace.post('/checkout-sessions', exclusive)
  expect(refused.body.errors).toMatchObject([{ pointer: '/line_items/0/price_id', code: 'not_together' }])

  const priceId = await aPrice(workspace, { unit_amount: 11_900, tax_behavior: 'inclusive' })
  const line_items = [{ price_id: priceId }, { name: 'Setup', unit_amount: 1190 }]
  const session = await createSession(workspace, { line_items })
  const paid = await payerAt(workspace.address).pay(session, cards.approved, ada)
  expect(paid.body, JSON.stringify(paid.body)).toMatchObject({ status: 'completed' })
  await settle()

  const { invoices } = await resultOf(workspace, session)
  expect(invoices).toMatchObject([
    {
      status: 'paid',
      total: 13_090,
      tax_total: 2090,
      total_excluding_tax: 11_000,
      lines: [{ tax: 1900 }, { tax: 190 }],
    },
  ])
  expect(await ledgerDifferences(deps, workspace.workspaceId)).toEqual([])
})

test('tax is added to an exclusive price for a known customer, with the same total on the page, the charge and the invoice', async () => {
  const workspace = await switchyard.newWorkspace()
  const { post, put } = workspace
  await put('/seller', { address: { country: 'DE' }, tax: 'rates' })
  const { body: rate } = await post('/tax-rates', { name: 'Germany', percentage: '19' })
  const { body: rule } = await post('/tax-rules', { tax_rate_id: rate.id, country: 'DE' })
  const priceId = await aPrice(workspace, { unit_amount: 2999 })
  const line_items = [{ price_id: priceId }, { name: 'Setup', unit_amount: 1001 }]
  const customer_id = await workspace.aCustomer({ email: 'ada@example.com', address: { country: 'DE' } })
  const session = await createSession(workspace, { line_items, customer_id })
  const payer = payerAt(workspace.address)
  // Later changes of the rules do not change what the payer was shown.
  await workspace.delete(`/tax-rules/${rule.id}`)
  const shown = (await payer.fetchSession(session)).body
  expect(shown).toMatchObject({
    amount: 4760,
    subscription: { due_now: 4760, taxes: [{ percentage: '19', amount: 760 }], amount: 3569 },
  })
  expect(shown.items[0]).not.toHaveProperty('tax')

  const paid = await payer.pay(session, cards.approved, ada)
  expect(paid.body, JSON.stringify(paid.body)).toMatchObject({
    status: 'completed',
    payment: { amount: 4760 },
  })
  await settle()
  const { invoices } = await resultOf(workspace, session)
  expect(invoices).toMatchObject([
    { status: 'paid', total: 4760, amount_paid: 4760, tax_total: 760, total_excluding_tax: 4000 },
  ])
  expect(await ledgerDifferences(deps, workspace.workspaceId)).toEqual([])
})

test('a trial shows the later amount with tax, and reverse charge adds none', async () => {
  const workspace = await switchyard.newWorkspace()
  const { post, put } = workspace
  const tax_ids = [{ type: 'eu_vat', value: 'DE136695976' }]
  await put('/seller', { address: { country: 'DE' }, tax_ids, tax: 'rates' })
  const { body: rate } = await post('/tax-rates', { name: 'Germany', percentage: '19' })
  await post('/tax-rules', { tax_rate_id: rate.id, country: 'DE' })
  const line_items = [{ price_id: await aPrice(workspace, { unit_amount: 2999 }) }]
  const shownTo = async (customer: object, members: object = {}) => {
    const customer_id = await workspace.aCustomer(customer)
    const session = await createSession(workspace, { line_items, customer_id, ...members })
    return (await payerAt(workspace.address).fetchSession(session)).body.subscription
  }

  expect(await shownTo({}, { subscription: { trial: { days: 14 } } })).toMatchObject({
    due_now: 0,
    taxes: [],
    amount: 3569,
  })
  const french = { tax_ids: [{ type: 'eu_vat', value: 'FR40303265045' }] }
  expect(await shownTo(french)).toMatchObject({ due_now: 2999, taxes: [], amount: 2999 })

  const adjustable = await post('/checkout-sessions', {
    mode: 'subscription',
    customer_id: await workspace.aCustomer(),
    line_items: [{ ...line_items[0], adjustable_quantity: true }],
  })
  expect(adjustable.body.errors).toMatchObject([{ pointer: '/line_items/0/adjustable_quantity' }])
})

test('a link with an exclusive price accepts no payments after tax was switched on, because its page shows no final price', async () => {
  const workspace = await switchyard.newWorkspace()
  const payer = payerAt(workspace.address)
  const sold = { mode: 'subscription', line_items: [{ price_id: await aPrice(workspace) }] }
  const { body: link } = await workspace.post('/payment-links', sold)
  await workspace.put('/seller', { address: { country: 'DE' }, tax: 'rates' })
  const { body: rate } = await workspace.post('/tax-rates', { name: 'Germany', percentage: '19' })
  await workspace.post('/tax-rules', { tax_rate_id: rate.id })

  const session = await payer.openSession(slugOf(link))
  const refused = await payer.pay(session, cards.approved, ada)

  expect(refused).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
  expect((await fetch(workspace, '/payments')).data).toEqual([])
  expect((await fetch(workspace, '/subscriptions')).data).toEqual([])
})
