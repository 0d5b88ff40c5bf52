/** Applies the result of a payment to its session: completed, open again, or expired. */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import { monotonicMs } from '../../../../kernel/clock.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { crashpoint } from '../../../../platform/crashpoint.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { applyPaymentResult as applyToInvoice } from '../../../billing/invoices/service/apply-payment-result.ts'
import { settleReservations } from '../../../billing/promotion-codes/service.ts'
import { replaceCard } from '../../../billing/subscriptions/service/replace-card.ts'
import { type PaymentToSend, sendPayment } from '../../../billing/subscriptions/service/send.ts'
import { createMails } from '../../mails/service.ts'
import { invalidateCachedLink, releaseCompletion } from '../../payment-links/service/public.ts'
import { recordCompletion } from '../../payment-links/service.ts'
import { mailMandate } from '../../payment-methods/service/mandate-mail.ts'
import {
  countsAsPaid,
  findPayment,
  hasOutcome,
  isAwaitingBank,
  type Payment,
  type Progress,
  refundRemainder,
  runInBackground,
} from '../../payments/commands/pay-checkout-session.ts'
import { checkoutSessionPaymentFailed, checkoutSessionPaymentSucceeded } from '../events.ts'
import { type CheckoutSession, itemsOf, maxDeclines, shownDiscounts } from '../session.ts'
import { lockSession, type SessionChanges, updateSession } from '../store/sessions.ts'
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
    const { invoiceId } = session
    if (isPendingDebit(session, payment))
      return { invoiceId, ...(await completeAsPending(deps, tx, session, payment)) }
    if (!hasOutcome(payment)) return null
    if (session.status === 'completed')
      return { invoiceId, ...(await recordDebitResult(tx, session, payment)) }
    const { refund, paymentsToSend } = await applyResult(deps, tx, session, payment)
    return { invoiceId, linkId: session.paymentLinkId, refund, paymentsToSend }
  })
  if (applied === null) return
  crashpoint('checkout.fulfilled')
  const { invoiceId, linkId, refund, paymentsToSend } = applied
  const { workspaceId } = ref
  // Until it is applied, the invoice refuses another payment. If this process crashes, a worker applies it.
  if (invoiceId !== null) await applyToInvoice(deps, { workspaceId, id: invoiceId })
  // The link may have reached its maximum number of completions.
  if (linkId !== null) invalidateCachedLink(deps, { workspaceId, id: linkId })
  // If this process crashes, the payment resolver sends the refunds.
  for (const paymentToSend of paymentsToSend) deps.runInBackground(sendPayment(deps, paymentToSend))
  if (refund !== null) await runInBackground(deps, { workspaceId, id: refund.payment.id }, refund, startedMs)
}

const nothingToSend = { refund: null, paymentsToSend: [] } as const

/**
 * Whether the payer has nothing left to do: the bank confirms the debit days later. Subscriptions wait for the
 * confirmation.
 */
export function isPendingDebit(session: CheckoutSession, payment: Payment): boolean {
  return session.status === 'processing' && session.mode === 'payment' && isAwaitingBank(payment)
}

/** The session keeps its pending payment until the bank confirms or rejects the debit. */
async function completeAsPending(deps: Deps, tx: Tx, session: CheckoutSession, payment: Payment) {
  if (session.pendingTryId !== null) await endTry(tx, session.pendingTryId, 'approved')
  const changes = { pendingTryId: null, paymentStatus: 'pending', completedAt: tx.now } as const
  await transition(tx, session, 'submitted', changes)
  await mailMandateOf(tx, session, payment)
  const { paymentLinkId: linkId } = session
  if (linkId !== null) await recordCompletion(deps, tx, linkId)
  return { linkId, ...nothingToSend }
}

/** E-mails the mandate to the address that the payer entered in the session. */
async function mailMandateOf(
  tx: Tx,
  { customerId, locale, payer }: CheckoutSession,
  payment: Payment,
): Promise<void> {
  const { id: paymentId, debit } = payment
  const recipient = payer?.email ?? null
  if (debit === null || recipient === null) return
  const to = { customerId, recipient, locale }
  await mailMandate(tx, { paymentId, debit, charge: payment }, to)
}

/** The payer is not asked to pay again: the merchant decides what happens to the order. */
async function recordDebitResult(tx: Tx, before: CheckoutSession, payment: Payment) {
  const isPaid = countsAsPaid(payment)
  const changes = { pendingPaymentId: null, paymentStatus: isPaid ? 'paid' : 'failed' } as const
  const after = await updateSession(tx, before, changes, true)
  if (after.discounts.length > 0)
    await settleReservations(
      tx,
      { checkoutSessionId: after.id },
      { status: isPaid ? 'used' : 'released', subscriptionId: null },
    )
  tx.emit(isPaid ? checkoutSessionPaymentSucceeded : checkoutSessionPaymentFailed, { before, after })
  if (isPaid) await createReceipt(tx, after, payment)
  return { linkId: null, ...nothingToSend }
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
 * Delivers what was sold. `changes` is null if the customer, or the card to be stored, was deleted in the meantime.
 */
async function fulfil(tx: Tx, session: CheckoutSession, payment: Payment): Promise<Fulfilment> {
  if (session.mode === 'payment')
    return { changes: await savedCardOf(tx, session, payment), paymentsToSend: [] }
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

/**
 * The card that the payer saved, or used. The payment is complete even if its customer was deleted in the meantime.
 */
async function savedCardOf(tx: Tx, session: CheckoutSession, payment: Payment): Promise<SessionChanges> {
  const { savePaymentMethod, paymentMethodId, customerId } = payment
  const stored = savePaymentMethod && paymentMethodId !== null ? await storeCard(tx, session, payment) : null
  return stored ?? (customerId === null ? {} : { customerId })
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
    discounts: shownDiscounts(session),
    description: session.description,
    reference: payment.id,
    statement: payment.statementDescriptor,
    held: payment.captureMethod === 'manual',
  }
  const { id: objectId, customerId, locale } = session
  await createMails(tx, [{ kind: 'receipt', objectId, step: 0, customerId, recipient, locale, facts }])
}

/**
 * Only a payment that reached a provider and failed counts as a decline. A payment that no account could process, or that
 * the merchant cancelled or refunded, does not count against the payer.
 */
const isDeclined = ({ status, attemptsCount }: Payment) => status === 'failed' && attemptsCount > 0

function declinesAfter({ declines }: CheckoutSession, payment: Payment): number {
  return isDeclined(payment) ? Math.min(maxDeclines, declines + 1) : declines
}

function resultOf(payment: Payment, isPaid: boolean): 'approved' | 'declined' | 'released' {
  if (isPaid) return 'approved'
  return isDeclined(payment) ? 'declined' : 'released'
}
