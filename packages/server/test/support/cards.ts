// Cards as a payment meets them: typed into a page, used by a unit of work, opened for a sender.

import { revealCard, useToken } from '../../src/domains/card-tokens/service.ts'
import { systemCaller } from '../../src/kernel/caller.ts'
import { type Id, uuidOf } from '../../src/kernel/id.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { type Tx, transact } from '../../src/platform/db/unit-of-work.ts'
import { switchyardForThisFile, type Workspace } from './switchyard.ts'

export type Owner = Id<'workspace'>

export const typed = {
  number: '4242 4242 4242 4242',
  exp_month: 12,
  exp_year: 2030,
  cvc: '123',
  name: 'Ada Lovelace',
}
/** The same, as its sender sees it. */
export const opened = {
  number: '4242424242424242',
  expMonth: 12,
  expYear: 2030,
  name: 'Ada Lovelace',
  cvc: '123',
}

export async function cardsForThisFile() {
  const switchyard = await switchyardForThisFile()
  const { deps } = switchyard

  const inUnit = <T>(workspaceId: Owner, body: (tx: Tx) => Promise<T>): Promise<T> =>
    transact(deps, systemCaller({ workspaceId, id: workspaceId }), body)

  const aToken = async ({ post }: Workspace, change: object = {}): Promise<Id<'token'>> =>
    (await post('/tokens', { type: 'card', card: { ...typed, ...change } })).body.id

  return {
    ...switchyard,
    inUnit,
    aToken,
    /** A workspace with a token that a payment has used, and where its card lies. */
    async aUsedToken(change: object = {}) {
      const workspace = await switchyard.newWorkspace()
      const owner = workspace.workspaceId as Owner
      const id = await aToken(workspace, change)
      const used = await inUnit(owner, (tx) => useToken(tx, id))
      return { workspace, owner, id, used, cardId: used.vaultCardId as string }
    },
    reveal: (owner: Owner, cardId: string) => revealCard(deps, owner, cardId),
    async rowsIn(table: string, owner: Owner): Promise<number> {
      const { rowCount } = await asOwner(switchyard.databaseUrl, (client) =>
        client.query(`select from ${table} where workspace_id = $1`, [uuidOf(owner)]),
      )
      return rowCount ?? 0
    },
  }
}
