/** Worker: processes payments whose due time is reached, for expiries and delayed events. */

import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import { monotonicMs } from '../../../../kernel/clock.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import * as events from '../events.ts'
import { voidAuthorization } from '../operations/add-operation.ts'
import { expireAction } from '../operations/expire-action.ts'
import { currentProgress, type Progress } from '../operations/progress.ts'
import { runInBackground } from '../operations/run.ts'
import { updateAndEmit } from '../operations/update-and-emit.ts'
import type { Payment } from '../payment.ts'
import { dueActionOf, dueAtOf } from '../rules/expiry.ts'
import { lockPayment, updatePayment } from '../store/payments.ts'

export async function expirePayment(deps: Deps, ref: Ref<'payment'>): Promise<void> {
  const startedMs = monotonicMs()
  const progress = await transact(deps, systemCaller(ref), async (tx) => {
    const payment = await lockPayment(tx, ref.id)
    // The message may be late or a duplicate, so check the due time of the row.
    if (payment.dueAt === null || payment.dueAt > tx.now) return currentProgress(tx, payment)
    return performDueAction(tx, payment)
  })
  await runInBackground(deps, ref, progress, startedMs)
}

async function performDueAction(tx: Tx, before: Payment): Promise<Progress> {
  switch (dueActionOf(before, tx.now)) {
    case 'emit_unresolved': {
      const emitted = { unresolvedEmitted: true }
      const changes = { ...emitted, dueAt: dueAtOf({ ...before, ...emitted }, tx.now) }
      return currentProgress(tx, updateAndEmit(tx, before, changes, events.paymentUnresolved))
    }
    case 'emit_expiring': {
      const warned = { expiryWarningDone: true }
      const changes = { ...warned, dueAt: dueAtOf({ ...before, ...warned }, tx.now) }
      return currentProgress(tx, updateAndEmit(tx, before, changes, events.paymentAuthorizationExpiring))
    }
    case 'expire_action':
      return currentProgress(tx, await expireAction(tx, before))
    case 'void_authorization':
      return voidAuthorization(tx, before, {})
    default:
      return currentProgress(tx, updatePayment(tx, before, { dueAt: dueAtOf(before, tx.now) }, false))
  }
}
