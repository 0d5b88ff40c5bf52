// One-time purchases on the hosted payment page, and refunds. Each write has an idempotency key derived from the order,
// so that retries take effect once, from any process.

import type { Switchyard } from '@switchyard/sdk'
import { atlas, currency } from './catalogue.ts'
import type { Order, Store } from './store.ts'

export type Shop = {
  readonly switchyard: Switchyard
  readonly store: Store
  /** The URL of the shop, for redirects back to it. */
  readonly url: string
  /** For the page with the card form. */
  readonly publishableToken: string
  readonly isTest: boolean
}

const openingPages = new Map<string, Promise<string>>()

/** The URL of the payment page of an order. Concurrent clicks get the same page. */
export function paymentPageOf(shop: Shop, orderId: string): Promise<string> {
  const opening =
    openingPages.get(orderId) ?? openPaymentPage(shop, orderId).finally(() => openingPages.delete(orderId))
  openingPages.set(orderId, opening)
  return opening
}

async function openPaymentPage({ switchyard, store, url }: Shop, orderId: string): Promise<string> {
  let order = store.findOrder(orderId) as Order
  const session = store
    .objectsOf(orderId, 'checkout_session')
    .find(({ object }) => object.id === order.session_id)
  if (order.session_url !== null && session?.object.status !== 'expired') return order.session_url
  // The session has expired, after a day or five declined cards: create another one.
  if (order.session_url !== null) order = startNextAttempt(store, order)
  for (;;) {
    const created = await switchyard.checkoutSessions.create(
      {
        currency,
        line_items: [{ name: atlas.title, unit_amount: atlas.amount }],
        success_url: `${url}/orders/${orderId}?returned=yes`,
        cancel_url: `${url}/orders/${orderId}`,
        metadata: { order_id: orderId },
      },
      { idempotencyKey: `order-${orderId}-checkout-${order.attempt}` },
    )
    if (created.url !== null) {
      store.changeOrder(orderId, { session_id: created.id, session_url: created.url })
      return created.url
    }
    // The shop was killed before it could save the URL, which is only returned once. Replace the session.
    await switchyard.checkoutSessions.expire(created.id)
    order = startNextAttempt(store, order)
  }
}

function startNextAttempt(store: Store, order: Order): Order {
  return store.changeOrder(order.id, { attempt: order.attempt + 1, session_id: null, session_url: null })
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
