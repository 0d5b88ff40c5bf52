/** Credit of customers. Every move is an entry that stays, and is told. */
import { assert } from '../../../kernel/assert.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import type { CreditBalance, CreditMove } from '../credit.ts'
import { creditBalanceChanged } from '../events.ts'
import * as store from '../store/credit.ts'

/** Moves a balance up or down. It never goes below zero: the database sees to it. */
export async function moveCredit(tx: Tx, move: CreditMove): Promise<CreditBalance> {
  const before = await store.lockBalance(tx, move)
  if (before !== null) return moveBalance(tx, before, move)
  const made = await store.insertBalance(tx, move)
  if (made === null) return moveBalance(tx, (await store.lockBalance(tx, move)) as CreditBalance, move)
  await store.insertEntry(tx, made, move)
  tx.emit(creditBalanceChanged, { after: made })
  return made
}

/** The same for one that the caller has locked. */
export async function moveBalance(tx: Tx, before: CreditBalance, move: CreditMove): Promise<CreditBalance> {
  assert(before.currency === move.currency, 'Credit of one currency never pays an invoice of another.')
  const after = await store.updateBalance(tx, before, move.amount)
  await store.insertEntry(tx, after, move)
  tx.emit(creditBalanceChanged, { before, after })
  return after
}
