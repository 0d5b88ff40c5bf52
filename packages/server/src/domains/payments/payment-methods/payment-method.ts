/** A payment method is a verified card or bank account that can be charged again once it is attached to a customer. */
import type { DebitDetails } from '../../../kernel/debit-details.ts'
import type { Id } from '../../../kernel/id.ts'
import type { MethodType } from '../../../providers/contract.ts'
import type { Status } from './machine.ts'

/** The card details that may be shown, with the member names of the API. */
export type DisplayCard = {
  readonly brand: string
  readonly last4: string
  readonly exp_month: number
  readonly exp_year: number
  readonly funding: string | null
  readonly country: string | null
  /** Missing in cards stored before this member existed. */
  readonly issuer?: string | null
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

/** The members that the API can change. */
export type MethodDetails = {
  readonly card: DisplayCard
  readonly billingDetails: BillingDetails | null
  readonly metadata: Readonly<Record<string, string>>
}

/** The data of a card that was verified by a payment. */
export type VerifiedCard = MethodDetails & {
  readonly type: MethodType
  /** The bank account, for a debit. In that case, `card` contains only the details that lists show. */
  readonly debit: DebitDetails | null
  readonly fingerprint: string | null
  /** The card in the vault; null if the card is stored at a provider, or was deleted. */
  readonly vaultCardUuid: string | null
  readonly usage: Usage
  readonly verifiedByPaymentId: Id<'payment'>
  readonly providerAccountId: Id<'provider_account'>
  readonly networkTransactionId: string | null
}

export const credentialStatuses = ['pending', 'active', 'failed'] as const

/** The credential of the card at one provider account. It does not contain the token itself. */
export type ProviderCredential = {
  readonly providerAccountId: Id<'provider_account'>
  /** `pending`: the verification has no result yet. Only an active credential can be charged. */
  readonly status: (typeof credentialStatuses)[number]
  /** The payment that verified the card at the account. Null: the payment that verified the payment method. */
  readonly paymentId: Id<'payment'> | null
  readonly networkTransactionId: string | null
  readonly createdAt: Date
}

export type PaymentMethod = VerifiedCard & {
  readonly id: Id<'payment_method'>
  readonly credentials: readonly ProviderCredential[]
  readonly status: Status
  readonly customerId: Id<'customer'> | null
  readonly verifiedAt: Date
  readonly detachedReason: DetachedReason | null
  /** When the payment method is detached, unless it is attached to a customer before then. */
  readonly dueAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
  readonly sequence: number
}

/** How long a payment method can stay unattached before it is detached. */
export const unattachedSeconds = 7 * 24 * 60 * 60
