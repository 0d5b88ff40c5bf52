/** A checkout session: one payer's visit to a payment page. */
import {
  amountOfItem,
  type Cart,
  type CheckoutMode,
  type Collectable,
  type CustomField,
  type SavedMethods,
  type SubscriptionOptions,
} from '../../../kernel/cart.ts'
import type { AttachedDiscount } from '../../../kernel/discounts.ts'
import type { Id } from '../../../kernel/id.ts'
import type { Status } from './machine.ts'

/** With the member names of the API. */
export type Address = {
  readonly line1: string | null
  readonly line2: string | null
  readonly city: string | null
  readonly state: string | null
  readonly postal_code: string | null
  readonly country: string | null
}

/** The details that the payer entered besides the card. */
export type Payer = {
  readonly name: string | null
  readonly email: string | null
  readonly phone: string | null
  readonly billing_address: Address | null
  readonly shipping_address: Address | null
  readonly custom_fields: Readonly<Record<string, string>>
}

/**
 * Identifies a confirmation, so that a repeat has no second effect: hashes of its idempotency key and
 * request.
 */
export type ConfirmationKey = { readonly scope: string; readonly fingerprint: string }

/**
 * What the payer confirmed: the subscription starts at `at`. The subscription and its first invoice are created
 * with these ids after the payment.
 */
export type StoredOrder = {
  readonly at: Date
  readonly subscriptionId: Id<'subscription'>
  readonly invoiceId: Id<'invoice'>
}

export type NewSession = Cart & {
  readonly mode: CheckoutMode
  /** The options of the subscription that is sold. Null except in the mode `subscription`. */
  readonly subscription: SubscriptionOptions | null
  /** The discounts of the subscription that is sold, each with a reserved redemption. */
  readonly discounts: readonly AttachedDiscount[]
  readonly paymentLinkId: Id<'payment_link'> | null
  /** The invoice that the session pays; null for other sessions. */
  readonly invoiceId: Id<'invoice'> | null
  readonly customerId: Id<'customer'> | null
  /**
   * If the session replaces a card: the subscription that it is for, or null for all subscriptions of the customer.
   * Null for other sessions.
   */
  readonly cardUpdate: { readonly subscriptionId: Id<'subscription'> | null } | null
  readonly paymentRouteId: Id<'payment_route'> | null
  readonly captureMethod: 'automatic' | 'manual'
  readonly collect: readonly Collectable[]
  readonly customFields: readonly CustomField[]
  readonly savedMethods: SavedMethods
  /** Whether the payer can enter a promotion code. Its discount is stored in `discounts` when a payment begins. */
  readonly allowPromotionCodes: boolean
  readonly successUrl: string | null
  readonly successMessage: string | null
  readonly cancelUrl: string | null
  readonly locale: string | null
  readonly description: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly expiresAt: Date
}

export type CheckoutSession = NewSession & {
  readonly id: Id<'checkout_session'>
  readonly workspaceId: Id<'workspace'>
  readonly status: Status
  /** The payment in progress. */
  readonly pendingPaymentId: Id<'payment'> | null
  /** The latest payment. */
  readonly paymentId: Id<'payment'> | null
  /** The card that the completed session stored for its customer. */
  readonly paymentMethodId: Id<'payment_method'> | null
  /** The latest confirmed order of a subscription. */
  readonly order: StoredOrder | null
  /** The discount of the code that the payer entered; null without a code. */
  readonly discountTotal: bigint | null
  /** The subscription that the completed session created. */
  readonly subscriptionId: Id<'subscription'> | null
  readonly declines: number
  /** Fingerprints of the cards that were tried. */
  readonly cards: readonly string[]
  readonly confirmationKeys: readonly ConfirmationKey[]
  readonly pendingTryId: Id<'checkout_try'> | null
  readonly payer: Payer | null
  readonly receiptSentAt: Date | null
  /** Set if the session was completed by a debit, which the bank confirms later. */
  readonly paymentStatus: 'pending' | 'paid' | 'failed' | null
  readonly completedAt: Date | null
  readonly dueAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
  readonly sequence: number
}

/** The values of a new session. */
export const initialValues = {
  status: 'open',
  pendingPaymentId: null,
  paymentId: null,
  paymentMethodId: null,
  order: null,
  discountTotal: null,
  subscriptionId: null,
  declines: 0,
  cards: [],
  confirmationKeys: [],
  pendingTryId: null,
  payer: null,
  receiptSentAt: null,
  paymentStatus: null,
  completedAt: null,
  dueAt: null,
  version: 1,
  sequence: 1,
} as const

/** How long a session is valid: created by a server, opened from a link, or to replace a card. */
export const lifetimeSeconds = { server: 86_400, link: 3_600, cardUpdate: 7 * 86_400 } as const

/** The maximum number of failed payments in one session. */
export const maxDeclines = 5

export function triesLeft({ declines }: Pick<CheckoutSession, 'declines'>): number {
  return maxDeclines - declines
}

/** The discount of the promotion code that the payer entered, as pages and receipts show it. */
export function shownDiscounts({ discounts, discountTotal }: CheckoutSession): ShownDiscount[] {
  const [discount] = discounts
  if (discount === undefined || discountTotal === null) return []
  return [{ name: discount.name, amount: Number(discountTotal) }]
}

export type ShownDiscount = { readonly name: string; readonly amount: number }

/** The line items as a receipt shows them, with the amount of the whole line. */
export function itemsOf({ lineItems }: Pick<CheckoutSession, 'lineItems'>) {
  return (lineItems ?? []).map((item) => ({
    name: item.name,
    quantity: item.quantity,
    amount: amountOfItem(item),
  }))
}
