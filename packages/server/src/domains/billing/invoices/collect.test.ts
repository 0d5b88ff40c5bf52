// Collection charges each invoice at most once, even under concurrency and after unknown outcomes. The tests
// compare the charges with the ledger of the simulator.

import { expect, test } from 'vitest'
import { billingForThisFile } from '../../../../test/support/billing.ts'
import { inTransaction } from '../../../../test/support/invoices.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { type Id, type Ref, uuidOf } from '../../../kernel/id.ts'
import { firstAttemptAt, spreadOffsetSeconds } from './invoice.ts'
import { applyPaymentResult } from './service/apply-payment-result.ts'
import { collectInvoice } from './service/collect.ts'
import {
  acknowledgeAndSchedule,
  acknowledgeResults,
  findInvoice,
  holdCollection,
  releaseCollection,
} from './service.ts'

const billing = await billingForThisFile()
const { fetchInvoice, eventTypesOf, draft, createOpenInvoice, aPayer, fetchTotals, configureAll, deps } =
  billing

const refOf = (workspaceId: string, id: string) => ({ workspaceId, id }) as Ref<'invoice'>

test('concurrent collectors create one payment', async () => {
  const workspace = await billing.newWorkspace()
  const payer = await aPayer(workspace)
  const { id } = await draft(workspace, payer)
  await workspace.post(`/invoices/${id}/finalize`)

  await Promise.all(Array.from({ length: 6 }, () => collectInvoice(deps, refOf(workspace.workspaceId, id))))

  expect(await fetchInvoice(workspace, id)).toMatchObject({ status: 'paid', attempt_count: 1 })
  expect(await fetchTotals(workspace, id)).toMatchObject({ payments: 1, approvals: 1, captured: 2999 })
})

test('a failed collection schedules dunning immediately', async () => {
  const workspace = await billing.newWorkspace()
  const { id } = await draft(workspace, { customerId: (await workspace.aCustomer()) as Id<'customer'> })
  await workspace.post(`/invoices/${id}/finalize`)
  const publishedWork: string[] = []
  const publish: typeof deps.publish = (hints) => publishedWork.push(...hints.map(({ work }) => work))

  await collectInvoice({ ...deps, publish }, refOf(workspace.workspaceId, id))

  expect(publishedWork).toContain('invoice.dun')
})

test('concurrent requests to pay create one payment, and the others are refused because a payment is in progress', async () => {
  const workspace = await billing.newWorkspace()
  const id = await createOpenInvoice(workspace, await aPayer(workspace))

  const responses = await Promise.all(Array.from({ length: 5 }, () => workspace.post(`/invoices/${id}/pay`)))

  const refused = responses.filter(({ status }) => status === 409)
  for (const { body } of refused) expect(body.code).toBe('payment_in_progress')
  expect(await billing.waitForPaymentEnd(workspace, id)).toMatchObject({ status: 'paid' })
  expect(await fetchTotals(workspace, id)).toMatchObject({ payments: 1, approvals: 1 })
})

test('a payment created for an invoice refers to the invoice and is merchant-initiated', async () => {
  const workspace = await billing.newWorkspace()
  const { paymentMethodId, customerId } = await aPayer(workspace)
  const { id } = await draft(workspace, { paymentMethodId, customerId })
  await billing.settle()

  const { payment_id } = await fetchInvoice(workspace, id)
  expect((await workspace.get(`/payments/${payment_id}`)).body).toMatchObject({
    invoice_id: id,
    initiator: 'merchant',
    status: 'succeeded',
    amount: 2999,
    customer_id: customerId,
    payment_method_id: paymentMethodId,
    description: 'Invoice TEST-000001',
  })
})

test('a decline leaves the invoice open and overdue, records the reason, and schedules no attempt before dunning does', async () => {
  const workspace = await billing.newWorkspace()
  const payer = await aPayer(workspace)
  await configureAll(workspace, { auth_rate: 0 })
  const { id, subscriptionId } = await draft(workspace, payer)

  await billing.settle()
  billing.clock.advance({ days: 2 })
  await billing.settle()

  const invoice = await fetchInvoice(workspace, id)
  expect(invoice).toMatchObject({
    status: 'open',
    overdue: true,
    attempt_count: 1,
    payment_state: 'none',
    next_attempt_at: null,
    last_failure: { payment_id: expect.stringMatching(/^payment_test_/), code: expect.any(String) },
  })
  expect(await eventTypesOf(workspace, id)).toEqual([
    'invoice.created',
    'invoice.finalized',
    'invoice.payment_failed',
    'invoice.overdue',
  ])
  expect(await fetchTotals(workspace, id)).toMatchObject({ payments: 1, approvals: 0 })
  expect(await dueTimesOf(id)).toMatchObject({ subscription: expect.any(Date), dunning: expect.any(Date) })
  expect(subscriptionId).toBe(invoice.subscription_id)
})

