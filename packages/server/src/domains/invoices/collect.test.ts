// Collecting: what is taken is taken once, whatever happens in between. The simulator's ledger is the judge.

import { expect, test } from 'vitest'
import { billingForThisFile } from '../../../test/support/billing.ts'
import { inUnit } from '../../../test/support/invoices.ts'
import { type Id, type Ref, uuidOf } from '../../kernel/id.ts'
import { asOwner } from '../../platform/db/owner.ts'
import { firstAttemptAt, placeIn } from './invoice.ts'
import { collectInvoice } from './service/collect.ts'
import { settleInvoice } from './service/settle.ts'
import { acknowledge, findInvoice, hearAndSchedule, holdCollection, releaseCollection } from './service.ts'

const billing = await billingForThisFile()
const { invoiceOf, typesOf, draft, anOpen, aPayer, sumsOf, configureAll, deps } = billing

const refOf = (workspaceId: string, id: string) => ({ workspaceId, id }) as Ref<'invoice'>

test('many who collect at once make one payment', async () => {
  const workspace = await billing.newWorkspace()
  const payer = await aPayer(workspace)
  const { id } = await draft(workspace, payer)
  await workspace.post(`/invoices/${id}/finalize`)

  await Promise.all(Array.from({ length: 6 }, () => collectInvoice(deps, refOf(workspace.workspaceId, id))))

  expect(await invoiceOf(workspace, id)).toMatchObject({ status: 'paid', attempt_count: 1 })
  expect(await sumsOf(workspace, id)).toMatchObject({ payments: 1, approvals: 1, captured: 2999 })
})

test('what could not be collected rings for its campaign, which would otherwise wait to be found', async () => {
  const workspace = await billing.newWorkspace()
  const { id } = await draft(workspace, { customerId: (await workspace.aCustomer()) as Id<'customer'> })
  await workspace.post(`/invoices/${id}/finalize`)
  const rung: string[] = []
  const publish: typeof deps.publish = (hints) => rung.push(...hints.map(({ work }) => work))

  await collectInvoice({ ...deps, publish }, refOf(workspace.workspaceId, id))

  expect(rung).toContain('invoice.dun')
})

test('requests to pay that come at once make one payment; the others learn that it is under way', async () => {
  const workspace = await billing.newWorkspace()
  const id = await anOpen(workspace, await aPayer(workspace))

  const answers = await Promise.all(Array.from({ length: 5 }, () => workspace.post(`/invoices/${id}/pay`)))

  const refused = answers.filter(({ status }) => status === 409)
  for (const { body } of refused) expect(body.code).toBe('payment_in_progress')
  expect(await billing.quiet(workspace, id)).toMatchObject({ status: 'paid' })
  expect(await sumsOf(workspace, id)).toMatchObject({ payments: 1, approvals: 1 })
})

test('a payment shows the invoice that it is for, and that nobody was there', async () => {
  const workspace = await billing.newWorkspace()
  const { paymentMethodId, customerId } = await aPayer(workspace)
  const { id } = await draft(workspace, { paymentMethodId, customerId })
  await billing.settle()

  const { payment_id } = await invoiceOf(workspace, id)
  expect((await workspace.get(`/payments/${payment_id}`)).body).toMatchObject({
    ...{ invoice_id: id, initiator: 'merchant', status: 'succeeded', amount: 2999 },
    ...{ customer_id: customerId, payment_method_id: paymentMethodId, description: 'Invoice TEST-000001' },
  })
})

test('a decline leaves the invoice open and overdue, says why, and nothing more is tried by itself', async () => {
  const workspace = await billing.newWorkspace()
  const payer = await aPayer(workspace)
  await configureAll(workspace, { auth_rate: 0 })
  const { id, subscriptionId } = await draft(workspace, payer)

  await billing.settle()
  billing.clock.advance({ days: 2 })
  await billing.settle()

  const invoice = await invoiceOf(workspace, id)
  expect(invoice).toMatchObject({
    ...{ status: 'open', overdue: true, attempt_count: 1, payment_state: 'none', next_attempt_at: null },
    last_failure: { payment_id: expect.stringMatching(/^payment_test_/), code: expect.any(String) },
  })
  expect(await typesOf(workspace, id)).toEqual([
    ...['invoice.created', 'invoice.finalized', 'invoice.payment_failed', 'invoice.overdue'],
  ])
  expect(await sumsOf(workspace, id)).toMatchObject({ payments: 1, approvals: 0 })
  expect(await dueOf(id)).toMatchObject({ subscription: expect.any(Date), dunning: expect.any(Date) })
  expect(subscriptionId).toBe(invoice.subscription_id)
})

