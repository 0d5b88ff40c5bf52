// The postings of invoices, credit and subscriptions, and their comparison with the amounts of invoices and credit balances.

import { afterEach, expect, test } from 'vitest'
import { inTransaction } from '../../../../test/support/invoices.ts'
import { ledgerDifferences, postingsOf } from '../../../../test/support/ledger.ts'
import { aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'
import type { Workspace } from '../../../../test/support/switchyard.ts'
import type { Id } from '../../../kernel/id.ts'
import { endPeriods } from '../../billing/invoices/service.ts'

const billing = await subscriptionsForThisFile()
const { aPayer, createOpenInvoice, fetchInvoice, settle } = billing

const workspaces: Workspace[] = []
async function newWorkspace() {
  const workspace = await billing.newWorkspace()
  workspaces.push(workspace)
  return workspace
}

afterEach(async () => {
  for (const { workspaceId } of workspaces.splice(0))
    expect(await ledgerDifferences(billing.deps, workspaceId)).toEqual([])
})

const finalized = 'invoice_finalized: receivable > unearned 2999'

test('a payment for an invoice is unapplied until it is applied to the invoice', async () => {
  const workspace = await newWorkspace()
  const id = await createOpenInvoice(workspace, await aPayer(workspace))
  await workspace.post(`/invoices/${id}/pay`)
  await billing.waitForPaymentEnd(workspace, id)

  const { payment_id: paymentId, status } = await fetchInvoice(workspace, id)
  expect(status).toBe('paid')
  expect(await postingsOf(workspace, id)).toEqual([finalized, 'payment_applied: unapplied > receivable 2999'])
  // A payment and its operation can be created in the same millisecond, and then their order is not defined.
  expect((await postingsOf(workspace, paymentId)).toSorted()).toEqual([
    'payment_applied: unapplied > receivable 2999',
    'payment_captured: clearing > unapplied 2999',
  ])
  await workspace.post('/refunds', { payment_id: paymentId, amount: 1000 })
  expect(await postingsOf(workspace, paymentId)).toContain(
    'refund_requested: refunded > refunds_payable 1000',
  )
})

test('an invoice that is paid out of band, voided, written off or recovered owes nothing', async () => {
  const workspace = await newWorkspace()
  const payer = await aPayer(workspace)
  const [paid, voided, writtenOff, recovered, voidedLater] = await Promise.all(
    Array.from({ length: 5 }, () => createOpenInvoice(workspace, payer)),
  )
  await workspace.post(`/invoices/${paid}/pay`, { out_of_band: true })
  await workspace.post(`/invoices/${voided}/void`)
  for (const id of [writtenOff, recovered, voidedLater])
    await workspace.post(`/invoices/${id}/mark-uncollectible`)
  await workspace.post(`/invoices/${recovered}/pay`, { out_of_band: true })
  await workspace.post(`/invoices/${voidedLater}/void`)

  const writtenOffPostings = [finalized, 'invoice_written_off: bad_debt > receivable 2999']
  const reversal = 'write_off_reversed: receivable > bad_debt 2999'
  expect(await postingsOf(workspace, paid as string)).toEqual([
    finalized,
    'invoice_paid_out_of_band: cash > receivable 2999',
  ])
  expect(await postingsOf(workspace, voided as string)).toEqual([
    finalized,
    'invoice_voided: unearned > receivable 2999',
  ])
  expect(await postingsOf(workspace, writtenOff as string)).toEqual(writtenOffPostings)
  expect(await postingsOf(workspace, recovered as string)).toEqual([
    ...writtenOffPostings,
    reversal,
    'invoice_paid_out_of_band: cash > receivable 2999',
  ])
  expect(await postingsOf(workspace, voidedLater as string)).toEqual([
    ...writtenOffPostings,
    reversal,
    'invoice_voided: unearned > receivable 2999',
  ])
})

test('credit is granted by a negative invoice, applied to the next one, and returned if that one is voided', async () => {
  const workspace = await newWorkspace()
  const customerId = (await workspace.aCustomer()) as Id<'customer'>
  await createOpenInvoice(workspace, { customerId, amount: -1000 })
  const id = await createOpenInvoice(workspace, { customerId })
  expect(await fetchInvoice(workspace, id)).toMatchObject({ credit_applied: 1000, amount_due: 1999 })
  await workspace.post(`/invoices/${id}/void`)

  expect(await postingsOf(workspace, customerId)).toEqual([
    'credit_granted: sales > credit 1000',
    'credit_applied: credit > receivable 1000',
    'credit_returned: unearned > credit 1000',
  ])
  expect(await postingsOf(workspace, id)).toEqual([
    finalized,
    'invoice_voided: unearned > receivable 1999',
    'credit_applied: credit > receivable 1000',
    'credit_returned: unearned > credit 1000',
  ])
})

test('credit notes reduce what is earned later; if they are voided after the period, their amounts are earned, and a void invoice leaves nothing unearned', async () => {
  const workspace = await newWorkspace()
  const payer = await aPayer(workspace)
  const issue = async (id: string, amount: number) => {
    const { lines } = await fetchInvoice(workspace, id)
    const body = { invoice_id: id, lines: [{ invoice_line_id: lines[0].id, amount }] }
    return (await workspace.post('/credit-notes', body)).body
  }
  const earned = await createOpenInvoice(workspace, payer)
  const [first, second] = [await issue(earned, 500), await issue(earned, 300)]
  await workspace.post(`/credit-notes/${first.id}/void`)
  await inTransaction(billing.deps, workspace.workspaceId, (tx) => endPeriods(tx, [earned as Id<'invoice'>]))
  await workspace.post(`/credit-notes/${second.id}/void`)
  const posted = await postingsOf(workspace, earned)
  expect(posted.filter((text) => text.includes('unearned')).toSorted()).toEqual([
    'credit_note_unearned_recorded: sales > unearned 500',
    'credit_note_unearned_returned: unearned > sales 300',
    'credit_note_unearned_returned: unearned > sales 500',
    finalized,
    'period_ended: unearned > sales 2699',
  ])
  const voided = await createOpenInvoice(workspace, payer)
  await issue(voided, 1000)
  await workspace.post(`/invoices/${voided}/void`)
  expect(await postingsOf(workspace, voided)).toContain('invoice_voided: unearned > receivable 1999')
})

test('the period of an invoice is earned when the subscription renews or is cancelled', async () => {
  const workspace = await newWorkspace()
  const { customerId: customer_id, paymentMethodId: payment_method_id } = await aPayer(workspace)
  const { id, latest_invoice_id: first } = await aSubscription(workspace, { customer_id, payment_method_id })
  await settle()
  expect(await fetchInvoice(workspace, first)).toMatchObject({ status: 'paid' })
  expect(await postingsOf(workspace, first)).not.toContainEqual(expect.stringContaining('period_ended'))

  billing.clock.advance({ days: 32 })
  await settle()
  expect(await postingsOf(workspace, first)).toContain('period_ended: unearned > sales 2999')
  const { latest_invoice_id: second } = (await workspace.get(`/subscriptions/${id}`)).body
  expect(second).not.toBe(first)
  await workspace.put(`/subscriptions/${id}/cancel`, { unused_time: 'credit' })
  await settle()

  expect(await postingsOf(workspace, second)).toContain('period_ended: unearned > sales 2999')
  expect(await postingsOf(workspace, customer_id)).toContainEqual(
    expect.stringMatching(/^credit_granted: sales > credit /),
  )
})
