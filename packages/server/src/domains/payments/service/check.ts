/** Asks the providers of a payment at once what became of what is not known, rather than when it is due. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { beginRequest, continueRequest } from '../../../platform/db/resumable.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import { orAfter } from '../../../platform/engine/nap.ts'
import { isOpen, type Payment } from '../payment.ts'
import { listOperations, updateOperation } from '../store/operations.ts'
import { findPayment, lockPayment } from '../store/payments.ts'
import { resolvePayment } from './resolve.ts'

export async function checkPayment(deps: Deps, caller: Caller, id: string): Promise<Payment> {
  const { hold } = await beginRequest(deps, caller, (tx) => askSoon(tx, id))
  const checking = resolvePayment(deps, { workspaceId: caller.workspaceId, id: id as Payment['id'] })
  deps.later(checking)
  await orAfter(deps.limits.requestMs, checking, undefined)
  return continueRequest(
    deps,
    caller,
    hold,
    (tx) => findPayment(tx, id),
    () => true,
  )
}

/** Not what is being sent: its own answer is about to come. */
async function askSoon(tx: Tx, id: string): Promise<Payment> {
  const payment = await lockPayment(tx, id)
  const open = (await listOperations(tx, payment.id)).filter(
    (one) => isOpen(one) && (one.status !== 'sending' || one.leaseUntil <= tx.now),
  )
  for (const one of open) await updateOperation(tx, one, { dueAt: tx.now })
  return payment
}
