/**
 * Collects invoices. The payment and `live_payment_id` of the invoice are written in one transaction, and the
 * payment is sent after the commit. Therefore concurrent collectors create only one payment, and a crash does not
 * lose it.
 */
import type { Deps } from '../../../../deps.ts'
import { type Caller, systemCaller } from '../../../../kernel/caller.ts'
import { monotonicMs } from '../../../../kernel/clock.ts'
import { refuseMember } from '../../../../kernel/errors.ts'
import { type Id, idFromUuid, type Ref } from '../../../../kernel/id.ts'
import { isChange, nextTransition } from '../../../../kernel/machine.ts'
import { crashpoint } from '../../../../platform/crashpoint.ts'
import { continueRequest, runResumable } from '../../../../platform/db/resumable.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import {
  beginInvoicePayment,
  canCharge,
  runInBackground,
} from '../../../payments/payments/commands/pay-invoice.ts'
import { collectAtOf, type Invoice, remainingOf } from '../invoice.ts'
import { invoiceMachine } from '../machine.ts'
import type { PayInvoice } from '../schema.ts'
import * as store from '../store/invoices.ts'
import { applyPaymentResult } from './apply-payment-result.ts'
import { noPaymentMethod, recordFailure } from './failure.ts'
import { remindCustomer } from './remind.ts'
import { factsOf, requireNoPendingPayment, transition } from './transition.ts'

type StartedPayment = Awaited<ReturnType<typeof beginInvoicePayment>>

/** Worker: the next attempt to collect an open invoice, or the next reminder, is due. */
export async function collectInvoice(deps: Deps, ref: Ref<'invoice'>): Promise<void> {
  const startedMs = monotonicMs()
  const startedPayment = await transact(deps, systemCaller(ref), async (tx) => {
    const invoice = await store.lockInvoice(tx, ref.id)
    const dueAt = collectAtOf(invoice)
    // A message may be late or a duplicate. The row shows whether there is anything to do.
    if (dueAt === null || dueAt > tx.now) return null
    if (invoice.collectionMethod === 'send_invoice') {
      await remindCustomer(tx, invoice, dueAt)
      return null
    }
    const { paymentMethodId: method } = invoice
    if (method !== null && (await canCharge(tx, method))) return startAttempt(deps, tx, invoice, method)
    await recordFailure(tx, invoice, noPaymentMethod(tx))
    return null
  })
  if (startedPayment !== null) await sendAndApplyResult(deps, ref, startedPayment, startedMs)
}

/** Writes the payment with its first attempt, and records it as the pending payment of the invoice. */
async function startAttempt(
  deps: Deps,
  tx: Tx,
  invoice: Invoice,
  paymentMethodId: string,
): Promise<StartedPayment> {
  const startedPayment = await beginInvoicePayment(deps, tx, {
    invoiceId: invoice.id,
    customerId: invoice.customerId,
    paymentMethodId,
    amount: remainingOf(invoice),
    currency: invoice.currency,
    paymentRouteId: invoice.paymentRouteId,
    description: `Invoice ${invoice.number}`,
  })
  const changes = {
    pendingPaymentId: startedPayment.payment.id,
    attemptCount: invoice.attemptCount + 1,
    // For an invoice that was sent to the customer, the next reminder does not change.
    ...(invoice.collectionMethod === 'send_invoice' ? {} : { nextAttemptAt: null }),
  }
  await store.updateInvoice(tx, invoice, changes, false)
  return startedPayment
}

/** Sends the payment and records the result. If this process crashes, the payment resolver takes over. */
async function sendAndApplyResult(
  deps: Deps,
  ref: Ref<'invoice'>,
  startedPayment: StartedPayment,
  startedMs: number,
): Promise<void> {
  crashpoint('payment.intended')
  await runInBackground(
    deps,
    { workspaceId: ref.workspaceId, id: startedPayment.payment.id },
    startedPayment,
    startedMs,
  )
  crashpoint('payment.recorded')
  await applyPaymentResult(deps, ref)
}

type BegunPayRequest = { readonly id: Id<'invoice'>; readonly startedPayment: StartedPayment | null }

/** Collects the invoice now, or records that it was paid out of band. */
export async function payInvoice(
  deps: Deps,
  caller: Caller,
  id: string,
  input: PayInvoice,
): Promise<Invoice> {
  const startedMs = monotonicMs()
  const begin = (tx: Tx) => beginPayRequest(deps, tx, id, input)
  return runResumable(deps, caller, begin, (request) => {
    const invoiceId =
      request.status === 'begun' ? request.result.id : idFromUuid('invoice', caller.mode, request.subjectUuid)
    // The request does not wait for the bank: events or a later read of the invoice show the result.
    if (request.status === 'begun' && request.result.startedPayment !== null) {
      const ref = { workspaceId: caller.workspaceId, id: invoiceId }
      deps.runInBackground(sendAndApplyResult(deps, ref, request.result.startedPayment, startedMs))
    }
    return continueRequest(
      deps,
      caller,
      request.keyLease,
      (tx) => store.findInvoice(tx, invoiceId),
      () => true,
    )
  })
}

async function beginPayRequest(deps: Deps, tx: Tx, id: string, input: PayInvoice): Promise<BegunPayRequest> {
  const before = await store.lockInvoice(tx, id)
  requireNoPendingPayment(before)
  const row = nextTransition(invoiceMachine, { state: before.status, trigger: 'pay', facts: factsOf(before) })
  if (!isChange(row)) return { id: before.id, startedPayment: null }
  if (input.out_of_band) {
    await transition(tx, before, 'settle', {
      amountPaid: before.amountDue,
      paidOutOfBand: true,
      paidAt: tx.now,
      nextAttemptAt: null,
      subscriptionDueAt: tx.now,
    })
    return { id: before.id, startedPayment: null }
  }
  const paymentMethodId =
    input.payment_method_id ??
    before.paymentMethodId ??
    refuseMember('/payment_method_id', 'required', 'is required: the invoice has no payment method')
  return { id: before.id, startedPayment: await startAttempt(deps, tx, before, paymentMethodId) }
}
