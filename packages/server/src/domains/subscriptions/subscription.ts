/**
 * A subscription: items that are billed again and again, and the clock by which they are. `status` says only
 * whether that clock runs. Money, what is to happen later, and who may come in stand beside it.
 */
import type { Anchor, Interval } from '../../kernel/calendar.ts'
import type { Currency } from '../../kernel/currency.ts'
import type { Id } from '../../kernel/id.ts'
import type { Metadata } from '../../kernel/metadata.ts'
import type { Status } from './machine.ts'

export const maxItems = 20
export const maxQuantity = 1_000_000
/** Longer than any bank takes to ask its customer, shorter than the shortest period. */
export const activationSeconds = 23 * 3600

export const endBehaviours = ['activate', 'pause', 'cancel'] as const
export type EndBehaviour = (typeof endBehaviours)[number]
export const missingMethodBehaviours = ['pause', 'cancel', 'invoice'] as const
export type MissingMethod = (typeof missingMethodBehaviours)[number]
export const activationPolicies = ['on_payment', 'on_attempt'] as const
export type ActivationPolicy = (typeof activationPolicies)[number]
export const activationStates = ['pending', 'requires_action', 'done', 'expired'] as const
export type ActivationState = (typeof activationStates)[number]
export const pauseReasons = ['requested', 'trial_without_payment_method', 'payment_failure'] as const
export type PauseReason = (typeof pauseReasons)[number]
export const unusedTimes = ['keep', 'credit', 'forfeit'] as const
export type UnusedTime = (typeof unusedTimes)[number]
export const openInvoiceChoices = ['continue', 'stop', 'void'] as const
export type OpenInvoices = (typeof openInvoiceChoices)[number]
export const cancellationReasons = [
  'requested',
  'payment_failure',
  'activation_expired',
  'trial_ended',
] as const
export type CancellationReason = (typeof cancellationReasons)[number]
export const collectionStatuses = ['current', 'past_due', 'unpaid'] as const
export type CollectionStatus = (typeof collectionStatuses)[number]
export const stubs = ['prorate', 'free'] as const
export type Stub = (typeof stubs)[number]

/** The price is copied: its money never changes, so nothing that is planned has to look it up. */
export type Item = {
  readonly id: Id<'subscription_item'>
  readonly priceId: Id<'price'>
  readonly productId: Id<'product'>
  readonly unitAmountDecimal: string
  readonly quantity: number
  readonly metadata: Metadata
}

/** `startAt` is when it was entered; `nominalStartAt` lies one whole interval before its end. */
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
  readonly endBehaviour: EndBehaviour
  readonly missingPaymentMethod: MissingMethod
}

export type Decline = { readonly code: string; readonly adviceCode: string | null; readonly message: string }

/** The payment that a beginning, or a resumption, waits for. */
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
  /** What is left of the trial or of the period that was begun. */
  readonly remainingSeconds: number
}

export const cancelledTimes = ['forfeit', 'credit', 'refund'] as const
export type CancelWish = {
  readonly unusedTime: (typeof cancelledTimes)[number]
  readonly openInvoices: OpenInvoices
  readonly feedback: string | null
}
export type PauseWish = {
  readonly resumesAt: Date | null
  readonly openInvoices: OpenInvoices
  readonly unusedTime: UnusedTime
}
/** The items as they shall be; all of them. */
export type UpdateWish = { readonly items: readonly Item[]; readonly interval: Interval }

export type ScheduledChange = { readonly at: 'period_end' | Date } & (
  | { readonly action: 'cancel'; readonly payload: CancelWish }
  | { readonly action: 'pause'; readonly payload: PauseWish }
  | { readonly action: 'update'; readonly payload: UpdateWish }
)

/** What those who dun say: whether they have given up, whether access is granted until then, and what comes. */
export type Dunning = {
  readonly hasGivenUp: boolean
  readonly hasGrace: boolean
  readonly finalAction: string | null
  readonly finalActionAt: Date | null
}

export type Cancellation = { readonly reason: CancellationReason; readonly feedback: string | null }

/** What a caller chose when it was created, and what follows from it. */
export type Terms = {
  readonly customerId: Id<'customer'>
  readonly currency: Currency
  readonly interval: Interval
  readonly items: readonly Item[]
  readonly paymentMethodId: Id<'payment_method'> | null
  readonly paymentRouteId: Id<'payment_route'> | null
  readonly dunningPolicyId: Id<'dunning_policy'> | null
  readonly description: string | null
  readonly metadata: Metadata
  readonly activationPolicy: ActivationPolicy
  /** How its periods shall lie. It becomes an anchor when the first one begins. */
  readonly anchorWish: { readonly dayOfMonth: number | null; readonly timeZone: string; readonly stub: Stub }
  readonly testClockId: Id<'test_clock'> | null
}

export type Subscription = Terms & {
  readonly id: Id<'subscription'>
  readonly status: Status
  readonly anchor: Anchor | null
  readonly currentPeriod: CurrentPeriod | null
  readonly trial: Trial | null
  readonly activation: Activation | null
  readonly pause: Pause | null
  readonly scheduledChange: ScheduledChange | null
  readonly cancellation: Cancellation | null
  /** As it was told last; the truth is derived from invoices. */
  readonly collectionStatus: CollectionStatus
  /** What a campaign said last; null while none runs. */
  readonly dunning: Dunning | null
  readonly latestInvoiceId: Id<'invoice'> | null
  readonly parked: { readonly reason: string; readonly at: Date } | null
  /** When somebody looked at what had been parked, and found that it is meant. */
  readonly unparkedAt: Date | null
  /** Items cannot be changed for a time before this one: it has been accounted for. */
  readonly accountedAt: Date
  /** The end of the trial for which warnings have been given, and how many. */
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

/** What nobody has at the beginning. */
export const newborn = {
  ...{ status: 'trialing', anchor: null, currentPeriod: null, activation: null, pause: null },
  ...{ cancellation: null, collectionStatus: 'current', dunning: null, latestInvoiceId: null },
  ...{
    parked: null,
    unparkedAt: null,
    trialNotices: 0,
    cancelledAt: null,
    endedAt: null,
    nextActionAt: null,
  },
} as const satisfies Partial<Subscription>

/** Whether a payment is waited for. */
export function isActivating({ activation }: Pick<Subscription, 'activation'>): boolean {
  return activation?.state === 'pending' || activation?.state === 'requires_action'
}

/** Whether it is in its trial, or paused out of one: nothing was billed yet. */
export function isInTrial({ trial, currentPeriod, anchor }: Subscription): boolean {
  return trial !== null && currentPeriod === null && anchor === null
}