test('a campaign sets the next attempt, and a subscription says that it has heard', async () => {
  const workspace = await billing.newWorkspace()
  const payer = await aPayer(workspace)
  await configureAll(workspace, { auth_rate: 0 })
  const { id } = await draft(workspace, payer)
  await billing.settle()
  await configureAll(workspace, { auth_rate: 1 })
  const at = new Date(billing.clock.read().from === 'harness' ? harnessNow() + 86_400_000 : 0)

  await inUnit(deps, workspace.workspaceId, async (tx) => {
    await acknowledge(tx, [await findInvoice(tx, id)])
    expect((await findInvoice(tx, id)).subscriptionDueAt).toBeNull()
    await hearAndSchedule(tx, id, { at, campaignId: null })
  })
  await billing.settle()
  expect(await invoiceOf(workspace, id)).toMatchObject({ status: 'open', attempt_count: 1 })
  billing.clock.advance({ days: 1 })
  await billing.settle()

  expect(await invoiceOf(workspace, id)).toMatchObject({ status: 'paid', attempt_count: 2, overdue: false })
  expect(await dueOf(id)).toMatchObject({ subscription: expect.any(Date), dunning: null })
})

function harnessNow(): number {
  const reading = billing.clock.read()
  return reading.from === 'harness' ? reading.at.getTime() : 0
}

test('without a card that can be asked, the customer has to act', async () => {
  const workspace = await billing.newWorkspace()
  const payer = await aPayer(workspace)
  const without = await draft(workspace, { customerId: payer.customerId })
  const gone = await draft(workspace, payer)
  await workspace.post(`/payment-methods/${payer.paymentMethodId}/detach`)

  await billing.settle()

  for (const { id } of [without, gone]) {
    expect(await invoiceOf(workspace, id)).toMatchObject({
      ...{ status: 'open', attempt_count: 0 },
      last_failure: { code: 'no_payment_method', payment_id: null },
    })
    expect((await typesOf(workspace, id)).slice(2)).toEqual([
      ...['invoice.payment_action_required', 'invoice.overdue'],
    ])
  }
})

test('an outcome that is not known is waited for: nothing else is tried, and nobody may end the invoice', async () => {
  const workspace = await billing.newWorkspace()
  const payer = await aPayer(workspace)
  await configureAll(workspace, { outage: true, outage_manner: 'silence' })
  const { id } = await draft(workspace, payer)

  await billing.settle()
  const waiting = await invoiceOf(workspace, id)
  expect(waiting).toMatchObject({ status: 'open', payment_state: 'unknown', attempt_count: 1 })
  for (const action of ['void', 'mark-uncollectible', 'pay']) {
    expect(await workspace.post(`/invoices/${id}/${action}`)).toMatchObject({
      status: 409,
      body: { code: 'payment_in_progress', resource_id: waiting.payment_id, current_status: 'open' },
    })
  }
  await billing.letTimePass(2)
  expect(await sumsOf(workspace, id)).toMatchObject({ payments: 1 })
  await configureAll(workspace, { outage: false })
  await billing.letTimePass()

  expect(await invoiceOf(workspace, id)).toMatchObject({ status: 'paid', payment_state: 'none' })
  expect(await sumsOf(workspace, id)).toMatchObject({ payments: 1, approvals: 1, captured: 2999 })
  expect(await typesOf(workspace, id)).toEqual(['invoice.created', 'invoice.finalized', 'invoice.paid'])
})

test('money that comes for an invoice which has ended is given back, once', async () => {
  const workspace = await billing.newWorkspace()
  const payer = await aPayer(workspace)
  await configureAll(workspace, { outage: true, outage_manner: 'silence' })
  const { id } = await draft(workspace, payer)
  await billing.settle()
  // No request can do this. Whatever did, the customer must not pay for it.
  await asOwner(billing.databaseUrl, (client) =>
    client.query(
      `set session_replication_role = replica;
       update invoices set status = 'void', voided_at = date_trunc('milliseconds', now()), void_reason = 'requested'
       where id = '${uuidOf(id)}'`,
    ),
  )
  await configureAll(workspace, { outage: false })
  await billing.letTimePass()
  await settleInvoice(deps, refOf(workspace.workspaceId, id))

  expect(await invoiceOf(workspace, id)).toMatchObject({ status: 'void', payment_state: 'none' })
  expect(await sumsOf(workspace, id)).toMatchObject({ payments: 1, captured: 2999, refunded: 2999 })
  const { body } = await workspace.get('/refunds')
  expect(body.data).toMatchObject([{ amount: 2999, source: 'automatic', status: 'succeeded' }])
})

