/**
 * An operation whose outcome is not known is asked about until it is. In this order: the same call again, if the
 * provider promises the first one's answer and the payer may still be there; a look into their books; and, when
 * the time is over or somebody asked to cancel, making sure that it never happens.
 */
import type { Deps } from '../../../deps.ts'
import { type Caller, systemCaller } from '../../../kernel/caller.ts'
import { addSeconds, monotonicMs } from '../../../kernel/clock.ts'
import type { Ref } from '../../../kernel/id.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { termsOf } from '../../../providers/terms.ts'
import { openAccount } from '../../provider-accounts/service/open.ts'
import { checkWait } from '../decide.ts'
import { isOpen, type Operation, type Payment } from '../payment.ts'
import { type Approach, approachOf } from '../resolving.ts'
import * as operations from '../store/operations.ts'
import { lockPayment } from '../store/payments.ts'
import { follow } from './follow.ts'
import { leaseSeconds } from './intend.ts'
import { ask, perform } from './perform.ts'
import { record, type Seen } from './record.ts'

export async function resolvePayment(deps: Deps, ref: Ref<'payment'>): Promise<void> {
  const caller = systemCaller(ref)
  const takenMs = monotonicMs()
  const due = await transact(deps, caller, (tx) => takeOver(tx, ref.id))
  for (const { payment, operation, takenAt } of due) {
    const { provider, config } = await openAccount(deps, ref.workspaceId, operation.providerAccountId)
    const { resolve } = termsOf(provider, config)
    const approach = approachOf({ payment, operation, resolve, now: takenAt })
    const seen = await seenBy(deps, caller, { operation, approach, takenMs })
    const startedMs = monotonicMs()
    const reached = await transact(deps, caller, (tx) => record(tx, ref.id, operation.id, seen))
    await follow(deps, ref, reached, startedMs)
  }
}

type Taken = { readonly payment: Payment; readonly operation: Operation; readonly takenAt: Date }

/** Those that are due and open. For the time of a call they are ours: nobody else asks about them. */
async function takeOver(tx: Tx, id: Ref<'payment'>['id']): Promise<Taken[]> {
  const payment = await lockPayment(tx, id)
  const all = await operations.listOperations(tx, id)
  const due = all.filter((one) => isOpen(one) && one.dueAt !== null && one.dueAt <= tx.now)
  const taken: Taken[] = []
  for (const one of due) {
    const operation = await operations.updateOperation(tx, one, {
      // Whoever sent it is silent: from now on it is asked about.
      status: one.status === 'sending' ? 'unknown' : one.status,
      leaseUntil: addSeconds(tx.now, leaseSeconds),
      dueAt: addSeconds(tx.now, Math.max(leaseSeconds, checkWait(one.checks))),
    })
    taken.push({ payment, operation, takenAt: tx.now })
  }
  return taken
}

type Question = { readonly operation: Operation; readonly approach: Approach; readonly takenMs: number }

async function seenBy(deps: Deps, caller: Caller, { operation, approach, takenMs }: Question): Promise<Seen> {
  if (approach === 'replay') return { ...(await perform(deps, caller, operation, takenMs)), checked: true }
  return ask(deps, caller, operation, approach)
}
