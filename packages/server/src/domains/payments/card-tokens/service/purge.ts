/**
 * Deletes expired data: unused tokens, cards that are no longer needed by a payment, and CVCs. The token row
 * determines whether a card is needed. It changes in the same commit as the payment or payment method that
 * needs the card, so a card to which committed data refers is never deleted.
 */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { type CardRetention, vaultGraceSeconds } from '../card-token.ts'
import * as vault from '../store/vault.ts'
import * as store from '../store.ts'
import { inVault } from './vault.ts'

/** The maximum number of tokens and of cards in one transaction. */
const batchSize = 500
/** The maximum number of batches in one run. The next run processes the rest. */
const maxBatches = 20

/** Worker: purges the vault of one workspace. */
export async function purgeVault(deps: Deps, ref: Ref<'workspace'>): Promise<void> {
  for (let batch = 0; batch < maxBatches; batch += 1) {
    const count = await transact(deps, systemCaller(ref), (tx) => purgeBatch(deps, tx))
    if (count < batchSize) return
  }
}

/** Returns the number of tokens or cards that were processed. */
async function purgeBatch(deps: Deps, tx: Tx): Promise<number> {
  const { workspaceId } = tx.caller
  const due = await store.lockDueTokens(tx, batchSize)
  const expiredCards = await inVault(deps, workspaceId, (db) =>
    vault.listExpired(db, workspaceId, { now: tx.now, limit: batchSize }),
  )
  const existing = await store.lockTokens(tx, expiredCards)
  const { deletable, retained } = partition(due, expiredCards, existing)
  // Delete from the vault first: after a crash in between, the token is still due and the purge is repeated.
  await inVault(deps, workspaceId, async (db) => {
    await vault.deleteCards(db, workspaceId, deletable)
    await vault.scheduleChecks(db, workspaceId, retained, vaultGraceSeconds)
    await vault.deleteExpiredCvcs(db, workspaceId, tx.now)
  })
  await store.deleteTokens(tx, due)
  return Math.max(due.length, expiredCards.length)
}

/** An expired card is deleted if its token is deleted, or if it has no token because a process crashed. */
function partition(
  due: readonly string[],
  expiredCards: readonly string[],
  existing: readonly CardRetention[],
) {
  const dueUuids = new Set(due)
  const existingUuids = new Set(existing.map(({ uuid }) => uuid))
  return {
    deletable: [...due, ...expiredCards.filter((uuid) => !dueUuids.has(uuid) && !existingUuids.has(uuid))],
    retained: existing.filter(({ uuid }) => !dueUuids.has(uuid)),
  }
}
