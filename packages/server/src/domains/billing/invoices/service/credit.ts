/** Customer credit. Every change is a permanent entry and emits an event. */
import { assert } from '../../../../kernel/assert.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { postAct } from '../../../finance/ledger/service/post.ts'
import type { CreditBalance, CreditChange } from '../credit.ts'
import { creditBalanceChanged } from '../events.ts'
import * as store from '../store/credit.ts'

/** Changes a balance. A database constraint keeps it from becoming negative. */
export async function changeCredit(tx: Tx, change: CreditChange): Promise<CreditBalance> {
  const before = await store.lockBalance(tx, change)
  if (before !== null) return changeLockedBalance(tx, before, change)
  const inserted = await store.insertBalance(tx, change)
  if (inserted === null)
    return changeLockedBalance(tx, (await store.lockBalance(tx, change)) as CreditBalance, change)
  await recordEntry(tx, inserted, change)
  tx.emit(creditBalanceChanged, { after: inserted })
  return inserted
}

/** Changes a balance that the caller has locked. */
export async function changeLockedBalance(
  tx: Tx,
  before: CreditBalance,
  change: CreditChange,
): Promise<CreditBalance> {
  assert(
    before.currency === change.currency,
    'Credit can only be applied to an invoice in the same currency.',
  )
  const after = await store.updateBalance(tx, before, change.amount)
  await recordEntry(tx, after, change)
  tx.emit(creditBalanceChanged, { before, after })
  return after
}

/** Writes the entry and posts it. Credit is applied to invoices, and granted or returned by them. */
async function recordEntry(tx: Tx, after: CreditBalance, change: CreditChange): Promise<void> {
  const entryId = await store.insertEntry(tx, after, change)
  const { customerId, currency, amount, reason, invoiceId, revenue = 'sales' } = change
  if (reason === 'applied') {
    assert(invoiceId !== null, 'Credit must be applied to an invoice.')
    postAct(tx, { act: 'credit_applied', entryId, customerId, invoiceId, currency, amount: -amount })
  } else {
    const act = reason === 'returned' ? 'credit_returned' : 'credit_granted'
    postAct(tx, { act, entryId, customerId, invoiceId, currency, amount, revenue })
  }
}
