/** What happens to a payment because a time has come, and nobody asked for it. */

import type { Deps } from '../../../deps.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import { monotonicMs } from '../../../kernel/clock.ts'
import type { Ref } from '../../../kernel/id.ts'
import { step } from '../../../kernel/machine.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import * as events from '../events.ts'
import { dueAtOf, endingOf } from '../expiry.ts'
import { factsOf, paymentMachine } from '../machine.ts'
import { isOpen, type Payment } from '../payment.ts'
import * as operations from '../store/operations.ts'
import { lockPayment, updatePayment } from '../store/payments.ts'
import { follow } from './follow.ts'
import { letGo } from './orders.ts'
import { type Progress, standing } from './record.ts'
import { tell } from './tell.ts'

export async function expirePayment(deps: Deps, ref: Ref<'payment'>): Promise<void> {
  const startedMs = monotonicMs()
  const reached = await transact(deps, systemCaller(ref), async (tx) => {
    const payment = await lockPayment(tx, ref.id)
    // A message may come late or twice. The row knows whether there is anything to do.
    if (payment.dueAt === null || payment.dueAt > tx.now) return standing(tx, payment)
    return expire(tx, payment)
  })
  await follow(deps, ref, reached, startedMs)
}

async function expire(tx: Tx, before: Payment): Promise<Progress> {
  switch (endingOf(before, tx.now)) {
    case 'tell_unresolved': {
      const told = { unresolvedTold: true }
      const changes = { ...told, dueAt: dueAtOf({ ...before, ...told }, tx.now) }
      return standing(tx, await tell(tx, before, changes, events.paymentUnresolved))
    }
    case 'tell_expiring': {
      const told = { expiringTold: true }
      const changes = { ...told, dueAt: dueAtOf({ ...before, ...told }, tx.now) }
      return standing(tx, await tell(tx, before, changes, events.paymentAuthorizationExpiring))
    }
    case 'end_action':
      return standing(tx, await endAction(tx, before))
    case 'let_go':
      return letGo(tx, before, {})
    default:
      return standing(tx, await updatePayment(tx, before, { dueAt: dueAtOf(before, tx.now) }, false))
  }
}

/** The payer did not come back. The resolver makes sure that nothing is taken, and only then it has failed. */
async function endAction(tx: Tx, before: Payment): Promise<Payment> {
  const { to } = step(paymentMachine, {
    state: before.status,
    trigger: 'action_expired',
    facts: factsOf(before),
  })
  const open = (await operations.listOperations(tx, before.id)).filter((one) => isOpen(one) && one.challenged)
  for (const one of open) await operations.updateOperation(tx, one, { status: 'unknown', dueAt: tx.now })
  return tell(tx, before, { status: to, nextAction: null, dueAt: null }, events.paymentUpdated)
}
