import { isChange, nextTransition } from '../../../../kernel/machine.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { exportCancelled } from '../events.ts'
import type { Export } from '../export.ts'
import { exportMachine } from '../machine.ts'
import * as store from '../store/exports.ts'

/** The worker notices the cancellation at its next save, and then stops without writing. */
export async function cancel(tx: Tx, before: Export): Promise<Export> {
  const row = nextTransition(exportMachine, { state: before.status, trigger: 'cancel', facts: {} })
  if (!isChange(row)) return before
  const after = await store.updateWithEvent(tx, before, {
    status: row.to,
    sha256: null,
    dueAt: null,
    uploadAt: null,
    deleteAt: tx.now,
    completedAt: tx.now,
  })
  tx.emit(exportCancelled, { before, after })
  return after
}
