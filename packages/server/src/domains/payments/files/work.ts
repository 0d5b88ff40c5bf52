import type { WorkType } from '../../../deps.ts'
import { dueIn } from '../../../platform/db/due.ts'
import { deleteFile } from './service.ts'

export const deleteFiles: WorkType<'file'> = {
  name: 'file.delete',
  objectKind: 'file',
  due: dueIn({ work: 'file.delete', kind: 'file', table: 'files', column: 'delete_at' }),
  handle: deleteFile,
}
