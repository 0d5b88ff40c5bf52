/** Rows of disputes. They are written while their payment is locked. */
import { type Selectable, sql } from 'kysely'
import type { Currency } from '../../../kernel/currency.ts'
import { refuse } from '../../../kernel/errors.ts'
import { evidenceDeletionTime } from '../../../kernel/evidence-retention.ts'
import { type Id, idFromUuid, type Mode, uuidFromText, uuidOf } from '../../../kernel/id.ts'
import { dueIn } from '../../../platform/db/due.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { listRows } from '../../../platform/db/list-rows.ts'
import type { Disputes } from '../../../platform/db/tables.generated.ts'
import { ConcurrentChange, type Tx, type View } from '../../../platform/db/unit-of-work.ts'
import type { DisputeReason, DisputeStage, EvidenceTexts } from '../../../providers/contract.ts'
import { type Dispute, hasTexts, isPastDeadline } from './dispute.ts'
import { isEnded, isResponding, type Status } from './machine.ts'

const columns = [
  'id',
  'payment_id',
  'provider_account_id',
  'provider_reference',
  'stage',
  'status',
  'amount',
  'currency',
  'amount_held',
  'fee_amount',
  'fee_currency',
  'reason',
  'network_reason_code',
  'respond_by_at',
  'overdue_since_at',
  'evidence',
  'evidence_sealed',
  'evidence_delete_at',
  'file_ids',
  'response_number',
  'response_attempts',
  'response_error_code',
  'response_error',
  'respond_at',
  'responding_since_at',
  'reported_at',
  'withdrawal_reported_at',
  'postings',
  'ended_at',
  'created_at',
  'updated_at',
  'version',
  'sequence',
] as const
type DisputeRow = Pick<Selectable<Disputes>, (typeof columns)[number]>

/** The members that can change. */
export type DisputeDetails = Pick<
  Dispute,
  | 'stage'
  | 'status'
  | 'amount'
  | 'amountHeld'
  | 'fee'
  | 'reason'
  | 'networkReasonCode'
  | 'respondByAt'
  | 'sealedEvidence'
  | 'plainEvidence'
  | 'fileIds'
  | 'responseNumber'
  | 'responseAttempts'
  | 'responseError'
  | 'respondAt'
  | 'reportedAt'
  | 'withdrawalReportedAt'
  | 'postings'
>
export type NewDispute = DisputeDetails &
  Pick<Dispute, 'id' | 'paymentId' | 'providerAccountId' | 'providerReference' | 'currency'>

export async function insertDispute(tx: Tx, dispute: NewDispute): Promise<Dispute> {
  const row = await tx.db
    .insertInto('disputes')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(dispute.id),
      payment_id: uuidOf(dispute.paymentId),
      provider_account_id: uuidOf(dispute.providerAccountId),
      provider_reference: dispute.providerReference,
      currency: dispute.currency,
      ...detailsToRow(dispute),
      overdue_since_at: isPastDeadline(dispute, tx.now) ? dispute.respondByAt : null,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return scheduled(tx, fromRow(tx.caller.mode, row))
}

export async function updateDispute(
  tx: Tx,
  before: Dispute,
  changes: Partial<DisputeDetails>,
  emitsEvent: boolean,
): Promise<Dispute> {
  const details = { ...before, ...changes }
  const passedDeadline = isPastDeadline(details, tx.now) ? details.respondByAt : null
  const respondingSinceAt = (isResponding(before.status) ? before.respondingSinceAt : null) ?? tx.now
  const endedAt = isEnded(details.status) ? (before.endedAt ?? tx.now) : null
  const row = await tx.db
    .updateTable('disputes')
    .set({
      ...detailsToRow(details),
      // A dispute becomes overdue only with an event.
      overdue_since_at: emitsEvent ? passedDeadline : before.overdueSinceAt,
      responding_since_at: isResponding(details.status) ? respondingSinceAt : null,
      ended_at: endedAt,
      evidence_delete_at: endedAt !== null && hasTexts(details) ? evidenceDeletionTime(endedAt) : null,
      version: before.version + 1,
      sequence: before.sequence + (emitsEvent ? 1 : 0),
      updated_at: tx.now,
    })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(before.id))
    .where('version', '=', before.version)
    .returning(columns)
    .executeTakeFirst()
  if (row === undefined) throw new ConcurrentChange(before.id)
  return scheduled(tx, fromRow(tx.caller.mode, row))
}

/** Schedule the work here, so that no service function can forget it. */
function scheduled(tx: Tx, dispute: Dispute): Dispute {
  tx.wake('dispute.respond', dispute.id, dispute.respondAt)
  if (dispute.status === 'needs_response' && dispute.overdueSinceAt === null)
    tx.wake('dispute.mark_overdue', dispute.id, dispute.respondByAt)
  tx.wake('dispute.delete_evidence', dispute.id, dispute.evidenceDeleteAt)
  return dispute
}

