/** Invoices that are owed no more, or are given up. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import type { Invoice, VoidReason } from '../invoice.ts'
import * as store from '../store/invoices.ts'
import { pull, requireQuiet } from './pull.ts'

export function voidInvoice(deps: Deps, caller: Caller, id: string): Promise<Invoice> {
  return transact(deps, caller, async (tx) => {
    const before = await store.lockInvoice(tx, id)
    requireQuiet(before)
    return end(tx, before, 'void', 'requested')
  })
}

/**
 * For its subscription, which may also discard a draft: that was never sent to anybody. The caller holds the lock,
 * and knows that no payment is under way.
 */
export function makeVoid(tx: Tx, before: Invoice, reason: VoidReason): Promise<Invoice> {
  return end(tx, before, before.status === 'draft' ? 'discard' : 'void', reason)
}

function end(tx: Tx, before: Invoice, trigger: 'void' | 'discard', reason: VoidReason): Promise<Invoice> {
  return pull(tx, before, trigger, {
    ...{ creditApplied: 0n, amountDue: before.total > 0n ? before.total : 0n },
    ...{ voidedAt: tx.now, voidReason: reason, finalizeAt: null, nextAttemptAt: null },
    subscriptionDueAt: tx.now,
  })
}

export function markUncollectible(deps: Deps, caller: Caller, id: string): Promise<Invoice> {
  return transact(deps, caller, async (tx) => giveUp(tx, await store.lockInvoice(tx, id)))
}

export function giveUp(tx: Tx, before: Invoice): Promise<Invoice> {
  requireQuiet(before)
  const changes = { uncollectibleAt: tx.now, nextAttemptAt: null, subscriptionDueAt: tx.now }
  return pull(tx, before, 'mark_uncollectible', changes)
}
