/**
 * Posts the transitions of invoices to the ledger. The amounts that payments and credit apply to an invoice
 * are posted elsewhere.
 */
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { postAct, taxedAccountOf, unearnedLeftByVoid } from '../../../finance/ledger/service/post.ts'
import { type Invoice, remainingOf, revenueAccountOf } from '../invoice.ts'
import type { Trigger } from '../machine.ts'

type Change = {
  readonly before: Invoice
  readonly after: Invoice
  /** The credit that a void returns. */
  readonly creditReturned: bigint
}

export function postTransition(tx: Tx, trigger: Trigger, change: Change): void {
  const { before, after } = change
  const { id: invoiceId, currency } = after
  const amount = remainingOf(before)
  const ofInvoice = { invoiceId, currency, amount }
  // An invoice that was written off is owed again before it is paid or voided.
  if (before.status === 'uncollectible') postAct(tx, { act: 'write_off_reversed', ...ofInvoice })
  if (trigger === 'finalize' && after.total > 0n)
    postAct(tx, {
      act: 'invoice_finalized',
      ...ofInvoice,
      amount: after.total,
      revenue: revenueAccountOf(after),
    })
  if (trigger === 'finalize' && after.taxTotal !== 0n)
    postAct(tx, { act: 'tax_recorded', ...taxOf(after, after) })
  if (trigger === 'settle' && after.paidOutOfBand)
    postAct(tx, { act: 'invoice_paid_out_of_band', ...ofInvoice })
  if (trigger === 'void') postVoid(tx, change)
  if (trigger === 'mark_uncollectible') postAct(tx, { act: 'invoice_written_off', ...ofInvoice })
}

function postVoid(tx: Tx, { before, after, creditReturned }: Change): void {
  const ofInvoice = { invoiceId: after.id, currency: after.currency }
  const revenue = revenueAccountOf(before)
  postAct(tx, { act: 'invoice_voided', ...ofInvoice, amount: remainingOf(before), revenue })
  // Credit notes have returned their part of the tax.
  if (after.taxTotal !== 0n)
    postAct(tx, {
      act: 'tax_returned',
      ...taxOf(after, before),
      amount: after.taxTotal - after.taxCredited,
    })
  if (revenue === 'unearned')
    postAct(tx, { act: 'unearned_cleared', ...ofInvoice, amount: leftByVoid(before, creditReturned) })
}

/**
 * Credit notes and unused time may leave an amount in `unearned`, for example if credit was granted and the bank
 * later returned the payment.
 */
function leftByVoid(before: Invoice, creditReturned: bigint): bigint {
  const { total, taxTotal: tax, taxCredited, unearnedCredited } = before
  if (total <= 0n) return 0n
  const returned = remainingOf(before) + creditReturned
  return unearnedLeftByVoid({ total, tax, taxCredited, unearnedCredited }, returned)
}

/** The tax of an invoice, and the account that has its value. */
function taxOf({ id: invoiceId, currency, total, taxTotal: tax }: Invoice, state: Invoice) {
  const revenue = taxedAccountOf({ total, tax }, revenueAccountOf(state))
  return { invoiceId, currency, amount: tax, revenue }
}