function detailsToRow(details: DisputeDetails) {
  return {
    stage: details.stage,
    status: details.status,
    amount: details.amount,
    amount_held: details.amountHeld,
    fee_amount: details.fee?.amount ?? null,
    fee_currency: details.fee?.currency ?? null,
    reason: details.reason,
    network_reason_code: details.networkReasonCode,
    respond_by_at: details.respondByAt,
    evidence: JSON.stringify(details.plainEvidence),
    evidence_sealed: details.sealedEvidence,
    file_ids: details.fileIds.map(uuidOf),
    response_number: details.responseNumber,
    response_attempts: details.responseAttempts,
    response_error_code: details.responseError?.code ?? null,
    response_error: details.responseError?.message ?? null,
    respond_at: details.respondAt,
    reported_at: details.reportedAt,
    withdrawal_reported_at: details.withdrawalReportedAt,
    postings: details.postings,
  }
}

/** Null if the provider has not reported it yet. The caller has locked its payment. */
export async function lockByReference(
  tx: Tx,
  providerAccountId: Id<'provider_account'>,
  providerReference: string,
): Promise<Dispute | null> {
  const row = await tx.db
    .selectFrom('disputes')
    .select(columns)
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('provider_account_id', '=', uuidOf(providerAccountId))
    .where('provider_reference', '=', providerReference)
    .forUpdate()
    .executeTakeFirst()
  return row === undefined ? null : fromRow(tx.caller.mode, row)
}

const missing = 'There is no such dispute.'

export async function findDispute(view: View, text: string): Promise<Dispute> {
  const uuid = uuidFromText('dispute', view.caller.mode, text) ?? refuse('not_found', { detail: missing })
  const row = await view.db
    .selectFrom('disputes')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuid)
    .executeTakeFirst()
  return row ? fromRow(view.caller.mode, row) : refuse('not_found', { detail: missing })
}

/** Locks the dispute. Lock its payment first if the change moves money. */
export async function lockDispute(tx: Tx, text: string): Promise<Dispute> {
  const uuid = uuidFromText('dispute', tx.caller.mode, text) ?? refuse('not_found', { detail: missing })
  const row = await tx.db
    .selectFrom('disputes')
    .select(columns)
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuid)
    .forUpdate()
    .executeTakeFirst()
  return row ? fromRow(tx.caller.mode, row) : refuse('not_found', { detail: missing })
}

/** At most one filter can be used, because each filter has its own index. */
export type DisputeFilter = {
  readonly paymentUuid: string | null
  readonly status: string | undefined
  readonly respondBy: string | undefined
  readonly overdue: boolean | undefined
}

/** The same expression as in the index. */
const overdueOnly = sql`and status = 'needs_response' and overdue_since_at is not null`

export function listDisputes(view: View, range: IdRange, filter: DisputeFilter) {
  const { paymentUuid, status, respondBy, overdue } = filter
  const filters = [
    paymentUuid === null ? sql`` : sql`and payment_id = ${paymentUuid}::uuid`,
    status === undefined ? sql`` : sql`and status = ${status}`,
    respondBy === undefined
      ? sql``
      : sql`and status = 'needs_response' and respond_by_at <= ${respondBy}::timestamptz`,
    overdue === undefined ? sql`` : overdue ? overdueOnly : sql`and not (true ${overdueOnly})`,
  ]
  return listRows(view, range, { table: 'disputes', columns, only: sql.join(filters, sql` `), fromRow })
}

export const dueToMarkOverdue = dueIn({
  work: 'dispute.mark_overdue',
  kind: 'dispute',
  table: 'disputes',
  column: 'respond_by_at',
  only: sql`row.status = 'needs_response' and row.overdue_since_at is null`,
})

function fromRow(mode: Mode, row: DisputeRow): Dispute {
  const { fee_amount: feeAmount, fee_currency: feeCurrency } = row
  return {
    id: idFromUuid('dispute', mode, row.id),
    paymentId: idFromUuid('payment', mode, row.payment_id),
    providerAccountId: idFromUuid('provider_account', mode, row.provider_account_id),
    providerReference: row.provider_reference,
    stage: row.stage as DisputeStage,
    status: row.status as Status,
    amount: row.amount,
    currency: row.currency as Currency,
    amountHeld: row.amount_held,
    fee: feeAmount === null ? null : { amount: feeAmount, currency: feeCurrency as Currency },
    reason: row.reason as DisputeReason,
    networkReasonCode: row.network_reason_code,
    respondByAt: row.respond_by_at,
    overdueSinceAt: row.overdue_since_at,
    sealedEvidence: row.evidence_sealed,
    plainEvidence: row.evidence as EvidenceTexts,
    evidenceDeleteAt: row.evidence_delete_at,
    fileIds: row.file_ids.map((uuid) => idFromUuid('file', mode, uuid)),
    responseNumber: row.response_number,
    responseAttempts: row.response_attempts,
    responseError:
      row.response_error_code === null
        ? null
        : { code: row.response_error_code, message: row.response_error ?? '' },
    respondAt: row.respond_at,
    respondingSinceAt: row.responding_since_at,
    reportedAt: row.reported_at,
    // Null in rows that are older than the column.
    withdrawalReportedAt: row.withdrawal_reported_at ?? row.reported_at,
    postings: row.postings,
    endedAt: row.ended_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
    sequence: row.sequence,
  }
}
