// The backfill restores the postings of objects that were changed before the ledger existed.

import { expect, test, vi } from 'vitest'
import { cardNumberForScenario } from '../../../../../simulator/src/cards.ts'
import { failSucceededRefund } from '../../../../test/support/failed-refund.ts'
import { inTransaction } from '../../../../test/support/invoices.ts'
import { ledgerDifferences, postingsOf } from '../../../../test/support/ledger.ts'
import {
  backfillCompletely,
  beginBackfill,
  deletePostings,
  derivedColumns,
  readBackfill,
  runBatch,
  runPass,
  storedPostings,
} from '../../../../test/support/ledger-backfill.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { cards, createAttachedMethod, createToken } from '../../../../test/support/payment-methods.ts'
import { openLedger } from '../../../../test/support/simulator-ledger.ts'
import { aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'
import type { Workspace } from '../../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'
import { workTypes } from '../../../work-types.ts'
import { deriveInvoice } from './invoice-history.ts'
import { findInvoiceHistories } from './store/invoice-histories.ts'

const billing = await subscriptionsForThisFile()
const { aPayer, clock, configureAll, createOpenInvoice, fetchInvoice, settle, settleOnly, simulator } =
  billing
const simulatorLedger = openLedger(simulator.url)

async function pay(workspace: Workspace, number: string = cards.approved, members: object = {}) {
  const token = await createToken(workspace, number)
  return (await workspace.post('/payments', { amount: 1299, currency: 'eur', token, ...members })).body
}

const refund = (workspace: Workspace, payment_id: string, amount?: number) =>
  workspace.post('/refunds', { payment_id, amount })

// Most invoices of these tests have no subscription.
const settleInvoices = () =>
  settleOnly(
    ...workTypes.map(({ name }) => name).filter((name) => !/^(subscription|dunning|invoice\.dun)/.test(name)),
  )

/** The order of business transactions with the same timestamp is unknown, so time has to pass between them. */
async function letTimePass(): Promise<void> {
  clock.advance({ seconds: 75 })
  await settleInvoices()
}

async function makePayments(workspace: Workspace): Promise<void> {
  await pay(workspace)
  await pay(workspace, cards.declined)
  const parts = await pay(workspace, cards.approved, { capture_method: 'manual' })
  await workspace.post(`/payments/${parts.id}/capture`, { amount: 1000, final: false })
  const voided = await pay(workspace, cards.approved, { capture_method: 'manual' })
  const partlyVoided = await pay(workspace, cards.approved, { capture_method: 'manual' })
  await workspace.post(`/payments/${partlyVoided.id}/capture`, { amount: 500, final: false })
  const refunded = await pay(workspace)
  const failing = await pay(workspace, cardNumberForScenario('6004'))
  const pending = await pay(workspace, cardNumberForScenario('6006'))
  const external = await pay(workspace)
  const cancelled = await pay(workspace, cardNumberForScenario('5004'))
  await workspace.post(`/payments/${cancelled.id}/cancel`)
  clock.advance({ seconds: 1 })
  await workspace.post(`/payments/${parts.id}/capture`, { amount: 299 })
  await workspace.post(`/payments/${voided.id}/cancel`)
  await workspace.post(`/payments/${partlyVoided.id}/cancel`)
  await refund(workspace, refunded.id, 300)
  await refund(workspace, refunded.id, 200)
  await refund(workspace, failing.id, 400)
  await refundAtProvider(external, 500)
  await letTimePass()
  await refund(workspace, failing.id, 100)
  await letTimePass()
  await refund(workspace, pending.id, 700)
}

async function refundAtProvider(payment: { id: string; provider_account_id: string }, amount: number) {
  const url = `${simulator.url}/control/${payment.provider_account_id}/refunds`
  const body = JSON.stringify({ parent_reference: `${payment.id.slice(-26)}-1`, amount })
  expect((await fetch(url, { method: 'POST', body })).status).toBe(200)
  await simulatorLedger.flush(payment.provider_account_id)
  await settleInvoices()
}

/**
 * A captured payment that is not applied to its invoice yet: the provider charged it, but did not respond.
 */
async function anUnappliedPayment(workspace: Workspace) {
  const customerId = (await workspace.aCustomer()) as Id<'customer'>
  const paymentMethodId = (await createAttachedMethod(workspace, customerId, {
    metadata: { simulate: '5004' },
  })) as Id<'payment_method'>
  await configureAll(workspace, { webhooks: 'off' })
  const id = await createOpenInvoice(workspace, { customerId, paymentMethodId })
  await workspace.post(`/invoices/${id}/pay`)
  await vi.waitFor(
    async () => expect(await fetchInvoice(workspace, id)).toMatchObject({ payment_state: 'unknown' }),
    { timeout: 10_000, interval: 50 },
  )
  clock.advance({ seconds: 75 })
  await settleOnly('payment.resolve')
  await configureAll(workspace, { webhooks: 'on' })
  const { payment_id: paymentId } = await fetchInvoice(workspace, id)
  expect((await workspace.get(`/payments/${paymentId}`)).body).toMatchObject({ status: 'succeeded' })
  return { id, paymentId: paymentId as string }
}

async function makeInvoices(workspace: Workspace): Promise<void> {
  const payer = await aPayer(workspace)
  const ids = await Promise.all(Array.from({ length: 6 }, () => createOpenInvoice(workspace, payer)))
  const [, byPayment, outOfBand, voided, writtenOff, recovered] = ids
  await workspace.post(`/invoices/${byPayment}/pay`)
  await billing.waitForPaymentEnd(workspace, byPayment as string)
  await workspace.post(`/invoices/${outOfBand}/pay`, { out_of_band: true })
  await workspace.post(`/invoices/${voided}/void`)
  for (const id of [writtenOff, recovered]) await workspace.post(`/invoices/${id}/mark-uncollectible`)
  await letTimePass()
  await workspace.post(`/invoices/${recovered}/pay`)
  await billing.waitForPaymentEnd(workspace, recovered as string)
  const { payment_id } = await fetchInvoice(workspace, byPayment as string)
  await refund(workspace, payment_id, 700)

  const refundedBefore = await anUnappliedPayment(workspace)
  await refund(workspace, refundedBefore.paymentId, 500)
  await letTimePass()
  await anUnappliedPayment(workspace)
  await letTimePass()

  for (const options of [{}, { period: null, reason: 'change' as const }]) {
    const customerId = (await workspace.aCustomer()) as Id<'customer'>
    await createOpenInvoice(workspace, { customerId, amount: -3000 })
    await createOpenInvoice(workspace, { customerId, amount: 1200 })
    const partlyCovered = await createOpenInvoice(workspace, { customerId, ...options })
    await workspace.post(`/invoices/${partlyCovered}/mark-uncollectible`)
    await letTimePass()
    await workspace.post(`/invoices/${partlyCovered}/void`)
  }
}

async function makeSubscriptions(workspace: Workspace): Promise<void> {
  for (const isCancelled of [true, false]) {
    const { customerId: customer_id, paymentMethodId: payment_method_id } = await aPayer(workspace)
    const { id } = await aSubscription(workspace, { customer_id, payment_method_id })
    await settle()
    clock.advance({ days: 32 })
    await settle()
    if (isCancelled) await workspace.put(`/subscriptions/${id}/cancel`, { unused_time: 'credit' })
    await settle()
  }
}

/**
 * A workspace with payments and invoices, and one with subscriptions. Together they have postings of every
 * kind.
 */
async function workspacesWithHistories() {
  const [workspace, subscribed] = [await billing.newWorkspace(), await billing.newWorkspace()]
  await makeSubscriptions(subscribed)
  await makePayments(workspace)
  await makeInvoices(workspace)
  // Payments that are never applied.
  await anUnappliedPayment(workspace)
  const partlyRefunded = await anUnappliedPayment(workspace)
  await refund(workspace, partlyRefunded.paymentId, 500)
  return [workspace, subscribed].map(({ workspaceId }) => workspaceId)
}

const stateOf = async (workspace: string) => ({
  postings: await storedPostings(billing, workspace),
  columns: await derivedColumns(billing, workspace),
  differences: await ledgerDifferences(billing.deps, workspace),
})

test('postings of every kind are restored, and nothing is posted twice', async () => {
  const workspaces = await workspacesWithHistories()
  const original = await Promise.all(workspaces.map(stateOf))
  expect(original.flatMap(({ differences }) => differences)).toEqual([])
  const text = original.flatMap(({ postings }) => postings).join('\n')
  expect(allActs.filter((act) => !text.includes(act))).toEqual([])
  for (const [index, workspace] of workspaces.entries()) {
    await deletePostings(billing, workspace)
    expect(await ledgerDifferences(billing.deps, workspace)).not.toEqual([])
    await backfillCompletely(billing, workspace)
    expect(await stateOf(workspace)).toEqual(original[index])
    await backfillCompletely(billing, workspace)
    expect(await stateOf(workspace)).toEqual(original[index])
  }

  // Any part of the postings can be missing: with a fixed seed, so that a failure can be repeated.
  const random = randomNumbers(20_261_117)
  for (let run = 0; run < 25; run += 1)
    for (const [index, workspace] of workspaces.entries()) {
      const share = random()
      const deleted = await deletePostings(billing, workspace, () => random() < share)
      await backfillCompletely(billing, workspace, 100)
      expect(await stateOf(workspace), `run ${run}: ${deleted} deleted`).toEqual(original[index])
    }
}, 240_000)

const allActs = [
  'payment_captured clearing > sales',
  'payment_captured clearing > unapplied',
  'payment_applied unapplied > receivable',
  'payment_applied refunded > receivable',
  'refund_requested unapplied > refunds_payable',
  'refund_requested refunded > refunds_payable',
  'refund_succeeded',
  'refund_failed',
  'invoice_finalized receivable > unearned',
  'invoice_finalized receivable > sales',
  'period_ended',
  'invoice_written_off',
  'write_off_reversed',
  'invoice_paid_out_of_band',
  'invoice_voided unearned > receivable',
  'invoice_voided sales > receivable',
  'credit_granted',
  'credit_applied',
  'credit_returned unearned > credit',
  'credit_returned sales > credit',
]

/** A linear congruential generator. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

test('invoices with a voided credit note, and void invoices with a credit note, are restored', async () => {
  const workspace = await billing.newWorkspace()
  const { customerId: customer_id } = await aPayer(workspace)
  const createInvoice = async () => {
    const { body: draft } = await workspace.post('/invoices', {
      customer_id,
      currency: 'eur',
      collection_method: 'send_invoice',
      lines: [{ description: 'Consulting', unit_amount: 3000 }],
    })
    const { body: invoice } = await workspace.post(`/invoices/${draft.id}/finalize`)
    await letTimePass()
    const lines = [{ invoice_line_id: invoice.lines[0].id, amount: 1000 }]
    const note = await workspace.post('/credit-notes', { invoice_id: invoice.id, lines })
    expect(note.status, JSON.stringify(note.body)).toBe(201)
    await letTimePass()
    return { id: invoice.id as string, noteId: note.body.id as string }
  }
  const open = await createInvoice()
  expect((await workspace.post(`/credit-notes/${open.noteId}/void`)).status).toBe(200)
  const ended = await createInvoice()
  expect((await workspace.post(`/invoices/${ended.id}/void`)).status).toBe(200)

  const histories = await inTransaction(billing.deps, workspace.workspaceId, (tx) =>
    findInvoiceHistories(tx, [open.id as Id<'invoice'>, ended.id as Id<'invoice'>]),
  )
  // The amounts do not contradict each other, and no posting is missing.
  expect(histories.map((history) => [history.status, deriveInvoice(history)?.missing])).toEqual([
    ['open', []],
    ['void', []],
  ])
})

test('the success of a refund that failed later is restored', async () => {
  const workspace = await billing.newWorkspace()
  const { id } = await pay(workspace)
  await refund(workspace, id, 300)
  expect((await failSucceededRefund(billing.deps, workspace, id)).status).toBe(200)
  const original = await stateOf(workspace.workspaceId)
  await deletePostings(billing, workspace.workspaceId, (act) => /refund_(requested|succeeded)/.test(act))
  expect(await ledgerDifferences(billing.deps, workspace.workspaceId)).not.toEqual([])

  await backfillCompletely(billing, workspace.workspaceId)

  expect(await stateOf(workspace.workspaceId)).toEqual(original)
})

test('the backfill continues after a batch, and makes passes until one finds nothing', async () => {
  const workspace = await billing.newWorkspace()
  const { workspaceId } = workspace
  for (let count = 0; count < 5; count += 1) await pay(workspace)
  const postings = await storedPostings(billing, workspaceId)
  await deletePostings(billing, workspaceId)
  await beginBackfill(billing, workspaceId)
  // Two batches of two, as if the process had been killed after them.
  for (let batch = 0; batch < 2; batch += 1) await runBatch(billing, workspaceId, 2)
  expect(await storedPostings(billing, workspaceId)).toHaveLength(4)
  expect(await readBackfill(billing, workspaceId)).toMatchObject({ stage: 'payments', found_missing: true })

  // One batch for the last payment, and one each for invoices and credit entries.
  expect(await runPass(billing, workspaceId, 2)).toBe(3)

  expect(await storedPostings(billing, workspaceId)).toEqual(postings)
  expect(await readBackfill(billing, workspaceId)).toMatchObject({ walk_started_at: null, done_at: null })
  // The next pass is due after a pause, and a process without a ledger may have changed objects in the meantime.
  await settle()
  expect(await readBackfill(billing, workspaceId)).toMatchObject({ walk_started_at: null, done_at: null })
  await deletePostings(billing, workspaceId, () => true)
  clock.advance({ minutes: 31 })
  await settle()
  expect(await storedPostings(billing, workspaceId)).toEqual(postings)
  expect(await readBackfill(billing, workspaceId)).toMatchObject({ done_at: null })
  clock.advance({ minutes: 31 })
  await settle()
  expect(await readBackfill(billing, workspaceId)).toMatchObject({ due_at: null, done_at: expect.any(Date) })
})

test('a pass that finds nothing right after the migration is followed by another one', async () => {
  const { workspaceId } = await billing.newWorkspace()
  await beginBackfill(billing, workspaceId)
  await settle()
  expect(await readBackfill(billing, workspaceId)).toMatchObject({ done_at: null })
  clock.advance({ minutes: 31 })
  await settle()
  expect(await readBackfill(billing, workspaceId)).toMatchObject({ done_at: expect.any(Date) })
})

test('a payment that was captured before the ledger existed can be refunded or applied afterwards', async () => {
  const workspace = await billing.newWorkspace()
  const { workspaceId } = workspace
  const plain = await pay(workspace)
  const applied = await anUnappliedPayment(workspace)
  const failing = await anUnappliedPayment(workspace)
  await deletePostings(billing, workspaceId)
  clock.advance({ seconds: 1 })

  await refund(workspace, plain.id, 300)
  await refund(workspace, applied.paymentId, 500)
  await refund(workspace, failing.paymentId)
  await letTimePass()

  await backfillCompletely(billing, workspaceId)
  expect(await ledgerDifferences(billing.deps, workspaceId)).toEqual([])
  expect((await postingsOf(workspace, plain.id)).toSorted()).toEqual([
    'payment_captured: clearing > sales 1299',
    'refund_requested: refunded > refunds_payable 300',
    'refund_succeeded: refunds_payable > clearing 300',
  ])
  expect((await postingsOf(workspace, applied.paymentId)).toSorted()).toEqual([
    'payment_applied: refunded > receivable 500',
    'payment_applied: unapplied > receivable 2499',
    'payment_captured: clearing > unapplied 2999',
    'refund_requested: unapplied > refunds_payable 500',
    'refund_succeeded: refunds_payable > clearing 500',
  ])
  expect((await postingsOf(workspace, failing.paymentId)).toSorted()).toEqual([
    'payment_captured: clearing > unapplied 2999',
    'refund_requested: unapplied > refunds_payable 2999',
    'refund_succeeded: refunds_payable > clearing 2999',
  ])
})

test('an object whose amounts contradict each other is not posted, but reported', async () => {
  const workspace = await billing.newWorkspace()
  const { workspaceId } = workspace
  const [good, bad] = [await pay(workspace), await pay(workspace)]
  await deletePostings(billing, workspaceId)
  await asOwner(billing.databaseUrl, async (client) => {
    await client.query('set session_replication_role = replica')
    await client.query('update payments set amount_captured = 1298 where id = $1', [uuidOf(bad.id)])
  })
  const before = await contradictionCount()

  await backfillCompletely(billing, workspaceId)

  expect(await postingsOf(workspace, good.id)).toEqual(['payment_captured: clearing > sales 1299'])
  expect(await postingsOf(workspace, bad.id)).toEqual([])
  expect(await contradictionCount()).toBe(before + 2)
  expect(await ledgerDifferences(billing.deps, workspaceId)).toEqual([
    `${bad.id}: amount_captured is 1298, but its postings add up to 0`,
    `${bad.id}: the amount at the provider is 1298, but its postings add up to 0`,
  ])
})

async function contradictionCount(): Promise<number> {
  const { values } = await billing.deps.financeMetrics.ledgerContradictions.get()
  return values[0]?.value ?? 0
}

test('the backfill runs concurrently with payments, refunds and renewals', async () => {
  const workspace = await billing.newWorkspace()
  const { workspaceId } = workspace
  const old = await Promise.all(Array.from({ length: 12 }, () => pay(workspace)))
  const payers = await Promise.all(Array.from({ length: 4 }, () => aPayer(workspace)))
  for (const { customerId: customer_id, paymentMethodId: payment_method_id } of payers)
    await aSubscription(workspace, { customer_id, payment_method_id })
  await settle()
  await deletePostings(billing, workspaceId)
  await beginBackfill(billing, workspaceId)
  clock.advance({ days: 32 })

  let isOver = false
  const passes = (async () => {
    while (!isOver) {
      await beginBackfill(billing, workspaceId)
      await runPass(billing, workspaceId, 2)
    }
  })()
  const refunds = old.map(({ id }) => refund(workspace, id, 100))
  const payments = Array.from({ length: 12 }, () => pay(workspace))
  const responses = await Promise.all([...refunds, settle()]).then(([...all]) => all.slice(0, -1))
  const paid = await Promise.all(payments)
  const more = await Promise.all(paid.map(({ id }) => refund(workspace, id)))
  await settle()
  isOver = true
  await passes

  expect(responses.map((response) => response?.status)).toEqual(old.map(() => 201))
  expect(more.map(({ status }) => status)).toEqual(paid.map(() => 201))
  await backfillCompletely(billing, workspaceId)
  expect(await ledgerDifferences(billing.deps, workspaceId)).toEqual([])
  const { rows } = await asOwner(billing.databaseUrl, (client) =>
    client.query(`select work, reason from work_failures where workspace_id = $1`, [
      uuidOf(workspaceId as Id<'workspace'>),
    ]),
  )
  expect(rows).toEqual([])
}, 120_000)
