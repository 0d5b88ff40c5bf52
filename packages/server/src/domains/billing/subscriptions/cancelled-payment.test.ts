// A payment whose cancellation was requested never pays an invoice, even if the provider charged it.

import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { inTransaction } from '../../../../test/support/invoices.ts'
import { createAttachedMethod } from '../../../../test/support/payment-methods.ts'
import { aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'
import { uuidOf } from '../../../kernel/id.ts'

// Every call to a silent provider times out.
vi.setConfig({ testTimeout: 60_000 })

const switchyard = await subscriptionsForThisFile()
const {
  clock,
  deps,
  settle,
  settleOnly,
  advanceTime,
  fetchInvoice,
  fetchTotals,
  configureAll,
  eventTypesOf,
} = switchyard

/** A subscription whose first charge succeeded at a provider that sent no response. */
async function aSubscriptionWithUnknownOutcome() {
  const workspace = await switchyard.newWorkspace()
  const customer_id = await workspace.aCustomer()
  const payment_method_id = await createAttachedMethod(workspace, customer_id, {
    metadata: { simulate: '5004' },
  })
  await configureAll(workspace, { webhooks: 'off' })
  const { id, latest_invoice_id: invoiceId } = await aSubscription(workspace, {
    customer_id,
    payment_method_id,
  })
  await settle()
  const readSubscription = async () => (await workspace.get(`/subscriptions/${id}`)).body
  const readInvoice = () => fetchInvoice(workspace, invoiceId)
  const { payment_id: paymentId } = await readInvoice()
  const readPayment = async () => (await workspace.get(`/payments/${paymentId}`)).body
  expect(await readPayment()).toMatchObject({ status: 'processing' })
  return { ...workspace, workspace, id, readSubscription, readInvoice, invoiceId, readPayment, paymentId }
}

test('a cancelled payment that the provider charged is refunded: the invoice is not paid, and access is not granted', async () => {
  const { workspace, id, readSubscription, readInvoice, invoiceId, readPayment, paymentId, post, get } =
    await aSubscriptionWithUnknownOutcome()
  await post(`/payments/${paymentId}/cancel`, {}, { token: await workspace.tokenFor('SUPPORT') })
  await advanceTime(3)
  expect(await readPayment()).toMatchObject({ amount_captured: 2999, amount_refunded: 2999 })
  expect(await readInvoice()).toMatchObject({
    status: 'open',
    amount_paid: 0,
    payment_state: 'none',
    last_failure: { code: 'cancelled' },
  })
  expect(await readSubscription()).toMatchObject({
    status: 'trialing',
    activation: { state: 'requires_action' },
  })
  expect((await get(`/subscriptions/${id}/access`)).body).toMatchObject({ access: { granted: false } })
  expect(await eventTypesOf(workspace, invoiceId)).not.toContain('invoice.paid')
  expect(await fetchTotals(workspace, invoiceId)).toMatchObject({ captured: 2999, refunded: 2999 })
})

test('a payment refunded in full before its invoice was settled does not pay the invoice', async () => {
  const { readSubscription, readInvoice, readPayment, paymentId, post } =
    await aSubscriptionWithUnknownOutcome()
  clock.advance({ seconds: 75 })
  await settleOnly('payment.resolve')
  expect(await readPayment()).toMatchObject({ status: 'succeeded' })
  expect((await post('/refunds', { payment_id: paymentId })).status).toBe(201)
  await advanceTime(1)
  expect(await readInvoice()).toMatchObject({ status: 'open', amount_paid: 0 })
  expect(await readSubscription()).toMatchObject({ status: 'trialing', access: { granted: false } })
})

test('the database refuses to mark an invoice as paid by a cancelled payment', async () => {
  const { workspaceId, invoiceId, readPayment, paymentId, post } = await aSubscriptionWithUnknownOutcome()
  await post(`/payments/${paymentId}/cancel`)
  clock.advance({ seconds: 75 })
  await settleOnly('payment.resolve')
  expect(await readPayment()).toMatchObject({ status: 'succeeded' })
  const pay = inTransaction(deps, workspaceId, (tx) =>
    sql`update invoices set status = 'paid', paid_at = ${tx.now}, amount_paid = amount_due,
        payment_id = live_payment_id, live_payment_id = null
      where id = ${uuidOf(invoiceId)}`.execute(tx.db),
  )
  await expect(pay).rejects.toThrow('was cancelled or refunded')
})
