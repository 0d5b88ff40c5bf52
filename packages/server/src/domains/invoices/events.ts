import { defineEvent } from '../../platform/db/events.ts'
import type { CreditBalance } from './credit.ts'
import { invoiceExamples } from './events/examples.ts'
import type { Invoice } from './invoice.ts'
import { CreditBalanceObject, InvoiceObject, present, presentBalance } from './schema.ts'

const invoice = (verb: keyof typeof invoiceExamples, about: string) =>
  defineEvent<Invoice>({
    ...{ type: `invoice.${verb}`, about, schema: InvoiceObject, present },
    example: invoiceExamples[verb],
  })

export const invoiceCreated = invoice(
  'created',
  'An invoice was drafted. It has no number yet, and nothing is collected.',
)
export const invoiceUpdated = invoice(
  'updated',
  'What is owed, or what it is collected with, has changed; `previous` holds what it was.',
)
export const invoiceFinalized = invoice(
  'finalized',
  'The invoice has its number, credit is set against it, and its lines stay as they are.',
)
export const invoicePaid = invoice('paid', 'Nothing remains to be paid. Receipts go out on this one.')
export const invoicePaymentFailed = invoice(
  'payment_failed',
  'An attempt to collect it failed; `last_failure` says why.',
)
export const invoicePaymentActionRequired = invoice(
  'payment_action_required',
  'It cannot be collected without the customer: the bank asks for them, or there is no card to ask.',
)
export const invoiceOverdue = invoice('overdue', 'The first attempt to collect it has failed.')
export const invoiceVoided = invoice(
  'voided',
  'It is owed no more. Credit that was set against it has gone back to the customer.',
)
export const invoiceMarkedUncollectible = invoice(
  'marked_uncollectible',
  'It was given up. It can still be paid.',
)

export const creditBalanceChanged = defineEvent<CreditBalance>({
  type: 'credit_balance.changed',
  about: 'The credit of a customer has grown, or was set against an invoice.',
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
  invoiceVoided,
  invoiceMarkedUncollectible,
  creditBalanceChanged,
]
