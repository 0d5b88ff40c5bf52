/**
 * Collecting an invoice: the payment is written together with the word that it is under way, committed, and only
 * then sent. So two that collect at once make one payment, and one that dies in between loses none.
 */
import type { Deps } from '../../../deps.ts'
import { type Caller, systemCaller } from '../../../kernel/caller.ts'
import { monotonicMs } from '../../../kernel/clock.ts'
import { refuseMember } from '../../../kernel/errors.ts'
import { type Id, idFromUuid, type Ref } from '../../../kernel/id.ts'
import { isChange, step } from '../../../kernel/machine.ts'
import { crashpoint } from '../../../platform/crashpoint.ts'
import { beginRequest, continueRequest } from '../../../platform/db/resumable.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { canPay, follow, intendForInvoice } from '../../payments/service/invoice.ts'
import { collectAtOf, type Invoice, remainingOf } from '../invoice.ts'
import { invoiceMachine } from '../machine.ts'
import type { PayInvoice } from '../schema.ts'
import * as store from '../store/invoices.ts'
import { fail, noMethod } from './failure.ts'
import { factsOf, pull, requireQuiet } from './pull.ts'
import { settleInvoice } from './settle.ts'

type Sending = Awaited<ReturnType<typeof intendForInvoice>>

/** Work: an open invoice whose next attempt is due. */
export async function collectInvoice(deps: Deps, ref: Ref<'invoice'>): Promise<void> {
  const startedMs = monotonicMs()
  const sending = await transact(deps, systemCaller(ref), async (tx) => {
    const invoice = await store.lockInvoice(tx, ref.id)
    const dueAt = collectAtOf(invoice)
    // A message may come late or twice. The row knows whether there is anything to do.
    if (dueAt === null || dueAt > tx.now) return null
    const { paymentMethodId: method } = invoice
    if (method !== null && (await canPay(tx, method))) return attempt(deps, tx, invoice, method)
    await fail(tx, invoice, noMethod(tx))
    return null
  })
  if (sending !== null) await carry(deps, ref, sending, startedMs)
}

/** The payment and its first attempt, and that it is under way. */
async function attempt(deps: Deps, tx: Tx, invoice: Invoice, paymentMethodId: string): Promise<Sending> {
  const sending = await intendForInvoice(deps, tx, {
    invoiceId: invoice.id,
    customerId: invoice.customerId,
    paymentMethodId,
    amount: remainingOf(invoice),
    currency: invoice.currency,
    paymentRouteId: invoice.paymentRouteId,
    description: `Invoice ${invoice.number}`,
  })
  const changes = {
    livePaymentId: sending.payment.id,
    attemptCount: invoice.attemptCount + 1,
    nextAttemptAt: null,
  }
  await store.updateInvoice(tx, invoice, changes, false)
  return sending
}

/** Sends it, and writes what became of it. If this process dies, the resolver of payments goes on. */
async function carry(deps: Deps, ref: Ref<'invoice'>, sending: Sending, startedMs: number): Promise<void> {
  crashpoint('payment.intended')
  await follow(deps, { workspaceId: ref.workspaceId, id: sending.payment.id }, sending, startedMs)
  crashpoint('payment.recorded')
  await settleInvoice(deps, ref)
}

type Begun = { readonly id: Id<'invoice'>; readonly sending: Sending | null }

/** Tries to collect it now, or takes note that it was paid by other means. */
export async function payInvoice(
  deps: Deps,
  caller: Caller,
  id: string,
  input: PayInvoice,
): Promise<Invoice> {
  const startedMs = monotonicMs()
  const begun = await beginRequest(deps, caller, (tx) => beginPaying(deps, tx, id, input))
  const invoiceId =
    begun.is === 'begun' ? begun.result.id : idFromUuid('invoice', caller.mode, begun.subjectUuid)
  // Nobody waits for the bank: events, or a look at the invoice, tell what came of it.
  if (begun.is === 'begun' && begun.result.sending !== null) {
    const ref = { workspaceId: caller.workspaceId, id: invoiceId }
    deps.later(carry(deps, ref, begun.result.sending, startedMs))
  }
  return continueRequest(
    deps,
    caller,
    begun.hold,
    (tx) => store.findInvoice(tx, invoiceId),
    () => true,
  )
}

async function beginPaying(deps: Deps, tx: Tx, id: string, input: PayInvoice): Promise<Begun> {
  const before = await store.lockInvoice(tx, id)
  requireQuiet(before)
  const row = step(invoiceMachine, { state: before.status, trigger: 'pay', facts: factsOf(before) })
  if (!isChange(row)) return { id: before.id, sending: null }
  if (input.out_of_band) {
    await pull(tx, before, 'settle', {
      ...{ amountPaid: before.amountDue, paidOutOfBand: true, paidAt: tx.now },
      ...{ nextAttemptAt: null, subscriptionDueAt: tx.now },
    })
    return { id: before.id, sending: null }
  }
  const method =
    input.payment_method_id ??
    before.paymentMethodId ??
    refuseMember('/payment_method_id', 'required', 'is required: the invoice has none')
  return { id: before.id, sending: await attempt(deps, tx, before, method) }
}
