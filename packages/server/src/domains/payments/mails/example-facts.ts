/** Example values for the preview of an e-mail. */
import type { MailFacts, MailKind } from './mail.ts'

const at = '2026-12-01T09:30:00.000Z'
const money = { amount: '2999', currency: 'eur' } as const
const card = { brand: 'visa', last4: '4242' }
const requestId = 'cancellation_request_01M7CYVSCBEAKS6M475NRJM4KW'
const invoice = { ...money, reference: 'INV-000042' }

const examples: { readonly [K in MailKind]: MailFacts } = {
  receipt: {
    ...money,
    at,
    card,
    items: [{ name: 'Monthly plan', quantity: 1, amount: 2999 }],
    reference: 'payment_01M7CYVSCBEAKS6M475NRJM4KW',
  },
  payment_failed: invoice,
  action_required: invoice,
  invoice_finalized: invoice,
  invoice_sent: { ...invoice, at },
  invoice_reminder: { ...invoice, at },
  card_expiring: { expiringCard: card },
  trial_ending: { at },
  renewal_upcoming: { at },
  cancelled: {},
  refunded: { ...money, reference: 'payment_01M7CYVSCBEAKS6M475NRJM4KW' },
  mandate_created: {
    ...money,
    at,
    debit: { last4: '3000', mandate: 'SY01M7CYVSCBEAKS6M475NRJM4KW' },
  },
  cancellation_received: { at, declaration: 'cancellation', contract: 'INV-000042', reference: requestId },
  cancellation_confirmed: { at, reference: requestId },
  login_code: {},
}

export function exampleFacts(kind: MailKind): MailFacts {
  return examples[kind]
}
