import type { WorkType } from '../../../deps.ts'
import { dueIn } from '../../../platform/db/due.ts'
import { deleteEvidence } from './service/evidence.ts'
import { markOverdue } from './service/mark-overdue.ts'
import { sendDueResponse } from './service/send-response.ts'
import { dueToMarkOverdue } from './store.ts'

export const sendDisputeResponses: WorkType<'dispute'> = {
  name: 'dispute.respond',
  objectKind: 'dispute',
  due: dueIn({ work: 'dispute.respond', kind: 'dispute', table: 'disputes', column: 'respond_at' }),
  handle: sendDueResponse,
}

export const markOverdueDisputes: WorkType<'dispute'> = {
  name: 'dispute.mark_overdue',
  objectKind: 'dispute',
  due: dueToMarkOverdue,
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
