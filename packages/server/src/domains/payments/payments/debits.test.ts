// Bank debits: pending for days, then settled or failed, and returned by the bank weeks later.

import { expect, test, vi } from 'vitest'
import { createEmulatedAccount } from '../../../../test/support/emulated-accounts.ts'
import { inTransaction } from '../../../../test/support/invoices.ts'
import { ledgerDifferences, postingsOf } from '../../../../test/support/ledger.ts'
import { createToken, eventTypesOf } from '../../../../test/support/payment-methods.ts'
import { createWebhookSender } from '../../../../test/support/provider-webhooks.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { openLedger } from '../../../../test/support/simulator-ledger.ts'
import { aPrice, aSubscription } from '../../../../test/support/subscriptions.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import type { Id } from '../../../kernel/id.ts'
import { postAct } from '../../finance/ledger/service/post.ts'
import { paymentReversed } from './events.ts'
import { updateAndEmit } from './operations/update-and-emit.ts'
import { lockPayment } from './store/payments.ts'

vi.setConfig({ testTimeout: 30_000 })

const simulator = await simulatorForThisFile()
const simulatorLedger = openLedger(simulator.url)
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
createWebhookSender(simulator, switchyard)

const ibans = {
  settles: 'DE89 3704 0044 0532 0130 00',
  settlesIn14Days: 'DE86370400440532018001',
  fails: 'DE59370400440532018002',
}
const dayMs = 86_400_000

/** An IBAN, or an account in the United States or the United Kingdom. */
type BankAccount =
  | string
  | { readonly routing_number: string; readonly account_number: string }
  | { readonly sort_code: string; readonly account_number: string }

const usAccount = (account_number: string) => ({ routing_number: '110000000', account_number })
const ukAccount = (account_number: string) => ({ sort_code: '10-88-00', account_number })

function tokenRequest(account: BankAccount) {
  const numbers = typeof account === 'string' ? { iban: account } : account
  const ofCountry = 'sort_code' in numbers ? 'bacs_debit' : 'ach_debit'
  const type = 'iban' in numbers ? 'sepa_debit' : ofCountry
  const input = {
    ...numbers,
    account_holder_name: 'Ada Lovelace',
    email: 'ada@example.com',
    mandate: { accepted_at: '2026-11-14T12:00:00.000Z', text_version: '2026-11' },
  }
  return { type, [type]: input }
}

