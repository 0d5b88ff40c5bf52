import type { WorkType } from '../../../deps.ts'
import { dueIn } from '../../../platform/db/due.ts'
import { matchImport } from './service/match.ts'

export const matchSettlementImports: WorkType<'settlement_import'> = {
  name: 'settlement_import.match',
  objectKind: 'settlement_import',
  // The statements read and write many rows, so each process runs one at a time.
  concurrency: 1,
  due: dueIn({
    work: 'settlement_import.match',
    kind: 'settlement_import',
    table: 'settlement_imports',
    column: 'due_at',
  }),
  handle: matchImport,
}
