/**
 * The credit note of a void invoice. The number of an invoice is not reused, so a document has to reverse the invoice: the note
 * credits what earlier notes have left of it. It adds no ledger postings: voiding the invoice has posted everything.
 */
import { remainingAmounts } from '../../../../kernel/credit-note-arithmetic.ts'
import { amountsOfDraft } from '../../../../kernel/invoice-lines.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { type CreditNote, issueCreditNote, issuedNotesOf } from '../../credit-note-documents/service.ts'
import type { Invoice } from '../invoice.ts'

/** The total of the note. 0: no note is issued. Drafts have no number, and were never sent to the customer. */
export function creditedByVoid({ number, total, amountCredited }: Invoice): bigint {
  return number === null || total <= 0n ? 0n : total - amountCredited
}

/** Issues the note in the transaction that voids the invoice. `before` is the invoice before that. */
export async function issueVoidNote(
  tx: Tx,
  before: Invoice,
  creditReturned: bigint,
): Promise<CreditNote | null> {
  const total = creditedByVoid(before)
  if (total === 0n) return null
  const issued = before.amountCredited === 0n ? [] : await issuedNotesOf(tx, before.id)
  const credited = issued.flatMap(({ lines }) =>
    lines.map(({ invoiceLineId, amount, tax }) => ({
      index: before.lines.findIndex(({ id }) => id === invoiceLineId),
      amount,
      tax,
    })),
  )
  const amounts = remainingAmounts(amountsOfDraft(before).lines, credited)
  const owed = total - creditReturned
  const appliedAmount = owed > 0n ? owed : 0n
  return issueCreditNote(tx, {
    invoiceId: before.id,
    customerId: before.customerId,
    currency: before.currency,
    reason: 'void',
    memo: null,
    subtotal: amounts.subtotal,
    taxTotal: amounts.taxTotal,
    total: amounts.total,
    appliedAmount,
    refundAmount: 0n,
    refundId: null,
    balanceAmount: total - appliedAmount,
    unearnedAmount: 0n,
    testClockId: before.testClockId,
    lines: amounts.lines.map(({ index, amount, tax }) => {
      const { id, description } = before.lines[index] as Invoice['lines'][number]
      return { invoiceLineId: id, description, amount, tax }
    }),
  })
}
