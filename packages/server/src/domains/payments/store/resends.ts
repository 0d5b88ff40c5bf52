/** When an operation that has ended is sent again, as another one. It is written in the row of the one that ended. */
import { uuidOf } from '../../../kernel/id.ts'
import { Overtaken, type Tx } from '../../../platform/db/unit-of-work.ts'
import { isOpen, type Operation } from '../payment.ts'
import { listOperations } from './operations.ts'

/** It was sent just now, or is not wanted any more. */
export async function dropResend(tx: Tx, before: Operation): Promise<void> {
  const { numUpdatedRows } = await tx.db
    .updateTable('operations')
    .set({ due_at: null, version: before.version + 1, updated_at: tx.now })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('payment_id', '=', uuidOf(before.paymentId))
    .where('id', '=', uuidOf(before.id))
    .where('version', '=', before.version)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw new Overtaken(before.id)
}

/** Whoever asks for something else to be done with what is held does not want the same again. */
export async function dropCaptures(tx: Tx, paymentId: Operation['paymentId']): Promise<void> {
  for (const one of await listOperations(tx, paymentId))
    if (one.kind === 'capture' && !isOpen(one) && one.dueAt !== null) await dropResend(tx, one)
}
