/** Cancels a payment: voids its authorization, or makes sure that an open operation charges nothing. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import type { Id } from '../../../../kernel/id.ts'
import { nextTransition } from '../../../../kernel/machine.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { factsOf, paymentMachine } from '../machine.ts'
import { voidAuthorization } from '../operations/add-operation.ts'
import type { Progress } from '../operations/progress.ts'
import { runInRequest } from '../operations/run.ts'
import { isOpen, type Payment } from '../payment.ts'
import { listOperations, updateOperation } from '../store/operations.ts'
import { lockPayment, updatePayment } from '../store/payments.ts'

export function cancelPayment(deps: Deps, caller: Caller, id: string): Promise<Progress> {
  return runInRequest(deps, caller, 'payment', async (tx) => {
    const before = await lockPayment(tx, id)
    nextTransition(paymentMachine, { state: before.status, trigger: 'cancel', facts: factsOf(before) })
    if (before.status === 'cancelled') return { id: before.id, payment: before, next: null }
    const changes = { cancelRequestedAt: before.cancelRequestedAt ?? tx.now }
    if (before.status !== 'requires_capture') return scheduleCancellation(tx, before, changes)
    return voidAuthorization(tx, before, changes)
  })
}

/**
 * Requests the cancellation in the caller’s transaction. A payment whose outcome is known does not change.
 * Otherwise the resolver makes sure that the payment is not charged, or refunds the charge.
 */
export async function requestCancellation(tx: Tx, id: Id<'payment'>): Promise<void> {
  const before = await lockPayment(tx, id)
  if (before.status !== 'processing' && before.status !== 'requires_action') return
  await scheduleCancellation(tx, before, { cancelRequestedAt: before.cancelRequestedAt ?? tx.now })
}

/** The outcome is unknown, so the resolver determines what to reverse. Its work is due immediately. */
async function scheduleCancellation(
  tx: Tx,
  before: Payment,
  changes: { readonly cancelRequestedAt: Date },
): Promise<Progress> {
  const payment = updatePayment(tx, before, changes, false)
  const operations = await listOperations(tx, before.id)
  for (const operation of operations)
    if (isOpen(operation) && operation.status !== 'sending') updateOperation(tx, operation, { dueAt: tx.now })
  return { id: payment.id, payment, next: null }
}