test('the next attempt can be scheduled for a campaign, and the result can be acknowledged for the subscription', async () => {
  const workspace = await billing.newWorkspace()
  const payer = await aPayer(workspace)
  await configureAll(workspace, { auth_rate: 0 })
  const { id } = await draft(workspace, payer)
  await billing.settle()
  await configureAll(workspace, { auth_rate: 1 })
  const tomorrow = new Date(billing.clock.read().from === 'harness' ? harnessNow() + 86_400_000 : 0)

  await inTransaction(deps, workspace.workspaceId, async (tx) => {
    await acknowledgeResults(tx, [await findInvoice(tx, id)])
    expect((await findInvoice(tx, id)).subscriptionDueAt).toBeNull()
    await acknowledgeAndSchedule(tx, id, { at: tomorrow, campaignId: null })
  })
  await billing.settle()
  expect(await fetchInvoice(workspace, id)).toMatchObject({ status: 'open', attempt_count: 1 })
  billing.clock.advance({ days: 1 })
  await billing.settle()

  expect(await fetchInvoice(workspace, id)).toMatchObject({
    status: 'paid',
    attempt_count: 2,
    overdue: false,
  })
  expect(await dueTimesOf(id)).toMatchObject({ subscription: expect.any(Date), dunning: null })
})

function harnessNow(): number {
  const reading = billing.clock.read()
  return reading.from === 'harness' ? reading.at.getTime() : 0
}

test('an invoice without a chargeable card requires action by the customer', async () => {
  const workspace = await billing.newWorkspace()
  const payer = await aPayer(workspace)
  const withoutCard = await draft(workspace, { customerId: payer.customerId })
  const withDetachedCard = await draft(workspace, payer)
  await workspace.post(`/payment-methods/${payer.paymentMethodId}/detach`)

  await billing.settle()

  for (const { id } of [withoutCard, withDetachedCard]) {
    expect(await fetchInvoice(workspace, id)).toMatchObject({
      status: 'open',
      attempt_count: 0,
      last_failure: { code: 'no_payment_method', payment_id: null },
    })
    expect((await eventTypesOf(workspace, id)).slice(2)).toEqual([
      'invoice.payment_action_required',
      'invoice.overdue',
    ])
  }
})

test('while an outcome is unknown there is no other attempt, and the invoice cannot be voided, written off or paid', async () => {
  const workspace = await billing.newWorkspace()
  const payer = await aPayer(workspace)
  await configureAll(workspace, { outage: true, outage_manner: 'silence' })
  const { id } = await draft(workspace, payer)

  await billing.settle()
  const waiting = await fetchInvoice(workspace, id)
  expect(waiting).toMatchObject({ status: 'open', payment_state: 'unknown', attempt_count: 1 })
  for (const action of ['void', 'mark-uncollectible', 'pay']) {
    expect(await workspace.post(`/invoices/${id}/${action}`)).toMatchObject({
      status: 409,
      body: { code: 'payment_in_progress', resource_id: waiting.payment_id, current_status: 'open' },
    })
  }
  await billing.advanceTime(2)
  expect(await fetchTotals(workspace, id)).toMatchObject({ payments: 1 })
  await configureAll(workspace, { outage: false })
  await billing.advanceTime()

  expect(await fetchInvoice(workspace, id)).toMatchObject({ status: 'paid', payment_state: 'none' })
  expect(await fetchTotals(workspace, id)).toMatchObject({ payments: 1, approvals: 1, captured: 2999 })
  expect(await eventTypesOf(workspace, id)).toEqual(['invoice.created', 'invoice.finalized', 'invoice.paid'])
})

test('a charge for a void invoice is refunded once', async () => {
  const workspace = await billing.newWorkspace()
  const payer = await aPayer(workspace)
  await configureAll(workspace, { outage: true, outage_manner: 'silence' })
  const { id } = await draft(workspace, payer)
  await billing.settle()
  // No API request can cause this state. If it occurs anyway, the customer must get the money back.
  await asOwner(billing.databaseUrl, (client) =>
    client.query(
      `set session_replication_role = replica;
       update invoices set status = 'void', voided_at = date_trunc('milliseconds', now()), void_reason = 'requested'
       where id = '${uuidOf(id)}'`,
    ),
  )
  await configureAll(workspace, { outage: false })
  await billing.advanceTime()
  await applyPaymentResult(deps, refOf(workspace.workspaceId, id))

  expect(await fetchInvoice(workspace, id)).toMatchObject({ status: 'void', payment_state: 'none' })
  expect(await fetchTotals(workspace, id)).toMatchObject({ payments: 1, captured: 2999, refunded: 2999 })
  const { body } = await workspace.get('/refunds')
  expect(body.data).toMatchObject([{ amount: 2999, source: 'automatic', status: 'succeeded' }])
})

