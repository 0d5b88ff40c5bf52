// What the shop says of an order. It follows from what Switchyard told last, and from nothing else; where that is
// not known yet, it says so.

import type { DeclineError, Subscription } from '@switchyard/sdk'
import type { Order, Store } from './store.ts'

export type State =
  | 'unpaid'
  | 'processing'
  | 'paid'
  | 'refunding'
  | 'refund_failed'
  | 'partly_refunded'
  | 'refunded'
  | 'card_wanted'
  | 'card_checked'
  | 'activating'
  | 'card_declined'
  | 'active'
  | 'past_due'
  | 'ending'
  | 'paused'
  | 'ended'

export type Standing = {
  readonly state: State
  /** Changes whenever something was heard, so that a page knows when to look again. */
  readonly seen: string
  readonly subscription: Subscription | null
}

/** A page in one of these states looks again by itself. */
export const waiting: readonly State[] = ['processing', 'refunding', 'activating']

export function standingOf(store: Store, order: Order): Standing {
  const known = [
    ...store.known(order.id, 'checkout_session'),
    ...store.known(order.id, 'payment'),
    ...store.known(order.id, 'refund'),
    ...store.known(order.id, 'subscription'),
  ]
  const seen = String(known.reduce((sum, { sequence }) => sum + sequence, 0))
  const subscription = store.known(order.id, 'subscription').at(-1)?.object ?? null
  const state =
    order.item === 'atlas' ? stateOfPurchase(store, order) : stateOfSubscription(order, subscription)
  return { state, seen, subscription }
}

function stateOfPurchase(store: Store, { id }: Order): State {
  const payment = store.known(id, 'payment').at(-1)?.object
  const refunds = store.known(id, 'refund').map(({ object }) => object)
  const { amount_captured: taken = 0, amount_refunded = 0 } = payment ?? {}
  const succeeded = refunds.filter(({ status }) => status === 'succeeded')
  // Whichever of the two was heard of first.
  const given = Math.max(
    amount_refunded,
    succeeded.reduce((sum, { amount }) => sum + amount, 0),
  )
  // A refund may be of a part. Only who has all of it back has given the atlas back.
  if (given > 0 && given >= taken) return 'refunded'
  if (refunds.some(({ status }) => status === 'pending')) return 'refunding'
  if (given > 0) return 'partly_refunded'
  if (store.downloadCodeOf(id) !== null) return refunds.length > 0 ? 'refund_failed' : 'paid'
  // A payment without an answer may have been taken: it is neither paid nor failed.
  return payment?.status === 'processing' || payment?.status === 'succeeded' ? 'processing' : 'unpaid'
}

function stateOfSubscription(order: Order, subscription: Subscription | null): State {
  if (order.verification_id !== null) return 'card_checked'
  if (subscription === null && order.subscription_id === null)
    return isCardUnderWay(order) ? 'activating' : 'card_wanted'
  if (subscription === null) return 'activating'
  const { status, activation, collection, scheduled_change: change } = subscription
  if (status === 'cancelled') return 'ended'
  if (status === 'paused') return 'paused'
  if (activation?.state === 'requires_action') return 'card_declined'
  if (status === 'trialing') return 'activating'
  if (collection.status !== 'current') return 'past_due'
  return change?.action === 'cancel' ? 'ending' : 'active'
}

/** The shop was killed or an answer was lost while a card was tried: what became of it is not known. */
export function isCardUnderWay({ token, method_id }: Order): boolean {
  return token !== null || method_id !== null
}

/** Those who subscribe may read while Switchyard says so: it knows about grace, pauses and what was paid. */
export function mayRead({ subscription }: Standing): boolean {
  return subscription?.access.granted === true
}

/** Why, in words that are meant for the payer. */
export function declineOf({ problem }: DeclineError): string {
  return `${problem?.detail ?? 'Your bank declined the card.'} Nothing was taken.`
}
