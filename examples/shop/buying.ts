// Orders are paid on a page of the shop, with the payment element. Each write has an idempotency key derived from the
// order, so that retries take effect once, from any process.

import type { CreateCheckoutSession, Switchyard } from '@switchyard/sdk'
import { atlas, currency } from './catalogue.ts'
import type { Order, Store } from './store.ts'

export type Shop = {
  readonly switchyard: Switchyard
  readonly store: Store
  /** The URL of the shop, for redirects back to it. */
  readonly url: string
  /** For the page with the payment element. */
  readonly publishableToken: string
  /** The price of the letter in Switchyard. */
  readonly letterPriceId: string
  readonly isTest: boolean
}

/** What the page needs to show the payment element. */
export type SessionKey = { readonly id: string; readonly client_secret: string }

const opening = new Map<string, Promise<SessionKey>>()

/** The checkout session of an order. Concurrent requests get the same one. */
export function sessionOf(shop: Shop, orderId: string): Promise<SessionKey> {
  const session = opening.get(orderId) ?? openSession(shop, orderId).finally(() => opening.delete(orderId))
  opening.set(orderId, session)
  return session
}

async function openSession(shop: Shop, orderId: string): Promise<SessionKey> {
  const { switchyard, store } = shop
  let order = store.findOrder(orderId) as Order
  const session = store
    .objectsOf(orderId, 'checkout_session')
    .find(({ object }) => object.id === order.session_id)
  const saved = keyOf(order)
  if (saved !== null && session?.object.status !== 'expired') return saved
  // The session has expired, after a day or five declined cards: create another one.
  if (saved !== null) order = startNextAttempt(store, order)
  for (;;) {
    const created = await switchyard.checkoutSessions.create(
      { ...contentOf(shop, order), metadata: { order_id: orderId } },
      { idempotencyKey: `order-${orderId}-checkout-${order.attempt}` },
    )
    const { id, client_secret } = created
    if (client_secret !== null) {
      store.changeOrder(orderId, { session_id: id, session_secret: client_secret })
      return { id, client_secret }
    }
    // The shop was killed before it could save the secret, which is only returned once. Replace the session.
    await switchyard.checkoutSessions.expire(id)
    order = startNextAttempt(store, order)
  }
}

/**
 * The items of the checkout session. A subscription is created after its first payment, with the order in its
 * metadata.
 */
function contentOf({ letterPriceId }: Shop, { id, item }: Order): CreateCheckoutSession {
  if (item === 'atlas') return { currency, line_items: [{ name: atlas.title, unit_amount: atlas.amount }] }
  return {
    mode: 'subscription',
    line_items: [{ price_id: letterPriceId }],
    subscription: { metadata: { order_id: id } },
  }
}

function keyOf({ session_id, session_secret }: Order): SessionKey | null {
  return session_id === null || session_secret === null
    ? null
    : { id: session_id, client_secret: session_secret }
}

function startNextAttempt(store: Store, order: Order): Order {
  return store.changeOrder(order.id, { attempt: order.attempt + 1, session_id: null, session_secret: null })
}

/** Refunds the remaining amount. The key only changes after a failed refund, so a pending refund is not repeated. */
export async function refundOrder({ switchyard, store }: Shop, orderId: string): Promise<void> {
  const session = store
    .objectsOf(orderId, 'checkout_session')
    .find(({ object }) => object.status === 'completed')
  const paymentId = session?.object.payment_id
  if (typeof paymentId !== 'string') return
  const failed = store.objectsOf(orderId, 'refund').filter(({ object }) => object.status === 'failed')
  await switchyard.refunds.create(
    { payment_id: paymentId, reason: 'requested_by_customer', metadata: { order_id: orderId } },
    { idempotencyKey: `order-${orderId}-refund-${failed.length + 1}` },
  )
}
