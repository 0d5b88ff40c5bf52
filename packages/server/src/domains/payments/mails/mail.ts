/** E-mails to payers: their kinds, and when an attempt is repeated. No side effects. */
import { addSeconds } from '../../../kernel/clock.ts'
import type { Currency } from '../../../kernel/currency.ts'
import type { Id, Kind } from '../../../kernel/id.ts'

/**
 * Each kind, the kind of object that it is about, and whether it is sent unless the workspace switches it off.
 * A kind is on by default only if the payer expects it or has to act.
 */
export const mailKinds = {
  receipt: { objectKind: 'checkout_session', isOnByDefault: true },
  payment_failed: { objectKind: 'invoice', isOnByDefault: true },
  action_required: { objectKind: 'invoice', isOnByDefault: true },
  invoice_finalized: { objectKind: 'invoice', isOnByDefault: false },
  invoice_sent: { objectKind: 'invoice', isOnByDefault: true },
  invoice_reminder: { objectKind: 'invoice', isOnByDefault: true },
  card_expiring: { objectKind: 'payment_method', isOnByDefault: false },
  trial_ending: { objectKind: 'subscription', isOnByDefault: false },
  renewal_upcoming: { objectKind: 'subscription', isOnByDefault: false },
  cancelled: { objectKind: 'subscription', isOnByDefault: false },
  refunded: { objectKind: 'refund', isOnByDefault: false },
  mandate_created: { objectKind: 'payment', isOnByDefault: false },
  cancellation_received: { objectKind: 'cancellation_request', isOnByDefault: true },
  cancellation_confirmed: { objectKind: 'cancellation_request', isOnByDefault: true },
  login_code: { objectKind: 'login_code', isOnByDefault: true },
} as const satisfies {
  readonly [kind: string]: { readonly objectKind: Kind; readonly isOnByDefault: boolean }
}

export type MailKind = keyof typeof mailKinds
/** Kinds whose subject and first paragraph can contain `{date}`. */
export const datedKinds: readonly string[] = [
  'trial_ending',
  'renewal_upcoming',
  'cancellation_confirmed',
  'invoice_reminder',
] satisfies MailKind[]
export const mailKindNames = Object.keys(mailKinds) as MailKind[]

/** The values that a template shows. Stored as JSON when the e-mail is created. */
export type MailFacts = {
  readonly amount?: string
  readonly currency?: Currency
  /**
   * The time that the e-mail is about: the time of the payment, the end of the trial, the renewal, or the due
   * date.
   */
  readonly at?: string
  readonly card?: { readonly brand: string; readonly last4: string }
  /** The bank account, and the reference of the mandate to debit it. */
  readonly debit?: { readonly last4: string; readonly mandate: string }
  /** The card that expires. */
  readonly expiringCard?: { readonly brand: string; readonly last4: string }
  readonly items?: readonly { readonly name: string; readonly quantity: number; readonly amount: number }[]
  /** The discounts that were taken off. */
  readonly discounts?: readonly { readonly name: string; readonly amount: number }[]
  readonly description?: string | null
  /** The number of an invoice, or the id of a payment. */
  readonly reference?: string | null
  readonly statement?: string | null
  /** The amount is authorized, and captured later. */
  readonly held?: boolean
  /** What a subscriber has requested, and the contract that they entered. */
  readonly declaration?: 'cancellation' | 'extraordinary' | 'withdrawal'
  readonly contract?: string | null
  /** The cancellation request whose confirmation the button opens. */
  readonly requestId?: Id<'cancellation_request'>
  /** The invoice whose page the button opens. */
  readonly invoiceId?: Id<'invoice'>
}

export const mailStatuses = ['pending', 'sent', 'not_sent', 'failed', 'bounced', 'complained'] as const
export type MailStatus = (typeof mailStatuses)[number]

export type NewMail<K extends MailKind = MailKind> = {
  readonly kind: K
  readonly objectId: Id<(typeof mailKinds)[K]['objectKind']>
  readonly step: number
  readonly customerId: Id<'customer'> | null
  /** Null: the address of the customer. */
  readonly recipient: string | null
  /** Null: the language of the customer. */
  readonly locale: string | null
  readonly facts: MailFacts
  /** When it is sent, if not immediately. */
  readonly sendAt?: Date
  /** For `card_expiring`: it is created only if the card expires before this time, once per expiry date. */
  readonly ifCardExpiresBefore?: Date
}

