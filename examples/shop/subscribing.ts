// Selling a subscription. The card goes from the page to Switchyard and comes here as a token; everything else is
// done here, in steps that can be repeated: a shop that was killed goes on where it was when the form is sent again.

import { createHash } from 'node:crypto'
import { type Payment, SwitchyardError } from '@switchyard/sdk'
import type { Shop } from './buying.ts'
import { currency, letter } from './catalogue.ts'
import type { Order } from './store.ts'

export type Action = 'pause' | 'resume' | 'cancel' | 'keep'

const noCard = { token: null, verification_id: null, method_id: null }

/** Checks the card, and pays with it if the bank lets us. Else the order says what the customer has to do. */
export async function payWithCard(shop: Shop, order: Order, card: { token: string; email: string }) {
  // Before the first call: whoever comes back to the order goes on with these, whatever was typed since.
  const { email } = order.email === null ? card : { email: order.email }
  const begun = shop.store.changeOrder(order.id, { ...noCard, email, token: card.token })
  const { customer_id } = await goOnWithOrder(shop, begun)
  if (card.email === email || customer_id === null) return
  await shop.switchyard.customers.update(customer_id, { email: card.email })
  shop.store.changeOrder(order.id, { email: card.email })
}

/** The payer comes back from the bank, or looks again. What the bank said is asked of Switchyard, not of them. */
export async function goOnWithCard(shop: Shop, order: Order): Promise<Payment | null> {
  const check =
    order.verification_id === null ? null : await shop.switchyard.payments.get(order.verification_id)
  const method_id = check?.payment_method_id ?? null
  const next = method_id === null ? order : shop.store.changeOrder(order.id, { ...noCard, method_id })
  await goOnWithOrder(shop, next)
  return check
}

/** From where the order is. Each step is on disk before the next begins, and has the same key and body each time. */
async function goOnWithOrder(shop: Shop, order: Order): Promise<Order> {
  const { store } = shop
  try {
    if (order.token !== null) await checkCard(shop, await withCustomer(shop, order))
    const checked = store.findOrder(order.id) as Order
    if (checked.method_id !== null) await payWith(shop, checked, checked.method_id)
  } catch (error) {
    // Without a refusal it may have been done, so the card stays: to go on is to ask the same again.
    const isKnown = store.findOrder(order.id)?.customer_id !== null
    if (isRefusal(error)) store.changeOrder(order.id, isKnown ? noCard : { ...noCard, email: null })
    throw error
  }
  return store.findOrder(order.id) as Order
}

/** An answer that says no, and will say so again. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof SwitchyardError)) return false
  return error.status !== null && error.status < 500 && !error.retryable
}

async function checkCard({ switchyard, store, url }: Shop, { id, token }: Order): Promise<void> {
  const checked = await switchyard.paymentMethods.create(
    { token: token as string, usage: 'off_session', currency, return_url: `${url}/orders/${id}/card` },
    { idempotencyKey: `order-${id}-card-${token}` },
  )
  const isAsked = checked.object === 'payment'
  store.changeOrder(id, { ...noCard, [isAsked ? 'verification_id' : 'method_id']: checked.id })
}

/** In the test environment they live on a clock of their own, so that the shopkeeper can let months pass. */
async function withCustomer({ switchyard, store, isTest }: Shop, order: Order): Promise<Order> {
  if (order.customer_id !== null) return order
  const key = (step: string) => ({ idempotencyKey: `order-${order.id}-${step}` })
  const clock = isTest
    ? await switchyard.testClocks.create({ name: `Order ${order.id}` }, key('clock'))
    : null
  // An address that was refused may be typed again, and is another request then.
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
  const { subscription_id, begun_with } = await withSubscription(shop, order.id, methodId)
  if (begun_with !== methodId) {
    // Another card for one that is there: from now on it is paid with this one, and what is owed is tried at once.
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

/** The one that the order has, that a webhook has named, or that is asked for now: as it was asked for at first. */
async function withSubscription({ switchyard, store }: Shop, orderId: string, methodId: string) {
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
    if (isRefusal(error)) store.changeOrder(orderId, { begun_with: null })
    throw error
  }
}

/** `seen` is the sequence that the page showed: two presses of one button are one act, a later one is another. */
export async function act({ switchyard }: Shop, order: Order, action: Action, seen: string): Promise<void> {
  if (order.subscription_id === null) return
  const { subscriptions } = switchyard
  const key = { idempotencyKey: `order-${order.id}-${action}-${seen}` }
  if (action === 'pause') await subscriptions.pause(order.subscription_id, {}, key)
  if (action === 'resume') await subscriptions.resume(order.subscription_id, {}, key)
  if (action === 'cancel') await subscriptions.cancel(order.subscription_id, { at: 'period_end' }, key)
  if (action === 'keep') await subscriptions.update(order.subscription_id, { scheduled_change: null }, key)
}

/** Only in the test environment: a month on the clock of this customer takes no longer than a request. */
export async function letMonthPass({ switchyard }: Shop, order: Order, seen: string): Promise<void> {
  if (order.clock_id === null) return
  await switchyard.testClocks.advance(
    order.clock_id,
    { by: 'P1M' },
    { idempotencyKey: `order-${order.id}-month-${seen}` },
  )
}
