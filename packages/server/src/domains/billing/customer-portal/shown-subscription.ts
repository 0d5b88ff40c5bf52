/** A subscription as the portal shows it. No side effects. */
import type { Currency } from '../../../kernel/currency.ts'
import type { Id } from '../../../kernel/id.ts'
import { amountOf, type PortalSubscription } from './portal.ts'

type Source = PortalSubscription & {
  readonly currentPeriod: { readonly endAt: Date } | null
  readonly trial: { readonly endAt: Date } | null
  readonly scheduledChange:
    | { readonly at: 'period_end' | Date; readonly action: 'cancel' | 'pause' }
    | {
        readonly at: 'period_end' | Date
        readonly action: 'update'
        readonly payload: { readonly items: PortalSubscription['items'] }
      }
    | null
  readonly collection: { readonly status: 'current' | 'past_due' | 'unpaid' }
}

export type ShownSubscription = {
  readonly id: Id<'subscription'>
  readonly name: string
  readonly currency: Currency
  readonly status: PortalSubscription['status']
  readonly isOverdue: boolean
  /** What happens next, and when. */
  readonly next:
    | { readonly is: 'renews'; readonly at: Date; readonly amount: bigint }
    | { readonly is: 'ends' | 'pauses'; readonly at: Date }
    | { readonly is: 'nothing' }
}

export function shownSubscription(
  subscription: Source,
  names: ReadonlyMap<Id<'price'>, string>,
): ShownSubscription {
  const { id, currency, status, items, collection } = subscription
  return {
    id,
    name: items
      .map(
        ({ priceId, quantity }) => (quantity === 1 ? '' : `${quantity} × `) + (names.get(priceId) ?? priceId),
      )
      .join(', '),
    currency,
    status,
    isOverdue: collection.status !== 'current',
    next: nextOf(subscription),
  }
}

function nextOf(subscription: Source): ShownSubscription['next'] {
  const { status, scheduledChange, currentPeriod, trial, items } = subscription
  const periodEnd = currentPeriod?.endAt ?? trial?.endAt ?? null
  if (status === 'cancelled' || status === 'paused' || periodEnd === null) return { is: 'nothing' }
  const at = scheduledChange === null || scheduledChange.at === 'period_end' ? periodEnd : scheduledChange.at
  if (scheduledChange?.action === 'cancel') return { is: 'ends', at }
  if (scheduledChange?.action === 'pause') return { is: 'pauses', at }
  const later = scheduledChange?.action === 'update' ? scheduledChange.payload.items : items
  return { is: 'renews', at: periodEnd, amount: amountOf(later) }
}
