/**
 * An operation whose outcome is not known is asked about until it is. In this order: the same call again, if the
 * provider promises the first one's answer and the payer may still be there; a look into their books; and, when
 * the time is over or somebody asked to cancel, making sure that it never happens.
 */
import type { Deps } from '../../../deps.ts'
import { type Caller, systemCaller } from '../../../kernel/caller.ts'
import { addSeconds, monotonicMs } from '../../../kernel/clock.ts'
import type { Ref } from '../../../kernel/id.ts'
import { crashpoint } from '../../../platform/crashpoint.ts'
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
import { sendAgain } from './resend.ts'

export async function resolvePayment(deps: Deps, ref: Ref<'payment'>): Promise<void> {
  const caller = systemCaller(ref)
  const takenMs = monotonicMs()
  const { asked, again } = await transact(deps, caller, (tx) => takeOver(tx, ref.id))
  for (const next of again) await follow(deps, ref, { next }, takenMs)
  for (const { payment, operation, takenAt } of asked) {
    crashpoint('resolve.taken')
    const { provider, config } = await openAccount(deps, ref.workspaceId, operation.providerAccountId)
    const { resolve } = termsOf(provider, config)
    const approach = approachOf({ payment, operation, resolve, now: takenAt })
    const seen = await seenBy(deps, caller, { operation, approach, takenMs })
    crashpoint('resolve.answered')
    const startedMs = monotonicMs()
    const reached = await transact(deps, caller, (tx) => record(deps, tx, ref.id, operation.id, seen))
    crashpoint('resolve.recorded')
    await follow(deps, ref, reached, startedMs)
  }
}

type Taken = { readonly payment: Payment; readonly operation: Operation; readonly takenAt: Date }
type Due = { readonly asked: readonly Taken[]; readonly again: readonly Operation[] }

/** Those that are due: the open ones are asked about, and what has ended without having happened goes again. */
async function takeOver(tx: Tx, id: Ref<'payment'>['id']): Promise<Due> {
  const payment = await lockPayment(tx, id)
  const all = await operations.listOperations(tx, id)
  const due = all.filter(({ dueAt }) => dueAt !== null && dueAt <= tx.now)
  const asked: Taken[] = []
  for (const one of due.filter(isOpen)) {
    // For the time of a call it is ours: nobody else asks about it.
    const operation = await operations.updateOperation(tx, one, {
      // Whoever sent it is silent: from now on it is asked about.
      status: one.status === 'sending' ? 'unknown' : one.status,
      leaseUntil: addSeconds(tx.now, leaseSeconds),
      dueAt: addSeconds(tx.now, Math.max(leaseSeconds, checkWait(one.checks))),
    })
    asked.push({ payment, operation, takenAt: tx.now })
  }
  const ended = due.filter((one) => !isOpen(one))
  return { asked, again: await sendAgain(tx, payment, ended) }
}

type Question = { readonly operation: Operation; readonly approach: Approach; readonly takenMs: number }

async function seenBy(deps: Deps, caller: Caller, { operation, approach, takenMs }: Question): Promise<Seen> {
  if (approach === 'replay') return { ...(await perform(deps, caller, operation, takenMs)), checked: true }
  return ask(deps, caller, operation, approach)
}
