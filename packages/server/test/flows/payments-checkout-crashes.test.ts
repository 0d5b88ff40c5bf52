// A process that is killed at any point of a subscription checkout leaves one payment, one subscription and one paid
// invoice: the next process continues. The ledger of the simulator shows that the payer was charged once.

import { expect, test } from 'vitest'
import { cards } from '../support/checkout.ts'
import { ledgerDifferences } from '../support/ledger.ts'
import { aPrice, aSubscription } from '../support/subscriptions.ts'
import type { Workspace } from '../support/switchyard.ts'
import { crashProviders } from './support/crash-providers.ts'
import { fetchWhenReady, startPaymentInstallation } from './support/payment-installation.ts'

const { switchyard, ledger, start, expireAllLeases, newShop } = await startPaymentInstallation()

type Session = { readonly id: string; readonly client_secret: string }

async function createSession(): Promise<{ workspace: Workspace; session: Session }> {
  const { workspace } = await newShop(crashProviders[0])
  const line_items = [{ price_id: await aPrice(workspace) }, { name: 'Setup', unit_amount: 500 }]
  const { body } = await workspace.post('/checkout-sessions', { mode: 'subscription', line_items })
  return { workspace, session: body }
}

function confirm(
  address: string,
  { id, client_secret: secret }: Session,
  { number = cards.approved, ...members }: { number?: string; promotion_code?: string } = {},
): Promise<Response> {
  const card = { number, exp_month: 12, exp_year: 2030, cvc: '123' }
  return fetchWhenReady(`${address}/checkout/sessions/${id}/confirm`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'checkout-secret': secret, 'idempotency-key': 'one' },
    body: JSON.stringify({ card, email: 'ada@example.com', ...members }),
  })
}

async function crashDuringConfirmation(
  point: string,
  session: Session,
  entered: Parameters<typeof confirm>[2] = {},
): Promise<void> {
  const doomed = await start('api', point)
  await expect(confirm(doomed.addresses.test, session, entered)).rejects.toThrow()
  expect(await doomed.exited).toBe('SIGKILL')
}

async function listAll(workspace: Workspace) {
  const read = async (path: string) => (await workspace.get(path)).body.data
  const [payments, invoices, subscriptions] = [
    await read('/payments'),
    await read('/invoices'),
    await read('/subscriptions'),
  ]
  return { payments, invoices, subscriptions, customers: await read('/customers') }
}

const total = 2999 + 500

/** There is one payment, one invoice, one subscription and one customer, and the ledgers agree. */
async function expectOneOfEach(workspace: Workspace, message: string): Promise<void> {
  await expect
    .poll(() => listAll(workspace), { timeout: 30_000, message })
    .toMatchObject({
      payments: [{ status: 'succeeded', amount_captured: total, amount_refunded: 0 }],
      invoices: [{ status: 'paid', amount_paid: total }],
      subscriptions: [{ status: 'active' }],
      customers: [{ email: 'ada@example.com' }],
    })
  const { payments } = await listAll(workspace)
  expect(await ledger.fetchTotals(payments[0].id), message).toMatchObject({ approvals: 1, captured: total })
  expect(await ledgerDifferences(switchyard.deps, workspace.workspaceId), message).toEqual([])
}

test('killed at every point of the confirmation: one payment, one subscription, one invoice', {
  timeout: 120_000,
}, async () => {
  const crashes: { workspace: Workspace; session: Session; point: string }[] = []
  for (const point of ['payment.intended', 'payment.answered', 'payment.recorded', 'checkout.fulfilled']) {
    const { workspace, session } = await createSession()
    await crashDuringConfirmation(point, session)
    crashes.push({ workspace, session, point })
  }
  await expireAllLeases()
  const healthy = await start('all')
  for (const { workspace, session, point } of crashes) {
    await expectOneOfEach(workspace, point)
    // The page sends the same confirmation again.
    const repeated = await confirm(healthy.addresses.test, session)
    expect(await repeated.json(), point).toMatchObject({ status: 'completed', amount: total })
    expect((await listAll(workspace)).subscriptions, point).toHaveLength(1)
  }
  await healthy.kill('SIGTERM')
})

