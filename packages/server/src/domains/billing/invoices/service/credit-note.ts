/** The changes that a credit note makes to its invoice. The caller holds the lock on the invoice. */
import type { Id } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { postAct, unearnedPartOf } from '../../../finance/ledger/service/post.ts'
import { invoiceUpdated } from '../events.ts'
import { type Invoice, revenueAccountOf } from '../invoice.ts'
import * as store from '../store/invoices.ts'
import { changeCredit } from './credit.ts'
import { markPaidIfNothingDue } from './finalize.ts'

export { lockInvoice } from '../store/invoices.ts'
export { isRecorded, reverseCreditNote } from './tax-documents.ts'
export { requireNoPendingPayment } from './transition.ts'

export type NoteAmounts = {
  readonly total: bigint
  /** The part of the total that is tax. */
  readonly tax: bigint
  /** The part that reduces the amount owed. */
  readonly applied: bigint
  /** The part that becomes customer credit. */
  readonly balance: bigint
  /** The part that was not earned yet. */
  readonly unearned: bigint
}

/** The part of a note that is not earned yet, because the period of the invoice has not ended. */
export function unearnedOfNote(invoice: Invoice, { total, tax }: { total: bigint; tax: bigint }): bigint {
  if (revenueAccountOf(invoice) === 'sales') return 0n
  const { total: invoiceTotal, taxTotal, unearnedCredited } = invoice
  return unearnedPartOf({ total: invoiceTotal, tax: taxTotal, unearnedCredited }, { total, tax })
}

/**
 * Grants the total as credit, except the part that is refunded, and applies credit to the amount that is
 * still owed.
 */
export async function creditInvoice(tx: Tx, before: Invoice, amounts: NoteAmounts): Promise<void> {
  const { customerId, currency, id: invoiceId } = before
  const ofInvoice = { customerId, currency, invoiceId }
  const { total, tax, applied, balance, unearned } = amounts
  const granted = applied + balance
  if (granted > 0n) await changeCredit(tx, { ...ofInvoice, amount: granted, reason: 'credit_note' })
  if (applied > 0n) await changeCredit(tx, { ...ofInvoice, amount: -applied, reason: 'applied' })
  const after = await store.updateInvoice(
    tx,
    before,
    {
      amountCredited: before.amountCredited + total,
      taxCredited: before.taxCredited + tax,
      creditedOwed: before.creditedOwed + applied,
      creditedBalance: before.creditedBalance + balance,
      unearnedCredited: before.unearnedCredited + unearned,
      creditApplied: before.creditApplied + applied,
      amountDue: before.amountDue - applied,
    },
    true,
  )
  tx.emit(invoiceUpdated, { before, after })
  if (applied > 0n) await markPaidIfNothingDue(tx, [after])
}

export type PostedNote = {
  readonly creditNoteId: Id<'credit_note'>
  readonly tax: bigint
  readonly unearned: bigint
}

/**
 * Corrects the posting that reduced sales by the whole amount of the note: the tax and the part that was not
 * earned yet do not belong to sales. The tax is no longer owed to the authorities.
 */
export function postNote(tx: Tx, { id: invoiceId, currency }: Invoice, note: PostedNote): void {
  const ofNote = { creditNoteId: note.creditNoteId, invoiceId, currency }
  postAct(tx, { act: 'credit_note_tax_returned', ...ofNote, amount: note.tax })
  postAct(tx, { act: 'credit_note_unearned_returned', ...ofNote, amount: note.unearned })
}

/** Voids a note that only reduced the amount owed on an open invoice, or a note whose refund has failed. */
export async function uncreditInvoice(
  tx: Tx,
  before: Invoice,
  { creditNoteId, total, applied, tax, ...note }: PostedNote & Pick<NoteAmounts, 'total' | 'applied'>,
): Promise<void> {
  // After the period has ended, the amount is earned when it is owed again.
  const unearned = revenueAccountOf(before) === 'sales' ? 0n : note.unearned
  const after = await store.updateInvoice(
    tx,
    before,
    {
      amountCredited: before.amountCredited - total,
      taxCredited: before.taxCredited - tax,
      creditedOwed: before.creditedOwed - applied,
      unearnedCredited: before.unearnedCredited - unearned,
      creditApplied: before.creditApplied - applied,
      amountDue: before.amountDue + applied,
    },
    true,
  )
  tx.emit(invoiceUpdated, { before, after })
  const { id: invoiceId, currency } = before
  const ofNote = { creditNoteId, invoiceId, currency }
  postAct(tx, { act: 'credit_note_voided', ...ofNote, amount: applied })
  postAct(tx, { act: 'credit_note_tax_recorded', ...ofNote, amount: tax })
  postAct(tx, { act: 'credit_note_unearned_recorded', ...ofNote, amount: unearned })
}
