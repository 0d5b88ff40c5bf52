// Changes to a subscription: pause, resume, cancel, and another card. The subscription is created by its checkout session.

import { SwitchyardError } from '@switchyard/sdk'
import type { SessionKey, Shop } from './buying.ts'
import type { Order } from './store.ts'

export type Action = 'pause' | 'resume' | 'cancel' | 'keep'

/**
 * `version` is the version of the order on the page, so two clicks on one button are one action. A click after the
 * order has changed is another action.
 */
export async function changeSubscription(
  { switchyard }: Shop,
  order: Order,
  action: Action,
  version: string,
): Promise<void> {
  if (order.subscription_id === null) return
  const { subscriptions } = switchyard
  const key = { idempotencyKey: `order-${order.id}-${action}-${version}` }
  if (action === 'pause') await subscriptions.pause(order.subscription_id, {}, key)
  if (action === 'resume') await subscriptions.resume(order.subscription_id, {}, key)
  if (action === 'cancel') await subscriptions.cancel(order.subscription_id, { at: 'period_end' }, key)
  if (action === 'keep') await subscriptions.update(order.subscription_id, { scheduled_change: null }, key)
}

/**
 * A session in which the shopper stores another card. Null if a card has been stored: the subscription then
 * uses the new card. The result is read from Switchyard, not from the browser.
 */
export async function changeCard(shop: Shop, order: Order, customerId: string): Promise<SessionKey | null> {
  const { switchyard, store } = shop
  const { card_session_id: id, card_session_secret: secret } = order
  const session = id === null ? null : await switchyard.checkoutSessions.get(id)
  if (session === null || session.status === 'expired') return openCardSession(shop, order, customerId)
  if (session.status !== 'completed') return { id: session.id, client_secret: secret as string }
  const methodId = session.payment_method_id
  if (methodId !== null && order.subscription_id !== null)
    await switchyard.subscriptions.update(
      order.subscription_id,
      { payment_method_id: methodId },
      { idempotencyKey: `order-${order.id}-card-${methodId}` },
    )
  store.changeOrder(order.id, { card_session_id: null, card_session_secret: null })
  return null
}

async function openCardSession({ switchyard, store }: Shop, { id: orderId }: Order, customerId: string) {
  const { id, client_secret } = await switchyard.checkoutSessions.create({
    mode: 'setup',
    customer_id: customerId,
    metadata: { order_id: orderId },
  })
  if (client_secret === null) throw new Error('The response with the secret was lost. Try again.')
  store.changeOrder(orderId, { card_session_id: id, card_session_secret: client_secret })
  return { id, client_secret }
}

/** Whether the request was rejected and a retry would be rejected again. */
export function isRejection(error: unknown): boolean {
  if (!(error instanceof SwitchyardError)) return false
  return error.status !== null && error.status < 500 && !error.retryable
}