async function debitToken({ post }: Workspace, account: BankAccount): Promise<string> {
  const { status, body } = await post('/tokens', tokenRequest(account))
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

async function advanceSimulator(ms: number): Promise<void> {
  const body = JSON.stringify({ advance_ms: ms })
  expect((await fetch(`${simulator.url}/control/time`, { method: 'POST', body })).status).toBe(200)
}

type Payment = { readonly id: string; readonly provider_account_id: string }

/** The bank returns the debit, and Switchyard processes the webhook. */
async function returnAtBank({ id, provider_account_id: account }: Payment): Promise<void> {
  const response = await fetch(`${simulator.url}/control/${account}/returns`, {
    method: 'POST',
    body: JSON.stringify({ parent_reference: `${id.slice(-26)}-1`, reason_code: 'MD06' }),
  })
  expect(response.status).toBe(200)
  await simulatorLedger.flush(account)
  await switchyard.settle()
}

async function settleAtBank({ provider_account_id: account }: Payment, ms = 5_000): Promise<void> {
  await advanceSimulator(ms)
  await simulatorLedger.flush(account)
  await switchyard.settle()
}

const expectLedgerToMatch = async ({ workspaceId }: Workspace) =>
  expect(await ledgerDifferences(switchyard.deps, workspaceId)).toEqual([])

/** What the provider has recorded for the payment. */
async function sumsOf({ id }: Payment) {
  const response = await fetch(`${simulator.url}/control/sums?payment_id=${id}`)
  const { sums } = (await response.json()) as { sums: { captured: number; reversed: number }[] }
  const [{ captured, reversed } = { captured: 0, reversed: 0 }] = sums
  return { captured, reversed }
}

test('a debit is pending until the bank confirms it, and cannot be refunded before', async () => {
  const workspace = await switchyard.newWorkspace()
  const { post, get } = workspace
  const token = await debitToken(workspace, ibans.settles)
  const { status, body: payment } = await post('/payments', { amount: 1299, currency: 'eur', token })
  expect(status).toBe(201)
  expect(payment).toMatchObject({
    status: 'processing',
    payment_method_type: 'sepa_debit',
    card: null,
    sepa_debit: {
      country: 'DE',
      bank_code: '37040044',
      last4: '3000',
      account_holder_name: 'Ada Lovelace',
      mandate: {
        reference: expect.stringMatching(/^SY[0-9A-Z]{26}$/),
        accepted_at: '2026-11-14T12:00:00.000Z',
        text_version: '2026-11',
      },
    },
    settlement: { status: 'pending', expected_at: expect.any(String), settled_at: null },
    unresolved_since_at: null,
    amount_captured: 0,
    summary: '€12.99 is being debited from SEPA debit •••• 3000. The bank confirms it within days.',
  })
  const early = await post('/refunds', { payment_id: payment.id })
  expect(early.status).toBe(409)
  expect(early.body).toMatchObject({
    code: 'invalid_state',
    detail: expect.stringContaining('not confirmed'),
  })

  await settleAtBank(payment)
  expect((await get(`/payments/${payment.id}`)).body).toMatchObject({
    status: 'succeeded',
    settlement: { status: 'settled', settled_at: expect.any(String) },
    amount_captured: 1299,
  })
  expect(await eventTypesOf(workspace, payment.id)).toEqual([
    'payment.created',
    'payment.updated',
    'payment.succeeded',
  ])
  const refund = await post('/refunds', { payment_id: payment.id, amount: 299 })
  expect(refund.body).toMatchObject({ status: 'succeeded' })
  await expectLedgerToMatch(workspace)
})

test('a debit that the bank rejects fails', async () => {
  const workspace = await switchyard.newWorkspace()
  const token = await debitToken(workspace, ibans.fails)
  const { body: payment } = await workspace.post('/payments', { amount: 1299, currency: 'eur', token })
  await settleAtBank(payment)
  expect((await workspace.get(`/payments/${payment.id}`)).body).toMatchObject({
    status: 'failed',
    settlement: null,
    failure: { code: 'insufficient_funds' },
  })
})

test('a returned debit is reversed once, cannot be refunded, and is a loss without an invoice', async () => {
  const workspace = await switchyard.newWorkspace()
  const { post, get } = workspace
  const token = await debitToken(workspace, ibans.settles)
  const { body: payment } = await post('/payments', { amount: 1299, currency: 'eur', token })
  await settleAtBank(payment)
  await returnAtBank(payment)

  expect((await get(`/payments/${payment.id}`)).body).toMatchObject({
    status: 'succeeded',
    amount_captured: 1299,
    amount_reversed: 1299,
    reversal: { reason_code: 'MD06', reversed_at: expect.any(String) },
    review: null,
    summary: '€12.99 charged to SEPA debit •••• 3000. The bank returned €12.99 to the payer (MD06).',
  })
  expect(await eventTypesOf(workspace, payment.id)).toContain('payment.reversed')
  expect(await postingsOf(workspace, payment.id)).toEqual([
    'payment_captured: clearing > sales 1299',
    'payment_reversed: bad_debt > clearing 1299',
  ])
  const refund = await post('/refunds', { payment_id: payment.id })
  expect(refund.status).toBe(409)
  expect(refund.body.detail).toContain('returned')
  expect(await sumsOf(payment)).toEqual({ captured: 1299, reversed: 1299 })
  await expectLedgerToMatch(workspace)
})

test('a return after a refund exceeds what was captured, so it needs review', async () => {
  const workspace = await switchyard.newWorkspace()
  const { post, get } = workspace
  const token = await debitToken(workspace, ibans.settles)
  const { body: payment } = await post('/payments', { amount: 1299, currency: 'eur', token })
  await settleAtBank(payment)
  await post('/refunds', { payment_id: payment.id, amount: 300 })
  await returnAtBank(payment)
  expect((await get(`/payments/${payment.id}`)).body).toMatchObject({
    amount_refunded: 300,
    amount_reversed: 0,
    review: 'conflict',
  })
  await expectLedgerToMatch(workspace)
})

test('the return of a card payment needs review, and the database refuses it', async () => {
  const workspace = await switchyard.newWorkspace()
  const token = await createToken(workspace)
  const { body: payment } = await workspace.post('/payments', { amount: 1299, currency: 'eur', token })
  await returnAtBank(payment)
  expect((await workspace.get(`/payments/${payment.id}`)).body).toMatchObject({
    amount_reversed: 0,
    review: 'conflict',
  })
  const reversal = { reason_code: null, provider_reference: 'ret_1', at: '2026-11-14T12:00:00.000Z' }
  const reverse = inTransaction(switchyard.deps, workspace.workspaceId, async (tx) => {
    const before = await lockPayment(tx, payment.id)
    updateAndEmit(tx, before, { amountReversed: 1299n, reversal }, paymentReversed)
  })
  await expect(reverse).rejects.toThrow('only_settled_payments_are_reversed')
})

test('the database refuses a return above the captured amount, and one without a posting', async () => {
  const workspace = await switchyard.newWorkspace()
  const token = await debitToken(workspace, ibans.settles)
  const { body: payment } = await workspace.post('/payments', { amount: 1299, currency: 'eur', token })
  await settleAtBank(payment)
  await workspace.post('/refunds', { payment_id: payment.id, amount: 300 })
  const reversal = { reason_code: null, provider_reference: 'ret_1', at: '2026-11-14T12:00:00.000Z' }
  const reverse = (amountReversed: bigint) =>
    inTransaction(switchyard.deps, workspace.workspaceId, async (tx) => {
      const before = await lockPayment(tx, payment.id)
      updateAndEmit(tx, before, { amountReversed, reversal }, paymentReversed)
    })
  await expect(reverse(1_000n)).rejects.toThrow('returns_at_most_what_it_took')
  await expect(reverse(999n)).rejects.toThrow('ledger: lines {2}')
})

/** A subscription on a test clock that is paid by a saved bank account. */
async function subscribe(workspace: Workspace, iban: BankAccount, currency = 'eur') {
  const { post, get } = workspace
  const { body: clock } = await post('/test-clocks', { now_at: '2025-03-01T00:00:00.000Z' })
  const customer_id = await workspace.aCustomer({ test_clock_id: clock.id })
  const token = await debitToken(workspace, iban)
  const { status, body: method } = await post('/payment-methods', { token, usage: 'off_session' })
  expect(status, JSON.stringify(method)).toBe(201)
  const { type } = tokenRequest(iban)
  expect(method).toMatchObject({
    type,
    card: null,
    [type]: { last4: expect.any(String), mandate: { status: 'active' } },
    credentials: [{ type: 'provider_token', status: 'active' }],
  })
  await post(`/payment-methods/${method.id}/attach`, { customer_id })
  const items = [{ price_id: await aPrice(workspace, { currency }) }]
  const { id } = await aSubscription(workspace, { customer_id, payment_method_id: method.id, items })
  const advance = async (by: string) => {
    const { status: advanced, body } = await post(`/test-clocks/${clock.id}/advance`, { by })
    expect(advanced, JSON.stringify(body)).toBe(200)
    expect(body.status, JSON.stringify(body)).toBe('ready')
    await switchyard.settle()
  }
  const invoice = async () => (await get(`/invoices?subscription_id=${id}`)).body.data.at(-1)
  return { advance, invoice, methodId: method.id }
}

test('a rule selects the account by the type of the payment method, and accounts without debits are skipped', async () => {
  const workspace = await switchyard.newWorkspace()
  const { post, get, put } = workspace
  const [first, second] = (await get('/provider-accounts')).body.data.map(({ id }: { id: string }) => id)
  const condition = { field: 'method.type', op: 'eq', value: 'sepa_debit' }
  const { status, body: route } = await post('/payment-routes', {
    name: 'Debits',
    // biome-ignore lint/suspicious/noThenProperty: A rule has this member.
    rules: [{ name: 'Debits', when: { all: [condition] }, then: { type: 'priority', targets: [second] } }],
    default: { type: 'priority', targets: [first] },
  })
  expect(status, JSON.stringify(route)).toBe(201)
  const pay = async (token: string) =>
    (await post('/payments', { amount: 1299, currency: 'eur', token, payment_route_id: route.id })).body
  expect(await pay(await createToken(workspace))).toMatchObject({ provider_account_id: first })
  expect(await pay(await debitToken(workspace, ibans.settles))).toMatchObject({ provider_account_id: second })

  await put(`/provider-accounts/${second}`, { capabilities: { methods: [] } })
  const refused = await pay(await debitToken(workspace, ibans.settles))
  expect(refused).toMatchObject({ code: 'payment_failed', decline_code: 'no_eligible_provider' })
  const usd = await post('/payments', {
    amount: 1299,
    currency: 'usd',
    token: await debitToken(workspace, ibans.settles),
  })
  expect(usd.body).toMatchObject({ decline_code: 'no_eligible_provider' })
})

test.each(['stripe'])(
  'a debit at %s is pending, settled, and returned; a saved account is debited again',
  async (provider) => {
    const workspace = await switchyard.newWorkspace()
    const { post, get } = workspace
    const account = await createEmulatedAccount(workspace, provider)
    const debit = async (iban: string) => {
      const token = await debitToken(workspace, iban)
      const { body } = await post('/payments', { amount: 1299, currency: 'eur', token })
      expect(body).toMatchObject({
        status: 'processing',
        provider_account_id: account.id,
        settlement: { status: 'pending' },
      })
      return body
    }
    const [returned, failed] = [await debit(ibans.settles), await debit(ibans.fails)]
    await settleAtBank(returned)
    expect((await get(`/payments/${returned.id}`)).body).toMatchObject({ status: 'succeeded' })
    expect((await get(`/payments/${failed.id}`)).body).toMatchObject({
      status: 'failed',
      failure: { code: 'insufficient_funds' },
    })
    await returnAtBank(returned)
    expect((await get(`/payments/${returned.id}`)).body).toMatchObject({
      amount_reversed: 1299,
      reversal: { reason_code: 'MD06' },
    })
    expect((await get(`/disputes?payment_id=${returned.id}`)).body.data).toEqual([])
    expect(await sumsOf(returned)).toEqual({ captured: 1299, reversed: 1299 })
    await expectLedgerToMatch(workspace)

    // Stripe saves the account for a customer, with the mandate for later debits.
    const token = await debitToken(workspace, ibans.settles)
    const { body: method } = await post('/payment-methods', { token, usage: 'off_session' })
    expect(method).toMatchObject({
      sepa_debit: { mandate: { status: 'active' } },
      credentials: [{ provider_account_id: account.id, type: 'provider_token', status: 'active' }],
    })
    const customer_id = await workspace.aCustomer()
    expect((await post(`/payment-methods/${method.id}/attach`, { customer_id })).status).toBe(200)
    const renewal = {
      amount: 1299,
      currency: 'eur',
      customer_id,
      payment_method_id: method.id,
      initiator: 'merchant',
    }
    for (const _ of [1, 2]) {
      const { body: later } = await post('/payments', renewal)
      expect(later).toMatchObject({ status: 'processing', provider_account_id: account.id })
      await settleAtBank(later)
      expect((await get(`/payments/${later.id}`)).body).toMatchObject({ status: 'succeeded' })
    }
    expect((await post(`/payment-methods/${method.id}/detach`)).body).toMatchObject({
      sepa_debit: { mandate: { status: 'revoked' } },
    })
  },
)

test('a customer gets one e-mail for each mandate: for an account that is used once, and for a saved one', async () => {
  const workspace = await switchyard.newWorkspace()
  const { post, get, put } = workspace
  await put('/mail-settings', { kinds: { mandate_created: true } })
  const customer_id = await workspace.aCustomer({ email: 'ana@example.com' })
  const once = await debitToken(workspace, ibans.settles)
  const { body: payment } = await post('/payments', {
    amount: 1299,
    currency: 'eur',
    token: once,
    customer_id,
  })
  const token = await debitToken(workspace, ibans.settles)
  const { body: method } = await post('/payment-methods', { token, usage: 'off_session' })
  await post(`/payment-methods/${method.id}/attach`, { customer_id })
  await post(`/payment-methods/${method.id}/attach`, { customer_id })
  const again = { amount: 1299, currency: 'eur', payment_method_id: method.id, customer_id }
  expect((await post('/payments', again)).status).toBe(201)

  const { data } = (await get('/mails')).body
  expect(data).toHaveLength(2)
  expect(data.map(({ object_id }: { object_id: string }) => object_id)).toContain(payment.id)
  for (const { kind, to } of data) expect([kind, to]).toEqual(['mandate_created', 'ana@example.com'])
})

/** Records a return without the due time at which the invoice is opened again. */
async function returnWithoutReopening({ workspaceId }: Workspace, id: string, invoiceId: string) {
  await inTransaction(switchyard.deps, workspaceId, async (tx) => {
    const before = await lockPayment(tx, id)
    const { amount, currency, providerAccountId } = before
    postAct(tx, {
      act: 'applied_payment_reversed',
      invoiceId: invoiceId as Id<'invoice'>,
      paymentId: before.id,
      providerAccountId: providerAccountId as Id<'provider_account'>,
      currency,
      amount,
    })
    const reversal = { reason_code: null, provider_reference: 'ret_1', at: tx.now.toISOString() }
    updateAndEmit(tx, before, { amountReversed: amount, reversal, dueAt: null }, paymentReversed)
  })
}

test('a debit on a test clock is pending for 14 days and settled; returned on day 50, it opens its invoice and starts a campaign', async () => {
  const workspace = await switchyard.newWorkspace()
  const { get } = workspace
  const { advance, invoice } = await subscribe(workspace, ibans.settlesIn14Days)
  await advance('PT1H')
  const pending = await invoice()
  expect(pending).toMatchObject({ status: 'open', payment_state: 'in_flight' })
  const paymentOf = async (id: string) => (await get(`/payments/${id}`)).body
  const { data } = (await get(`/payments?customer_id=${pending.customer_id}`)).body
  const payment = data[0]

  await advance('P13D')
  expect(await paymentOf(payment.id)).toMatchObject({
    status: 'processing',
    settlement: { status: 'pending', expected_at: '2025-03-20T00:00:00.000Z' },
    unresolved_since_at: null,
  })
  // One lookup for each day, not more.
  const { data: operations } = (await get(`/payments/${payment.id}/operations`)).body
  const lookups = operations[0].calls.filter(({ step }: { step: string }) => step === 'lookup')
  expect(lookups.length).toBe(13)

  await advanceSimulator(14 * dayMs)
  await advance('P1D')
  expect(await paymentOf(payment.id)).toMatchObject({
    status: 'succeeded',
    settlement: { status: 'settled', settled_at: expect.stringMatching(/^2025-03-1[56]/) },
  })
  expect(await invoice()).toMatchObject({ status: 'paid', payment_id: payment.id })
  await expectLedgerToMatch(workspace)
  await expect(returnWithoutReopening(workspace, payment.id, (await invoice()).id)).rejects.toThrow(
    'its invoice is still paid',
  )

  await advance('P36D')
  await returnAtBank(payment)
  await advance('PT1H')
  const reopened = await invoice()
  expect(reopened).toMatchObject({
    status: 'open',
    amount_paid: 0,
    payment_id: null,
    last_failure: { code: 'debit_returned', network_code: 'MD06', payment_id: payment.id },
  })
  const { data: campaigns } = (await get('/dunning-campaigns?status=running')).body
  expect(campaigns).toMatchObject([{ invoice_id: reopened.id, reason: 'debit_returned', status: 'running' }])
  expect(campaigns[0].steps).toHaveLength(2)
  // Postings of the same moment are listed in the order of random ids.
  expect((await postingsOf(workspace, payment.id)).toSorted()).toEqual([
    'applied_payment_reversed: receivable > clearing 2999',
    'payment_applied: unapplied > receivable 2999',
    'payment_captured: clearing > unapplied 2999',
  ])
  expect(await sumsOf(payment)).toEqual({ captured: payment.amount, reversed: payment.amount })
  await expectLedgerToMatch(workspace)
})

test('a debit that is settled and returned before its invoice is paid leaves the invoice open', async () => {
  const workspace = await switchyard.newWorkspace()
  const { advance, invoice } = await subscribe(workspace, ibans.settlesIn14Days)
  await advance('PT1H')
  const { customer_id } = await invoice()
  const { data } = (await workspace.get(`/payments?customer_id=${customer_id}`)).body
  const [payment] = data
  // The time of the clock does not advance, so the result is not yet applied to the invoice.
  await settleAtBank(payment, 14 * dayMs)
  await returnAtBank(payment)
  expect((await workspace.get(`/payments/${payment.id}`)).body).toMatchObject({
    status: 'succeeded',
    amount_reversed: payment.amount,
    review: null,
  })

  await advance('PT1H')
  expect(await invoice()).toMatchObject({
    status: 'open',
    amount_paid: 0,
    last_failure: { code: 'debit_returned', network_code: 'MD06', payment_id: payment.id },
  })
  await expectLedgerToMatch(workspace)
})

/** A customer who pays one-off invoices of 100.00 by debit. */
async function aDebitPayer(workspace: Workspace) {
  const { post, get } = workspace
  const customer_id = await workspace.aCustomer()
  const token = await debitToken(workspace, ibans.settles)
  const { body: method } = await post('/payment-methods', { token, usage: 'off_session' })
  await post(`/payment-methods/${method.id}/attach`, { customer_id })
  const fetchInvoice = async (id: string) => (await get(`/invoices/${id}`)).body
  const payInvoice = async () => {
    const { body: draft } = await post('/invoices', {
      customer_id,
      currency: 'eur',
      lines: [{ description: 'Workshop', unit_amount: 10_000 }],
      payment_method_id: method.id,
    })
    await post(`/invoices/${draft.id}/finalize`)
    await switchyard.settle()
    const [payment] = (await get(`/payments?customer_id=${customer_id}`)).body.data
    await settleAtBank(payment)
    await settleAtBank(payment)
    const invoice = await fetchInvoice(draft.id)
    expect(invoice).toMatchObject({ status: 'paid', payment_id: payment.id })
    return { invoice, payment }
  }
  const creditAsBalance = (invoice: { id: string; lines: { id: string }[] }, amount: number) =>
    post('/credit-notes', {
      invoice_id: invoice.id,
      lines: [{ invoice_line_id: invoice.lines[0]?.id, amount }],
      balance_amount: amount,
    })
  return { customer_id, methodId: method.id as string, fetchInvoice, payInvoice, creditAsBalance }
}

test('voiding an invoice whose debit was returned does not return credit that a credit note has returned', async () => {
  const workspace = await switchyard.newWorkspace()
  const { post, get } = workspace
  const { fetchInvoice, payInvoice, creditAsBalance } = await aDebitPayer(workspace)
  expect((await creditAsBalance((await payInvoice()).invoice, 4_000)).status).toBe(201)
  const { invoice, payment } = await payInvoice()
  expect(invoice).toMatchObject({ credit_applied: 4_000, amount_paid: 6_000 })
  expect((await creditAsBalance(invoice, 3_000)).status).toBe(201)
  await returnAtBank(payment)
  expect(await fetchInvoice(invoice.id)).toMatchObject({ status: 'open', amount_remaining: 6_000 })

  const voided = await post(`/invoices/${invoice.id}/void`)

  expect(voided.body).toMatchObject({ status: 'void', amount_credited: 10_000 })
  const { data: notes } = (await get(`/credit-notes?invoice_id=${invoice.id}`)).body
  expect(notes[0]).toMatchObject({
    reason: 'void',
    total: 7_000,
    applied_amount: 6_000,
    balance_amount: 1_000,
  })
  const { data: postings } = (await get(`/ledger-postings?object_id=${invoice.id}&limit=100`)).body
  const sums: Record<string, number> = { sales: 0, receivable: 0 }
  for (const { debit, credit, amount } of postings) {
    sums[debit.account] = (sums[debit.account] ?? 0) + amount
    sums[credit.account] = (sums[credit.account] ?? 0) - amount
  }
  expect(sums).toMatchObject({ sales: 0, receivable: 0 })
  await expectLedgerToMatch(workspace)
})

type Items = { readonly id: string }[]
const change = (items: object[], behaviour: string) => ({ items, proration: { behaviour } })
/** The second of two items is no longer used. */
const removal = (behaviour: string) => (items: Items) =>
  change([{ id: items[1]?.id, delete: true }], behaviour)
/** All is credited, and the same is charged again for the first item. */
const exchange = ([first, second]: Items) =>
  change(
    [
      { id: first?.id, quantity: 2 },
      { id: second?.id, delete: true },
    ],
    'next_invoice',
  )
const unusedTimes = [
  {
    by: 'a cancellation',
    path: '/cancel',
    body: () => ({ at: 'now', unused_time: 'credit' }),
    returned: 0,
    balance: 5_998,
  },
  { by: 'a change', path: '', body: removal('invoice_now'), returned: 1_001, balance: 4_000 },
  {
    by: 'a change on the next invoice',
    path: '',
    body: removal('next_invoice'),
    returned: 1_001,
    balance: 1_001,
  },
  { by: 'an exchange of its items', path: '', body: exchange, returned: 0, balance: 0 },
]

test.each(unusedTimes)(
  'voiding an invoice whose debit was returned does not return credit that $by has given for its unused time',
  async ({ path, body, returned, balance }) => {
    const workspace = await switchyard.newWorkspace()
    const { post, get, put } = workspace
    const { customer_id, methodId, fetchInvoice, payInvoice, creditAsBalance } = await aDebitPayer(workspace)
    expect((await creditAsBalance((await payInvoice()).invoice, 4_000)).status).toBe(201)
    const items = [
      { price_id: await aPrice(workspace, { currency: 'eur' }) },
      { price_id: await aPrice(workspace, { currency: 'eur' }) },
    ]
    const { id } = await aSubscription(workspace, { customer_id, payment_method_id: methodId, items })
    await switchyard.settle()
    const [payment] = (await get(`/payments?customer_id=${customer_id}`)).body.data
    await settleAtBank(payment)
    await settleAtBank(payment)
    const [invoice] = (await get(`/invoices?subscription_id=${id}`)).body.data
    expect(invoice).toMatchObject({ status: 'paid', credit_applied: 4_000, amount_paid: 1_998 })
    // At the start of the period, so that the unused time is the whole period.
    const { body: subscription } = await get(`/subscriptions/${id}`)
    const changed = await put(`/subscriptions/${id}${path}`, body(subscription.items))
    expect(changed.status, JSON.stringify(changed.body)).toBe(200)
    await switchyard.settle()
    await returnAtBank(payment)
    expect(await fetchInvoice(invoice.id)).toMatchObject({ status: 'open', amount_remaining: 1_998 })

    const voided = await post(`/invoices/${invoice.id}/void`)

    expect(voided.body, JSON.stringify(voided.body)).toMatchObject({ status: 'void', amount_credited: 5_998 })
    expect((await get(`/credit-notes?invoice_id=${invoice.id}`)).body.data).toMatchObject([
      { reason: 'void', applied_amount: 5_998 - returned, balance_amount: returned },
    ])
    const [last] = (await get('/events?type=credit_balance.changed')).body.data
    expect(JSON.parse(last.data).object).toMatchObject({ customer_id, balance })
    await expectLedgerToMatch(workspace)
  },
)

// biome-ignore format: a table.
const schemes = [
  { type: 'ach_debit', name: 'ACH debit', currency: 'usd', settles: usAccount('000123456789'), slow: usAccount('000123458001'),
    fails: usAccount('000123458002'), returns: usAccount('000123458003'), reason: 'R10', country: 'US', bank_code: '110000000', last4: '6789', days: 4 },
  { type: 'bacs_debit', name: 'Bacs debit', currency: 'gbp', settles: ukAccount('00012345'), slow: ukAccount('00018001'),
    fails: ukAccount('00018002'), returns: ukAccount('00018003'), reason: '5', country: 'GB', bank_code: '108800', last4: '2345', days: 7 },
] as const

test.each(schemes)('an $name is pending, settled, failed or returned', async (scheme) => {
  const workspace = await switchyard.newWorkspace()
  const { post, get } = workspace
  const { type, currency, country, bank_code, last4 } = scheme
  const debit = async (account: BankAccount) => {
    const token = await debitToken(workspace, account)
    const { status, body } = await post('/payments', { amount: 1299, currency, token })
    expect(status, JSON.stringify(body)).toBe(201)
    return body
  }
  const settled = await debit(scheme.settles)
  expect(settled).toMatchObject({
    status: 'processing',
    payment_method_type: type,
    card: null,
    sepa_debit: null,
    [type]: { country, bank_code, last4, mandate: { status: 'pending' } },
    settlement: { status: 'pending' },
    summary: expect.stringContaining(`from ${scheme.name} •••• ${last4}`),
  })
  const [failed, returned] = [await debit(scheme.fails), await debit(scheme.returns)]
  await settleAtBank(settled)
  await settleAtBank(settled)
  expect((await get(`/payments/${settled.id}`)).body).toMatchObject({ status: 'succeeded' })
  expect((await get(`/payments/${failed.id}`)).body).toMatchObject({
    failure: { code: 'insufficient_funds' },
  })
  expect((await get(`/payments/${returned.id}`)).body).toMatchObject({
    amount_reversed: 1299,
    reversal: { reason_code: scheme.reason },
  })
  await expectLedgerToMatch(workspace)

  // The scheme supports only one currency.
  const token = await debitToken(workspace, scheme.settles)
  const inEuros = await post('/payments', { amount: 1299, currency: 'eur', token })
  expect(inEuros.body).toMatchObject({ decline_code: 'no_eligible_provider' })
})

test.each(schemes)(
  'an $name of a renewal is confirmed after $days days, and reopens its invoice when it is returned',
  async (scheme) => {
    const workspace = await switchyard.newWorkspace()
    const { get } = workspace
    const { advance, invoice } = await subscribe(workspace, scheme.slow, scheme.currency)
    await advance('PT1H')
    const { customer_id } = await invoice()
    const [payment] = (await get(`/payments?customer_id=${customer_id}`)).body.data
    // 1 March 2025 is a Saturday.
    const expected_at = { 4: '2025-03-06T00:00:00.000Z', 7: '2025-03-11T00:00:00.000Z' }[scheme.days]
    expect(payment).toMatchObject({ status: 'processing', settlement: { status: 'pending', expected_at } })
    await advanceSimulator(scheme.days * dayMs)
    await advance('P1D')
    expect(await invoice()).toMatchObject({ status: 'paid', payment_id: payment.id })
    await advance('P20D')
    await returnAtBank(payment)
    await advance('PT1H')
    expect(await invoice()).toMatchObject({ status: 'open', last_failure: { code: 'debit_returned' } })
    await expectLedgerToMatch(workspace)
  },
)

// biome-ignore format: a table.
test.each([
  [{ routing_number: '110000001', account_number: '000123456789' }, '/ach_debit/routing_number', 'bad_format'],
  [usAccount('000999999999'),                                       '/ach_debit/account_number', 'not_in_list'],
  [usAccount('1234'),                                               '/ach_debit/account_number', 'bad_format'],
  [ukAccount('00099999'),                                           '/bacs_debit/account_number', 'not_in_list'],
  [{ sort_code: '10880', account_number: '00012345' },              '/bacs_debit/sort_code', 'bad_format'],
  [ukAccount('12345'),                                              '/bacs_debit/account_number', 'bad_format'],
])('the account %j is rejected at %s', async (account, pointer, code) => {
  const { post } = await switchyard.newWorkspace()
  const { status, body } = await post('/tokens', tokenRequest(account))
  expect([status, body.errors?.[0]?.pointer, body.errors?.[0]?.code]).toEqual([400, pointer, code])
})
