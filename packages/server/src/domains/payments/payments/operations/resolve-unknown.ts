/**
 * Determines the result of operations whose outcome is unknown. First it replays the request, or the return of the payer,
 * if the provider guarantees the original response and the payer may still be present. Otherwise it looks up the
 * operation.
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
import type { LookupObservation, Observation, ResponseObservation } from '../observation.ts'
import { isOpen, type Operation, type Payment, type ReturnParams } from '../payment.ts'
import { checkWait } from '../rules/decide.ts'
import { isActionExpired, leaseSeconds } from '../rules/expiry.ts'
import { isAbsenceFinal, resolutionAfterChange, resolveStrategyOf } from '../rules/resolve-strategy.ts'
import * as operations from '../store/operations.ts'
import { lockPayment } from '../store/payments.ts'
import { completeReturn, leaseReturn } from './payer-return.ts'
import { resendOperations } from './resend.ts'
import { continueInBackground, runInBackground } from './run.ts'
import { completeAuthentication, lookUpOrClose, sendOperation } from './send.ts'

export async function resolvePayment(deps: Deps, ref: Ref<'payment'>): Promise<void> {
  const caller = systemCaller(ref)
  const leasedMs = monotonicMs()
  const { toCheck, toSend, returned } = await transact(deps, caller, (tx) => leaseDue(tx, ref.id))
  if (returned !== null) await completeReturn(deps, ref, returned.operation, returned.params)
  for (const next of toSend) await runInBackground(deps, ref, { next }, leasedMs)
  for (const leased of toCheck)
    await continueInBackground(deps, ref, leased.operation, {
      observe: () => observe(deps, caller, leased, leasedMs),
      recorded: () => crashpoint('resolve.recorded'),
    })
}

type LeasedOperation = { readonly payment: Payment; readonly operation: Operation; readonly leasedAt: Date }
type DueOperations = {
  readonly toCheck: readonly LeasedOperation[]
  readonly toSend: readonly Operation[]
  readonly returned: StoredReturn | null
}
type StoredReturn = { readonly operation: Operation; readonly params: ReturnParams }

/**
 * Leases the due operations. Open operations are checked, or completed if the payer has returned; ended operations
 * that were not processed are resent.
 */
async function leaseDue(tx: Tx, id: Ref<'payment'>['id']): Promise<DueOperations> {
  const locked = await lockPayment(tx, id)
  const all = await operations.listOperations(tx, id)
  const due = all.filter(({ dueAt }) => dueAt !== null && dueAt <= tx.now)
  const { payment, returned } = await leaseStoredReturn(tx, locked, due)
  const toCheck: LeasedOperation[] = []
  for (const before of due.filter(
    (operation) => isOpen(operation) && operation.id !== returned?.operation.id,
  )) {
    // During the lease, which covers one call, no other process checks the operation.
    const operation = operations.updateOperation(tx, before, {
      // The sender did not record a result during its lease, so the outcome now counts as unknown.
      status: before.status === 'sending' ? 'unknown' : before.status,
      leaseUntil: addSeconds(tx.now, leaseSeconds),
      dueAt: addSeconds(tx.now, Math.max(leaseSeconds, checkWait(before.checks))),
    })
    toCheck.push({ payment, operation, leasedAt: tx.now })
  }
  const ended = due.filter((operation) => !isOpen(operation))
  return { toCheck, toSend: await resendOperations(tx, payment, ended), returned }
}

/** The payer returned during a pause between two calls to the provider, and the pause is over now. */
async function leaseStoredReturn(
  tx: Tx,
  payment: Payment,
  due: readonly Operation[],
): Promise<{ readonly payment: Payment; readonly returned: StoredReturn | null }> {
  const stored = due.find(
    ({ returnParams, status }) => returnParams !== null && status === 'awaiting_customer',
  )
  const params = stored?.returnParams ?? null
  const isExpected = payment.status === 'requires_action' && payment.cancelRequestedAt === null
  if (stored === undefined || params === null || !isExpected || isActionExpired(payment, tx.now))
    return { payment, returned: null }
  const { payment: after, operation } = await leaseReturn(tx, payment, stored, params)
  return { payment: after, returned: operation === null ? null : { operation, params } }
}

async function observe(
  deps: Deps,
  caller: Caller,
  { payment, operation, leasedAt }: LeasedOperation,
  leasedMs: number,
): Promise<Observation> {
  crashpoint('resolve.taken')
  const { account, provider, config } = await openAccount(
    deps,
    caller.workspaceId,
    operation.providerAccountId,
  )
  const { callCredentialsChangedAt } = account
  const resolve = resolutionAfterChange(
    termsOf(provider, config).resolve,
    operation,
    callCredentialsChangedAt,
  )
  const strategy = resolveStrategyOf({ payment, operation, resolve, now: leasedAt })
  const ifVersion = operation.version
  if (strategy === 'wait')
    return { source: 'rule', result: unchangedResult(operation), differs: false, ifVersion }
  if (strategy === 'abandon') return { source: 'rule', result: { is: 'closed' }, differs: false, ifVersion }
  const observation = await callProvider(deps, caller, { operation, strategy, leasedMs })
  crashpoint('resolve.answered')
  const isNotProcessed = observation.result.is === 'absent' && isAbsenceFinal(operation, resolve, leasedAt)
  return isNotProcessed && observation.source === 'lookup'
    ? { ...observation, result: { is: 'closed' }, ifVersion }
    : observation
}

function callProvider(
  deps: Deps,
  caller: Caller,
  { operation, strategy, leasedMs }: ResolveCall,
): Promise<ResponseObservation | LookupObservation> {
  if (strategy === 'replay') return sendOperation(deps, caller, operation, leasedMs)
  if (strategy === 'complete')
    return completeAuthentication(deps, caller, operation, operation.returnParams ?? {})
  return lookUpOrClose(deps, caller, operation, strategy)
}

type ResolveCall = {
  readonly operation: Operation
  readonly strategy: 'replay' | 'complete' | 'lookup' | 'close'
  readonly leasedMs: number
}

/** The operation stays open until a webhook or a person reports its result. */
function unchangedResult({ status, providerReference }: Operation): Observation['result'] {
  if (status === 'pending' && providerReference !== null) return { is: 'pending', ref: providerReference }
  return {
    is: 'unknown',
    fault: { code: 'not_queryable', message: 'The provider reports this result by webhook only.' },
  }
}
