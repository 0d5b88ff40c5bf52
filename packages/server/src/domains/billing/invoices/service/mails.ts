/** E-mails to the customer about an invoice, in the unit of work of the change. */
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { createMails } from '../../../payments/mails/service.ts'
import { type Invoice, remainingOf } from '../invoice.ts'

type InvoiceMailKind =
  | 'payment_failed'
  | 'action_required'
  | 'invoice_finalized'
  | 'invoice_sent'
  | 'invoice_reminder'

/** Creates one e-mail per kind, invoice and step. By default, the step is the number of attempts. */
export function mailCustomers(
  tx: Tx,
  kind: InvoiceMailKind,
  invoices: readonly Invoice[],
  step?: number,
): Promise<void> {
  return createMails(
    tx,
    invoices.map((invoice) => ({
      kind,
      objectId: invoice.id,
      step: step ?? invoice.attemptCount,
      customerId: invoice.customerId,
      recipient: null,
      locale: null,
      facts: {
        amount: String(remainingOf(invoice)),
        currency: invoice.currency,
        reference: invoice.number,
        ...dueDateOf(invoice),
        invoiceId: invoice.id,
      },
    })),
  )
}

/** The due date of an invoice that the customer pays. */
function dueDateOf({ collectionMethod, dueAt }: Invoice): { readonly at?: string } {
  return collectionMethod === 'send_invoice' && dueAt !== null ? { at: dueAt.toISOString() } : {}
}
