// iDEAL, Bancontact and PayPal: the payer approves the payment on a page of the provider.

import { expect, test, vi } from 'vitest'
import { createLink, payerAt } from '../../../../test/support/checkout.ts'
import { createEmulatedAccount } from '../../../../test/support/emulated-accounts.ts'
import { ledgerDifferences } from '../../../../test/support/ledger.ts'
import { createWebhookSender } from '../../../../test/support/provider-webhooks.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { openLedger } from '../../../../test/support/simulator-ledger.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

vi.setConfig({ testTimeout: 30_000 })

const simulator = await simulatorForThisFile()
const simulatorLedger = openLedger(simulator.url)
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
createWebhookSender(simulator, switchyard)

type Members = { readonly type?: string; readonly [name: string]: unknown }

async function pay({ post }: Workspace, { type = 'ideal', ...members }: Members = {}) {
  const { status, body: token } = await post('/tokens', { type })
  expect([status, token.type, token.card], JSON.stringify(token)).toEqual([201, type, null])
  return post('/payments', { amount: 1299, currency: 'eur', token: token.id, ...members })
}

const open = async (url: string, init: RequestInit = {}) => {
  const response = await fetch(url, { redirect: 'manual', ...init })
  return {
    status: response.status,
    text: await response.text(),
    location: response.headers.get('location') ?? '',
  }
}

/** Presses a button on the page of the provider, and returns the URL to which the payer is redirected. */
const press = (bankUrl: string, result: 'approve' | 'fail' | 'leave') =>
  open(bankUrl, { method: 'POST', body: new URLSearchParams({ result }) })

/** The total that the provider has charged for all payments. */
async function capturedOf(...paymentIds: string[]): Promise<number> {
  const captured = paymentIds.map(async (id) => {
    const response = await fetch(`${simulator.url}/control/sums?payment_id=${id}`)
    const { sums } = (await response.json()) as { sums: { captured: number }[] }
    return sums.reduce((sum, entry) => sum + entry.captured, 0)
  })
  return (await Promise.all(captured)).reduce((sum, amount) => sum + amount, 0)
}

async function advanceMinutes(minutes: number): Promise<void> {
  switchyard.clock.advance({ minutes })
  const body = JSON.stringify({ advance_ms: minutes * 60_000 })
  await fetch(`${simulator.url}/control/time`, { method: 'POST', body })
  await switchyard.settle()
}

const expectLedgerToMatch = async ({ workspaceId }: Workspace) =>
  expect(await ledgerDifferences(switchyard.deps, workspaceId)).toEqual([])

test.each([
  ['ideal', 'iDEAL'],
  ['bancontact', 'Bancontact'],
  ['paypal', 'PayPal'],
])('a payer approves a payment with %s and returns', async (type, name) => {
  const workspace = await switchyard.newWorkspace()
  const { get, post } = workspace
  const { status, body: payment } = await pay(workspace, {
    type,
    return_url: 'https://shop.example.com/done',
  })
  expect(status).toBe(201)
  expect(payment).toMatchObject({
    status: 'requires_action',
    payment_method_type: type,
    card: null,
    sepa_debit: null,
    ach_debit: null,
    bacs_debit: null,
    settlement: null,
    next_action: { type: 'redirect' },
    summary: `Waiting for the payer to approve €12.99 with ${name}.`,
  })
  const { location: bank } = await open(payment.next_action.url)
  expect((await open(bank)).text).toContain(`<h1>Pay with ${name}</h1>`)
  const { location: back } = await press(bank, 'approve')
  expect((await open(back)).location).toBe(`https://shop.example.com/done?payment_id=${payment.id}`)

  expect((await get(`/payments/${payment.id}`)).body).toMatchObject({
    status: 'succeeded',
    amount_captured: 1299,
    next_action: null,
    summary: `€12.99 paid with ${name}.`,
  })
  expect((await post('/refunds', { payment_id: payment.id, amount: 300 })).body.status).toBe('succeeded')
  expect(await capturedOf(payment.id)).toBe(1299)
  await expectLedgerToMatch(workspace)
})

