/** Resolves an operation manually, with a result that a person confirmed with the provider. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import { money } from '../../../../kernel/money.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { scrub } from '../../../../platform/log.ts'
import { recordAuditEntry } from '../../../access/audit/service.ts'
import { closeConflicts } from '../operations/conflicts.ts'
import type { Progress } from '../operations/progress.ts'
import { returnRefund } from '../operations/record-refund-result.ts'
import { lockWithOperations, recordResult } from '../operations/record-result.ts'
import { runInRequest } from '../operations/run.ts'
import type { Operation, Payment } from '../payment.ts'
import type { OperationResult } from '../rules/decide.ts'
import { listOpenConflicts } from '../store/conflicts.ts'
import { listOperations, updateOperation } from '../store/operations.ts'
import { lockPayment } from '../store/payments.ts'

export type ManualResult = {
  readonly outcome: 'succeeded' | 'not_processed'
  readonly provider_reference?: string | undefined
  /** The amount that was actually authorized or captured. Default: the requested amount. */
  readonly amount?: number | undefined
  readonly note: string
}
type OperationIds = { readonly payment_id: string; readonly operation_id: string }

export function resolveOperation(
  deps: Deps,
  caller: Caller,
  ids: OperationIds,
  manual: ManualResult,
): Promise<Progress> {
  return runInRequest(deps, caller, 'payment', async (tx) => {
    const payment = await lockPayment(tx, ids.payment_id)
    const operation = await requireOperation(tx, payment, ids.operation_id)
    const progress =
      operation.status === 'needs_review'
        ? await recordManualResult(deps, tx, operation, manual)
        : await closeConflict(tx, { payment, operation }, manual)
    await recordAuditEntry(tx, 'operation.resolved', {
      objectId: operation.id,
      details: {
        payment_id: payment.id,
        outcome: manual.outcome,
        provider_reference: manual.provider_reference ?? null,
        ...(manual.amount === undefined ? {} : { amount: manual.amount }),
        note: scrub(manual.note),
      },
    })
    const after = await closeConflicts(tx, progress.payment, operation)
    return { ...progress, id: payment.id, payment: after }
  })
}

async function requireOperation(tx: Tx, { id }: Payment, operationId: string): Promise<Operation> {
  const match = (await listOperations(tx, id)).find((operation) => operation.id === operationId)
  return match ?? refuse('not_found', { detail: 'This payment has no such operation.' })
}

/** Records the result as if the provider had reported it, but without failover and without a resend. */
async function recordManualResult(
  deps: Deps,
  tx: Tx,
  operationBefore: Operation,
  manual: ManualResult,
): Promise<Progress> {
  const operation = await withAmount(tx, operationBefore, manual)
  const result = resultOf(operation, manual)
  return recordResult(deps, tx, await lockWithOperations(tx, operation.paymentId), operation.id, {
    source: 'person',
    result,
    differs: false,
  })
}

/**
 * An amount larger than the requested amount cannot be recorded: the surplus must be refunded at the provider
 * first.
 */
async function withAmount(
  tx: Tx,
  operation: Operation,
  { amount, outcome }: ManualResult,
): Promise<Operation> {
  if (amount === undefined || BigInt(amount) === operation.amount) return operation
  const acceptsAmount = operation.kind === 'authorize' || operation.kind === 'capture'
  if (!acceptsAmount || outcome !== 'succeeded')
    return refuseMember(
      '/amount',
      'unknown_member',
      'is allowed only for an authorization or a capture with outcome succeeded',
    )
  if (BigInt(amount) > operation.amount)
    return refuseMember(
      '/amount',
      'too_large',
      `must be at most ${operation.amount}, the requested amount: refund the rest at the provider first`,
    )
  return updateOperation(tx, operation, { amount: BigInt(amount) })
}

function resultOf({ amount, currency, providerReference }: Operation, manual: ManualResult): OperationResult {
  if (manual.outcome === 'not_processed') return { is: 'closed' }
  const ref = manual.provider_reference ?? providerReference
  if (ref === null)
    return refuseMember('/provider_reference', 'required', 'is required: the provider reference is unknown')
  return { is: 'succeeded', ref, money: money(amount, currency) }
}

/**
 * An operation that has ended does not change: the contradiction was corrected at the provider. A refund that failed
 * after its operation had succeeded becomes failed, because its amount is at the provider again.
 */
async function closeConflict(
  tx: Tx,
  { payment, operation }: { readonly payment: Payment; readonly operation: Operation },
  { outcome }: ManualResult,
): Promise<Progress> {
  const open = await listOpenConflicts(tx, payment.id)
  const kinds = open.filter(({ operationId }) => operationId === operation.id).map(({ kind }) => kind)
  if (kinds.length === 0)
    refuse('invalid_state', {
      detail: 'Only an operation that needs review can be resolved manually.',
      current_status: operation.status,
      allowed_actions: [],
    })
  const isFailedRefund = operation.kind === 'refund' && kinds.includes('late_failure')
  if (isFailedRefund && outcome === 'not_processed') return returnRefund(tx, { payment, operation })
  if (outcome !== 'not_processed' && !isFailedRefund)
    refuseMember(
      '/outcome',
      'not_in_list',
      'must be not_processed: the operation has ended and cannot change',
    )
  return { id: payment.id, payment, next: null }
}
