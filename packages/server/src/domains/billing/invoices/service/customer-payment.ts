/**
 * Payments that the customer makes on the hosted page of an invoice. Like a payment that dunning starts, such
 * a payment is the pending payment of the invoice until it has ended, so that the invoice is never paid
 * twice. It is not a dunning step: it neither counts as an attempt nor changes the next one.
 */
import type { Deps } from '../../../../deps.ts'
import { refuse } from '../../../../kernel/errors.ts'
import type { Id, Ref } from '../../../../kernel/id.ts'
import { allowedActions, isChange, nextTransition } from '../../../../kernel/machine.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { type Invoice, remainingOf } from '../invoice.ts'
import { invoiceMachine } from '../machine.ts'
import * as store from '../store/invoices.ts'
import { factsOf, requireNoPendingPayment } from './transition.ts'

/** Locks the invoice for a payment of this amount. Refuses if a payment is in progress or nothing is owed. */
export async function claimInvoice(tx: Tx, id: Id<'invoice'>, amount: bigint): Promise<Invoice> {
  const invoice = await store.lockInvoice(tx, id)
  requireNoPendingPayment(invoice)
  const facts = factsOf(invoice)
  const row = nextTransition(invoiceMachine, { state: invoice.status, trigger: 'pay', facts })
  if (isChange(row) && remainingOf(invoice) === amount && invoice.withdrawnAt === null) return invoice
  return refuse('invalid_state', {
    detail: 'The amount of this invoice has changed, or it is no longer open. Open the invoice again.',
    current_status: invoice.status,
    allowed_actions: allowedActions(invoiceMachine, invoice.status, facts),
  })
}

/** Records the payment in the transaction that writes it. The caller has claimed the invoice. */
export async function recordCustomerPayment(
  tx: Tx,
  invoice: Invoice,
  paymentId: Id<'payment'>,
): Promise<void> {
  await store.updateInvoice(tx, invoice, { pendingPaymentId: paymentId }, false)
}

/** The address of the hosted page; null for a draft. */
export function hostedUrlOf(
  { pagesOf }: Pick<Deps, 'pagesOf'>,
  { workspaceId }: Pick<Ref, 'workspaceId'>,
  { id, status }: Pick<Invoice, 'id' | 'status'>,
): string | null {
  return status === 'draft' ? null : pagesOf(workspaceId).invoicePage(id)
}
