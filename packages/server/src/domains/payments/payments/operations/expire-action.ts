import { nextTransition } from '../../../../kernel/machine.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import * as events from '../events.ts'
import { factsOf, paymentMachine } from '../machine.ts'
import { isOpen, type Payment } from '../payment.ts'
import * as operations from '../store/operations.ts'
import { updateAndEmit } from './update-and-emit.ts'

/**
 * The payer did not return in time, or pays in another way. The payment fails once the resolver has made sure that
 * nothing is charged.
 */
export async function expireAction(tx: Tx, before: Payment): Promise<Payment> {
  const { to } = nextTransition(paymentMachine, {
    state: before.status,
    trigger: 'action_expired',
    facts: factsOf(before),
  })
  const open = (await operations.listOperations(tx, before.id)).filter(
    (operation) => isOpen(operation) && operation.challenged,
  )
  for (const operation of open)
    operations.updateOperation(tx, operation, {
      status: 'unknown',
      dueAt: tx.now,
      completeBeforeAt: tx.now,
    })
  return updateAndEmit(tx, before, { status: to, nextAction: null, dueAt: null }, events.paymentUpdated)
}
