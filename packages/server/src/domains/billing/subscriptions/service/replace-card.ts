/** Replaces the card of subscriptions, in the transaction that stores the new card. */
import type { Deps } from '../../../../deps.ts'
import { wholeSecond } from '../../../../kernel/calendar.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import type { Id } from '../../../../kernel/id.ts'
import { OnTestClock, type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { requireCustomer } from '../../../payments/customers/service.ts'
import { chargeOneOffInvoices } from '../../invoices/service.ts'
import { wakeTestClock } from '../../test-clocks/service.ts'
import { applyCommand } from '../plan/commands.ts'
import { withNextAction } from '../plan/plan.ts'
import { lockUncancelledOf } from '../store/subscriptions.ts'
import type { Subscription } from '../subscription.ts'
import { applyInvoiceResults } from './apply-invoice-results.ts'
import { applyNewPaymentMethod } from './commands.ts'
import { idFactoryOf } from './load-snapshot.ts'
import { requireMethodOf } from './priced-items.ts'
import { sendPayment } from './send.ts'
import { type PaymentToSend, storePlans } from './store-plans.ts'

type CardReplacement = {
  readonly customerId: Id<'customer'>
  readonly paymentMethodId: Id<'payment_method'>
  /** Null: all subscriptions of the customer. */
  readonly subscriptionId: Id<'subscription'> | null
}

/**
 * Cancelled subscriptions keep their card. As after every change of the card, the oldest overdue invoice is retried.
 * Open one-off invoices are charged to the new card as well.
 * Returns refunds to send after the commit.
 */
export async function replaceCard(tx: Tx, replacement: CardReplacement): Promise<readonly PaymentToSend[]> {
  const uncancelled = await lockUncancelledOf(tx, replacement.customerId)
  const { subscriptionId } = replacement
  const subscriptions = uncancelled.filter(({ id }) => subscriptionId === null || id === subscriptionId)
  const testClockId = subscriptions[0]?.testClockId ?? null
  if (testClockId !== null && tx.testClockId === null) throw new OnTestClock(testClockId)
  const paymentsToSend: PaymentToSend[] = []
  for (const subscription of subscriptions)
    paymentsToSend.push(...(await replaceCardOf(tx, subscription, replacement.paymentMethodId)))
  if (subscriptionId === null)
    await chargeOneOffInvoices(tx, replacement.customerId, replacement.paymentMethodId)
  if (subscriptions.length > 0) await wakeTestClock(tx)
  return paymentsToSend
}

/** Uses a stored card for all subscriptions of the customer. */
export async function changeCard(
  deps: Deps,
  caller: Caller,
  customerId: Id<'customer'>,
  methodId: string,
): Promise<void> {
  const paymentsToSend = await transact(deps, caller, async (tx) => {
    // Lock order: the customer, then the subscriptions, then the card.
    await requireCustomer(tx, customerId)
    await lockUncancelledOf(tx, customerId)
    const paymentMethodId = await requireMethodOf(tx, customerId, methodId)
    return replaceCard(tx, { customerId, paymentMethodId, subscriptionId: null })
  })
  for (const paymentToSend of paymentsToSend) deps.runInBackground(sendPayment(deps, paymentToSend))
}

async function replaceCardOf(
  tx: Tx,
  subscription: Subscription,
  paymentMethodId: Id<'payment_method'>,
): Promise<readonly PaymentToSend[]> {
  const { snapshot, paymentsToSend } = await applyInvoiceResults(tx, subscription)
  const { status, paymentMethodId: current } = snapshot.subscription
  if (status === 'cancelled' || current === paymentMethodId) return paymentsToSend
  const options = {
    settings: { paymentMethodId },
    items: null,
    behaviour: 'invoice_now',
    changedAt: null,
    trialEndAt: null,
    removesScheduledChange: false,
  } as const
  const context = { at: wholeSecond(tx.now), now: tx.now, ids: idFactoryOf(tx) }
  // Due actions are not applied first, because they may cancel the subscription. A worker that applies them
  // later uses the new card.
  const plan = withNextAction(snapshot, applyCommand(snapshot, context, { kind: 'update', options }))
  const [after] = await storePlans(tx, [{ snapshot, plan }])
  await applyNewPaymentMethod(tx, snapshot, after as Subscription)
  return paymentsToSend
}
