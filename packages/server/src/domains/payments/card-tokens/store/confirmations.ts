import { uuidOf } from '../../../../kernel/id.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'

/**
 * The selected way to collect card data, null if none was selected, and when an ADMIN confirmed that this workspace
 * accepts card numbers, null if it is not confirmed.
 */
export async function findVaultState(
  view: View,
): Promise<{ readonly cardDataMode: string | null; readonly confirmedAt: Date | null }> {
  const row = await view.db
    .selectFrom('workspaces')
    .leftJoin('vault_confirmations', 'vault_confirmations.workspace_id', 'workspaces.workspace_id')
    .select(['workspaces.card_data_mode', 'vault_confirmations.confirmed_at'])
    .where('workspaces.workspace_id', '=', uuidOf(view.caller.workspaceId))
    .executeTakeFirstOrThrow()
  return { cardDataMode: row.card_data_mode, confirmedAt: row.confirmed_at }
}

/** Returns false if it was already confirmed: the first confirmation is kept. */
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
