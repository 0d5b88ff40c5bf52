/** Applies the result of a payment that has ended to its invoice. */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import { monotonicMs } from '../../../../kernel/clock.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import {
  applyToInvoice,
  countsAsPaid,
  findPayment,
  isFinal,
  lockPayment,
  type Payment,
  type Progress,
  refundRemainder,
  runInBackground,
} from '../../../payments/payments/commands/pay-invoice.ts'
import * as events from '../events.ts'
import type { Invoice } from '../invoice.ts'
import * as store from '../store/invoices.ts'
import { voidOrDiscard } from './end.ts'
import { failureOf, recordFailure } from './failure.ts'
import { mailCustomers } from './mails.ts'
import { transition } from './transition.ts'

/** Called by a worker, and right after a payment was sent. Does nothing while the outcome is unknown. */
export async function applyPaymentResult(deps: Deps, ref: Ref<'invoice'>): Promise<void> {
  const startedMs = monotonicMs()
  const refund = await transact(deps, systemCaller(ref), (tx) => applyResult(tx, ref))
  if (refund === null) return
  // If this process crashes, the payment resolver sends the refund.
  await runInBackground(deps, { workspaceId: ref.workspaceId, id: refund.payment.id }, refund, startedMs)
}

/** Returns the refund to send, if the invoice is no longer owed. */
async function applyResult(tx: Tx, ref: Ref<'invoice'>): Promise<Progress | null> {
  const invoice = await store.lockInvoice(tx, ref.id)
  // The draft of a checkout, which is already paid, gets its number first.
  if (invoice.pendingPaymentId === null || invoice.status === 'draft') return null
  const found = await findPayment(tx, invoice.pendingPaymentId)
  const isStillOwed = isUnpaid(invoice) && invoice.withdrawnAt === null
  const isByCustomer = found.checkoutSessionId !== null
  if (found.status === 'requires_action' && isStillOwed && !isByCustomer)
    await requireCustomerAction(tx, invoice)
  if (!isFinal(found)) return null
  // Lock order: the invoice before its payment.
  const payment = await lockPayment(tx, found.id)
  if (!isStillOwed) return voidAndRefund(tx, invoice, payment)
  // A cancelled or fully refunded payment does not pay the invoice, even if the provider charged it.
  if (!countsAsPaid(payment) && isByCustomer) {
    // Not a dunning step: the page shows the decline, and the next automatic attempt is not rescheduled.
    await store.updateInvoice(tx, invoice, { pendingPaymentId: null }, false)
    return null
  }
  if (!countsAsPaid(payment)) {
    await recordFailure(tx, invoice, failureOf(tx, payment))
    return null
  }
  await transition(tx, invoice, 'settle', {
    amountPaid: invoice.amountPaid + payment.amountCaptured,
    pendingPaymentId: null,
    paymentId: payment.id,
    paidAt: tx.now,
    lastFailure: null,
    subscriptionDueAt: tx.now,
  })
  await applyToInvoice(tx, payment, invoice.id)
  return null
}

const isUnpaid = ({ status }: Invoice) => status === 'open' || status === 'uncollectible'

/**
 * The invoice is no longer owed: a withdrawn invoice is voided, which returns its credit, and the charge is
 * refunded.
 */
async function voidAndRefund(tx: Tx, invoice: Invoice, payment: Payment): Promise<Progress | null> {
  if (isUnpaid(invoice)) await voidOrDiscard(tx, invoice, invoice.withdrawReason ?? 'requested')
  else await store.updateInvoice(tx, invoice, { pendingPaymentId: null }, false)
  return refundRemainder(tx, payment.id)
}

/** The bank requires authentication. Payment and invoice wait for the customer. */
async function requireCustomerAction(tx: Tx, before: Invoice): Promise<void> {
  const after = await store.updateInvoice(tx, before, { subscriptionDueAt: tx.now }, true)
  tx.emit(events.invoicePaymentActionRequired, { before, after })
  await mailCustomers(tx, 'action_required', [after])
}
