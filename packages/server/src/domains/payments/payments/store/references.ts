/** Rows of references that are derived from an idempotency key. */
import { sql } from 'kysely'
import { type Id, idFromUuid, uuidOf } from '../../../../kernel/id.ts'
import { insertRow } from '../../../../platform/db/row-statements.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import { isDerived, paymentInReference } from '../rules/reference.ts'

/** `rebuiltAs`: the uuid of the payment or refund that was rebuilt for this reference; null if it was not rebuilt. */
type Claim = { readonly isNew: true } | { readonly isNew: false; readonly rebuiltAs: string | null }

/** Claims the reference, unless another operation has it. */
export async function claimReference(tx: Tx, reference: string, paymentId: Id<'payment'>): Promise<Claim> {
  const { rows } = await sql`
    insert into operation_references (workspace_id, reference, payment_id)
    values (${uuidOf(tx.caller.workspaceId)}, ${reference}, ${uuidOf(paymentId)})
    on conflict do nothing returning 1`.execute(tx.db)
  if (rows.length === 1) return { isNew: true }
  const row = await rowsOf(tx)
    .select('rebuilt_as')
    .where('reference', '=', reference)
    .executeTakeFirstOrThrow()
  return { isNew: false, rebuiltAs: row.rebuilt_as }
}

/** Like `claimReference`, if no other operation can have the reference: the payment is locked. */
export function writeReference(
  tx: Tx,
  reference: string,
  paymentId: Id<'payment'>,
  rebuiltAs: Id<'payment'> | Id<'refund'> | null = null,
): void {
  tx.write(
    insertRow('operation_references', {
      workspace_id: uuidOf(tx.caller.workspaceId),
      reference,
      payment_id: uuidOf(paymentId),
      rebuilt_as: rebuiltAs === null ? null : uuidOf(rebuiltAs),
    }),
  )
}

/** The uuid of the payment or refund that was rebuilt for one of these references; null if there is none. */
export async function findRebuilt(view: View, references: readonly string[]): Promise<string | null> {
  const row = await rowsOf(view)
    .select('rebuilt_as')
    .where('reference', 'in', references)
    .where('rebuilt_as', 'is not', null)
    .executeTakeFirst()
  return row?.rebuilt_as ?? null
}

/** After the retention period of the idempotency key, the same request counts as a new request. */
export async function forgetRebuilt(tx: Tx, rebuiltAs: string): Promise<void> {
  await tx.db
    .updateTable('operation_references')
    .set({ rebuilt_as: null })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('rebuilt_as', '=', rebuiltAs)
    .execute()
}

/** The payment of the operation with this reference; null if it is not our reference. */
export async function findPaymentOfReference(view: View, reference: string): Promise<Id<'payment'> | null> {
  if (!isDerived(reference)) return paymentInReference(view.caller.mode, reference)
  const row = await rowsOf(view).select('payment_id').where('reference', '=', reference).executeTakeFirst()
  return row === undefined ? null : idFromUuid('payment', view.caller.mode, row.payment_id)
}

function rowsOf(view: View) {
  return view.db
    .selectFrom('operation_references')
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
}
