import type { WorkType } from '../../../deps.ts'
import { dueIn } from '../../../platform/db/due.ts'
import { deleteFile } from './service/delete-file.ts'
import { runExport } from './service/run.ts'
import { scheduleDestination } from './service/schedule.ts'
import { uploadExport } from './service/upload.ts'

export const runExports: WorkType<'export'> = {
  name: 'export.run',
  objectKind: 'export',
  // An export keeps a process busy from start to end, so each process runs one at a time.
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

export const uploadExports: WorkType<'export'> = {
  name: 'export.upload',
  objectKind: 'export',
  // A slow destination must not delay the others much, and each upload keeps a chunk of the file in memory.
  concurrency: 3,
  due: dueIn({ work: 'export.upload', kind: 'export', table: 'exports', column: 'upload_at' }),
  handle: uploadExport,
}

export const scheduleExportDestinations: WorkType<'export_destination'> = {
  name: 'export_destination.schedule',
  objectKind: 'export_destination',
  due: dueIn({
    work: 'export_destination.schedule',
    kind: 'export_destination',
    table: 'export_destinations',
    column: 'due_at',
  }),
  handle: scheduleDestination,
}
