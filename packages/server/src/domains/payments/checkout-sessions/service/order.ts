/** The order of a session that sells a subscription: planned when the payer confirms, created after the payment. */
import { assert } from '../../../../kernel/assert.ts'
import { wholeSecond } from '../../../../kernel/calendar.ts'
import { faultsOfQuantities, type LineItem } from '../../../../kernel/cart.ts'
import { refuse, refuseMembers } from '../../../../kernel/errors.ts'
import type { Id } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { markPricesUsed } from '../../../billing/products/service.ts'
import { createFromCheckout, offerOf } from '../../../billing/subscriptions/service/checkout.ts'
import { isTaxAdded } from '../../../billing/tax-rules/service/load-rates.ts'
import { toCheckoutOrder } from '../../payment-links/service/offer.ts'
import type { Payment } from '../../payments/commands/pay-checkout-session.ts'
import type { CheckoutSession, StoredOrder } from '../session.ts'
import type { SessionChanges } from '../store/sessions.ts'
import { storeCard } from './store-card.ts'

export type ConfirmedOrder = {
  readonly session: CheckoutSession
  readonly amount: bigint
  /** Null unless a subscription is sold. */
  readonly order: StoredOrder | null
}

/** Plans the order with the quantities that the payer chose. A price that is used in an order cannot be deleted. */
export async function planOrder(
  tx: Tx,
  session: CheckoutSession,
  quantities: readonly number[] | undefined,
): Promise<ConfirmedOrder> {
  const chosen = { ...session, lineItems: withQuantities(session.lineItems ?? [], quantities) }
  const order = {
    at: wholeSecond(tx.now),
    subscriptionId: tx.newId('subscription'),
    invoiceId: tx.newId('invoice'),
  }
  const prices = chosen.lineItems.flatMap(({ price_id: id }) => (id === undefined ? [] : [id as Id<'price'>]))
  // If the rates are stored, the page shows the tax.
  if (chosen.lineItems.every(({ tax }) => tax === undefined)) await requireFinalPrices(tx, session, prices)
  await markPricesUsed(tx, prices, '/line_items')
  return {
    session: chosen,
    amount: offerOf(toCheckoutOrder(chosen, { ...order, checkoutSessionId: session.id })).dueNow,
    order,
  }
}

/** The page shows prices without tax if tax was switched on after the link or session was created. */
async function requireFinalPrices(
  tx: Tx,
  { status }: CheckoutSession,
  prices: readonly Id<'price'>[],
): Promise<void> {
  if (await isTaxAdded(tx, prices))
    refuse('invalid_state', {
      detail: 'This page cannot take payments, because its prices do not include tax. Contact the seller.',
      current_status: status,
      allowed_actions: [],
    })
}

export function withQuantities(
  items: readonly LineItem[],
  quantities: readonly number[] | undefined,
): readonly LineItem[] {
  if (quantities === undefined) return items
  const faults = faultsOfQuantities(items, quantities)
  if (faults.length > 0) refuseMembers(faults)
  return items.map((item, index) => ({ ...item, quantity: quantities[index] as number }))
}

/**
 * Creates the customer, the subscription and its first invoice in the transaction that completes the session. Uses
 * the prices that the payer confirmed, even if they were archived since. Null if the customer was deleted.
 */
export async function fulfilOrder(
  tx: Tx,
  session: CheckoutSession,
  payment: Payment,
): Promise<SessionChanges | null> {
  const { order } = session
  assert(order !== null, 'Confirming a session that sells a subscription stores its order.')
  const stored = await storeCard(tx, session, payment)
  if (stored === null) return null
  const subscription = await createFromCheckout(
    tx,
    toCheckoutOrder(session, { ...order, checkoutSessionId: session.id }),
    { ...stored, payment },
  )
  return { ...stored, subscriptionId: subscription.id }
}