test('a payment whose payer does not return is completed by a webhook, or without webhooks by a lookup', async () => {
  const workspace = await switchyard.newWorkspace()
  const { get } = workspace
  const { body: first } = await pay(workspace)
  await press((await open(first.next_action.url)).location, 'approve')
  await simulatorLedger.flush(first.provider_account_id)
  await switchyard.settle()
  expect((await get(`/payments/${first.id}`)).body.status).toBe('succeeded')

  await workspace.put(`/provider-accounts/${first.provider_account_id}`, { config: { webhooks: 'off' } })
  const { body: second } = await pay(workspace)
  await press((await open(second.next_action.url)).location, 'approve')
  expect((await get(`/payments/${second.id}`)).body.status).toBe('requires_action')
  await advanceMinutes(31)
  expect((await get(`/payments/${second.id}`)).body.status).toBe('succeeded')
  expect(await capturedOf(first.id, second.id)).toBe(2 * 1299)
})

test('a redirect that is rejected or abandoned fails, and can no longer be approved', async () => {
  const workspace = await switchyard.newWorkspace()
  const { get } = workspace
  const { body: rejected } = await pay(workspace, { type: 'bancontact' })
  await open((await press((await open(rejected.next_action.url)).location, 'fail')).location)
  expect((await get(`/payments/${rejected.id}`)).body).toMatchObject({
    status: 'failed',
    failure: { code: 'authentication_failed' },
  })

  const { body: abandoned } = await pay(workspace)
  const { location: bank } = await open(abandoned.next_action.url)
  await press(bank, 'leave')
  await advanceMinutes(31)
  expect((await get(`/payments/${abandoned.id}`)).body).toMatchObject({
    status: 'failed',
    failure: { code: 'authentication_abandoned' },
  })
  expect((await press(bank, 'approve')).status).toBe(404)
  expect(await capturedOf(rejected.id, abandoned.id)).toBe(0)
})

test('accounts are eligible by currency and restriction, and only with a payer and immediate capture', async () => {
  const workspace = await switchyard.newWorkspace()
  const { get, put, post } = workspace
  const refused = { code: 'payment_failed', decline_code: 'no_eligible_provider' }
  expect((await pay(workspace, { currency: 'usd' })).body).toMatchObject(refused)
  expect((await pay(workspace, { type: 'paypal', currency: 'usd' })).body.status).toBe('requires_action')
  expect((await pay(workspace, { capture_method: 'manual' })).body).toMatchObject(refused)
  expect((await pay(workspace, { initiator: 'merchant' })).body).toMatchObject(refused)
  const token = (await post('/tokens', { type: 'ideal' })).body.id
  expect((await post('/payment-methods', { token })).body).toMatchObject({
    decline_code: 'no_eligible_provider',
  })
  expect((await post('/tokens', { type: 'ideal', paypal: {} })).status).toBe(400)

  for (const { id } of (await get('/provider-accounts')).body.data)
    await put(`/provider-accounts/${id}`, { capabilities: { methods: ['paypal'] } })
  expect((await pay(workspace)).body).toMatchObject(refused)
})

/** A payer on the hosted page who has chosen iDEAL and is at the bank. */
async function atTheBank() {
  const workspace = await switchyard.newWorkspace()
  const payer = payerAt(switchyard.addresses.test)
  const session = await payer.openSession((await createLink(workspace)).slug)
  const call = (path: string, body?: object) =>
    payer.call('POST', `/checkout/sessions/${session.id}/${path}`, body, {
      'checkout-secret': session.client_secret,
    })
  const { status, body } = await call('confirm', { ideal: {} })
  expect([status, body.status, body.payment?.status], JSON.stringify(body)).toEqual([
    200,
    'processing',
    'requires_action',
  ])
  expect(body.payment).toMatchObject({ payment_method_type: 'ideal', card: null })
  const { location: bank } = await open(body.payment.next_action.url)
  return { workspace, payer, session, bank, changeMethod: () => call('change-method'), first: body.payment }
}

test('a payer who goes back and pays by card is charged once, even if the first page is completed afterwards', async () => {
  const { workspace, payer, session, bank, changeMethod, first } = await atTheBank()
  // While the first payment is open, no other one is created.
  const meanwhile = await payer.pay(session)
  expect(meanwhile.body.payment).toMatchObject({ reference: first.reference, status: 'requires_action' })

  const changed = await changeMethod()
  expect(changed.body).toMatchObject({ status: 'open', payment: { status: 'failed' } })
  const paid = await payer.pay(session)
  expect(paid.body).toMatchObject({ status: 'completed', payment: { payment_method_type: 'card' } })

  expect((await press(bank, 'approve')).status).toBe(404)
  await switchyard.settle()
  expect(await capturedOf(first.reference, paid.body.payment.reference)).toBe(1299)
  await expectLedgerToMatch(workspace)
})

