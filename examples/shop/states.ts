// The status of an order. It is derived only from the latest events of Switchyard; if the outcome is not known yet, the
// status says so.

import type { Subscription } from '@switchyard/sdk'
import type { Order, Store } from './store.ts'

export type State =
  | 'unpaid'
  | 'processing'
  | 'paid'
  | 'refunding'
  | 'refund_failed'
  | 'partly_refunded'
  | 'refunded'
  | 'activating'
  | 'active'
  | 'past_due'
  | 'ending'
  | 'paused'
  | 'ended'

export type OrderStatus = {
  readonly state: State
  /** Changes with every event. A page compares it to detect that it must reload. */
  readonly version: string
  readonly subscription: Subscription | null
}

/** A page in one of these states reloads automatically. */
export const pendingStates: readonly State[] = ['processing', 'refunding', 'activating']

export function statusOf(store: Store, order: Order): OrderStatus {
  const objects = [
    ...store.objectsOf(order.id, 'checkout_session'),
    ...store.objectsOf(order.id, 'payment'),
    ...store.objectsOf(order.id, 'refund'),
    ...store.objectsOf(order.id, 'subscription'),
  ]
  const version = String(objects.reduce((sum, { sequence }) => sum + sequence, 0))
  const subscription = store.objectsOf(order.id, 'subscription').at(-1)?.object ?? null
  const state =
    order.item === 'atlas' ? stateOfPurchase(store, order) : stateOfSubscription(store, order, subscription)
  return { state, version, subscription }
}

function stateOfPurchase(store: Store, { id }: Order): State {
  const payment = store.objectsOf(id, 'payment').at(-1)?.object
  const refunds = store.objectsOf(id, 'refund').map(({ object }) => object)
  const { amount_captured: captured = 0, amount_refunded = 0 } = payment ?? {}
  const succeeded = refunds.filter(({ status }) => status === 'succeeded')
  // The events of the payment and of its refunds can arrive in any order: use the larger amount.
  const refunded = Math.max(
    amount_refunded,
    succeeded.reduce((sum, { amount }) => sum + amount, 0),
  )
  // Refunds can be partial. Only a full refund revokes access to the atlas.
  if (refunded > 0 && refunded >= captured) return 'refunded'
  if (refunds.some(({ status }) => status === 'pending')) return 'refunding'
  if (refunded > 0) return 'partly_refunded'
  if (store.downloadCodeOf(id) !== null) return refunds.length > 0 ? 'refund_failed' : 'paid'
  // A payment with an unknown outcome may have been charged: it is neither paid nor failed.
  return payment?.status === 'processing' || payment?.status === 'succeeded' ? 'processing' : 'unpaid'
}

function stateOfSubscription(store: Store, { id }: Order, subscription: Subscription | null): State {
  if (subscription === null) return stateBeforeSubscription(store, id)
  const { status, collection, scheduled_change: change } = subscription
  if (status === 'cancelled') return 'ended'
  if (status === 'paused') return 'paused'
  if (status === 'trialing') return 'activating'
  if (collection.status !== 'current') return 'past_due'
  return change?.action === 'cancel' ? 'ending' : 'active'
}

/** The subscription is created after the payment. */
function stateBeforeSubscription(store: Store, orderId: string): State {
  if (store.downloadCodeOf(orderId) !== null) return 'activating'
  const payment = store.objectsOf(orderId, 'payment').at(-1)?.object
  return payment?.status === 'processing' || payment?.status === 'succeeded' ? 'processing' : 'unpaid'
}

/** Switchyard decides whether to grant access: it takes grace periods, pauses and payments into account. */
export function canReadLetter({ subscription }: OrderStatus): boolean {
  return subscription?.access.granted === true
}
