/** E-mails to the customer about an invoice, in the unit of work of the change. */
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { createMails } from '../../../payments/mails/service.ts'
import { type Invoice, remainingOf } from '../invoice.ts'

type InvoiceMailKind = 'payment_failed' | 'action_required' | 'invoice_finalized'

/** One e-mail per kind, invoice and attempt. */
export function mailCustomers(tx: Tx, kind: InvoiceMailKind, invoices: readonly Invoice[]): Promise<void> {
  return createMails(
    tx,
    invoices.map((invoice) => ({
      kind,
      objectId: invoice.id,
      step: invoice.attemptCount,
      customerId: invoice.customerId,
      recipient: null,
      locale: null,
      facts: {
        amount: String(remainingOf(invoice)),
        currency: invoice.currency,
        reference: invoice.number,
        invoiceId: invoice.id,
      },
    })),
  )
}
