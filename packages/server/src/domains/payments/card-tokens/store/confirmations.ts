import { uuidOf } from '../../../../kernel/id.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'

/** When an ADMIN confirmed that this workspace accepts card numbers; null if it is not confirmed. */
export async function findConfirmation(view: View): Promise<Date | null> {
  const row = await view.db
    .selectFrom('vault_confirmations')
    .select('confirmed_at')
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .executeTakeFirst()
  return row?.confirmed_at ?? null
}

/** Returns false if it was already confirmed: the first confirmation counts. */
export async function insertConfirmation(tx: Tx, sentence: string): Promise<boolean> {
  const { tokenId, workspaceId } = tx.caller
  const { numInsertedOrUpdatedRows } = await tx.db
    .insertInto('vault_confirmations')
    .values({
      workspace_id: uuidOf(workspaceId),
      api_token_id: tokenId === null ? null : uuidOf(tokenId),
      sentence,
      confirmed_at: tx.now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}
