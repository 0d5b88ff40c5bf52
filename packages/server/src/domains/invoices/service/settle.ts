/** The payment that was under way has ended. What became of it becomes of the invoice. */
import type { Deps } from '../../../deps.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import type { Ref } from '../../../kernel/id.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { findPayment, giveBack, isFinal, type Payment } from '../../payments/service/invoice.ts'
import * as events from '../events.ts'
import type { Invoice } from '../invoice.ts'
import * as store from '../store/invoices.ts'
import { fail, failureOf } from './failure.ts'
import { pull } from './pull.ts'

/** Work: also done by whoever has just sent the payment. While it is not known what became of it, nothing is. */
export async function settleInvoice(deps: Deps, ref: Ref<'invoice'>): Promise<void> {
  const unwanted = await transact(deps, systemCaller(ref), (tx) => settle(tx, ref))
  if (unwanted === null) return
  await giveBack(deps, { workspaceId: ref.workspaceId, id: unwanted.id })
  await transact(deps, systemCaller(ref), async (tx) => {
    const invoice = await store.lockInvoice(tx, ref.id)
    if (invoice.livePaymentId === unwanted.id)
      await store.updateInvoice(tx, invoice, { livePaymentId: null }, false)
  })
}

/** Gives a payment that nobody wants any more. */
async function settle(tx: Tx, ref: Ref<'invoice'>): Promise<Payment | null> {
  const invoice = await store.lockInvoice(tx, ref.id)
  if (invoice.livePaymentId === null) return null
  const payment = await findPayment(tx, invoice.livePaymentId)
  if (payment.status === 'requires_action') await askCustomer(tx, invoice)
  if (!isFinal(payment)) return null
  if (payment.status !== 'succeeded') {
    await fail(tx, invoice, failureOf(tx, payment))
    return null
  }
  // It came too late: the invoice has ended meanwhile.
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible') return payment
  await pull(tx, invoice, 'settle', {
    amountPaid: invoice.amountPaid + payment.amountCaptured,
    ...{ livePaymentId: null, paymentId: payment.id },
    ...{ paidAt: tx.now, lastFailure: null, subscriptionDueAt: tx.now },
  })
  return null
}

/** The bank wants to see the customer. The payment waits for them, and so does the invoice. */
async function askCustomer(tx: Tx, before: Invoice): Promise<void> {
  const after = await store.updateInvoice(tx, before, { subscriptionDueAt: tx.now }, true)
  tx.emit(events.invoicePaymentActionRequired, { before, after })
}
