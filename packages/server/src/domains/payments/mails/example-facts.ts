/** Example values for the preview of an e-mail. */
import type { MailFacts, MailKind } from './mail.ts'

const at = '2026-12-01T09:30:00.000Z'
const money = { amount: '2999', currency: 'eur' } as const
const card = { brand: 'visa', last4: '4242' }
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
  card_expiring: { expiringCard: card },
  trial_ending: { at },
  renewal_upcoming: { at },
  cancelled: {},
  refunded: { ...money, reference: 'payment_01M7CYVSCBEAKS6M475NRJM4KW' },
}

export function exampleFacts(kind: MailKind): MailFacts {
  return examples[kind]
}
