/**
 * Records what a provider reports about a dispute. A report that is older than the recorded status adds only what newer ones
 * did not state, and one that contradicts an ended dispute becomes a conflict of the payment.
 */
import { findRow } from '../../../../kernel/machine.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { type DebitReturn, type DisputeReport, isDebit } from '../../../../providers/contract.ts'
import { postAct } from '../../../finance/ledger/service/post.ts'
import { scheduleDeletion } from '../../files/service.ts'
import {
  type HandledEvent,
  handleReturn,
  type LockedOperation,
  lockOperation,
  type ReceivedEvent,
} from '../../payments/commands/handle-provider-event.ts'
import { flagConflict } from '../../payments/operations/conflicts.ts'
import { type Dispute, isOverdue, isPastDeadline } from '../dispute.ts'
import { disputeCreated, disputeUpdated, eventsByStatus } from '../events.ts'
import { disputeMachine, isEnded, isResponding } from '../machine.ts'
import { heldAmount, type Moved, movementsOf } from '../movements.ts'
import { isEscalated, isOutdated, isWithdrawn, lateDetails, triggerOf } from '../report.ts'
import * as store from '../store.ts'
import { noEvidence } from './evidence.ts'

/**
 * Handles a provider event about a dispute. Returns null if the disputed operation does not exist yet, or is
 * not charged yet.
 */
export async function handleDisputeEvent(
  tx: Tx,
  received: ReceivedEvent,
  report: DisputeReport,
): Promise<HandledEvent | null> {
  // The event is recorded without a lookup, so it must be authenticated.
  if (!received.isAuthenticated) return null
  const match = await lockOperation(tx, received)
  if (match === null || match.payment.amountCaptured === 0n) return null
  if (await isReturn(tx, match, report)) return handleReturn(tx, match, returnOf(report))
  await recordReport(tx, match, report)
  return { paymentId: match.payment.id, outcome: 'recorded', next: null }
}

/**
 * Some providers report the return of a debit as a dispute that is already lost: it cannot be contested. A dispute that
 * was open before stays a dispute.
 */
async function isReturn(
  tx: Tx,
  { payment, operation }: LockedOperation,
  report: DisputeReport,
): Promise<boolean> {
  if (!isDebit(payment.methodType) || report.status !== 'lost') return false
  return (await store.lockByReference(tx, operation.providerAccountId, report.providerReference)) === null
}

function returnOf({ providerReference, money, networkReasonCode }: DisputeReport): DebitReturn {
  return { providerReference, money, reasonCode: networkReasonCode }
}

export async function recordReport(tx: Tx, match: LockedOperation, report: DisputeReport): Promise<void> {
  const { providerAccountId } = match.operation
  const before = await store.lockByReference(tx, providerAccountId, report.providerReference)
  const currency = before?.currency ?? match.payment.currency
  if (report.money.currency !== currency)
    return flagDispute(tx, match, report, `but the payment is in ${currency}`)
  if (before !== null && before.paymentId !== match.payment.id)
    return flagDispute(tx, match, report, `which is recorded for ${before.paymentId}`)
  if (before !== null) return applyReport(tx, match, { before, report })

  const created = await createDispute(tx, match, report)
  if (report.status !== created.status) await applyReport(tx, match, { before: created, report })
  if (report.money.amount > match.payment.amountCaptured)
    await flagDispute(tx, match, report, 'which exceeds the captured amount')
}

/** A dispute that has already ended when it is reported is created and ended, so that consumers need no special case. */
async function createDispute(tx: Tx, match: LockedOperation, report: DisputeReport): Promise<Dispute> {
  const { stage, money, fee, reason, networkReasonCode, respondByAt, reportedAt } = report
  const { amount, currency } = money
  const status = disputeMachine.initial
  const details = { stage, status, amount, fee, reason, networkReasonCode, respondByAt, reportedAt }
  const identity = {
    id: tx.newId('dispute'),
    paymentId: match.payment.id,
    providerAccountId: match.operation.providerAccountId,
    providerReference: report.providerReference,
    currency,
    ...noEvidence,
    fileIds: [],
    responseNumber: 0,
    responseAttempts: 0,
    responseError: null,
    respondAt: null,
    postings: 0,
  }
  const opened = {
    ...identity,
    ...details,
    withdrawalReportedAt: report.isWithdrawn === null ? notReported : reportedAt,
    amountHeld: heldAmount({ status, amount, isWithdrawn: report.isWithdrawn ?? false }),
  }
  const postings = postMovements(tx, { status, amountHeld: 0n, fee: null }, opened)
  const after = await store.insertDispute(tx, { ...opened, postings })
  tx.emit(disputeCreated, { after })
  return after
}

