// A payment whose cancellation was requested never completes a checkout session, even if the provider charged
// it.

import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { cards, createLink, payerAt } from '../../../../test/support/checkout.ts'
import { inTransaction } from '../../../../test/support/invoices.ts'
import { subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'

const switchyard = await subscriptionsForThisFile()
const { clock, deps, advanceTime, eventTypesOf, settle, settleOnly } = switchyard

/** A payer pays through a link that can be paid once. The provider charges the card and does not respond. */
async function payWithUnknownOutcome(members: object = {}) {
  const workspace = await switchyard.newWorkspace()
  const link = await createLink(workspace, { max_completions: 1, ...members })
  const payer = payerAt(workspace.address)
  const session = await payer.openSession(link.slug)
  await payer.pay(session, cards.noResponse, { email: 'payer@example.com' })
  const fetchSession = async () => (await workspace.get(`/checkout-sessions/${session.id}`)).body
  const { payment_id: paymentId } = await fetchSession()
  const fetchPayment = async () => (await workspace.get(`/payments/${paymentId}`)).body
  return { workspace, link, payer, session, fetchSession, paymentId, fetchPayment }
}

test('a cancelled payment that the provider charged is refunded, and the session can be paid again', async () => {
  const { workspace, link, payer, session, fetchSession, fetchPayment, paymentId } =
    await payWithUnknownOutcome()
  const support = await workspace.tokenFor('SUPPORT')
  await workspace.post(`/payments/${paymentId}/cancel`, {}, { token: support })
  await advanceTime(2)
  expect(await fetchPayment()).toMatchObject({ amount_captured: 1299, amount_refunded: 1299 })
  expect(await fetchSession()).toMatchObject({ status: 'open', completed_at: null })
  expect((await payer.receipt(session)).status).toBe(409)
  expect(await eventTypesOf(workspace, session.id)).not.toContain('checkout_session.completed')
  expect((await workspace.get(`/payment-links/${link.id}`)).body).toMatchObject({
    status: 'active',
    completed_count: 0,
  })

  // The session is still open: the payer tries again, and this uses the only completion that the link allows.
  await payer.pay(session, cards.approved)
  await settle()
  expect(await fetchSession()).toMatchObject({ status: 'completed' })
  expect((await workspace.get(`/payment-links/${link.id}`)).body).toMatchObject({
    status: 'completed',
    completed_count: 1,
  })
})

test('a cancelled payment that the provider authorized is voided, and the session can be paid again', async () => {
  const { workspace, fetchSession, fetchPayment, paymentId } = await payWithUnknownOutcome({
    capture_method: 'manual',
  })
  await workspace.post(`/payments/${paymentId}/cancel`)
  await advanceTime(2)
  expect(await fetchPayment()).toMatchObject({ status: 'cancelled', amount_captured: 0 })
  expect(await fetchSession()).toMatchObject({ status: 'open', completed_at: null })
})

test('a payment that is refunded in full before its session is updated does not complete the session', async () => {
  const { workspace, fetchSession, fetchPayment, paymentId } = await payWithUnknownOutcome()
  // Only the payment gets its outcome; the session is not updated.
  clock.advance({ seconds: 75 })
  await settleOnly('payment.resolve')
  expect(await fetchPayment()).toMatchObject({ status: 'succeeded' })
  expect((await workspace.post('/refunds', { payment_id: paymentId })).status).toBe(201)
  await advanceTime(1)
  expect(await fetchSession()).toMatchObject({ status: 'open', completed_at: null })
})

test('the database prevents a cancelled payment from completing a session', async () => {
  const { workspace, session, fetchSession, paymentId } = await payWithUnknownOutcome()
  await workspace.post(`/payments/${paymentId}/cancel`)
  await advanceTime(2)
  expect(await fetchSession()).toMatchObject({ status: 'open' })
  const complete = inTransaction(deps, workspace.workspaceId, (tx) =>
    sql`update checkout_sessions set status = 'completed', due_at = null, completed_at = ${tx.now}
      where id = ${uuidOf(session.id as Id<'checkout_session'>)}`.execute(tx.db),
  )
  await expect(complete).rejects.toThrow('was cancelled or refunded')
})
