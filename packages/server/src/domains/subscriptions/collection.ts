/** What a customer owes, and whether they may come in: derived from invoices each time, so it cannot be stale. */
import type { Id } from '../../kernel/id.ts'
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
  readonly overdueSinceAt: Date | null
  readonly remaining: bigint
  readonly total: bigint
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

/** `current` again only when all that is overdue is settled. */
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
    // Before anybody has heard of it, nobody is locked out for it.
    hasGrace: dunning?.hasGrace ?? true,
  }
}

function earliest(times: readonly (Date | null)[]): Date | null {
  const known = times.filter((at) => at !== null)
  return known.toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null
}

export const accessReasons = [
  ...(['trial', 'paid', 'grace', 'activation_pending', 'unpaid', 'paused', 'cancelled'] as const),
] as const

export type Access = {
  readonly granted: boolean
  readonly reason: (typeof accessReasons)[number]
  readonly untilAt: Date | null
}

/** What merchants gate on. */
export function accessOf(subscription: Subscription, collection: Collection): Access {
  const { status, trial } = subscription
  if (status === 'paused' || status === 'cancelled') return { granted: false, reason: status, untilAt: null }
  if (isInTrial(subscription)) return { granted: true, reason: 'trial', untilAt: trial?.endAt ?? null }
  return status === 'trialing' ? accessBeforePayment(subscription) : accessByPayment(subscription, collection)
}

/** Who had a real trial keeps what they have while their first payment is waited for. */
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

/** A subscription as it is shown and told. */
export type ShownSubscription = Subscription & { readonly collection: Collection; readonly access: Access }

export function shown(subscription: Subscription, owed: readonly OwedInvoice[]): ShownSubscription {
  const collection = collectionOf(owed, subscription.dunning)
  return { ...subscription, collection, access: accessOf(subscription, collection) }
}
