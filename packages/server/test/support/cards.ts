// Test cards, as a payer enters them and as they are decrypted for a provider, and a server for tests of card
// tokens.

import { revealCard, useToken } from '../../src/domains/payments/card-tokens/service.ts'
import { systemCaller } from '../../src/kernel/caller.ts'
import { type Id, uuidOf } from '../../src/kernel/id.ts'
import { type Tx, transact } from '../../src/platform/db/unit-of-work.ts'
import { asOwner } from './owner.ts'
import { switchyardForThisFile, type Workspace } from './switchyard.ts'

export type Owner = Id<'workspace'>

export const cardInput = {
  number: '4242 4242 4242 4242',
  exp_month: 12,
  exp_year: 2030,
  cvc: '123',
  name: 'Ada Lovelace',
}
/** The same card, decrypted for a provider. */
export const revealedCard = {
  number: '4242424242424242',
  expMonth: 12,
  expYear: 2030,
  name: 'Ada Lovelace',
  cvc: '123',
}

export async function cardsForThisFile() {
  const switchyard = await switchyardForThisFile()
  const { deps } = switchyard

  const inTransaction = <T>(workspaceId: Owner, action: (tx: Tx) => Promise<T>): Promise<T> =>
    transact(deps, systemCaller({ workspaceId, id: workspaceId }), action)

  const createToken = async ({ post }: Workspace, overrides: object = {}): Promise<Id<'token'>> =>
    (await post('/tokens', { type: 'card', card: { ...cardInput, ...overrides } })).body.id

  return {
    ...switchyard,
    inTransaction,
    createToken,
    /**
     * Creates a workspace with a token that a payment has used. `cardId` identifies its card in the vault.
     */
    async createUsedToken(overrides: object = {}) {
      const workspace = await switchyard.newWorkspace()
      const owner = workspace.workspaceId as Owner
      const id = await createToken(workspace, overrides)
      const used = await inTransaction(owner, (tx) => useToken(tx, id))
      return { workspace, owner, id, used, cardId: used.vaultCardId as string }
    },
    reveal: (owner: Owner, cardId: string) => revealCard(deps, owner, cardId),
    async countRows(table: string, owner: Owner): Promise<number> {
      const { rowCount } = await asOwner(switchyard.databaseUrl, (client) =>
        client.query(`select from ${table} where workspace_id = $1`, [uuidOf(owner)]),
      )
      return rowCount ?? 0
    },
  }
}
