import type { WorkType } from '../../../deps.ts'
import { dueIn } from '../../../platform/db/due.ts'
import { runRecovery } from './service.ts'

export const runRecoveries: WorkType<'webhook_recovery'> = {
  name: 'webhook_recovery.run',
  objectKind: 'webhook_recovery',
  due: dueIn({
    work: 'webhook_recovery.run',
    kind: 'webhook_recovery',
    table: 'webhook_recoveries',
    column: 'due_at',
  }),
  handle: runRecovery,
}