test('killed at every point of the work after the payment: one payment, one subscription, one invoice', {
  timeout: 180_000,
}, async () => {
  const { workspace, session } = await createSession()
  await crashDuringConfirmation('payment.recorded', session)
  const points = [
    'work.received:checkout_session.settle',
    'checkout.fulfilled',
    'work.received:invoice.finalize',
    'work.handled:invoice.finalize',
    'work.received:invoice.settle',
    'work.handled:invoice.settle',
    'work.received:subscription.settle',
    'work.handled:subscription.settle',
  ]
  for (const point of points) {
    await expireAllLeases()
    const exit = await start('worker', point).then(
      (doomed) => doomed.exited,
      (error: Error) => error.message,
    )
    expect(exit, point).toContain('SIGKILL')
  }
  await expireAllLeases()
  const healthy = await start('worker')
  await expectOneOfEach(workspace, 'all points')
  await healthy.kill('SIGTERM')
})

/** A session for €20.00, and a code for €5.00 off that can be redeemed once. */
async function createSessionWithCode() {
  const { workspace } = await newShop(crashProviders[0])
  const coupon = { name: 'Spring offer', amount_off: 500, currency: 'eur', duration: 'once' }
  const { id: coupon_id } = (await workspace.post('/coupons', { ...coupon, max_redemptions: 1 })).body
  const { id } = (await workspace.post('/promotion-codes', { coupon_id, code: 'SPRING' })).body
  const members = { amount: 2000, currency: 'eur', allow_promotion_codes: true }
  const { body: session } = await workspace.post('/checkout-sessions', members)
  const read = async () => ({
    status: (await workspace.get(`/checkout-sessions/${session.id}`)).body.status,
    amounts: (await workspace.get('/payments')).body.data.map(({ amount }: { amount: number }) => amount),
    redeemed: [
      (await workspace.get(`/coupons/${coupon_id}`)).body.times_redeemed,
      (await workspace.get(`/promotion-codes/${id}`)).body.times_redeemed,
    ],
  })
  return { session: session as Session, read }
}

test('killed between the reservation of a promotion code and the result: used if it was paid, released if it was declined', {
  timeout: 180_000,
}, async () => {
  const crashes: { point: string; read: () => Promise<object>; expected: object }[] = []
  const results = [
    [cards.approved, { status: 'completed', amounts: [1500], redeemed: [1, 1] }],
    [cards.declined, { status: 'open', amounts: [1500], redeemed: [0, 0] }],
  ] as const
  for (const [number, expected] of results)
    for (const point of ['payment.intended', 'payment.answered', 'payment.recorded', 'checkout.fulfilled']) {
      const { session, read } = await createSessionWithCode()
      await crashDuringConfirmation(point, session, { number, promotion_code: 'SPRING' })
      // The reservation is committed together with the payment. Its end is committed together with the
      // result.
      if (point !== 'checkout.fulfilled')
        expect(await read(), point).toMatchObject({ status: 'processing', redeemed: [1, 1] })
      crashes.push({ point: `${point} ${number}`, read, expected })
    }
  await expireAllLeases()
  const healthy = await start('all')
  for (const { point, read, expected } of crashes)
    await expect.poll(read, { timeout: 30_000, message: point }).toEqual(expected)
  await healthy.kill('SIGTERM')
})

test('killed while a customer replaces their card: one new card, which the subscription uses', {
  timeout: 120_000,
}, async () => {
  const crashes: { workspace: Workspace; subscriptionId: string; customerId: string; point: string }[] = []
  for (const point of ['payment.answered', 'payment.recorded', 'checkout.fulfilled']) {
    const { workspace } = await newShop(crashProviders[0])
    const { id: subscriptionId, customer_id: customerId } = await aSubscription(workspace, {
      trial: { days: 14 },
    })
    const { body } = await workspace.post(`/customers/${customerId}/update-payment-method-link`)
    await crashDuringConfirmation(point, body)
    crashes.push({ workspace, subscriptionId, customerId, point })
  }
  await expireAllLeases()
  const healthy = await start('worker')
  for (const { workspace, subscriptionId, customerId, point } of crashes) {
    const read = async () => ({
      cards: (await workspace.get(`/payment-methods?customer_id=${customerId}`)).body.data,
      subscription: (await workspace.get(`/subscriptions/${subscriptionId}`)).body,
    })
    await expect
      .poll(async () => (await read()).subscription.payment_method_id, { timeout: 30_000, message: point })
      .not.toBeNull()
    const { cards: stored, subscription } = await read()
    expect(stored, point).toMatchObject([{ id: subscription.payment_method_id, status: 'attached' }])
  }
  await healthy.kill('SIGTERM')
})
