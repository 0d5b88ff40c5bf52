/** Applies the result of a payment to its session: completed, open again, or expired. */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import { monotonicMs } from '../../../../kernel/clock.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { crashpoint } from '../../../../platform/crashpoint.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { replaceCard } from '../../../billing/subscriptions/service/replace-card.ts'
import { type PaymentToSend, sendPayment } from '../../../billing/subscriptions/service/send.ts'
import { createMails } from '../../mails/service.ts'
import { invalidateCachedLink, releaseCompletion } from '../../payment-links/service/public.ts'
import { recordCompletion } from '../../payment-links/service.ts'
import {
  countsAsPaid,
  findPayment,
  hasOutcome,
  type Payment,
  type Progress,
  refundRemainder,
  runInBackground,
} from '../../payments/commands/pay-checkout-session.ts'
import { type CheckoutSession, itemsOf, maxDeclines } from '../session.ts'
import { lockSession, type SessionChanges } from '../store/sessions.ts'
import { endTry } from '../store/tries.ts'
import { fulfilOrder } from './order.ts'
import { storeCard } from './store-card.ts'
import { transition } from './transition.ts'

/**
 * Called by a worker, and when the session is read. While the outcome of the payment is unknown, nothing
 * changes, and the session keeps its reserved completion of the link.
 */
export async function applyPaymentResult(deps: Deps, ref: Ref<'checkout_session'>): Promise<void> {
  const startedMs = monotonicMs()
  const applied = await transact(deps, systemCaller(ref), async (tx) => {
    const session = await lockSession(tx, ref.id)
    if (session.pendingPaymentId === null) return null
    const payment = await findPayment(tx, session.pendingPaymentId)
    // The message may be early or a duplicate, so check the payment.
    if (!hasOutcome(payment)) return null
    const { refund, paymentsToSend } = await applyResult(deps, tx, session, payment)
    return { linkId: session.paymentLinkId, refund, paymentsToSend }
  })
  if (applied === null) return
  crashpoint('checkout.fulfilled')
  // The link may have reached its maximum number of completions.
  const { linkId, refund, paymentsToSend } = applied
  const { workspaceId } = ref
  if (linkId !== null) invalidateCachedLink(deps, { workspaceId, id: linkId })
  // If this process crashes, the payment resolver sends the refunds.
  for (const paymentToSend of paymentsToSend) deps.runInBackground(sendPayment(deps, paymentToSend))
  if (refund !== null) await runInBackground(deps, { workspaceId, id: refund.payment.id }, refund, startedMs)
}

type AppliedResult = {
  /** The refund to send, if what was sold can no longer be delivered. */
  readonly refund: Progress | null
  readonly paymentsToSend: readonly PaymentToSend[]
}

async function applyResult(
  deps: Deps,
  tx: Tx,
  session: CheckoutSession,
  payment: Payment,
): Promise<AppliedResult> {
  const isApproved = countsAsApproved(payment)
  const fulfilled = isApproved ? await fulfil(tx, session, payment) : null
  const { changes: result, paymentsToSend } = fulfilled ?? { changes: null, paymentsToSend: [] }
  const isPaid = result !== null
  if (session.pendingTryId !== null) await endTry(tx, session.pendingTryId, resultOf(payment, isPaid))
  const cleared = { pendingPaymentId: null, pendingTryId: null }
  if (isPaid) {
    await transition(tx, session, 'paid', { ...cleared, completedAt: tx.now, ...result })
    await createReceipt(tx, session, payment)
  } else await transition(tx, session, 'failed', { ...cleared, declines: declinesAfter(session, payment) })
  // Lock the link last, because other payers of the link wait until this transaction ends.
  const { paymentLinkId } = session
  if (paymentLinkId !== null)
    await (isPaid ? recordCompletion(deps, tx, paymentLinkId) : releaseCompletion(tx, paymentLinkId))
  const isStranded = isApproved && !isPaid && payment.purpose === 'payment'
  return { refund: isStranded ? await refundRemainder(tx, payment.id) : null, paymentsToSend }
}

type Fulfilment = {
  readonly changes: SessionChanges | null
  readonly paymentsToSend: readonly PaymentToSend[]
}

/**
 * Delivers what was sold. `changes` is null if the customer was deleted meanwhile, or the card that was to be stored.
 */
async function fulfil(tx: Tx, session: CheckoutSession, payment: Payment): Promise<Fulfilment> {
  if (session.mode === 'payment') return { changes: {}, paymentsToSend: [] }
  if (session.mode === 'subscription')
    return { changes: await fulfilOrder(tx, session, payment), paymentsToSend: [] }
  const stored = payment.paymentMethodId === null ? null : await storeCard(tx, session, payment)
  if (stored === null || stored.paymentMethodId === null) return { changes: null, paymentsToSend: [] }
  const { customerId, paymentMethodId } = stored
  const { cardUpdate } = session
  const paymentsToSend =
    cardUpdate === null
      ? []
      : await replaceCard(tx, { customerId, paymentMethodId, subscriptionId: cardUpdate.subscriptionId })
  return { changes: { customerId, paymentMethodId }, paymentsToSend }
}

/** A verification charges nothing: it has succeeded, or not. */
function countsAsApproved(payment: Payment): boolean {
  return payment.purpose === 'verification' ? payment.status === 'succeeded' : countsAsPaid(payment)
}

/** The receipt by e-mail, if the payer entered an address. A verification has none. */
async function createReceipt(tx: Tx, session: CheckoutSession, payment: Payment): Promise<void> {
  const recipient = session.payer?.email ?? null
  if (recipient === null || payment.purpose === 'verification') return
  const facts = {
    amount: String(payment.amount),
    currency: payment.currency,
    at: tx.now.toISOString(),
    card: { brand: payment.card.brand, last4: payment.card.last4 },
    items: itemsOf(session),
    description: session.description,
    reference: payment.id,
    statement: payment.statementDescriptor,
    held: payment.captureMethod === 'manual',
  }
  const { id: objectId, customerId, locale } = session
  await createMails(tx, [{ kind: 'receipt', objectId, step: 0, customerId, recipient, locale, facts }])
}

/**
 * Only a failed payment counts as a decline. A payment that the merchant cancelled or refunded does not count
 * against the payer.
 */
function declinesAfter({ declines }: CheckoutSession, { status }: Payment): number {
  return status === 'failed' ? Math.min(maxDeclines, declines + 1) : declines
}

/** A try counts as declined only if the payment reached a provider and failed. */
function resultOf({ status, attemptsCount }: Payment, isPaid: boolean): 'approved' | 'declined' | 'released' {
  if (isPaid) return 'approved'
  return status === 'failed' && attemptsCount > 0 ? 'declined' : 'released'
}
