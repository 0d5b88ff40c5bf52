/** Rows of conflicts: provider reports that contradict a recorded outcome. */
import { type Id, uuidOf } from '../../../../kernel/id.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import type { Operation } from '../payment.ts'

export type ConflictKind =
  | 'late_success'
  | 'late_failure'
  | 'different_amount'
  | 'refund_elsewhere'
  | 'dispute'

/** Several conflicts of such a kind can exist, each with its own text. */
const isRepeatable = (kind: ConflictKind) => kind === 'refund_elsewhere' || kind === 'dispute'

/** Returns false if the conflict is already recorded: repeated reports add no row. */
export async function insertConflict(
  tx: Tx,
  operation: Pick<Operation, 'id' | 'paymentId'>,
  { kind, detail }: { readonly kind: ConflictKind; readonly detail: string },
): Promise<boolean> {
  const workspace = uuidOf(tx.caller.workspaceId)
  const existing = await tx.db
    .selectFrom('conflicts')
    .select('id')
    .where('workspace_id', '=', workspace)
    .where('payment_id', '=', uuidOf(operation.paymentId))
    .where('operation_id', '=', uuidOf(operation.id))
    .where('kind', '=', kind)
    .where((row) => (isRepeatable(kind) ? row('detail', '=', detail) : row.lit(true)))
    .executeTakeFirst()
  if (existing !== undefined) return false
  await tx.db
    .insertInto('conflicts')
    .values({
      workspace_id: workspace,
      id: uuidOf(tx.newId('operation')),
      payment_id: uuidOf(operation.paymentId),
      operation_id: uuidOf(operation.id),
      kind,
      detail,
      created_at: tx.now,
    })
    .execute()
  return true
}

export async function hasOpenConflict(
  view: View,
  paymentId: Id<'payment'>,
  operationId?: Id<'operation'>,
): Promise<boolean> {
  const row = await view.db
    .selectFrom('conflicts')
    .select('id')
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('payment_id', '=', uuidOf(paymentId))
    .where((row) =>
      operationId === undefined ? row.lit(true) : row('operation_id', '=', uuidOf(operationId)),
    )
    .where('resolved_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Marks the conflicts as resolved. The rows stay as a record. */
export async function resolveConflicts(tx: Tx, { id, paymentId }: Operation): Promise<void> {
  await tx.db
    .updateTable('conflicts')
    .set({ resolved_at: tx.now })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('payment_id', '=', uuidOf(paymentId))
    .where('operation_id', '=', uuidOf(id))
    .where('resolved_at', 'is', null)
    .execute()
}
