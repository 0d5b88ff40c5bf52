/**
 * A subscription: recurring items and the periods in which they are billed. `status` shows only whether periods
 * are billed; collection, scheduled changes and access are separate members.
 */
import type { Anchor, Interval } from '../../../kernel/calendar.ts'
import type { Currency } from '../../../kernel/currency.ts'
import type { AttachedDiscount } from '../../../kernel/discounts.ts'
import type { Id } from '../../../kernel/id.ts'
import type { Metadata } from '../../../kernel/metadata.ts'
import { factorsOf, type PriceFactors } from '../../../kernel/price-schemes.ts'
import type { Status } from './machine.ts'

export const maxItems = 20
export const maxQuantity = 1_000_000
/** Long enough for authentication by a bank, and shorter than the shortest period. */
export const activationSeconds = 23 * 3600

export const trialEndBehaviours = ['activate', 'pause', 'cancel'] as const
export type TrialEndBehaviour = (typeof trialEndBehaviours)[number]
export const missingMethodBehaviours = ['pause', 'cancel', 'invoice'] as const
export type MissingMethodBehaviour = (typeof missingMethodBehaviours)[number]
export const activationPolicies = ['on_payment', 'on_attempt'] as const
export type ActivationPolicy = (typeof activationPolicies)[number]
export const activationStates = ['pending', 'requires_action', 'done', 'expired'] as const
export type ActivationState = (typeof activationStates)[number]
export const pauseReasons = ['requested', 'trial_without_payment_method', 'payment_failure'] as const
export type PauseReason = (typeof pauseReasons)[number]
export const unusedTimeOptions = ['keep', 'credit', 'forfeit'] as const
export type UnusedTime = (typeof unusedTimeOptions)[number]
export const openInvoiceOptions = ['continue', 'stop', 'void'] as const
export type OpenInvoices = (typeof openInvoiceOptions)[number]
export const cancellationReasons = [
  'requested',
  'payment_failure',
  'activation_expired',
  'trial_ended',
] as const
export type CancellationReason = (typeof cancellationReasons)[number]
export const collectionStatuses = ['current', 'past_due', 'unpaid'] as const
export type CollectionStatus = (typeof collectionStatuses)[number]
export const stubOptions = ['prorate', 'free'] as const
export type Stub = (typeof stubOptions)[number]

/** Contains a copy of the price, whose amount never changes, so that planning needs no lookup. */
export type Item = PriceFactors & {
  readonly id: Id<'subscription_item'>
  readonly priceId: Id<'price'>
  readonly productId: Id<'product'>
  /** The meter whose usage is billed after each period. Omitted if the quantity is billed in advance. */
  readonly meterId?: Id<'meter'>
  readonly quantity: number
  readonly metadata: Metadata
}

/** An item without its quantity. */
export type PricedItem = PriceFactors & Pick<Item, 'priceId' | 'productId' | 'meterId'>

/** Only the members that determine what an item bills. */
export function termsOfItem({ priceId, productId, meterId, ...item }: PricedItem): PricedItem {
  return { priceId, productId, ...factorsOf(item), ...(meterId === undefined ? {} : { meterId }) }
}

/** The items that are billed in advance. */
export function flatItems<I extends Pick<Item, 'meterId'>>(items: readonly I[]): readonly I[] {
  return items.some(isMetered) ? items.filter((item) => !isMetered(item)) : items
}

export const isMetered = ({ meterId }: Pick<Item, 'meterId'>): boolean => meterId !== undefined

/** `startAt` is when the period was entered; `nominalStartAt` is one whole interval before its end. */
export type CurrentPeriod = {
  readonly epoch: number
  readonly index: number
  readonly startAt: Date
  readonly endAt: Date
  readonly nominalStartAt: Date
  readonly invoiceId: Id<'invoice'>
}

export type Trial = {
  readonly startAt: Date
  readonly endAt: Date
  readonly endBehaviour: TrialEndBehaviour
  readonly missingPaymentMethod: MissingMethodBehaviour
}

export type Decline = { readonly code: string; readonly adviceCode: string | null; readonly message: string }

/** The payment that must succeed before the subscription starts or resumes. */
export type Activation = {
  readonly purpose: 'start' | 'resume'
  readonly policy: ActivationPolicy
  readonly state: ActivationState
  readonly invoiceId: Id<'invoice'> | null
  readonly paymentId: Id<'payment'> | null
  readonly expiresAt: Date | null
  readonly lastDecline: Decline | null
}