test('an invoice on hold is not collected until it is released', async () => {
  const workspace = await billing.newWorkspace()
  const { id, subscriptionId } = await draft(workspace, await aPayer(workspace))

  await inTransaction(deps, workspace.workspaceId, (tx) =>
    holdCollection(tx, subscriptionId as Id<'subscription'>, { endsCampaigns: false }),
  )
  await billing.settle()
  expect(await fetchInvoice(workspace, id)).toMatchObject({ status: 'open', attempt_count: 0 })
  await inTransaction(deps, workspace.workspaceId, (tx) =>
    releaseCollection(tx, subscriptionId as Id<'subscription'>),
  )
  await billing.settle()

  expect(await fetchInvoice(workspace, id)).toMatchObject({ status: 'paid', attempt_count: 1 })
})

test('another card of the customer can pay, but not a card of another customer', async () => {
  const workspace = await billing.newWorkspace()
  const [ada, grace] = [await aPayer(workspace), await aPayer(workspace)]
  const id = await createOpenInvoice(workspace, { customerId: ada.customerId })
  const pay = (payment_method_id?: string) =>
    workspace.post(`/invoices/${id}/pay`, payment_method_id === undefined ? {} : { payment_method_id })

  expect(await pay()).toMatchObject({ status: 400, body: { errors: [{ pointer: '/payment_method_id' }] } })
  expect(await pay(grace.paymentMethodId)).toMatchObject({ status: 400 })
  expect(await pay('payment_method_test_nonsense')).toMatchObject({ status: 422 })
  expect(await pay(ada.paymentMethodId)).toMatchObject({ status: 200 })
  expect(await billing.waitForPaymentEnd(workspace, id)).toMatchObject({ status: 'paid' })
})

test('a repeated request to pay with the same idempotency key gets the first response, and charges once', async () => {
  const workspace = await billing.newWorkspace()
  const id = await createOpenInvoice(workspace, await aPayer(workspace))
  const pay = () => workspace.post(`/invoices/${id}/pay`, {}, { headers: { 'idempotency-key': 'pay-once' } })

  const first = await pay()
  await billing.waitForPaymentEnd(workspace, id)
  const second = await pay()

  expect(second.body).toEqual(first.body)
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  expect(await fetchTotals(workspace, id)).toMatchObject({ payments: 1, approvals: 1 })
})

test('an invoice shows the refunded amount of its payment', async () => {
  const workspace = await billing.newWorkspace()
  const { id } = await draft(workspace, await aPayer(workspace))
  await billing.settle()
  const { payment_id } = await fetchInvoice(workspace, id)

  await workspace.post('/refunds', { payment_id, amount: 1000 })

  expect(await fetchInvoice(workspace, id)).toMatchObject({ status: 'paid', amount_refunded: 1000 })
})

test('first attempts of renewals are spread over an hour in live mode, evenly and deterministically', () => {
  const now = new Date('2026-11-14T12:00:00.000Z')
  const offsets = Array.from({ length: 2_000 }, (_, n) => spreadOffsetSeconds(3_600, `subscription_${n}`))
  const aSubscription = 'subscription_7' as Id<'subscription'>
  const renewal = { collect: 'spread', subscriptionId: aSubscription } as const

  for (let quarter = 0; quarter < 4; quarter += 1) {
    const inQuarter = offsets.filter((offset) => Math.floor(offset / 900) === quarter).length
    expect(inQuarter).toBeGreaterThan(400)
    expect(inQuarter).toBeLessThan(600)
  }
  expect(firstAttemptAt(renewal, 'live', now)).toEqual(
    new Date(now.getTime() + spreadOffsetSeconds(3_600, aSubscription) * 1000),
  )
  expect(firstAttemptAt(renewal, 'test', now)).toEqual(now)
  expect(firstAttemptAt({ ...renewal, collect: 'now' }, 'live', now)).toEqual(now)
  expect(firstAttemptAt({ ...renewal, collect: 'never' }, 'live', now)).toBeNull()
})

async function dueTimesOf(id: string) {
  const { rows } = await asOwner(billing.databaseUrl, (client) =>
    client.query('select subscription_due_at, dunning_due_at from invoices where id = $1', [
      uuidOf(id as Id<'invoice'>),
    ]),
  )
  return { subscription: rows[0].subscription_due_at, dunning: rows[0].dunning_due_at }
}