test('a payer who paid at the bank and then goes back cannot pay again by card', async () => {
  const { workspace, payer, session, bank, changeMethod, first } = await atTheBank()
  await press(bank, 'approve')
  expect((await changeMethod()).body).toMatchObject({ status: 'completed', payment: { status: 'succeeded' } })
  const again = await payer.pay(session)
  expect(again.body).toMatchObject({ status: 'completed', payment: { reference: first.reference } })
  expect(await capturedOf(first.reference)).toBe(1299)
  await expectLedgerToMatch(workspace)
})

test('if the provider cannot close the first payment, the payer cannot pay by card before its outcome is known', async () => {
  const { workspace, payer, session, bank, changeMethod, first } = await atTheBank()
  const { provider_account_id: account } = (await workspace.get(`/payments/${first.reference}`)).body
  await workspace.put(`/provider-accounts/${account}`, { config: { close: false } })
  expect((await changeMethod()).body.status).toBe('processing')
  expect((await payer.pay(session)).body.payment.reference).toBe(first.reference)
  await press(bank, 'approve')
  await simulatorLedger.flush(account)
  await switchyard.settle()
  const { body } = await payer.fetchSession(session)
  expect(body).toMatchObject({ status: 'completed', payment: { payment_method_type: 'ideal' } })
  expect(await capturedOf(first.reference)).toBe(1299)
})

test.each([
  ['stripe', 'ideal'],
  ['stripe', 'bancontact'],
  ['mollie', 'ideal'],
  ['mollie', 'bancontact'],
  ['mollie', 'paypal'],
])(
  'at %s, %s is paid on return, by webhook without a return, and fails if the payer rejects it',
  async (provider, type) => {
    const workspace = await switchyard.newWorkspace()
    const { get, post } = workspace
    const account = await createEmulatedAccount(workspace, provider)
    const start = async () => {
      const { body: token } = await post('/tokens', { type, [type]: { account_holder_name: 'Ada Lovelace' } })
      const { body } = await post('/payments', { amount: 1299, currency: 'eur', token: token.id })
      expect(body, JSON.stringify(body)).toMatchObject({
        status: 'requires_action',
        provider_account_id: account.id,
      })
      return { ...body, bank: (await open(body.next_action.url)).location }
    }
    const statusOf = async ({ id }: { readonly id: string }) => (await get(`/payments/${id}`)).body.status
    const returned = await start()
    await open((await press(returned.bank, 'approve')).location)
    expect(await statusOf(returned)).toBe('succeeded')
    expect((await post('/refunds', { payment_id: returned.id, amount: 299 })).status).toBe(201)

    const lost = await start()
    await press(lost.bank, 'approve')
    await simulatorLedger.flush(account.id)
    // An unsigned webhook causes a lookup, which waits for the cooldown after the last call.
    await advanceMinutes(1)
    expect(await statusOf(lost)).toBe('succeeded')

    const rejected = await start()
    await open((await press(rejected.bank, 'fail')).location)
    expect(await statusOf(rejected)).toBe('failed')
    expect(await capturedOf(returned.id, lost.id, rejected.id)).toBe(2 * 1299)
    await switchyard.settle()
    await expectLedgerToMatch(workspace)
  },
)

test('Stripe closes an abandoned redirect, and Mollie lets it expire', async () => {
  for (const provider of ['stripe', 'mollie']) {
    const workspace = await switchyard.newWorkspace()
    await createEmulatedAccount(workspace, provider)
    const { body } = await pay(workspace)
    const { location: bank } = await open(body.next_action.url)
    await advanceMinutes(31)
    const after = await workspace.get(`/payments/${body.id}`)
    expect(after.body, provider).toMatchObject({
      status: 'failed',
      failure: { code: 'authentication_abandoned' },
    })
    expect((await press(bank, 'approve')).status).toBe(404)
    expect(await capturedOf(body.id)).toBe(0)
  }
})
