// Sessions and links of the mode `setup`: the payer stores a card, and nothing is charged.

import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { cards, createLink, type PublicSession, payerAt } from '../../../../test/support/checkout.ts'
import { inTransaction } from '../../../../test/support/invoices.ts'
import { subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'
import type { Workspace } from '../../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'

const switchyard = await subscriptionsForThisFile()
const { deps, settle, eventTypesOf, advanceTime } = switchyard

async function createSession(workspace: Workspace, members: object = {}): Promise<PublicSession> {
  const { status, body } = await workspace.post('/checkout-sessions', { mode: 'setup', ...members })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

const fetchSession = async ({ get }: Workspace, { id }: { id: string }) =>
  (await get(`/checkout-sessions/${id}`)).body

test('a payer stores a card for a customer, and nothing is charged', async () => {
  const workspace = await switchyard.newWorkspace()
  const customerId = await workspace.aCustomer()
  const session = await createSession(workspace, { customer_id: customerId })
  const payer = payerAt(workspace.address)

  expect((await payer.fetchSession(session)).body).toMatchObject({
    mode: 'test',
    checkout_mode: 'setup',
    amount: null,
    items: [],
  })
  const stored = await payer.pay(session, cards.approved)
  expect(stored.body, JSON.stringify(stored.body)).toMatchObject({ status: 'completed' })

  const completed = await fetchSession(workspace, session)
  expect(completed).toMatchObject({
    mode: 'setup',
    status: 'completed',
    customer_id: customerId,
    amount: null,
  })
  expect((await workspace.get(`/payment-methods/${completed.payment_method_id}`)).body).toMatchObject({
    status: 'attached',
    customer_id: customerId,
    usage: 'off_session',
  })
  expect((await workspace.get(`/payments/${completed.payment_id}`)).body).toMatchObject({
    purpose: 'verification',
    amount: 0,
    checkout_session_id: session.id,
  })
  expect(await eventTypesOf(workspace, session.id)).toEqual([
    'checkout_session.created',
    'checkout_session.completed',
  ])
  // The stored card can be charged without the payer.
  const charged = await workspace.post('/payments', {
    amount: 500,
    currency: 'eur',
    customer_id: customerId,
    payment_method_id: completed.payment_method_id,
    initiator: 'merchant',
  })
  expect(charged.body, JSON.stringify(charged.body)).toMatchObject({ status: 'succeeded' })
})

test('a link without a customer creates one from the data of each payer', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body: link } = await workspace.post('/payment-links', {
    mode: 'setup',
    max_completions: null,
    collect: ['name'],
  })
  const slug = new URL(link.url).pathname.replace('/l/', '')
  const payer = payerAt(workspace.address)
  expect((await payer.fetchLink(slug)).body).toMatchObject({
    checkout_mode: 'setup',
    collect: ['email', 'name'],
  })
  const session = await payer.openSession(slug)

  const refused = await payer.pay(session, cards.approved, { name: 'Ada Lovelace' })
  expect(refused.body.errors).toMatchObject([{ pointer: '/email', code: 'required' }])
  await payer.pay(session, cards.approved, { name: 'Ada Lovelace', email: 'ada@example.com' })

  const { customer_id: customerId, payment_method_id: methodId } = await fetchSession(workspace, session)
  expect((await workspace.get(`/customers/${customerId}`)).body).toMatchObject({
    name: 'Ada Lovelace',
    email: 'ada@example.com',
  })
  expect((await workspace.get(`/payment-methods/${methodId}`)).body).toMatchObject({
    customer_id: customerId,
  })
  expect((await workspace.get(`/payment-links/${link.id}`)).body).toMatchObject({ completed_count: 1 })
})

test('the bank authenticates the payer, and a declined card stores nothing', async () => {
  const workspace = await switchyard.newWorkspace()
  const session = await createSession(workspace, { customer_id: await workspace.aCustomer() })
  const payer = payerAt(workspace.address)

  const declined = await payer.pay(session, cards.declined)
  expect(declined.body).toMatchObject({ status: 'open', tries_left: 4, payment: { status: 'failed' } })
  const challenged = await payer.pay(session, cards.requiresAuthentication)
  expect(challenged.body).toMatchObject({ status: 'processing', payment: { status: 'requires_action' } })
  expect(await fetchSession(workspace, session)).toMatchObject({ payment_method_id: null })
})

test('a card whose outcome was unknown is attached when the provider reports it', async () => {
  const workspace = await switchyard.newWorkspace()
  const customerId = await workspace.aCustomer()
  const session = await createSession(workspace, { customer_id: customerId })
  await payerAt(workspace.address).pay(session, cards.noResponse)
  expect(await fetchSession(workspace, session)).toMatchObject({ status: 'processing' })
  await advanceTime(2)
  const { status, payment_method_id: methodId } = await fetchSession(workspace, session)
  expect(status).toBe('completed')
  expect((await workspace.get(`/payment-methods/${methodId}`)).body).toMatchObject({
    customer_id: customerId,
  })
})

test('a session whose customer was deleted in the meantime is not completed', async () => {
  const workspace = await switchyard.newWorkspace()
  const customerId = await workspace.aCustomer()
  const session = await createSession(workspace, { customer_id: customerId })
  await payerAt(workspace.address).pay(session, cards.noResponse)
  const deleted = await workspace.delete(`/customers/${customerId}`)
  expect(deleted.status, JSON.stringify(deleted.body)).toBeLessThan(300)
  await advanceTime(2)
  expect(await fetchSession(workspace, session)).toMatchObject({ status: 'open', payment_method_id: null })
})

test.each([
  [{ mode: 'setup', amount: 100 }, '/amount', 'not_together'],
  [{ mode: 'setup', line_items: [{ name: 'A book', unit_amount: 100 }] }, '/line_items', 'not_together'],
  [{ mode: 'payment', amount: 100 }, '/currency', 'required'],
  [{ amount: 100 }, '/currency', 'required'],
])('%j is refused at %s', async (members, pointer, code) => {
  const workspace = await switchyard.newWorkspace()
  for (const path of ['/checkout-sessions', '/payment-links']) {
    const { status, body } = await workspace.post(path, members)
    expect(status).toBe(400)
    expect(body.errors).toMatchObject([{ pointer, code }])
  }
})

test('the database refuses a completed setup without a stored card, and a payment that only verified a card', async () => {
  const workspace = await switchyard.newWorkspace()
  const session = await createSession(workspace, { customer_id: await workspace.aCustomer() })
  const link = await createLink(workspace)
  await payerAt(workspace.address).pay(session, cards.approved)
  await settle()
  const change = (assignment: ReturnType<typeof sql>, id: string) =>
    inTransaction(deps, workspace.workspaceId, (tx) =>
      sql`update checkout_sessions set ${assignment} where id = ${uuidOf(id as Id<'checkout_session'>)}`.execute(
        tx.db,
      ),
    )
  await expect(change(sql`payment_method_id = null`, session.id)).rejects.toThrow(
    'a_stored_card_has_its_customer',
  )

  const { payment_id: verification } = await fetchSession(workspace, session)
  const payer = payerAt(workspace.address)
  const paid = await payer.openSession(link.slug)
  await payer.pay(paid, cards.declined)
  const complete = sql`status = 'completed', due_at = null, completed_at = now(),
    payment_id = ${uuidOf(verification as Id<'payment'>)}`
  await expect(change(complete, paid.id)).rejects.toThrow('was cancelled or refunded')
})