export type Mail = {
  readonly id: Id<'mail'>
  readonly kind: MailKind
  readonly objectId: Id<Kind>
  readonly step: number
  readonly customerId: Id<'customer'> | null
  readonly recipient: string
  readonly locale: string | null
  readonly facts: MailFacts
  readonly status: MailStatus
  readonly reason: string | null
  readonly sendAt: Date
  readonly attempts: number
  /** An attempt has started, and its result is not recorded. */
  readonly sending: boolean
  readonly unknowns: number
  readonly dueAt: Date | null
  readonly sentAt: Date | null
  readonly bouncedAt: Date | null
  readonly bounceDetail: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
  readonly sequence: number
}

/**
 * In test workspaces, `bounce@example.com` and `bounce+anything@example.com` bounce, and `complaint@example.com`
 * complains.
 */
export function simulatedBounceOf(address: string): 'bounced' | 'complained' | null {
  const [, name] = /^(bounce|complaint)(\+[^@]*)?@example\.com$/i.exec(address) ?? []
  if (name === undefined) return null
  return name.toLowerCase() === 'bounce' ? 'bounced' : 'complained'
}

export type MailSettings = {
  readonly senderName: string | null
  readonly replyTo: string | null
  readonly kinds: { readonly [K in MailKind]: boolean }
  readonly texts: CustomTexts
}

/** Replaces the subject and the first paragraph of an e-mail. Null: the default. */
export type CustomText = { readonly subject: string | null; readonly body: string | null }
/** Custom wording by kind and language. */
export type CustomTexts = { readonly [kind: string]: { readonly [language: string]: CustomText } }

export type MailText = {
  readonly kind: string
  readonly language: string
  readonly subject?: string | null
  readonly body?: string | null
}

/** The wording of a kind and language is replaced as a whole. Wording without subject and body is removed. */
export function mergeTexts(before: CustomTexts, changes: readonly MailText[]): CustomTexts {
  const texts: { [kind: string]: { [language: string]: CustomText } } = {}
  for (const { kind, language, subject = null, body = null } of [...textEntries(before), ...changes])
    texts[kind] = { ...texts[kind], [language]: { subject, body } }
  return texts
}

export function textEntries(texts: CustomTexts) {
  return Object.entries(texts).flatMap(([kind, byLanguage]) =>
    Object.entries(byLanguage)
      .filter(([, { subject, body }]) => subject !== null || body !== null)
      .map(([language, { subject, body }]) => ({ kind: kind as MailKind, language, subject, body })),
  )
}

/** While an attempt runs, no other worker starts one. Longer than all timeouts of the mail server together. */
export const leaseSeconds = 120
/**
 * If the response of the mail server is lost, the server may have accepted the e-mail. The e-mail is then sent once
 * more, so a payer may receive it twice. After a second lost response it is not sent again.
 */
export const maxUnknowns = 2

const retryMinutes = [1, 5, 15, 60, 120, 240, 480] as const
const giveUpSeconds = 3 * 86_400

/** When the next attempt starts; null if there have been attempts for three days. */
export function nextAttemptAt(mail: Pick<Mail, 'attempts'>, firstDueAt: Date, now: Date): Date | null {
  const minutes = retryMinutes[Math.min(Math.max(mail.attempts, 1), retryMinutes.length) - 1] as number
  const lastAt = addSeconds(firstDueAt, giveUpSeconds)
  if (now >= lastAt) return null
  const at = addSeconds(now, minutes * 60)
  // The last attempt is at the end of the three days.
  return new Date(Math.min(at.getTime(), lastAt.getTime()))
}

export function defaultKinds(overrides: { readonly [kind: string]: boolean }): MailSettings['kinds'] {
  return Object.fromEntries(
    mailKindNames.map((kind) => [kind, overrides[kind] ?? mailKinds[kind].isOnByDefault]),
  ) as MailSettings['kinds']
}
