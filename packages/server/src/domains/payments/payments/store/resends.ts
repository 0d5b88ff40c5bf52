/** Scheduled resends. The row of an operation that has ended contains the time at which it is resent. */
import { uuidOf } from '../../../../kernel/id.ts'
import { ConcurrentChange, type Tx } from '../../../../platform/db/unit-of-work.ts'
import { isOpen, type Operation } from '../payment.ts'
import { listOperations } from './operations.ts'

/** Removes the scheduled resend, because it was just sent or is no longer possible. */
export async function clearResend(tx: Tx, before: Operation): Promise<void> {
  const { numUpdatedRows } = await tx.db
    .updateTable('operations')
    .set({ due_at: null, version: before.version + 1, updated_at: tx.now })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('payment_id', '=', uuidOf(before.paymentId))
    .where('id', '=', uuidOf(before.id))
    .where('version', '=', before.version)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw new ConcurrentChange(before.id)
}

/** A new capture or void replaces the scheduled resends of captures. */
export async function clearCaptureResends(tx: Tx, paymentId: Operation['paymentId']): Promise<void> {
  for (const operation of await listOperations(tx, paymentId))
    if (operation.kind === 'capture' && !isOpen(operation) && operation.dueAt !== null)
      await clearResend(tx, operation)
}
