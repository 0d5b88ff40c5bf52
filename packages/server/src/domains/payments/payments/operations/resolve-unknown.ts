/**
 * Determines the result of operations whose outcome is unknown. First it replays the request, if the provider
 * guarantees the original response and the payer may still be present. Otherwise it looks up the operation.
 * When the time for completion has passed or a cancellation was requested, it closes the operation, so that
 * the provider will never process it. At a provider that cannot be queried it waits for the webhook.
 */
import type { Deps } from '../../../../deps.ts'
import { type Caller, systemCaller } from '../../../../kernel/caller.ts'
import { addSeconds, monotonicMs } from '../../../../kernel/clock.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { crashpoint } from '../../../../platform/crashpoint.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { termsOf } from '../../../../providers/terms.ts'
import { openAccount } from '../../../routing/provider-accounts/service/open.ts'
import type { Observation } from '../observation.ts'
import { isOpen, type Operation, type Payment } from '../payment.ts'
import { checkWait } from '../rules/decide.ts'
import { isAbsenceFinal, resolveStrategyOf } from '../rules/resolve-strategy.ts'
import * as operations from '../store/operations.ts'
import { lockPayment } from '../store/payments.ts'
import { leaseSeconds } from './begin-attempt.ts'
import { resendOperations } from './resend.ts'
import { continueInBackground, runInBackground } from './run.ts'
import { lookUpOrClose, sendOperation } from './send.ts'

export async function resolvePayment(deps: Deps, ref: Ref<'payment'>): Promise<void> {
  const caller = systemCaller(ref)
  const leasedMs = monotonicMs()
  const { toCheck, toSend } = await transact(deps, caller, (tx) => leaseDue(tx, ref.id))
  for (const next of toSend) await runInBackground(deps, ref, { next }, leasedMs)
  for (const leased of toCheck)
    await continueInBackground(deps, ref, leased.operation, {
      observe: () => observe(deps, caller, leased, leasedMs),
      recorded: () => crashpoint('resolve.recorded'),
    })
}

type LeasedOperation = { readonly payment: Payment; readonly operation: Operation; readonly leasedAt: Date }
type DueOperations = { readonly toCheck: readonly LeasedOperation[]; readonly toSend: readonly Operation[] }

/**
 * Leases the due operations. Open operations are checked; ended operations that were not processed are
 * resent.
 */
async function leaseDue(tx: Tx, id: Ref<'payment'>['id']): Promise<DueOperations> {
  const payment = await lockPayment(tx, id)
  const all = await operations.listOperations(tx, id)
  const due = all.filter(({ dueAt }) => dueAt !== null && dueAt <= tx.now)
  const toCheck: LeasedOperation[] = []
  for (const before of due.filter(isOpen)) {
    // During the lease, which covers one call, no other process checks the operation.
    const operation = await operations.updateOperation(tx, before, {
      // The sender did not record a result during its lease, so the outcome counts as unknown from now on.
      status: before.status === 'sending' ? 'unknown' : before.status,
      leaseUntil: addSeconds(tx.now, leaseSeconds),
      dueAt: addSeconds(tx.now, Math.max(leaseSeconds, checkWait(before.checks))),
    })
    toCheck.push({ payment, operation, leasedAt: tx.now })
  }
  const ended = due.filter((operation) => !isOpen(operation))
  return { toCheck, toSend: await resendOperations(tx, payment, ended) }
}

async function observe(
  deps: Deps,
  caller: Caller,
  { payment, operation, leasedAt }: LeasedOperation,
  leasedMs: number,
): Promise<Observation> {
  crashpoint('resolve.taken')
  const { provider, config } = await openAccount(deps, caller.workspaceId, operation.providerAccountId)
  const { resolve } = termsOf(provider, config)
  const strategy = resolveStrategyOf({ payment, operation, resolve, now: leasedAt })
  const ifVersion = operation.version
  if (strategy === 'wait')
    return { source: 'rule', result: unchangedResult(operation), differs: false, ifVersion }
  if (strategy === 'abandon') return { source: 'rule', result: { is: 'closed' }, differs: false, ifVersion }
  const observation =
    strategy === 'replay'
      ? await sendOperation(deps, caller, operation, leasedMs)
      : await lookUpOrClose(deps, caller, operation, strategy)
  crashpoint('resolve.answered')
  const isNotProcessed = observation.result.is === 'absent' && isAbsenceFinal(operation, resolve, leasedAt)
  return isNotProcessed && observation.source === 'lookup'
    ? { ...observation, result: { is: 'closed' }, ifVersion }
    : observation
}

/** The operation stays open until a webhook or a person reports its result. */
function unchangedResult({ status, providerReference }: Operation): Observation['result'] {
  if (status === 'pending' && providerReference !== null) return { is: 'pending', ref: providerReference }
  return {
    is: 'unknown',
    fault: { code: 'not_queryable', message: 'The provider reports this result by webhook only.' },
  }
}
