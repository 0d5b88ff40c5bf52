// Commands during a payment: nothing is decided before the outcome is known, and customers do not pay for
// time that they cannot use.

import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { anId, inTransaction } from '../../../../test/support/invoices.ts'
import { aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'
import type { Workspace } from '../../../../test/support/switchyard.ts'
import { type Id, type Ref, uuidOf } from '../../../kernel/id.ts'
import { applyPaymentResult } from '../invoices/service/apply-payment-result.ts'
import { collectInvoice } from '../invoices/service/collect.ts'
import { grantCredit } from '../invoices/service.ts'
import { exhaustDunning } from './service.ts'

// Every call to a silent provider times out.
vi.setConfig({ testTimeout: 60_000 })

const switchyard = await subscriptionsForThisFile()
const { clock, deps, settle, settleOnly, inOrder, aPayer, configureAll, advanceTime } = switchyard
const { eventTypesOf, fetchInvoice, fetchTotals } = switchyard

/** A subscription whose first payment is in progress with an unknown outcome. */
async function aSubscriptionWithPaymentInProgress() {
  const workspace = await switchyard.newWorkspace()
  const { customerId: customer_id } = await aPayer(workspace)
  await configureAll(workspace, { outage: true, outage_manner: 'silence' })
  const { id, latest_invoice_id } = await aSubscription(workspace, { customer_id })
  await settle()
  const path = `/subscriptions/${id}`
  const readSubscription = async () => (await workspace.get(path)).body
  const endOutage = async () => {
    await configureAll(workspace, { outage: false })
    await advanceTime()
  }
  return { ...workspace, workspace, id, path, readSubscription, endOutage, invoiceId: latest_invoice_id }
}

test('an activation does not expire while the outcome of its payment is unknown, and the subscription starts once the payment succeeds', async () => {
  const { readSubscription, endOutage } = await aSubscriptionWithPaymentInProgress()
  const { current_period: period } = await readSubscription()
  // Longer than the activation window, but shorter than the time a payment may stay unresolved.
  clock.advance({ minutes: 23 * 60 + 30 })
  await settle()
  expect(await readSubscription()).toMatchObject({ status: 'trialing', activation: { state: 'pending' } })
  await endOutage()
  expect(await readSubscription()).toMatchObject({ status: 'active', current_period: period })
})

test('a subscription paused while its payment is in progress keeps the whole period if the payment succeeds', async () => {
  const { path, put, readSubscription, endOutage, get, invoiceId } =
    await aSubscriptionWithPaymentInProgress()
  const { current_period: period } = await readSubscription()
  const periodSeconds = (Date.parse(period.end_at) - Date.parse(period.start_at)) / 1000
  expect((await put(`${path}/pause`)).body).toMatchObject({
    status: 'paused',
    activation: { state: 'pending' },
  })
  expect((await get(`/invoices/${invoiceId}`)).body).toMatchObject({ status: 'open' })
  await endOutage()
  expect(await readSubscription()).toMatchObject({
    status: 'paused',
    pause: { remaining_seconds: periodSeconds },
  })
  const { body: resumed } = await put(`${path}/resume`)
  expect(resumed).toMatchObject({ status: 'active', current_period: { invoice_id: invoiceId } })
})

test('a subscription paused during the payment after a decline requires no action, and keeps the period if that payment succeeds', async () => {
  const workspace = await switchyard.newWorkspace()
  const { customerId: customer_id } = await aPayer(workspace)
  await configureAll(workspace, { auth_rate: 0 })
  const { id, latest_invoice_id: invoiceId } = await aSubscription(workspace, { customer_id })
  await settle()
  const path = `/subscriptions/${id}`
  expect((await workspace.get(path)).body).toMatchObject({ activation: { state: 'requires_action' } })
  await configureAll(workspace, { auth_rate: 1, outage: true, outage_manner: 'silence' })
  await workspace.post(`/invoices/${invoiceId}/pay`, {})
  await settle()
  expect((await workspace.put(`${path}/pause`)).body).toMatchObject({
    status: 'paused',
    activation: { state: 'pending' },
  })
  await configureAll(workspace, { outage: false })
  await advanceTime()
  const { body: paused } = await workspace.get(path)
  expect(paused).toMatchObject({ status: 'paused', activation: { state: 'done' } })
  expect(paused.pause.remaining_seconds).toBeGreaterThan(0)
})

test('cancelling a subscription while its payment is in progress refunds the charge and voids the invoice', async () => {
  const { path, put, readSubscription, endOutage, workspace, invoiceId } =
    await aSubscriptionWithPaymentInProgress()
  expect((await put(`${path}/cancel`)).body).toMatchObject({ status: 'cancelled', activation: null })
  expect(await fetchInvoice(workspace, invoiceId)).toMatchObject({
    status: 'open',
    payment_state: 'unknown',
    withdrawn_at: expect.any(String),
  })
  await endOutage()
  expect(await readSubscription()).toMatchObject({ status: 'cancelled' })
  expect(await fetchInvoice(workspace, invoiceId)).toMatchObject({ status: 'void', payment_state: 'none' })
  await expectNothingKept(workspace, invoiceId)
})

test('an invoice that a pause withdraws while its payment is in progress is void because of the pause', async () => {
  const { path, put, endOutage, workspace, invoiceId } = await aSubscriptionWithPaymentInProgress()
  const { status, body } = await put(`${path}/pause`, { open_invoices: 'void' })
  expect([status, body.status], JSON.stringify(body)).toEqual([200, 'paused'])
  expect(await fetchInvoice(workspace, invoiceId)).toMatchObject({ withdrawn_at: expect.any(String) })
  await endOutage()
  expect(await fetchInvoice(workspace, invoiceId)).toMatchObject({ status: 'void', void_reason: 'pause' })
  await expectNothingKept(workspace, invoiceId)
})

/** Payments for invoices, without the verification of the card. */
async function chargesIn({ get }: Workspace): Promise<object[]> {
  const { body } = await get('/payments')
  return body.data.filter(({ invoice_id }: { invoice_id: string | null }) => invoice_id !== null)
}

async function expectNothingKept(workspace: Workspace, invoiceId: string): Promise<void> {
  await advanceTime(1)
  const { captured, refunded } = await fetchTotals(workspace, invoiceId)
  expect(captured - refunded).toBe(0)
}

/** A subscription whose first invoice is open, and whose charge has not started. */
async function aSubscriptionToCollect(credit = 0n) {
  const workspace = await switchyard.newWorkspace()
  const { customerId: customer_id } = await aPayer(workspace)
  if (credit > 0n) await grantInitialCredit(workspace, customer_id, credit)
  const { id, latest_invoice_id: invoiceId } = await aSubscription(workspace, { customer_id })
  await settleOnly('invoice.finalize')
  const path = `/subscriptions/${id}`
  const readSubscription = async () => (await workspace.get(path)).body
  const ref = { workspaceId: workspace.workspaceId, id: invoiceId } as Ref<'invoice'>
  /** Starts the charge while the request is being handled. */
  const whileChargeStarts = (request: () => Promise<unknown>) =>
    inOrder({ ...workspace, invoiceId }, () => collectInvoice(deps, ref), request)
  const readCredit = async () => (await workspace.get(`/customers/${customer_id}/billing-state`)).body.credit
  return { ...workspace, workspace, id, path, readSubscription, invoiceId, whileChargeStarts, readCredit }
}

test('a charge that starts during a pause request pays for the period, which is kept, and resuming charges nothing', async () => {
  const { workspace, path, put, readSubscription, invoiceId, whileChargeStarts } =
    await aSubscriptionToCollect()
  const { current_period: period } = await readSubscription()
  await whileChargeStarts(() => put(`${path}/pause`))
  await settle()
  expect(await fetchInvoice(workspace, invoiceId)).toMatchObject({ status: 'paid' })
  const periodSeconds = (Date.parse(period.end_at) - Date.parse(period.start_at)) / 1000
  expect(await readSubscription()).toMatchObject({
    status: 'paused',
    pause: { remaining_seconds: periodSeconds },
  })
  expect((await put(`${path}/resume`)).body).toMatchObject({
    status: 'active',
    current_period: { invoice_id: invoiceId },
  })
  await settle()
  expect(await chargesIn(workspace)).toHaveLength(1)
})

test('if the charge that started during the pause request fails, the paused subscription has no open invoice', async () => {
  const { workspace, path, put, readSubscription, invoiceId, whileChargeStarts } =
    await aSubscriptionToCollect()
  await configureAll(workspace, { auth_rate: 0 })
  await whileChargeStarts(() => put(`${path}/pause`))
  await settle()
  expect(await fetchInvoice(workspace, invoiceId)).toMatchObject({ status: 'void', void_reason: 'pause' })
  expect(await readSubscription()).toMatchObject({
    status: 'paused',
    activation: null,
    collection: { open_invoices: 0 },
  })
})

test('a charge that starts during a cancellation is refunded, and the invoice is voided', async () => {
  const { workspace, path, put, invoiceId, whileChargeStarts, readCredit } = await aSubscriptionToCollect()
  await whileChargeStarts(() => put(`${path}/cancel`))
  await advanceTime(2)
  expect(await fetchInvoice(workspace, invoiceId)).toMatchObject({
    status: 'void',
    withdrawn_at: expect.any(String),
  })
  await expectNothingKept(workspace, invoiceId)
  expect(await readCredit()).toEqual([{ currency: 'usd', balance: 0 }])
})

test('a payment whose result is applied during a cancellation starts the period, and nothing is refunded', async () => {
  const { workspace, path, put, readSubscription, invoiceId } = await aSubscriptionToCollect()
  const ref = { workspaceId: workspace.workspaceId, id: invoiceId } as Ref<'invoice'>
  await configureAll(workspace, { outage: true, outage_manner: 'silence' })
  await collectInvoice(deps, ref)
  await configureAll(workspace, { outage: false })
  clock.advance({ seconds: 75 })
  await settleOnly('payment.resolve')
  await inOrder(
    { ...workspace, invoiceId },
    () => applyPaymentResult(deps, ref),
    () => put(`${path}/cancel`),
  )
  await settle()
  expect(await fetchInvoice(workspace, invoiceId)).toMatchObject({ status: 'paid', amount_refunded: 0 })
  expect(await readSubscription()).toMatchObject({ status: 'cancelled', activation: { state: 'done' } })
})

test('credit applied to an invoice is restored when the subscription is cancelled during the payment', async () => {
  const { workspace, path, put, invoiceId, readCredit, whileChargeStarts } =
    await aSubscriptionToCollect(1000n)
  expect(await fetchInvoice(workspace, invoiceId)).toMatchObject({ credit_applied: 1000, amount_due: 1999 })
  await whileChargeStarts(() => put(`${path}/cancel`))
  await advanceTime(2)
  await expectNothingKept(workspace, invoiceId)
  expect(await readCredit()).toEqual([{ currency: 'usd', balance: 1000 }])
})

async function grantInitialCredit(
  workspace: Workspace,
  customerId: Id<'customer'>,
  amount: bigint,
): Promise<void> {
  const invoiceId = anId(workspace.workspaceId, 'invoice')
  await inTransaction(deps, workspace.workspaceId, (tx) =>
    grantCredit(tx, { customerId, currency: 'usd', amount, reason: 'unused_time', invoiceId }),
  )
}

test('cancelling both the subscription and its payment refunds the charge once', async () => {
  const { workspace, path, put, post, endOutage, invoiceId, readSubscription, get } =
    await aSubscriptionWithPaymentInProgress()
  const { payment_id: paymentId } = await fetchInvoice(workspace, invoiceId)
  await post(`/payments/${paymentId}/cancel`)
  await put(`${path}/cancel`)
  await endOutage()
  expect(await fetchInvoice(workspace, invoiceId)).toMatchObject({ status: 'void' })
  await expectNothingKept(workspace, invoiceId)
  const { customer_id } = await readSubscription()
  expect((await get(`/customers/${customer_id}/billing-state`)).body.credit).toEqual([
    { currency: 'usd', balance: 0 },
  ])
})

test('a subscription resumed while its payment is in progress continues with the period once the payment succeeds', async () => {
  const { workspace, path, put, readSubscription, endOutage, invoiceId } =
    await aSubscriptionWithPaymentInProgress()
  await put(`${path}/pause`)
  expect((await put(`${path}/resume`)).body).toMatchObject({
    status: 'paused',
    activation: { state: 'pending' },
  })
  await endOutage()
  expect(await readSubscription()).toMatchObject({
    status: 'active',
    current_period: { invoice_id: invoiceId },
  })
  expect(await chargesIn(workspace)).toHaveLength(1)
})

test('a subscription paused again while the payment for its resumption is in progress stays paused and keeps the period', async () => {
  const {
    workspace,
    path,
    put,
    readSubscription,
    invoiceId: first,
    endOutage,
  } = await aSubscriptionWithPaymentInProgress()
  await endOutage()
  await put(`${path}/pause`, { unused_time: 'forfeit' })
  await configureAll(workspace, { outage: true, outage_manner: 'silence' })
  const { latest_invoice_id: invoiceId } = (await put(`${path}/resume`)).body
  expect(invoiceId).not.toBe(first)
  await settle()
  expect((await put(`${path}/pause`)).body).toMatchObject({ status: 'paused' })
  await endOutage()
  expect(await fetchInvoice(workspace, invoiceId)).toMatchObject({ status: 'paid' })
  const paused = await readSubscription()
  expect(paused).toMatchObject({ status: 'paused', current_period: { invoice_id: invoiceId } })
  expect(paused.pause.remaining_seconds).toBeGreaterThan(27 * 86_400)
  expect((await put(`${path}/resume`)).body).toMatchObject({ status: 'active' })
})

/** An active subscription whose second period is being charged, with an unknown outcome. */
async function aSubscriptionWithRenewalInProgress() {
  const subscription = await aSubscriptionWithPaymentInProgress()
  await subscription.endOutage()
  await configureAll(subscription.workspace, { outage: true, outage_manner: 'silence' })
  clock.advance({ days: 31 })
  await settle()
  const { latest_invoice_id: renewalId, customer_id } = await subscription.readSubscription()
  expect(await fetchInvoice(subscription.workspace, renewalId)).toMatchObject({ payment_state: 'unknown' })
  const readCredit = async () =>
    (await subscription.get(`/customers/${customer_id}/billing-state`)).body.credit
  return { ...subscription, renewalId, readCredit }
}

test('a renewal charge in progress is refunded if a pause voids open invoices', async () => {
  const { workspace, path, put, endOutage, renewalId: invoiceId } = await aSubscriptionWithRenewalInProgress()
  expect((await put(`${path}/pause`, { open_invoices: 'void' })).body).toMatchObject({
    status: 'paused',
    current_period: null,
    collection: { open_invoices: 0 },
  })
  await endOutage()
  expect(await fetchInvoice(workspace, invoiceId)).toMatchObject({ status: 'void' })
  await expectNothingKept(workspace, invoiceId)
})

test('unused time of a renewal being charged is credited once when the payment succeeds', async () => {
  const { workspace, path, put, endOutage, renewalId, readCredit } =
    await aSubscriptionWithRenewalInProgress()
  const { body: paused } = await put(`${path}/pause`, { unused_time: 'credit' })
  expect(paused).toMatchObject({ status: 'paused', pause: { remaining_seconds: 0 } })
  const { return_on_payment: returnOnPayment, period } = await fetchInvoice(workspace, renewalId)
  const rest = Date.parse(period.end_at) - Date.parse(paused.pause.paused_at)
  const value = Math.round((2999 * rest) / (Date.parse(period.end_at) - Date.parse(period.start_at)))
  expect(returnOnPayment).toEqual({ as: 'credit', amount: value })
  expect(await readCredit()).toEqual([{ currency: 'usd', balance: 0 }])
  await endOutage()
  expect(await fetchInvoice(workspace, renewalId)).toMatchObject({ status: 'paid', return_on_payment: null })
  expect(await readCredit()).toEqual([{ currency: 'usd', balance: value }])
})

test('unused time of a renewal being charged is refunded when the payment succeeds', async () => {
  const { workspace, path, put, endOutage, renewalId, readCredit } =
    await aSubscriptionWithRenewalInProgress()
  await put(`${path}/cancel`, { unused_time: 'refund' })
  const { return_on_payment: returnOnPayment } = await fetchInvoice(workspace, renewalId)
  expect(returnOnPayment).toMatchObject({ as: 'refund' })
  await endOutage()
  await advanceTime(1)
  expect(await fetchInvoice(workspace, renewalId)).toMatchObject({
    status: 'paid',
    amount_refunded: returnOnPayment.amount,
    return_on_payment: null,
  })
  expect(await fetchTotals(workspace, renewalId)).toMatchObject({
    captured: 2999,
    refunded: returnOnPayment.amount,
  })
  expect(await readCredit()).toEqual([{ currency: 'usd', balance: 0 }])
})

test('nothing is credited if the renewal payment fails', async () => {
  const { workspace, path, put, renewalId, readCredit } = await aSubscriptionWithRenewalInProgress()
  await put(`${path}/pause`, { unused_time: 'credit', open_invoices: 'stop' })
  await configureAll(workspace, { outage: false, auth_rate: 0 })
  await advanceTime()
  expect(await fetchInvoice(workspace, renewalId)).toMatchObject({
    status: 'open',
    amount_paid: 0,
    return_on_payment: { as: 'credit' },
  })
  expect(await readCredit()).toEqual([{ currency: 'usd', balance: 0 }])
})

test('the database refuses to drop a period that can still be paid', async () => {
  const { workspaceId, id } = await aSubscriptionWithPaymentInProgress()
  const drop = inTransaction(deps, workspaceId, async (tx) => {
    await sql`update subscriptions set activation = null, period_epoch = null, period_index = null,
        period_start_at = null, period_end_at = null, period_nominal_start_at = null, period_invoice_id = null
      where id = ${uuidOf(id as Id<'subscription'>)}`.execute(tx.db)
    await sql`set constraints subscriptions_withdraw_unpaid_periods immediate`.execute(tx.db)
  })
  await expect(drop).rejects.toThrow('which can still be paid')
})

/** A subscription whose dunning was exhausted early in its second period. */
async function aSubscriptionWithExhaustedDunning(finalAction: 'pause' | 'cancel' | 'mark_unpaid') {
  const workspace = await switchyard.newWorkspace()
  const { customerId: customer_id } = await aPayer(workspace)
  const { id } = await aSubscription(workspace, { customer_id })
  await settle()
  await configureAll(workspace, { auth_rate: 0 })
  clock.advance({ days: 31 })
  await settle()
  await inTransaction(switchyard.deps, workspace.workspaceId, (tx) =>
    exhaustDunning(tx, id as Id<'subscription'>, finalAction),
  )
  const readSubscription = async () => (await workspace.get(`/subscriptions/${id}`)).body
  return { ...workspace, workspace, id, readSubscription }
}

test('exhausted dunning pauses the subscription and keeps the rest of the period, and paying the overdue invoice resumes it', async () => {
  const { readSubscription, workspace, put, id } = await aSubscriptionWithExhaustedDunning('pause')
  const paused = await readSubscription()
  expect(paused).toMatchObject({
    status: 'paused',
    pause: { reason: 'payment_failure' },
    collection: { status: 'unpaid' },
  })
  expect(paused.pause.remaining_seconds).toBeGreaterThan(0)

  await configureAll(workspace, { auth_rate: 1 })
  expect((await put(`/subscriptions/${id}/resume`)).body).toMatchObject({ status: 'paused' })
  await settle()
  expect(await readSubscription()).toMatchObject({
    status: 'active',
    collection: { status: 'current', overdue_amount: 0 },
  })
  expect((await eventTypesOf(workspace, id)).slice(-2).toSorted()).toEqual([
    'subscription.recovered',
    'subscription.resumed',
  ])
})

test('with other policies, exhausted dunning cancels the subscription, or keeps it unpaid without access', async () => {
  const { readSubscription } = await aSubscriptionWithExhaustedDunning('cancel')
  expect(await readSubscription()).toMatchObject({
    status: 'cancelled',
    cancellation: { reason: 'payment_failure' },
  })
  const { readSubscription: readOther } = await aSubscriptionWithExhaustedDunning('mark_unpaid')
  expect(await readOther()).toMatchObject({
    status: 'active',
    collection: { status: 'unpaid' },
    access: { granted: false, reason: 'unpaid' },
  })
})
