import type { WorkType } from '../../../deps.ts'
import { dueIn } from '../../../platform/db/due.ts'
import { backfillWorkspace } from './service/backfill.ts'
import { rollUpBalances } from './service/roll-up.ts'

export const rollUpLedger: WorkType<'workspace'> = {
  name: 'ledger.roll_up',
  objectKind: 'workspace',
  due: dueIn({ work: 'ledger.roll_up', kind: 'workspace', table: 'ledger_cursors', column: 'due_at' }),
  handle: rollUpBalances,
}

export const backfillLedger: WorkType<'workspace'> = {
  name: 'ledger.backfill',
  objectKind: 'workspace',
  due: dueIn({ work: 'ledger.backfill', kind: 'workspace', table: 'ledger_backfills', column: 'due_at' }),
  handle: (deps, ref) => backfillWorkspace(deps, ref),
}
