import { sql } from 'kysely'
import type { WorkType } from '../../../deps.ts'
import { dueIn } from '../../../platform/db/due.ts'
import { deleteEvidence } from './service/evidence.ts'
import { markOverdue } from './service/mark-overdue.ts'
import { sendDueResponse } from './service/send-response.ts'

export const sendDisputeResponses: WorkType<'dispute'> = {
  name: 'dispute.respond',
  objectKind: 'dispute',
  due: dueIn({ work: 'dispute.respond', kind: 'dispute', table: 'disputes', column: 'respond_at' }),
  handle: sendDueResponse,
}

export const markOverdueDisputes: WorkType<'dispute'> = {
  name: 'dispute.mark_overdue',
  objectKind: 'dispute',
  due: dueIn({
    work: 'dispute.mark_overdue',
    kind: 'dispute',
    table: 'disputes',
    column: 'respond_by_at',
    only: sql`row.status = 'needs_response' and row.overdue_since_at is null`,
  }),
  handle: markOverdue,
}

export const deleteDisputeEvidence: WorkType<'dispute'> = {
  name: 'dispute.delete_evidence',
  objectKind: 'dispute',
  due: dueIn({
    work: 'dispute.delete_evidence',
    kind: 'dispute',
    table: 'disputes',
    column: 'evidence_delete_at',
  }),
  handle: deleteEvidence,
}
