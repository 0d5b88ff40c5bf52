// Checkout sessions that are paid by a debit: completed as pending, then paid or failed days later.

import { expect, test, vi } from 'vitest'
import { createLink, type PublicSession, payerAt } from '../../../../test/support/checkout.ts'
import { inTransaction } from '../../../../test/support/invoices.ts'
import { ledgerDifferences } from '../../../../test/support/ledger.ts'
import { createWebhookSender } from '../../../../test/support/provider-webhooks.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { openLedger } from '../../../../test/support/simulator-ledger.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { lockSession, updateSession } from './store/sessions.ts'

vi.setConfig({ testTimeout: 30_000 })

const simulator = await simulatorForThisFile()
const simulatorLedger = openLedger(simulator.url)
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
createWebhookSender(simulator, switchyard)
const payer = payerAt(switchyard.addresses.test)

const ibans = { settles: 'DE89370400440532013000', fails: 'DE59370400440532018002' }

async function debit(session: PublicSession, iban: string, members: object = {}) {
  const sepa_debit = {
    iban,
    account_holder_name: 'Ada Lovelace',
    email: 'ada@example.com',
    mandate: { text_version: '2026-11' },
  }
  const path = `/checkout/sessions/${session.id}/confirm`
  return payer.call('POST', path, { sepa_debit, ...members }, { 'checkout-secret': session.client_secret })
}

async function pendingSession(workspace: Workspace, iban: string) {
  const link = await createLink(workspace)
  const session = await payer.openSession(link.slug)
  const { status, body } = await debit(session, iban)
  expect([status, body.status, body.payment?.status], JSON.stringify(body)).toEqual([
    200,
    'completed',
    'processing',
  ])
  return { session, link, payment: body.payment }
}

async function confirmAtBank({ get }: Workspace, paymentId: string): Promise<void> {
  const { provider_account_id: account } = (await get(`/payments/${paymentId}`)).body
  await simulatorLedger.advance(5_000)
  await simulatorLedger.flush(account)
  await switchyard.settle()
}

const typesOf = async ({ eventsOf }: Workspace, id: string) =>
  (await eventsOf(id)).map(({ type }: { type: string }) => type)

test('a session offers the methods that a route can take, in its currency and with immediate capture', async () => {
  const workspace = await switchyard.newWorkspace()
  const methodsOf = async (members: object) => {
    const { slug } = await createLink(workspace, members)
    const link = (await payer.fetchLink(slug)).body.other_methods
    expect((await payer.fetchSession(await payer.openSession(slug))).body.other_methods).toEqual(link)
    return link
  }
  expect(await methodsOf({})).toEqual(['sepa_debit', 'ideal', 'bancontact', 'paypal'])
  expect(await methodsOf({ currency: 'usd' })).toEqual(['ach_debit', 'paypal'])
  expect(await methodsOf({ currency: 'gbp' })).toEqual(['bacs_debit', 'paypal'])
  expect(await methodsOf({ currency: 'jpy' })).toEqual([])
  expect(await methodsOf({ capture_method: 'manual' })).toEqual([])
  for (const { id } of (await workspace.get('/provider-accounts')).body.data)
    await workspace.put(`/provider-accounts/${id}`, { capabilities: { methods: ['ideal'] } })
  expect(await methodsOf({ amount: 1500 })).toEqual(['ideal'])
})

test('a debit completes its session as pending, and it is paid when the bank confirms', async () => {
  const workspace = await switchyard.newWorkspace()
  const { session, link, payment } = await pendingSession(workspace, ibans.settles)
  const read = async () => (await workspace.get(`/checkout-sessions/${session.id}`)).body
  expect(await read()).toMatchObject({ status: 'completed', payment_status: 'pending' })
  expect((await workspace.get(`/payment-links/${link.id}`)).body.completed_count).toBe(1)
  // Paying again returns the debit that is pending.
  expect((await payer.pay(session)).body.payment.reference).toBe(payment.reference)

  await confirmAtBank(workspace, payment.reference)
  expect(await read()).toMatchObject({ status: 'completed', payment_status: 'paid' })
  expect(await typesOf(workspace, session.id)).toEqual([
    'checkout_session.created',
    'checkout_session.completed',
    'checkout_session.payment_succeeded',
  ])
  expect((await payer.fetchSession(session)).body.payment.status).toBe('succeeded')
  expect(await ledgerDifferences(switchyard.deps, workspace.workspaceId)).toEqual([])
})

test('the payer of a session gets the mandate of a debit by e-mail, if the kind is switched on', async () => {
  const workspace = await switchyard.newWorkspace()
  const pay = async () => {
    const link = await createLink(workspace, { locale: 'de' })
    const session = await payer.openSession(link.slug)
    const { body } = await debit(session, ibans.settles, { email: 'ana@example.com' })
    return body.payment.reference as string
  }
  const mails = async () => (await workspace.get('/mails')).body.data
  await pay()
  expect(await mails()).toEqual([])
  await workspace.put('/mail-settings', { kinds: { mandate_created: true } })
  const paymentId = await pay()
  const { mandate } = (await workspace.get(`/payments/${paymentId}`)).body.sepa_debit
  const [mail] = await mails()
  expect(mail).toMatchObject({ kind: 'mandate_created', to: 'ana@example.com', object_id: paymentId })
  const { subject, text } = (await workspace.get(`/mails/${mail.id}`)).body
  expect(subject).toContain('Ihre Lastschrift für')
  expect(text).toContain(mandate.reference)
  expect(text).toContain('•••• 3000')
})

test('a debit that the bank rejects leaves its session completed, with the payment failed', async () => {
  const workspace = await switchyard.newWorkspace()
  const { session, payment } = await pendingSession(workspace, ibans.fails)
  await confirmAtBank(workspace, payment.reference)
  const { body } = await workspace.get(`/checkout-sessions/${session.id}`)
  expect(body).toMatchObject({ status: 'completed', payment_status: 'failed' })
  expect((await typesOf(workspace, session.id)).at(-1)).toBe('checkout_session.payment_failed')
  expect(await simulatorLedger.fetchTotals(payment.reference)).toMatchObject({ captured: 0 })
})

test('the database refuses a session that is paid while its debit is pending', async () => {
  const workspace = await switchyard.newWorkspace()
  const { session } = await pendingSession(workspace, ibans.settles)
  const markPaid = inTransaction(switchyard.deps, workspace.workspaceId, async (tx) => {
    const before = await lockSession(tx, session.id)
    await updateSession(tx, before, { paymentStatus: 'paid', pendingPaymentId: null }, true)
  })
  await expect(markPaid).rejects.toThrow('was cancelled or refunded')
})
