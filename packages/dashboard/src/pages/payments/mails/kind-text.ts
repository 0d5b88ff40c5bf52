/** Names of the kinds and languages of e-mails. No side effects. */
import type { Mail } from '@switchyard/sdk'

export type MailKind = Mail['kind']

const kindTexts: { readonly [K in MailKind]: readonly [name: string, when: string] } = {
  receipt: ['Receipt', 'After a payment on a payment page.'],
  payment_failed: ['Payment failed', 'After each failed payment of an invoice.'],
  action_required: [
    'Action required',
    'When the customer must confirm the payment of an invoice, or add a card.',
  ],
  invoice_finalized: ['New invoice', 'When an invoice is open.'],
  invoice_sent: ['Invoice sent', 'When you send an invoice to the customer.'],
  invoice_reminder: [
    'Invoice reminder',
    'On the reminder days of the dunning policy, until the invoice is paid.',
  ],
  card_expiring: ['Card expiring', 'When a card expires before the next renewal.'],
  trial_ending: ['Trial ending', 'Seven and three days before a trial ends.'],
  renewal_upcoming: ['Renewal upcoming', 'Seven days before a renewal.'],
  cancelled: ['Subscription cancelled', 'When a subscription has ended.'],
  refunded: ['Refund', 'When a refund of a customer’s payment succeeded.'],
  mandate_created: ['Direct debit mandate', 'When a payer has authorized debits of their bank account.'],
  cancellation_received: [
    'Cancellation received',
    'When a subscriber submits a cancellation or a withdrawal on the public page.',
  ],
  cancellation_confirmed: ['Cancellation confirmed', 'When a cancellation or a withdrawal has taken effect.'],
  login_code: ['Code for saved cards', 'When a payer wants to use saved cards on a payment page.'],
}

export const mailKinds = Object.keys(kindTexts) as MailKind[]

export function kindName(kind: MailKind): string {
  return kindTexts[kind][0]
}

export function kindTime(kind: MailKind): string {
  return kindTexts[kind][1]
}

export const languages = [
  { value: 'en', text: 'English' },
  { value: 'de', text: 'German' },
  { value: 'es', text: 'Spanish' },
  { value: 'fr', text: 'French' },
  { value: 'ja', text: 'Japanese' },
  { value: 'ar', text: 'Arabic' },
] as const

export type Language = (typeof languages)[number]['value']

const reasons: { readonly [reason: string]: string } = {
  test_recipient: 'Test e-mails are sent only to people of your organization.',
  test_clock: 'E-mails of customers on test clocks are not sent.',
  not_configured: 'This installation has no mail server.',
  outdated: 'It was no longer relevant when it was due.',
  customer_deleted: 'The customer was deleted.',
  bounced: 'An earlier e-mail to this address bounced, or was marked as spam.',
  unavailable: 'The mail server could not be reached.',
  rejected: 'The mail server rejected it.',
  outcome_unknown: 'The response of the mail server was lost twice.',
}

export function reasonText(reason: string | null): string | null {
  return reason === null ? null : (reasons[reason] ?? reason)
}
