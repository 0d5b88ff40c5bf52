import type { WorkType } from '../../../deps.ts'
import { dueIn } from '../../../platform/db/due.ts'
import { countNewEvents } from './service/count.ts'

export const countReportEvents: WorkType<'workspace'> = {
  name: 'report.count',
  objectKind: 'workspace',
  due: dueIn({ work: 'report.count', kind: 'workspace', table: 'report_cursors', column: 'due_at' }),
  handle: countNewEvents,
}
