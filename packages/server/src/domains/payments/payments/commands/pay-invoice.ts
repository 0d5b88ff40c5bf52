/** Payments for invoices: a saved card is charged off-session. */
import type { Deps } from '../../../../deps.ts'
import type { Currency } from '../../../../kernel/currency.ts'
import type { Id } from '../../../../kernel/id.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import { isDebit } from '../../../../providers/contract.ts'
import { completeUnapplied } from '../../../finance/ledger/service/complete.ts'
import { postAct } from '../../../finance/ledger/service/post.ts'
import { isPublished } from '../../../routing/payment-routes/service/decide.ts'
import { findPaymentMethod } from '../../payment-methods/service.ts'
import { beginPayment, type PaymentRequest } from '../operations/begin-attempt.ts'
import { selectInstrument } from '../operations/instrument.ts'
import type { Progress } from '../operations/progress.ts'
import { type Payment, refundableAmount } from '../payment.ts'
import * as store from '../store/payments.ts'
import { updateUnapplied } from '../store/unapplied.ts'
import { beginRefund } from './create-refund.ts'

export type { Progress } from '../operations/progress.ts'
export { runInBackground } from '../operations/run.ts'
export type { Payment } from '../payment.ts'
export { isFinal } from '../payment.ts'
export { countsAsPaid } from '../rules/counts-as-paid.ts'
export { requestCancellation } from './cancel-payment.ts'

export type InvoicePayment = {
  readonly invoiceId: Id<'invoice'>
  readonly customerId: Id<'customer'>
  readonly paymentMethodId: string
  readonly amount: bigint
  readonly currency: Currency
  readonly paymentRouteId: Id<'payment_route'> | null
  readonly description: string
}

/** Writes the payment with its first attempt. Call `runInBackground` after the commit to send it. */
export function beginInvoicePayment(deps: Deps, tx: Tx, payment: InvoicePayment): Promise<Progress> {
  return beginPayment(deps, tx, toPaymentRequest(deps, tx, payment))
}

async function toPaymentRequest(deps: Deps, tx: Tx, payment: InvoicePayment): Promise<PaymentRequest> {
  const { fields, tokensAt, script } = await selectInstrument(tx, {
    payment_method_id: payment.paymentMethodId,
    customer_id: payment.customerId,
  })
  const intent = {
    ...fields,
    purpose: 'payment',
    amount: payment.amount,
    currency: payment.currency,
    captureMethod: 'automatic',
    initiator: 'merchant',
    threeDSecure: 'auto',
    savePaymentMethod: false,
    usage: null,
    invoiceId: payment.invoiceId,
    checkoutSessionId: null,
    paymentLinkId: null,
    returnUrl: null,
    device: null,
    orderReference: null,
    statementDescriptor: null,
    description: payment.description,
    // In test mode the payment method can contain a script for the simulator, which reads it from the
    // metadata.
    metadata: script === null || tx.caller.mode === 'live' ? {} : { simulate: script },
  } as const
  return { intent, tokensAt, paymentRouteId: await publishedRouteOf(deps, tx, payment) }
}

/** Null, which means the default route, if the route has been archived. */
async function publishedRouteOf(
  deps: Deps,
  tx: Tx,
  { paymentRouteId: id }: InvoicePayment,
): Promise<string | null> {
  return id !== null && (await isPublished(deps, tx, id)) ? id : null
}

/** Whether the payment method is still attached. */
export async function canCharge(view: View, id: Id<'payment_method'>): Promise<boolean> {
  return (await findPaymentMethod(view, id)).status === 'attached'
}

export function findPayment(view: View, id: Id<'payment'>): Promise<Payment> {
  return store.findPayment(view, id)
}

/** Locks a payment before it is applied to its invoice or refunded, so that no refund is requested concurrently. */
export async function lockPayment(tx: Tx, id: Id<'payment'>): Promise<Payment> {
  const payment = await store.lockPayment(tx, id)
  return { ...payment, amountUnapplied: await completeUnapplied(tx, payment) }
}

/**
 * Applies a payment, which the caller has locked, to its invoice. The invoice counts as paid in full: an
 * earlier refund counts as a refund of the invoice.
 */
export async function applyToInvoice(tx: Tx, payment: Payment, invoiceId: Id<'invoice'>): Promise<void> {
  const { id: paymentId, currency, amountCaptured, amountUnapplied } = payment
  // The unapplied amount is unknown if the payment was captured before the ledger existed, and its amounts contradict
  // each other.
  const isKnown = amountUnapplied > 0n
  const unapplied = isKnown
    ? amountUnapplied
    : amountCaptured - payment.amountRefunding - payment.amountRefunded
  const refunded = amountCaptured - unapplied
  postAct(tx, { act: 'payment_applied', paymentId, invoiceId, currency, unapplied, refunded })
  if (isKnown) await updateUnapplied(tx, payment, 0n)
}

/** Records that the invoice of a returned payment, which the caller has locked, is open again. */
export async function acknowledgeReversal(tx: Tx, payment: Payment): Promise<void> {
  store.updatePayment(tx, payment, { dueAt: null }, false)
}

/** Whether the payment method debits a bank account. */
export async function isBankDebit(view: View, id: Id<'payment_method'>): Promise<boolean> {
  return isDebit((await findPaymentMethod(view, id)).type)
}

/**
 * Refunds the remaining amount in the caller’s transaction. Call `runInBackground` after the commit to send
 * the refund. Returns null if nothing is left to refund, or everything is disputed.
 */
export async function refundRemainder(tx: Tx, id: Id<'payment'>): Promise<Progress | null> {
  const payment = await store.lockPayment(tx, id)
  if (payment.amountReversed > 0n || refundableAmount(payment) === 0n) return null
  return beginRefund(tx, { payment_id: id, reason: 'other', source: 'automatic' })
}
