/**
 * Posts the transitions of invoices to the ledger. The amounts that payments and credit apply to an invoice
 * are posted elsewhere.
 */
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { postAct } from '../../../finance/ledger/service/post.ts'
import { type Invoice, remainingOf, revenueAccountOf } from '../invoice.ts'
import type { Trigger } from '../machine.ts'

type Change = { readonly before: Invoice; readonly after: Invoice }

export function postTransition(tx: Tx, trigger: Trigger, { before, after }: Change): void {
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
  if (trigger === 'settle' && after.paidOutOfBand)
    postAct(tx, { act: 'invoice_paid_out_of_band', ...ofInvoice })
  if (trigger === 'void')
    postAct(tx, { act: 'invoice_voided', ...ofInvoice, revenue: revenueAccountOf(before) })
  if (trigger === 'mark_uncollectible') postAct(tx, { act: 'invoice_written_off', ...ofInvoice })
}
