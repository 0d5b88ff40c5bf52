/** Voids invoices or marks them as uncollectible. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { endReservations } from '../../discounts/service/attach.ts'
import { creditLeftByNotes, type Invoice, type VoidReason } from '../invoice.ts'
import { unusedTimeCredited } from '../store/credit.ts'
import * as store from '../store/invoices.ts'
import { deleteTax } from '../store/tax.ts'
import { reverseVoidInvoice } from './tax-documents.ts'
import { requireNoPendingPayment, transition, transitionAll } from './transition.ts'
import { creditedByVoid, issueVoidNote } from './void-note.ts'

export function voidInvoice(deps: Deps, caller: Caller, id: string): Promise<Invoice> {
  return transact(deps, caller, async (tx) => {
    const before = await store.lockInvoice(tx, id)
    requireNoPendingPayment(before)
    return applyVoid(tx, before, 'void', 'requested')
  })
}

/**
 * Voids an invoice for its subscription, which may also discard a draft, because drafts were never sent. The
 * caller holds the lock, and no payment is in progress.
 */
export function voidOrDiscard(tx: Tx, before: Invoice, reason: VoidReason): Promise<Invoice> {
  return applyVoid(tx, before, before.status === 'draft' ? 'discard' : 'void', reason)
}

async function applyVoid(
  tx: Tx,
  before: Invoice,
  trigger: 'void' | 'discard',
  reason: VoidReason,
): Promise<Invoice> {
  const creditReturned = await creditReturnedByVoid(tx, before)
  const changes = {
    creditApplied: 0n,
    amountCredited: before.amountCredited + creditedByVoid(before),
    amountDue: before.total > 0n ? before.total : 0n,
    voidedAt: tx.now,
    voidReason: reason,
    finalizeAt: null,
    nextAttemptAt: null,
    pendingPaymentId: null,
    subscriptionDueAt: tx.now,
  }
  const [after] = (await transitionAll(tx, trigger, [{ before, changes, creditReturned }])) as [Invoice]
  if (before.status === 'draft') await endReservations(tx, before, 'released')
  if (before.status === 'draft' && before.taxStatus !== null) await deleteTax(tx, before.id)
  else if (before.status !== 'void' && after.status === 'void')
    await reverseVoidInvoice(tx, before, await issueVoidNote(tx, before, creditReturned))
  return after
}

/**
 * Credit that was applied to the invoice, except what the customer has already got back as credit for unused time. The bank
 * may have returned the payment that covered that time.
 */
async function creditReturnedByVoid(tx: Tx, before: Invoice): Promise<bigint> {
  const left = creditLeftByNotes(before)
  if (left === 0n || before.status === 'void' || before.subscriptionId === null) return left
  const credited = await unusedTimeCredited(tx, before.id)
  return credited < left ? left - credited : 0n
}

export function markUncollectible(deps: Deps, caller: Caller, id: string): Promise<Invoice> {
  return transact(deps, caller, async (tx) => markLockedUncollectible(tx, await store.lockInvoice(tx, id)))
}

export function markLockedUncollectible(tx: Tx, before: Invoice): Promise<Invoice> {
  requireNoPendingPayment(before)
  const changes = { uncollectibleAt: tx.now, nextAttemptAt: null, subscriptionDueAt: tx.now }
  return transition(tx, before, 'mark_uncollectible', changes)
}
