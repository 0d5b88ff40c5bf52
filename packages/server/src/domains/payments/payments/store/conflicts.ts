/** Rows of conflicts: provider reports that contradict a recorded outcome. */
import { type Id, idOrNull, uuidOf } from '../../../../kernel/id.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import type { Operation } from '../payment.ts'

export type ConflictKind =
  | 'late_success'
  | 'late_failure'
  | 'different_amount'
  | 'refund_elsewhere'
  | 'dispute'
  | 'debit_return'
  /** The payment was rebuilt from the records of its provider, because the database had lost it. */
  | 'rebuilt'
  /** The provider lists an operation of the payment that cannot be rebuilt. */
  | 'unknown_operation'

/** Several conflicts of such a kind can exist, each with its own text. */
const isRepeatable = (kind: ConflictKind) =>
  ['refund_elsewhere', 'dispute', 'debit_return', 'unknown_operation'].includes(kind)

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

type OpenConflict = { readonly operationId: Id<'operation'> | null; readonly kind: ConflictKind }

export async function listOpenConflicts(view: View, paymentId: Id<'payment'>): Promise<OpenConflict[]> {
  const rows = await view.db
    .selectFrom('conflicts')
    .select(['operation_id', 'kind'])
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('payment_id', '=', uuidOf(paymentId))
    .where('resolved_at', 'is', null)
    .execute()
  return rows.map(({ operation_id, kind }) => ({
    operationId: idOrNull('operation', view.caller.mode, operation_id),
    kind: kind as ConflictKind,
  }))
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
