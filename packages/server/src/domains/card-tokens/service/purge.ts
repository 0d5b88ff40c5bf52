/**
 * Takes away what is over: tokens that nobody used, cards that no payment needs any more, codes. Whether a card
 * is needed is said by the row of its token, which is changed in the same commit as the payment or the payment
 * method that needs it. The vault itself only asks: so a card that something committed points to is never lost.
 */
import type { Deps } from '../../../deps.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import type { Ref } from '../../../kernel/id.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { type Stay, vaultPatienceSeconds } from '../card-token.ts'
import * as vault from '../store/vault.ts'
import * as store from '../store.ts'
import { inVault } from './vault.ts'

/** Changed in one transaction at most. */
const portion = 500
/** What is still left then is found by the next look. */
const maxPortions = 20

/** Work: the vault of one workspace. */
export async function purgeVault(deps: Deps, ref: Ref<'workspace'>): Promise<void> {
  for (let done = 0; done < maxPortions; done += 1) {
    const count = await transact(deps, systemCaller(ref), (tx) => purgePortion(deps, tx))
    if (count < portion) return
  }
}

/** How many there were, of tokens or of cards. */
async function purgePortion(deps: Deps, tx: Tx): Promise<number> {
  const { workspaceId } = tx.caller
  const due = await store.lockDueTokens(tx, portion)
  const asking = await inVault(deps, workspaceId, (db) =>
    vault.listExpired(db, workspaceId, { now: tx.now, limit: portion }),
  )
  const known = await store.lockTokens(tx, asking)
  const { gone, staying } = settle(due, asking, known)
  // In the vault first: if we die in between, the token is still due, and all of this happens again.
  await inVault(deps, workspaceId, async (db) => {
    await vault.deleteCards(db, workspaceId, gone)
    await vault.postpone(db, workspaceId, staying, vaultPatienceSeconds)
    await vault.deleteExpiredCodes(db, workspaceId, tx.now)
  })
  await store.deleteTokens(tx, due)
  return Math.max(due.length, asking.length)
}

/** A card that the vault asks about goes if its token goes, or if there is none: a process died in between. */
function settle(due: readonly string[], asking: readonly string[], known: readonly Stay[]) {
  const over = new Set(due)
  const stays = new Map(known.map((stay) => [stay.uuid, stay]))
  return {
    gone: [...due, ...asking.filter((uuid) => !over.has(uuid) && !stays.has(uuid))],
    staying: known.filter(({ uuid }) => !over.has(uuid)),
  }
}
