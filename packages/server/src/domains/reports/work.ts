import type { Work } from '../../deps.ts'
import { dueIn } from '../../platform/db/due.ts'
import { countNews } from './service/count.ts'

export const countReports: Work<'workspace'> = {
  name: 'report.count',
  key: 'workspace',
  due: dueIn({ work: 'report.count', kind: 'workspace', table: 'report_cursors', column: 'due_at' }),
  handle: countNews,
}
