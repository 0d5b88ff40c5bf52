/** Refunds that were created at the provider, for example in its dashboard, and not through this API. */
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import type { ProviderEvent } from '../../../../providers/contract.ts'
import * as events from '../events.ts'
import type { Operation, Payment } from '../payment.ts'
import type { Refund } from '../refund.ts'
import { insertConflict } from '../store/conflicts.ts'
import { listOperations } from '../store/operations.ts'
import * as refunds from '../store/refunds.ts'
import { updateAndEmit } from './update-and-emit.ts'

type ReportedRefund = NonNullable<ProviderEvent['refund']>
type RefundedOperation = { readonly payment: Payment; readonly operation: Operation }

/**
 * Records a refund of the payment, which the caller has locked. If the amount exceeds what can be refunded,
 * records a conflict.
 */
export async function recordExternalRefund(
  tx: Tx,
  { payment, operation }: RefundedOperation,
  reported: ReportedRefund,
): Promise<void> {
  if (await isRecorded(tx, payment, reported)) return
  const { amount, currency } = reported.money
  const refundable = payment.amountCaptured - payment.amountRefunded - payment.amountRefunding
  if (currency !== payment.currency || amount > refundable)
    return recordConflict(tx, { payment, operation }, reported)
  await insertSucceededRefund(tx, payment, reported)
  const amountRefunded = payment.amountRefunded + amount
  await updateAndEmit(tx, payment, { amountRefunded }, events.paymentUpdated)
}

/**
 * The provider may report the refund several times, or report a refund that was requested through this API.
 */
async function isRecorded(
  tx: Tx,
  { id }: Payment,
  { reference, providerReference }: ReportedRefund,
): Promise<boolean> {
  if ((await listOperations(tx, id)).some((operation) => operation.reference === reference)) return true
  return (await refunds.refundsOf(tx, id)).some((refund) => refund.providerReference === providerReference)
}

/** Emits the same events as for other refunds, so that consumers need no special case. */
async function insertSucceededRefund(
  tx: Tx,
  payment: Payment,
  { money, providerReference }: ReportedRefund,
): Promise<Refund> {
  const before = await refunds.insertRefund(tx, payment.id, {
    amount: money.amount,
    currency: payment.currency,
    reason: 'other',
    source: 'provider',
    metadata: {},
  })
  tx.emit(events.refundCreated, { after: before })
  const after = await refunds.updateRefund(tx, before, { status: 'succeeded', providerReference }, true)
  tx.emit(events.refundSucceeded, { before, after })
  return after
}

async function recordConflict(
  tx: Tx,
  { payment, operation }: RefundedOperation,
  reported: ReportedRefund,
): Promise<void> {
  const { money, providerReference } = reported
  const report = `The provider reports a refund of ${money.amount} ${money.currency} as ${providerReference}`
  const isNew = await insertConflict(tx, operation, {
    kind: 'refund_elsewhere',
    detail: `${report}, which exceeds the captured ${payment.currency} amount that is not refunded yet.`,
  })
  if (isNew) await updateAndEmit(tx, payment, { review: 'conflict' }, events.paymentConflictDetected)
}
