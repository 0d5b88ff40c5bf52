// Paying for something once, at the payment page of Switchyard, and giving it back. Each call that writes has a key
// that follows from the order: however often it is sent, from whichever process, it has its effect once.

import type { Switchyard } from '@switchyard/sdk'
import { atlas, currency } from './catalogue.ts'
import type { Order, Store } from './store.ts'

export type Shop = {
  readonly switchyard: Switchyard
  readonly store: Store
  /** Where the shop is, for those who come back to it. */
  readonly url: string
  /** For the page that takes a card. */
  readonly publishableToken: string
  readonly isTest: boolean
}

const underWay = new Map<string, Promise<string>>()

/** The address at which the order is paid. Two presses of the button wait for the same one. */
export function paymentPageOf(shop: Shop, orderId: string): Promise<string> {
  const running =
    underWay.get(orderId) ?? openPaymentPage(shop, orderId).finally(() => underWay.delete(orderId))
  underWay.set(orderId, running)
  return running
}

async function openPaymentPage({ switchyard, store, url }: Shop, orderId: string): Promise<string> {
  let order = store.findOrder(orderId) as Order
  const session = store
    .known(orderId, 'checkout_session')
    .find(({ object }) => object.id === order.session_id)
  if (order.session_url !== null && session?.object.status !== 'expired') return order.session_url
  // It was left for a day, or five cards were declined: the order gets another page.
  if (order.session_url !== null) order = anotherAttempt(store, order)
  for (;;) {
    const opened = await switchyard.checkoutSessions.create(
      {
        currency,
        line_items: [{ name: atlas.title, unit_amount: atlas.amount }],
        success_url: `${url}/orders/${orderId}?returned=yes`,
        cancel_url: `${url}/orders/${orderId}`,
        metadata: { order_id: orderId },
      },
      { idempotencyKey: `order-${orderId}-checkout-${order.attempt}` },
    )
    if (opened.url !== null) {
      store.changeOrder(orderId, { session_id: opened.id, session_url: opened.url })
      return opened.url
    }
    // The shop was killed before it could keep the address, which is shown once. Nobody else has seen it.
    await switchyard.checkoutSessions.expire(opened.id)
    order = anotherAttempt(store, order)
  }
}

function anotherAttempt(store: Store, order: Order): Order {
  return store.changeOrder(order.id, { attempt: order.attempt + 1, session_id: null, session_url: null })
}

/** All that is left of it. One that failed may be tried again; one that is under way is not asked for a second time. */
export async function refundOrder({ switchyard, store }: Shop, orderId: string): Promise<void> {
  const session = store.known(orderId, 'checkout_session').find(({ object }) => object.status === 'completed')
  const paymentId = session?.object.payment_id
  if (typeof paymentId !== 'string') return
  const failed = store.known(orderId, 'refund').filter(({ object }) => object.status === 'failed')
  await switchyard.refunds.create(
    { payment_id: paymentId, reason: 'requested_by_customer', metadata: { order_id: orderId } },
    { idempotencyKey: `order-${orderId}-refund-${failed.length + 1}` },
  )
}
