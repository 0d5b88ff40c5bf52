/** Rows of conflicts: what the world says and our books do not. They are never taken back by us. */
import { uuidOf } from '../../../kernel/id.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import type { Operation } from '../payment.ts'

export type ConflictKind = 'late_success' | 'different_amount'

/** False if that is known already: a provider that repeats itself makes no second one. */
export async function insertConflict(
  tx: Tx,
  operation: Pick<Operation, 'id' | 'paymentId'>,
  { kind, detail }: { readonly kind: ConflictKind; readonly detail: string },
): Promise<boolean> {
  const workspace = uuidOf(tx.caller.workspaceId)
  const known = await tx.db
    .selectFrom('conflicts')
    .select('id')
    .where('workspace_id', '=', workspace)
    .where('payment_id', '=', uuidOf(operation.paymentId))
    .where('operation_id', '=', uuidOf(operation.id))
    .where('kind', '=', kind)
    .executeTakeFirst()
  if (known !== undefined) return false
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
