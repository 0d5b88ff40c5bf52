/** A payment method is a card that was verified and may be used again. Only one that is attached pays. */
import type { Id } from '../../kernel/id.ts'
import type { Status } from './machine.ts'

/** What may be shown of a card, in the words of the wire. */
export type ShownCard = {
  readonly brand: string
  readonly last4: string
  readonly exp_month: number
  readonly exp_year: number
  readonly funding: string | null
  readonly country: string | null
  readonly bin: string | null
}

type Address = {
  readonly line1: string | null
  readonly line2: string | null
  readonly city: string | null
  readonly state: string | null
  readonly postal_code: string | null
  readonly country: string | null
}

export type BillingDetails = {
  readonly name: string | null
  readonly email: string | null
  readonly phone: string | null
  readonly address: Address | null
}

export const usages = ['on_session', 'off_session'] as const
export type Usage = (typeof usages)[number]

export const detachedReasons = ['requested', 'never_attached', 'customer_deleted'] as const
export type DetachedReason = (typeof detachedReasons)[number]

/** What a caller may change. */
export type MethodDetails = {
  readonly card: ShownCard
  readonly billingDetails: BillingDetails | null
  readonly metadata: Readonly<Record<string, string>>
}

/** What is known of it when it was verified. */
export type Verified = MethodDetails & {
  readonly fingerprint: string | null
  /** Where the number lies in the vault; null if a provider holds it, or it was destroyed. */
  readonly vaultCardUuid: string | null
  readonly usage: Usage
  readonly verifiedByPaymentId: Id<'payment'>
  readonly providerAccountId: Id<'provider_account'>
  readonly networkTransactionId: string | null
}

export type PaymentMethod = Verified & {
  readonly id: Id<'payment_method'>
  readonly status: Status
  readonly customerId: Id<'customer'> | null
  readonly verifiedAt: Date
  readonly detachedReason: DetachedReason | null
  /** When it is forgotten unless somebody attaches it. */
  readonly dueAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
  readonly sequence: number
}

/** How long a method waits for a customer. */
export const unattachedSeconds = 7 * 24 * 60 * 60
