/** Refunds that were created at the provider, for example in its dashboard, and not through this API. */
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import type { ProviderEvent } from '../../../../providers/contract.ts'
import { postAct, splitRefund } from '../../../finance/ledger/service/post.ts'
import * as events from '../events.ts'
import { isOpen, type Operation, type Payment, refundableAmount } from '../payment.ts'
import type { Refund } from '../refund.ts'
import { disputedAmount } from '../store/disputed.ts'
import { listOperations } from '../store/operations.ts'
import * as refunds from '../store/refunds.ts'
import { flagConflict } from './conflicts.ts'
import { mailRefund } from './mail-refund.ts'
import { updateAndEmit } from './update-and-emit.ts'

type ReportedRefund = NonNullable<ProviderEvent['refund']>
type RefundedOperation = { readonly payment: Payment; readonly operation: Operation }

/**
 * The refund operation that the provider reports, if it was requested through this API at the same account and has not
 * succeeded yet. The report may lack our reference.
 */
export async function findOwnRefund(
  tx: Tx,
  { payment: { id }, operation: { providerAccountId } }: RefundedOperation,
  { reference, providerReference }: ReportedRefund,
): Promise<Operation | null> {
  const isReported = (operation: Operation) =>
    operation.reference === reference || operation.providerReference === providerReference
  const own = (await listOperations(tx, id)).find(
    (operation) =>
      operation.kind === 'refund' &&
      operation.status !== 'succeeded' &&
      operation.providerAccountId === providerAccountId &&
      isReported(operation),
  )
  return own ?? null
}

/**
 * Records a refund of the payment, which the caller has locked. If the amount exceeds what can be refunded,
 * records a conflict. The refund of a charge that is recorded as failed, such as a duplicate at another provider,
 * changes nothing.
 */
export async function recordExternalRefund(
  tx: Tx,
  { payment, operation }: RefundedOperation,
  reported: ReportedRefund,
): Promise<void> {
  const mayBeCharged = isOpen(operation) || operation.status === 'succeeded'
  if (!mayBeCharged || (await isRecorded(tx, payment, reported))) return
  const { amount, currency } = reported.money
  const refundable = refundableAmount(payment)
  if (currency !== payment.currency || amount > refundable)
    return recordConflict(tx, { payment, operation }, reported)
  const { id: refundId } = await insertSucceededRefund(tx, payment, reported)
  const split = splitRefund(payment.amountUnapplied, amount)
  const [{ id: paymentId }, { providerAccountId }] = [payment, operation]
  postAct(tx, { act: 'refund_requested', refundId, paymentId, currency, ...split })
  postAct(tx, { act: 'refund_succeeded', refundId, paymentId, providerAccountId, currency, amount })
  const changes = {
    amountRefunded: payment.amountRefunded + amount,
    amountUnapplied: payment.amountUnapplied - split.unapplied,
  }
  const after = updateAndEmit(tx, payment, changes, events.paymentUpdated)
  if (amount > refundable - (await disputedAmount(tx, payment.id)))
    await flagConflict(tx, { payment: after, operation }, overlapOf(reported))
}

/**
 * The payer received the amount twice, through the refund and through the dispute, unless the dispute is won.
 */
function overlapOf({ money, providerReference }: ReportedRefund) {
  const report = `The provider reports a refund of ${money.amount} ${money.currency} as ${providerReference}`
  return { kind: 'refund_elsewhere' as const, detail: `${report}, which includes a disputed amount.` }
}

/**
 * The provider may report the refund several times, or report a refund that was requested through this API.
 */
async function isRecorded(
  tx: Tx,
  { id }: Payment,
  { reference, providerReference }: ReportedRefund,
): Promise<boolean> {
  const isOurs = (operation: Operation) =>
    operation.reference === reference ||
    (operation.kind === 'refund' && operation.providerReference === providerReference)
  if ((await listOperations(tx, id)).some(isOurs)) return true
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
  await mailRefund(tx, payment, after)
  return after
}

async function recordConflict(
  tx: Tx,
  { payment, operation }: RefundedOperation,
  reported: ReportedRefund,
): Promise<void> {
  const { money, providerReference } = reported
  const report = `The provider reports a refund of ${money.amount} ${money.currency} as ${providerReference}`
  const reason =
    money.currency === payment.currency
      ? 'which exceeds the captured amount that is not refunded yet'
      : `but the payment is in ${payment.currency}`
  await flagConflict(
    tx,
    { payment, operation },
    { kind: 'refund_elsewhere', detail: `${report}, ${reason}.` },
  )
}
