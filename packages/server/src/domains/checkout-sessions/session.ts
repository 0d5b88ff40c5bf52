/** A checkout session: somebody is on the way to pay. It lives as long as a page stays open, or a little longer. */
import type { Cart, Collectable, CustomField } from '../../kernel/cart.ts'
import type { Id } from '../../kernel/id.ts'
import type { Status } from './machine.ts'

/** In the words of the wire. */
export type Address = {
  readonly line1: string | null
  readonly line2: string | null
  readonly city: string | null
  readonly state: string | null
  readonly postal_code: string | null
  readonly country: string | null
}

/** What the payer typed beside the card. */
export type Payer = {
  readonly name: string | null
  readonly email: string | null
  readonly phone: string | null
  readonly billing_address: Address | null
  readonly shipping_address: Address | null
  readonly custom_fields: Readonly<Record<string, string>>
}

/** One press of the button: repeating it has no second effect. Hashes of the key and of what was sent. */
export type Press = { readonly scope: string; readonly fingerprint: string }

export type NewSession = Cart & {
  readonly paymentLinkId: Id<'payment_link'> | null
  readonly customerId: Id<'customer'> | null
  readonly paymentRouteId: Id<'payment_route'> | null
  readonly captureMethod: 'automatic' | 'manual'
  readonly collect: readonly Collectable[]
  readonly customFields: readonly CustomField[]
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
  /** The payment that is under way. */
  readonly livePaymentId: Id<'payment'> | null
  /** The one that was tried last. */
  readonly paymentId: Id<'payment'> | null
  readonly declines: number
  /** Fingerprints of the cards that were tried. */
  readonly cards: readonly string[]
  readonly presses: readonly Press[]
  readonly liveTryId: Id<'checkout_try'> | null
  readonly payer: Payer | null
  readonly receiptDueAt: Date | null
  readonly receiptSentAt: Date | null
  readonly completedAt: Date | null
  readonly dueAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
  readonly sequence: number
}

/** How long a session is good for: one that a server makes, and one that a payer opens by a link. */
export const lifeSeconds = { server: 86_400, link: 3_600 } as const

/** So many payments may fail in one session. */
export const mostDeclines = 5

export function triesLeft({ declines }: Pick<CheckoutSession, 'declines'>): number {
  return mostDeclines - declines
}
