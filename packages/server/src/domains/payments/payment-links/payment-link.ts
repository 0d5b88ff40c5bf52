/** A payment link: a hosted page that can be paid once, or up to a limit of completions. */
import type {
  Cart,
  CheckoutMode,
  Collectable,
  CustomField,
  SavedMethods,
  SubscriptionOptions,
} from '../../../kernel/cart.ts'
import type { Id } from '../../../kernel/id.ts'
import type { Status } from './machine.ts'

export type AfterCompletion =
  | { readonly type: 'page'; readonly message: string | null }
  | { readonly type: 'redirect'; readonly url: string }

/** The members that can be changed. The amount cannot, because a payer may already have seen it. */
export type LinkDetails = {
  /** Null means unlimited. */
  readonly maxCompletions: number | null
  readonly expiresAt: Date
  readonly customerId: Id<'customer'> | null
  readonly paymentRouteId: Id<'payment_route'> | null
  readonly collect: readonly Collectable[]
  readonly customFields: readonly CustomField[]
  readonly savedMethods: SavedMethods
  /** Whether payers can enter a promotion code. */
  readonly allowPromotionCodes: boolean
  readonly afterCompletion: AfterCompletion
  readonly locale: string | null
  readonly description: string | null
  readonly metadata: Readonly<Record<string, string>>
}

export type NewLink = LinkDetails &
  Cart & {
    readonly mode: CheckoutMode
    /** Null except in `subscription` mode. */
    readonly subscription: SubscriptionOptions | null
    readonly captureMethod: 'automatic' | 'manual'
  }

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

export type LinkWithUrl = PaymentLink & { readonly url: string }

/** How long a link is valid by default. */
export const defaultLifetimeSeconds = 30 * 86_400
