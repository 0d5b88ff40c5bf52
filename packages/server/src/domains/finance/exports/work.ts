import type { WorkType } from '../../../deps.ts'
import { dueIn } from '../../../platform/db/due.ts'
import { deleteFile } from './service/delete-file.ts'
import { runExport } from './service/run.ts'

export const runExports: WorkType<'export'> = {
  name: 'export.run',
  objectKind: 'export',
  // An export reads and encodes without pause, so each process runs one at a time.
  concurrency: 1,
  due: dueIn({ work: 'export.run', kind: 'export', table: 'exports', column: 'due_at' }),
  handle: runExport,
}

export const deleteExportFiles: WorkType<'export'> = {
  name: 'export.delete_file',
  objectKind: 'export',
  due: dueIn({ work: 'export.delete_file', kind: 'export', table: 'exports', column: 'delete_at' }),
  handle: deleteFile,
}