test('what is held is not tried until it is released', async () => {
  const workspace = await billing.newWorkspace()
  const { id, subscriptionId } = await draft(workspace, await aPayer(workspace))

  await inUnit(deps, workspace.workspaceId, (tx) => holdCollection(tx, subscriptionId))
  await billing.settle()
  expect(await invoiceOf(workspace, id)).toMatchObject({ status: 'open', attempt_count: 0 })
  await inUnit(deps, workspace.workspaceId, (tx) => releaseCollection(tx, subscriptionId))
  await billing.settle()

  expect(await invoiceOf(workspace, id)).toMatchObject({ status: 'paid', attempt_count: 1 })
})

test('another card of the customer can pay, but nobody else’s', async () => {
  const workspace = await billing.newWorkspace()
  const [ada, grace] = [await aPayer(workspace), await aPayer(workspace)]
  const id = await anOpen(workspace, { customerId: ada.customerId })
  const pay = (payment_method_id?: string) =>
    workspace.post(`/invoices/${id}/pay`, payment_method_id === undefined ? {} : { payment_method_id })

  expect(await pay()).toMatchObject({ status: 400, body: { errors: [{ pointer: '/payment_method_id' }] } })
  expect(await pay(grace.paymentMethodId)).toMatchObject({ status: 400 })
  expect(await pay('payment_method_test_nonsense')).toMatchObject({ status: 422 })
  expect(await pay(ada.paymentMethodId)).toMatchObject({ status: 200 })
  expect(await billing.quiet(workspace, id)).toMatchObject({ status: 'paid' })
})

test('a request to pay that is repeated with its key has its first answer, and charges once', async () => {
  const workspace = await billing.newWorkspace()
  const id = await anOpen(workspace, await aPayer(workspace))
  const pay = () => workspace.post(`/invoices/${id}/pay`, {}, { headers: { 'idempotency-key': 'pay-once' } })

  const first = await pay()
  await billing.quiet(workspace, id)
  const second = await pay()

  expect(second.body).toEqual(first.body)
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  expect(await sumsOf(workspace, id)).toMatchObject({ payments: 1, approvals: 1 })
})

test('what is refunded of its payment shows on the invoice', async () => {
  const workspace = await billing.newWorkspace()
  const { id } = await draft(workspace, await aPayer(workspace))
  await billing.settle()
  const { payment_id } = await invoiceOf(workspace, id)

  await workspace.post('/refunds', { payment_id, amount: 1000 })

  expect(await invoiceOf(workspace, id)).toMatchObject({ status: 'paid', amount_refunded: 1000 })
})

test('first attempts of renewals are spread over an hour in production, evenly and always the same', () => {
  const now = new Date('2026-11-14T12:00:00.000Z')
  const places = Array.from({ length: 2_000 }, (_, n) => placeIn(3_600, `subscription_${n}`))
  const aSubscription = 'subscription_7' as Id<'subscription'>
  const renewal = { collect: 'spread', subscriptionId: aSubscription } as const

  for (let quarter = 0; quarter < 4; quarter += 1) {
    const inQuarter = places.filter((place) => Math.floor(place / 900) === quarter).length
    expect(inQuarter).toBeGreaterThan(400)
    expect(inQuarter).toBeLessThan(600)
  }
  expect(firstAttemptAt(renewal, 'live', now)).toEqual(
    new Date(now.getTime() + placeIn(3_600, aSubscription) * 1000),
  )
  expect(firstAttemptAt(renewal, 'test', now)).toEqual(now)
  expect(firstAttemptAt({ ...renewal, collect: 'now' }, 'live', now)).toEqual(now)
  expect(firstAttemptAt({ ...renewal, collect: 'never' }, 'live', now)).toBeNull()
})

async function dueOf(id: string) {
  const { rows } = await asOwner(billing.databaseUrl, (client) =>
    client.query('select subscription_due_at, dunning_due_at from invoices where id = $1', [
      uuidOf(id as Id<'invoice'>),
    ]),
  )
  return { subscription: rows[0].subscription_due_at, dunning: rows[0].dunning_due_at }
}
