// Credentials of one payment method at several provider accounts, with the simulator and simulated vaults.

import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { inTransaction } from '../../../../test/support/invoices.ts'
import { createAttachedMethod } from '../../../../test/support/payment-methods.ts'
import { aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'
import type { Workspace } from '../../../../test/support/switchyard.ts'
import { planFaults, storeAtVault, useVault } from '../../../../test/support/vaults.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'

const switchyard = await subscriptionsForThisFile()
const { deps, simulator, settle, clock, advanceTime } = switchyard
afterEach(() => planFaults(simulator.url, []))

/** A saved card that was verified at the first of two simulated accounts. */
async function savedCard(members: object = {}) {
  const workspace = await switchyard.newWorkspace()
  const customer_id = await workspace.aCustomer({ email: 'ada@example.com' })
  const id = await createAttachedMethod(workspace, customer_id, members)
  const { body: method } = await workspace.get(`/payment-methods/${id}`)
  const { body: accounts } = await workspace.get('/provider-accounts')
  const first: string = method.authorization.provider_account_id
  const second: string = accounts.data.find((account: { id: string }) => account.id !== first).id
  return { workspace, customer_id, id, path: `/payment-methods/${id}`, first, second }
}

const callsAt = async (account: string, kind: string) => {
  const calls = await simulator.listCalls(account)
  return calls.map(({ body }) => body as { kind?: string } | null).filter((body) => body?.kind === kind)
}

test('a card gets a credential at a second account, which charges it with a token of its own', async () => {
  const { workspace, path, id, first, second, customer_id } = await savedCard({ usage: 'off_session' })
  const { body: before } = await workspace.get(path)
  const key = { headers: { 'idempotency-key': 'second-account' } }
  const created = await workspace.post(`${path}/credentials`, { provider_account_id: second }, key)
  const repeated = await workspace.post(`${path}/credentials`, { provider_account_id: second }, key)

  expect(created, JSON.stringify(created.body)).toMatchObject({ status: 201 })
  expect(repeated.body).toEqual(created.body)
  const [vault, , added] = created.body.credentials
  expect(vault).toMatchObject({ type: 'vault', provider_account_id: null, status: 'active' })
  expect(created.body.credentials.slice(1)).toMatchObject([
    { type: 'provider_token', provider_account_id: first, status: 'active' },
    { type: 'provider_token', provider_account_id: second, status: 'active' },
  ])
  expect(added.network_transaction_id).toMatch(/^\d{15}$/)
  expect(await callsAt(second, 'verify')).toMatchObject([
    {
      initiator: 'merchant',
      stored_credential: {
        use: 'first',
        network_transaction_id: before.authorization.network_transaction_id,
      },
      instrument: { type: 'card', last4: '4242' },
    },
  ])
  expect((await workspace.get('/payment-methods')).body.data[0].credentials).toEqual(created.body.credentials)

  await workspace.put(`/provider-accounts/${second}`, { card_data: 'token' })
  await workspace.post(`/provider-accounts/${first}/disable`)
  const paid = await workspace.post('/payments', {
    amount: 700,
    currency: 'eur',
    payment_method_id: id,
    customer_id,
    initiator: 'merchant',
  })
  expect(paid.body).toMatchObject({ status: 'succeeded', provider_account_id: second })
  expect(await callsAt(second, 'authorize')).toMatchObject([
    {
      instrument: { type: 'token' },
      stored_credential: { use: 'subsequent', network_transaction_id: added.network_transaction_id },
    },
  ])
})

test('each change of a credential is an event, and its creation is in the audit log', async () => {
  const { workspace, path, id, second } = await savedCard()
  await workspace.post(`${path}/credentials`, { provider_account_id: second })

  type Event = { type: string; object: { credentials: { status: string }[] } }
  const events: Event[] = await workspace.eventsOf(id)
  const updates = events.filter(({ type }) => type === 'payment_method.updated')
  expect(updates.map(({ object }) => object.credentials.at(-1)?.status)).toEqual(['pending', 'active'])
  const { body: audit } = await workspace.get('/audit-entries')
  expect(audit.data[0]).toMatchObject({
    act: 'payment_method.credential_requested',
    object_id: id,
    details: { provider_account_id: second },
  })
  expect(JSON.stringify([updates, audit])).not.toContain('tok_')
})

test('an unknown outcome is pending, blocks a second request, and becomes active once it is known', async () => {
  const { workspace, path, second } = await savedCard()
  await simulator.configure(second, { outage: true, outage_manner: 'silence' })
  const created = await workspace.post(`${path}/credentials`, { provider_account_id: second })
  expect(created).toMatchObject({ status: 202, body: { object: 'payment', status: 'processing' } })
  const statuses = async () =>
    (await workspace.get(path)).body.credentials
      .filter((entry: { provider_account_id: string }) => entry.provider_account_id === second)
      .map(({ status }: { status: string }) => status)
  expect(await statuses()).toEqual(['pending'])
  const again = await workspace.post(`${path}/credentials`, { provider_account_id: second })
  expect(again).toMatchObject({ status: 409, body: { code: 'credential_exists' } })
  // The database refuses to end the payment without its credential.
  const endPayment = inTransaction(deps, workspace.workspaceId, (tx) =>
    sql`update payments set status = 'failed', due_at = null
      where id = ${uuidOf(created.body.id as Id<'payment'>)}`.execute(tx.db),
  )
  await expect(endPayment).rejects.toThrow('the credential that it verifies is pending')

  await simulator.configure(second, { outage: false })
  await advanceTime()
  expect(await statuses()).toEqual(['active'])
  expect(await callsAt(second, 'verify')).not.toHaveLength(0)
})

test('a declined verification leaves a failed credential, which can be requested again', async () => {
  const { workspace, path, first, second } = await savedCard()
  await simulator.configure(second, { outage: true, outage_manner: 'plain' })
  const refused = await workspace.post(`${path}/credentials`, { provider_account_id: second })
  expect(refused.status, JSON.stringify(refused.body)).toBe(402)
  expect((await workspace.get(path)).body.credentials.at(-1)).toMatchObject({
    provider_account_id: second,
    status: 'failed',
    payment_id: refused.body.resource_id,
  })
  await simulator.configure(second, { outage: false })
  const created = await workspace.post(`${path}/credentials`, { provider_account_id: second })
  expect(created.body.credentials.at(-1)).toMatchObject({ provider_account_id: second, status: 'active' })

  await workspace.post(`${path}/detach`)
  expect((await workspace.get(path)).body.credentials).toEqual([])
  const detached = await workspace.post(`${path}/credentials`, { provider_account_id: first })
  expect(detached).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
})

test('concurrent requests for one account verify the card once', async () => {
  const { workspace, path, second } = await savedCard()
  const results = await Promise.all(
    [1, 2, 3].map(() => workspace.post(`${path}/credentials`, { provider_account_id: second })),
  )
  expect(results.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
  expect(await callsAt(second, 'verify')).toHaveLength(1)
})

test('a renewal fails over to the account with the second credential, and is charged once', async () => {
  // Each authorization is rejected by the first account that receives it, with proof that nothing was processed.
  const { workspace, path, id, customer_id, first, second } = await savedCard({ usage: 'off_session' })
  await workspace.post(`${path}/credentials`, { provider_account_id: second })
  await workspace.put(`/provider-accounts/${second}`, { card_data: 'token' })
  const subscription = await aSubscription(workspace, { customer_id, payment_method_id: id })
  await settle()
  await workspace.put(path, { metadata: { simulate: '5009' } })
  clock.advance({ days: 32 })
  await settle()
  await advanceTime()

  const { body: renewed } = await workspace.get(`/subscriptions/${subscription.id}`)
  const invoice = await switchyard.fetchInvoice(workspace, renewed.latest_invoice_id)
  expect(renewed.latest_invoice_id).not.toBe(subscription.latest_invoice_id)
  expect(invoice).toMatchObject({ status: 'paid' })
  expect(await switchyard.fetchTotals(workspace, invoice.id)).toMatchObject({
    payments: 1,
    approvals: 1,
    captured: invoice.total,
  })
  const { body: payments } = await workspace.get('/payments')
  const payment = payments.data.find((entry: { invoice_id: string }) => entry.invoice_id === invoice.id)
  const { body: attempts } = await workspace.get(`/payments/${payment.id}/attempts`)
  expect(
    attempts.data.map((attempt: { provider_account_id: string }) => attempt.provider_account_id),
  ).toEqual([first, second])
  expect((await callsAt(second, 'authorize')).at(-1)).toMatchObject({ instrument: { type: 'token' } })
})

/** A saved card in an external vault, with a credential at each account. */
async function cardInVault(...providers: readonly string[]) {
  const workspace = await switchyard.newWorkspace()
  const [first = '', second = ''] = await useVault(workspace, 'basis_theory', providers)
  const token = await workspace.post(
    '/tokens',
    await storeAtVault(simulator.url, 'basis_theory', '4242424242424242'),
  )
  const { body: method } = await workspace.post('/payment-methods', {
    token: token.body.id,
    usage: 'off_session',
  })
  const customer_id = await workspace.aCustomer()
  const path = `/payment-methods/${method.id}`
  await workspace.post(`${path}/attach`, { customer_id })
  return { workspace, path, method, first, second }
}

const chargeOf = (workspace: Workspace, payment_method_id: string) =>
  workspace.post('/payments', { amount: 900, currency: 'eur', payment_method_id, initiator: 'merchant' })

test('a card in an external vault gets a credential through the vault, and is charged while the vault is down', async () => {
  const { workspace, path, method, first, second } = await cardInVault('checkout_com', 'adyen')
  const created = await workspace.post(`${path}/credentials`, { provider_account_id: second })
  expect(created.status, JSON.stringify(created.body)).toBe(201)
  expect(created.body.credentials.at(-1)).toMatchObject({ provider_account_id: second, status: 'active' })
  const [verification] = (await simulator.listCalls(second)).filter(({ path: called }) =>
    called.endsWith('/payments'),
  )
  expect(verification?.body).toMatchObject({
    shopperInteraction: 'ContAuth',
    storePaymentMethod: true,
    paymentMethod: { networkPaymentReference: method.authorization.network_transaction_id },
  })

  await workspace.post(`/provider-accounts/${first}/disable`)
  await planFaults(simulator.url, ['reject', 'reject', 'reject'])
  const paid = await chargeOf(workspace, method.id)
  expect(paid.body).toMatchObject({ provider_account_id: second, failure: null })
})

test('an account without a credential gets the card number through the vault with the first network transaction id', async () => {
  const { workspace, method, first, second } = await cardInVault('checkout_com', 'paypal')
  await workspace.post(`/provider-accounts/${first}/disable`)
  const paid = await chargeOf(workspace, method.id)

  expect(paid.body, JSON.stringify(paid.body)).toMatchObject({
    status: 'succeeded',
    provider_account_id: second,
  })
  const order = (await simulator.listCalls(second)).find(({ path: called }) => called.endsWith('/orders'))
  const id = method.authorization.network_transaction_id
  expect(JSON.stringify(order?.body)).toContain(`"previous_network_transaction_reference":{"id":"${id}"}`)
})

test('an account that cannot verify the card is refused before anything is sent', async () => {
  const { workspace, path, second } = await cardInVault('checkout_com', 'paypal')
  const unable = await workspace.post(`${path}/credentials`, { provider_account_id: second })
  expect(unable).toMatchObject({ status: 400, body: { errors: [{ pointer: '/provider_account_id' }] } })
  expect(unable.body.detail).toContain('verify not supported')
  const unknown = await workspace.post(`${path}/credentials`, { provider_account_id: 'provider_account_x' })
  expect(unknown.body).toMatchObject({ errors: [{ pointer: '/provider_account_id' }] })
  expect((await workspace.get(path)).body.credentials).toHaveLength(2)
})
