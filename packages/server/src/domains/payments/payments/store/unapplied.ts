import { uuidOf } from '../../../../kernel/id.ts'
import { ConcurrentChange, type Tx } from '../../../../platform/db/unit-of-work.ts'
import type { Payment } from '../payment.ts'

/** Records that a final payment was applied to its invoice. The amounts that the API shows do not change. */
export async function updateUnapplied(tx: Tx, before: Payment, amountUnapplied: bigint): Promise<void> {
  const { numUpdatedRows } = await tx.db
    .updateTable('payments')
    .set({ amount_unapplied: amountUnapplied, version: before.version + 1, updated_at: tx.now })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(before.id))
    .where('version', '=', before.version)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows !== 1n) throw new ConcurrentChange(before.id)
}
