/**
 * What a customer owes, and whether access is granted. Both are derived from the invoices on each read, so
 * they cannot be stale.
 */
import type { Id } from '../../../kernel/id.ts'
import {
  type CollectionStatus,
  type Dunning,
  isActivating,
  isInTrial,
  type Subscription,
} from './subscription.ts'

export type OwedInvoice = {
  readonly id: Id<'invoice'>
  readonly isDraft: boolean
  /** Whether the invoice bills the usage of an ended period instead of time. */
  readonly isForUsage: boolean
  readonly overdueSinceAt: Date | null
  readonly remaining: bigint
  readonly total: bigint
  /** For a credit: the unpaid invoice that it reduces, if any. */
  readonly reducesInvoiceId: Id<'invoice'> | null
  readonly nextAttemptAt: Date | null
  readonly campaignId: Id<'dunning_campaign'> | null
  readonly inFlight: boolean
}

export type Collection = {
  readonly status: CollectionStatus
  readonly pastDueSinceAt: Date | null
  readonly overdueAmount: bigint
  readonly openInvoices: number
  readonly nextAttemptAt: Date | null
  readonly campaignId: Id<'dunning_campaign'> | null
  readonly finalAction: string | null
  readonly finalActionAt: Date | null
  readonly hasGrace: boolean
}

/** The status is `current` only if no invoice is overdue. */
export function collectionOf(owed: readonly OwedInvoice[], dunning: Dunning | null): Collection {
  const overdue = owed.filter(({ overdueSinceAt }) => overdueSinceAt !== null)
  const isOverdue = overdue.length > 0
  return {
    status: isOverdue ? (dunning?.hasGivenUp ? 'unpaid' : 'past_due') : 'current',
    pastDueSinceAt: earliest(overdue.map(({ overdueSinceAt }) => overdueSinceAt)),
    overdueAmount: overdue.reduce((sum, { remaining }) => sum + remaining, 0n),
    openInvoices: owed.filter(({ isDraft }) => !isDraft).length,
    nextAttemptAt: earliest(owed.map(({ nextAttemptAt }) => nextAttemptAt)),
    campaignId: overdue.find(({ campaignId }) => campaignId !== null)?.campaignId ?? null,
    finalAction: (isOverdue && dunning?.finalAction) || null,
    finalActionAt: (isOverdue && dunning?.finalActionAt) || null,
    // Access continues while there is no dunning campaign.
    hasGrace: dunning?.hasGrace ?? true,
  }
}

function earliest(times: readonly (Date | null)[]): Date | null {
  const defined = times.filter((at) => at !== null)
  return defined.toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null
}

export const accessReasons = [
  'trial',
  'paid',
  'grace',
  'activation_pending',
  'unpaid',
  'paused',
  'cancelled',
] as const

export type Access = {
  readonly granted: boolean
  readonly reason: (typeof accessReasons)[number]
  readonly untilAt: Date | null
}

/** Whether the customer has access, and why. Merchants use this to gate their service. */
export function accessOf(subscription: Subscription, collection: Collection): Access {
  const { status, trial } = subscription
  if (status === 'paused' || status === 'cancelled') return { granted: false, reason: status, untilAt: null }
  if (isInTrial(subscription)) return { granted: true, reason: 'trial', untilAt: trial?.endAt ?? null }
  return status === 'trialing' ? accessBeforePayment(subscription) : accessByPayment(subscription, collection)
}

/** After a trial, access continues while the first payment is awaited. */
function accessBeforePayment(subscription: Subscription): Access {
  const { trial, activation } = subscription
  const granted = trial !== null && isActivating(subscription)
  return { granted, reason: granted ? 'grace' : 'activation_pending', untilAt: activation?.expiresAt ?? null }
}

function accessByPayment({ currentPeriod }: Subscription, collection: Collection): Access {
  const { status, hasGrace, finalActionAt } = collection
  if (status === 'current') return { granted: true, reason: 'paid', untilAt: currentPeriod?.endAt ?? null }
  if (status === 'unpaid' || !hasGrace) return { granted: false, reason: 'unpaid', untilAt: null }
  return { granted: true, reason: 'grace', untilAt: finalActionAt }
}

/** A subscription as the API and events show it, with the members derived from its invoices. */
export type SubscriptionWithAccess = Subscription & {
  readonly collection: Collection
  readonly access: Access
}

export function withAccess(subscription: Subscription, owed: readonly OwedInvoice[]): SubscriptionWithAccess {
  const collection = collectionOf(owed, subscription.dunning)
  return { ...subscription, collection, access: accessOf(subscription, collection) }
}
