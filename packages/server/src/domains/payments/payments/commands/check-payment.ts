/** Checks the open operations of a payment immediately, rather than when they are due. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { continueRequest, runResumable } from '../../../../platform/db/resumable.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { withTimeout } from '../../../../platform/engine/cancellable-sleep.ts'
import { resolvePayment } from '../operations/resolve-unknown.ts'
import { isOpen, type Payment } from '../payment.ts'
import { listOperations, updateOperation } from '../store/operations.ts'
import { findPayment, lockPayment } from '../store/payments.ts'

export function checkPayment(deps: Deps, caller: Caller, id: string): Promise<Payment> {
  const begin = (tx: Tx) => scheduleChecks(tx, id)
  return runResumable(deps, caller, begin, async ({ keyLease }) => {
    const checking = resolvePayment(deps, { workspaceId: caller.workspaceId, id: id as Payment['id'] })
    deps.runInBackground(checking)
    await withTimeout(deps.limits.requestMs, checking, undefined)
    return continueRequest(
      deps,
      caller,
      keyLease,
      (tx) => findPayment(tx, id),
      () => true,
    )
  })
}

/** Skips operations whose response is still expected. */
async function scheduleChecks(tx: Tx, id: string): Promise<Payment> {
  const payment = await lockPayment(tx, id)
  const open = (await listOperations(tx, payment.id)).filter(
    (operation) => isOpen(operation) && (operation.status !== 'sending' || operation.leaseUntil <= tx.now),
  )
  for (const operation of open) updateOperation(tx, operation, { dueAt: tx.now })
  return payment
}