export type Pause = {
  readonly reason: PauseReason
  readonly pausedAt: Date
  readonly resumesAt: Date | null
  readonly openInvoices: OpenInvoices
  readonly unusedTime: UnusedTime
  /** The time left in the trial or in the current period. */
  readonly remainingSeconds: number
}

export const cancelUnusedTimeOptions = ['forfeit', 'credit', 'refund'] as const
export type CancelOptions = {
  readonly unusedTime: (typeof cancelUnusedTimeOptions)[number]
  readonly openInvoices: OpenInvoices
  readonly feedback: string | null
}
export type PauseOptions = {
  readonly resumesAt: Date | null
  readonly openInvoices: OpenInvoices
  readonly unusedTime: UnusedTime
}
/** The complete list of items after the change. */
export type UpdateOptions = { readonly items: readonly Item[]; readonly interval: Interval }

export type ScheduledChange = { readonly at: 'period_end' | Date } & (
  | { readonly action: 'cancel'; readonly payload: CancelOptions }
  | { readonly action: 'pause'; readonly payload: PauseOptions }
  | { readonly action: 'update'; readonly payload: UpdateOptions }
)

/**
 * The state of dunning: whether it is exhausted, whether access is granted until then, and the final action.
 */
export type Dunning = {
  readonly hasGivenUp: boolean
  readonly hasGrace: boolean
  readonly finalAction: string | null
  readonly finalActionAt: Date | null
}

export type Cancellation = { readonly reason: CancellationReason; readonly feedback: string | null }

/** The members that the create request determines. */
export type SubscriptionTerms = {
  readonly customerId: Id<'customer'>
  readonly currency: Currency
  readonly interval: Interval
  readonly items: readonly Item[]
  /** In the order in which they apply. */
  readonly discounts: readonly AttachedDiscount[]
  readonly paymentMethodId: Id<'payment_method'> | null
  readonly paymentRouteId: Id<'payment_route'> | null
  readonly dunningPolicyId: Id<'dunning_policy'> | null
  readonly description: string | null
  readonly metadata: Metadata
  readonly activationPolicy: ActivationPolicy
  /** The requested alignment of periods. It becomes the anchor when the first period starts. */
  readonly requestedAnchor: {
    readonly dayOfMonth: number | null
    readonly timeZone: string
    readonly stub: Stub
  }
  readonly testClockId: Id<'test_clock'> | null
  /** The checkout session that sold the subscription, if any. */
  readonly checkoutSessionId: Id<'checkout_session'> | null
}

export type Subscription = SubscriptionTerms & {
  readonly id: Id<'subscription'>
  readonly status: Status
  readonly anchor: Anchor | null
  readonly currentPeriod: CurrentPeriod | null
  readonly trial: Trial | null
  readonly activation: Activation | null
  readonly pause: Pause | null
  readonly scheduledChange: ScheduledChange | null
  readonly cancellation: Cancellation | null
  /** The status in the last event. The current status is derived from the invoices. */
  readonly collectionStatus: CollectionStatus
  /** The last state of the dunning campaign; null while none runs. */
  readonly dunning: Dunning | null
  readonly latestInvoiceId: Id<'invoice'> | null
  readonly parked: { readonly reason: string; readonly at: Date } | null
  /** When the parked subscription was released on request. */
  readonly unparkedAt: Date | null
  /** A change to the items cannot be backdated to before this time. */
  readonly accountedAt: Date
  /** How many notices were emitted for the end of the trial. */
  readonly trialNotices: number
  readonly startedAt: Date
  readonly cancelledAt: Date | null
  readonly endedAt: Date | null
  readonly nextActionAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
  readonly sequence: number
}

/** The initial values of a new subscription. */
export const initialState = {
  status: 'trialing',
  anchor: null,
  currentPeriod: null,
  activation: null,
  pause: null,
  cancellation: null,
  collectionStatus: 'current',
  dunning: null,
  latestInvoiceId: null,
  parked: null,
  unparkedAt: null,
  trialNotices: 0,
  cancelledAt: null,
  endedAt: null,
  nextActionAt: null,
} as const satisfies Partial<Subscription>

/** Whether the subscription waits for an activation payment. */
export function isActivating({ activation }: Pick<Subscription, 'activation'>): boolean {
  return activation?.state === 'pending' || activation?.state === 'requires_action'
}

/** Whether the subscription is in its trial, or was paused during it. Nothing was billed yet. */
export function isInTrial({ trial, currentPeriod, anchor }: Subscription): boolean {
  return trial !== null && currentPeriod === null && anchor === null
}
