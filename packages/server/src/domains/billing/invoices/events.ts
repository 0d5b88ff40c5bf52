import { defineEvent } from '../../../platform/db/events.ts'
import type { CreditBalance } from './credit.ts'
import { invoiceExamples } from './events/examples.ts'
import type { Invoice } from './invoice.ts'
import { CreditBalanceObject, InvoiceObject, presentBalance, presentInEvent } from './schema.ts'

const defineInvoiceEvent = (verb: keyof typeof invoiceExamples, about: string) =>
  defineEvent<Invoice>({
    type: `invoice.${verb}`,
    about,
    schema: InvoiceObject,
    present: presentInEvent,
    example: invoiceExamples[verb],
  })

export const invoiceCreated = defineInvoiceEvent(
  'created',
  'A draft invoice was created. It has no number yet and is not collected.',
)
export const invoiceUpdated = defineInvoiceEvent(
  'updated',
  'An invoice was updated. The amount owed or the payment method changed; `previous` contains the old values.',
)
export const invoiceFinalized = defineInvoiceEvent(
  'finalized',
  'An invoice was finalized. It has a number, credit has been applied, and its lines can no longer change.',
)
export const invoicePaid = defineInvoiceEvent(
  'paid',
  'An invoice was paid in full. Use this event to send receipts.',
)
export const invoicePaymentFailed = defineInvoiceEvent(
  'payment_failed',
  'An attempt to collect an invoice failed. `last_failure` says why.',
)
export const invoicePaymentActionRequired = defineInvoiceEvent(
  'payment_action_required',
  'An invoice cannot be collected without the customer. The bank requires authentication, or there is no payment method to charge.',
)
export const invoiceOverdue = defineInvoiceEvent(
  'overdue',
  'An invoice is overdue. The first attempt to collect it failed, or its due date has passed.',
)
export const invoiceSent = defineInvoiceEvent(
  'sent',
  'An invoice was sent to the customer by e-mail, with a link to its hosted page.',
)
export const invoiceReminderDue = defineInvoiceEvent(
  'reminder_due',
  'A reminder of an invoice that was sent to the customer is due. The customer gets an e-mail, unless the kind `invoice_reminder` is switched off.',
)
export const invoiceVoided = defineInvoiceEvent(
  'voided',
  'An invoice was voided. It is no longer owed, and credit that had been applied to it was returned to the customer.',
)
export const invoiceMarkedUncollectible = defineInvoiceEvent(
  'marked_uncollectible',
  'An invoice was marked uncollectible. It can still be paid.',
)

export const creditBalanceChanged = defineEvent<CreditBalance>({
  type: 'credit_balance.changed',
  about: 'The credit balance of a customer increased, or credit was applied to an invoice.',
  schema: CreditBalanceObject,
  present: presentBalance,
  example: { before: { balance: 0 } },
})

export const invoiceEvents = [
  invoiceCreated,
  invoiceUpdated,
  invoiceFinalized,
  invoicePaid,
  invoicePaymentFailed,
  invoicePaymentActionRequired,
  invoiceOverdue,
  invoiceSent,
  invoiceReminderDue,
  invoiceVoided,
  invoiceMarkedUncollectible,
  creditBalanceChanged,
]
