/** A payment link: an address at which somebody pays once, or as many as there are places for. */
import type { Cart, Collectable, CustomField } from '../../kernel/cart.ts'
import type { Id } from '../../kernel/id.ts'
import type { Status } from './machine.ts'

export type AfterCompletion =
  | { readonly type: 'page'; readonly message: string | null }
  | { readonly type: 'redirect'; readonly url: string }

/** What may be changed about a link. What is to be paid may not: somebody may have seen it. */
export type LinkDetails = {
  /** Null: without end. */
  readonly maxCompletions: number | null
  readonly expiresAt: Date
  readonly customerId: Id<'customer'> | null
  readonly paymentRouteId: Id<'payment_route'> | null
  readonly collect: readonly Collectable[]
  readonly customFields: readonly CustomField[]
  readonly afterCompletion: AfterCompletion
  readonly locale: string | null
  readonly description: string | null
  readonly metadata: Readonly<Record<string, string>>
}

export type NewLink = LinkDetails & Cart & { readonly captureMethod: 'automatic' | 'manual' }

export type PaymentLink = NewLink & {
  readonly id: Id<'payment_link'>
  readonly workspaceId: Id<'workspace'>
  readonly status: Status
  readonly completedCount: number
  readonly dueAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
  readonly sequence: number
}

/** With the address at which it is paid. */
export type AddressedLink = PaymentLink & { readonly url: string }

/** How long a link is good for, if nobody says otherwise. */
export const usualLifeSeconds = 30 * 86_400