/** Earlier than every report about the withdrawal. */
const notReported = new Date(0)

type ReportedChange = { readonly before: Dispute; readonly report: DisputeReport }

async function applyReport(
  tx: Tx,
  match: LockedOperation,
  { before, report }: ReportedChange,
): Promise<void> {
  if (isOutdated(report, before)) return applyLateReport(tx, { before, report })
  const facts = { isEscalated: isEscalated(report, before), isInquiry: report.stage === 'inquiry' }
  const row = findRow(disputeMachine, { state: before.status, trigger: triggerOf(report), facts })
  if (row === undefined)
    return flagDispute(tx, match, report, `as ${report.status}, but it is recorded as ${before.status}`)

  const details = detailsAfter(before, report, row.to)
  const postings = postMovements(tx, before, { ...before, ...details })
  const isVisible =
    isChanged(before, details) || isPastDeadline({ ...before, ...details }, tx.now) !== isOverdue(before)
  const after = await store.updateDispute(tx, before, { ...details, postings }, isVisible)
  const event = row.to === before.status ? disputeUpdated : eventsByStatus[row.to]
  if (isVisible) tx.emit(event, { before, after })
  await scheduleDeletion(tx, after.fileIds, after.endedAt)
}

/** The report is older than the recorded status, which stays. */
async function applyLateReport(tx: Tx, { before, report }: ReportedChange): Promise<void> {
  const late = lateDetails(report, before)
  if (late === null) return
  const { isWithdrawn: isLateWithdrawn, ...details } = late
  const amountHeld = heldAmount({ ...before, isWithdrawn: isLateWithdrawn })
  const changes = { ...details, amountHeld }
  const postings = postMovements(tx, before, { ...before, ...changes })
  const isVisible = changes.stage !== before.stage || amountHeld !== before.amountHeld
  const after = await store.updateDispute(tx, before, { ...changes, postings }, isVisible)
  if (isVisible) tx.emit(disputeUpdated, { before, after })
}

/** The amount is final once the dispute has ended. Values that the provider does not report stay unchanged. */
function detailsAfter(before: Dispute, report: DisputeReport, status: Dispute['status']) {
  const isFinal = isEnded(before.status) && isEnded(status)
  const amount = isFinal ? before.amount : report.money.amount
  return {
    status,
    amount,
    stage: isEscalated(report, before) ? report.stage : before.stage,
    amountHeld: heldAmount({ status, amount, isWithdrawn: isWithdrawn(report, before) }),
    fee: report.fee ?? before.fee,
    reason: report.reason,
    networkReasonCode: report.networkReasonCode ?? before.networkReasonCode,
    respondByAt: report.respondByAt ?? before.respondByAt,
    responseError: status === before.status ? before.responseError : null,
    respondAt: isResponding(status) ? before.respondAt : null,
    reportedAt: report.reportedAt,
    withdrawalReportedAt: report.isWithdrawn === null ? before.withdrawalReportedAt : report.reportedAt,
  }
}

type Details = ReturnType<typeof detailsAfter>

function isChanged(before: Dispute, after: Details): boolean {
  const visible = ({ fee, respondByAt, ...details }: Details) => [
    details.status,
    details.stage,
    details.amount,
    details.amountHeld,
    fee?.amount,
    fee?.currency,
    details.reason,
    details.networkReasonCode,
    respondByAt?.getTime(),
    details.responseError?.code,
  ]
  const previous = visible(before)
  return visible(after).some((value, index) => value !== previous[index])
}

/** Posts what the change moves, and returns how many lines of the ledger the dispute has used. */
export function postMovements(
  tx: Tx,
  before: Moved,
  after: Pick<Dispute, 'id' | 'paymentId' | 'providerAccountId' | 'amount' | 'currency' | 'postings'> & Moved,
): number {
  const { id: disputeId, paymentId, providerAccountId, postings } = after
  const movements = movementsOf(before, after)
  for (const [index, movement] of movements.entries())
    postAct(tx, { disputeId, paymentId, providerAccountId, line: postings + index, ...movement })
  return postings + movements.length
}

async function flagDispute(
  tx: Tx,
  match: LockedOperation,
  { money, providerReference }: DisputeReport,
  reason: string,
): Promise<void> {
  const detail = `The provider reports the dispute ${providerReference} of ${money.amount} ${money.currency}, ${reason}.`
  await flagConflict(tx, match, { kind: 'dispute', detail })
}
