// Selling a subscription. The page sends the card to Switchyard, and the shop gets a token. All other steps run here and
// can be repeated: after a crash the shop resumes when the form is submitted again.

import { createHash } from 'node:crypto'
import { type Payment, SwitchyardError } from '@switchyard/sdk'
import type { Shop } from './buying.ts'
import { currency, letter } from './catalogue.ts'
import type { Order } from './store.ts'

export type Action = 'pause' | 'resume' | 'cancel' | 'keep'

const noCard = { token: null, verification_id: null, method_id: null }

/** Verifies the card and pays with it. If the bank requires authentication, the order page shows what to do. */
export async function payWithCard(shop: Shop, order: Order, card: { token: string; email: string }) {
  // Save the input before the first call, so that the order can be resumed with the same values.
  const { email } = order.email === null ? card : { email: order.email }
  const saved = shop.store.changeOrder(order.id, { ...noCard, email, token: card.token })
  const { customer_id } = await resumeOrder(shop, saved)
  if (card.email === email || customer_id === null) return
  await shop.switchyard.customers.update(customer_id, { email: card.email })
  shop.store.changeOrder(order.id, { email: card.email })
}

/** The payer returns from the bank, or checks again. The result is read from Switchyard, not from the redirect. */
export async function resumeWithCard(shop: Shop, order: Order): Promise<Payment | null> {
  const verification =
    order.verification_id === null ? null : await shop.switchyard.payments.get(order.verification_id)
  const method_id = verification?.payment_method_id ?? null
  const next = method_id === null ? order : shop.store.changeOrder(order.id, { ...noCard, method_id })
  await resumeOrder(shop, next)
  return verification
}

/** Resumes the order. Each step is saved before the next one starts, and has the same key and body every time. */
async function resumeOrder(shop: Shop, order: Order): Promise<Order> {
  const { store } = shop
  try {
    if (order.token !== null) await verifyCard(shop, await ensureCustomer(shop, order))
    const current = store.findOrder(order.id) as Order
    if (current.method_id !== null) await payWith(shop, current, current.method_id)
  } catch (error) {
    // Unless the request was rejected, it may have succeeded. Keep the card, so that a retry sends the same request.
    const hasCustomer = store.findOrder(order.id)?.customer_id !== null
    if (isRejection(error)) store.changeOrder(order.id, hasCustomer ? noCard : { ...noCard, email: null })
    throw error
  }
  return store.findOrder(order.id) as Order
}

/** Whether the request was rejected and a retry would be rejected again. */
export function isRejection(error: unknown): boolean {
  if (!(error instanceof SwitchyardError)) return false
  return error.status !== null && error.status < 500 && !error.retryable
}

async function verifyCard({ switchyard, store, url }: Shop, { id, token }: Order): Promise<void> {
  const result = await switchyard.paymentMethods.create(
    { token: token as string, usage: 'off_session', currency, return_url: `${url}/orders/${id}/card` },
    { idempotencyKey: `order-${id}-card-${token}` },
  )
  const requiresAction = result.object === 'payment'
  store.changeOrder(id, { ...noCard, [requiresAction ? 'verification_id' : 'method_id']: result.id })
}

/** In test mode each customer has a test clock, so that the shopkeeper can advance time. */
async function ensureCustomer({ switchyard, store, isTest }: Shop, order: Order): Promise<Order> {
  if (order.customer_id !== null) return order
  const key = (step: string) => ({ idempotencyKey: `order-${order.id}-${step}` })
  const clock = isTest
    ? await switchyard.testClocks.create({ name: `Order ${order.id}` }, key('clock'))
    : null
  // A corrected e-mail address is another request, so it needs another key.
  const digest = createHash('sha256')
    .update(order.email as string)
    .digest('hex')
    .slice(0, 16)
  const customer = await switchyard.customers.create(
    {
      email: order.email as string,
      metadata: { order_id: order.id },
      ...(clock === null ? {} : { test_clock_id: clock.id }),
    },
    key(`customer-${digest}`),
  )
  return store.changeOrder(order.id, { customer_id: customer.id, clock_id: clock?.id ?? null })
}

async function payWith(shop: Shop, order: Order, methodId: string): Promise<void> {
  const { switchyard, store } = shop
  const key = (step: string) => ({ idempotencyKey: `order-${order.id}-${step}` })
  await switchyard.paymentMethods.attach(
    methodId,
    { customer_id: order.customer_id as string },
    key(`attach-${methodId}`),
  )
  const { subscription_id, begun_with } = await ensureSubscription(shop, order.id, methodId)
  if (begun_with !== methodId) {
    // Change the card of an existing subscription, and retry an unpaid first invoice immediately.
    const { activation } = await switchyard.subscriptions.update(
      subscription_id as string,
      { payment_method_id: methodId },
      key(`method-${methodId}`),
    )
    if (activation?.state === 'requires_action' && activation.invoice_id !== null)
      await switchyard.invoices.pay(
        activation.invoice_id,
        { payment_method_id: methodId },
        key(`pay-${methodId}`),
      )
  }
  store.changeOrder(order.id, noCard)
}

/** The subscription of the order: known from a response or a webhook, or created now with the first payment method. */
async function ensureSubscription({ switchyard, store }: Shop, orderId: string, methodId: string) {
  const order = store.findOrder(orderId) as Order
  if (order.subscription_id !== null) return order
  const begunWith = order.begun_with ?? methodId
  store.changeOrder(orderId, { begun_with: begunWith })
  try {
    const { id } = await switchyard.subscriptions.create(
      {
        customer_id: order.customer_id as string,
        payment_method_id: begunWith,
        items: [{ price_id: `lookup:${letter.lookupKey}` }],
        metadata: { order_id: orderId },
      },
      { idempotencyKey: `order-${orderId}-subscription-${begunWith}` },
    )
    return store.changeOrder(orderId, { subscription_id: id })
  } catch (error) {
    if (isRejection(error)) store.changeOrder(orderId, { begun_with: null })
    throw error
  }
}

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

/** Test mode only: advances the test clock of this customer by a month. */
export async function advanceByMonth({ switchyard }: Shop, order: Order, version: string): Promise<void> {
  if (order.clock_id === null) return
  await switchyard.testClocks.advance(
    order.clock_id,
    { by: 'P1M' },
    { idempotencyKey: `order-${order.id}-month-${version}` },
  )
}
