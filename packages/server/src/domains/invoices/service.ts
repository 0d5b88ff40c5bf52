/**
 * What those above need of invoices, in their own unit of work: subscriptions draft them, stop them and ask what is
 * owed; campaigns say when the next attempt is. What happens to an invoice is told to them by a due column that
 * they clear.
 */
import type { Currency } from '../../kernel/currency.ts'
import type { Id } from '../../kernel/id.ts'
import type { InvoiceDraft, LineDraft } from '../../kernel/invoice-lines.ts'
import type { Tx, View } from '../../platform/db/unit-of-work.ts'
import type { CreditBalance, CreditMove } from './credit.ts'
import { invoiceUpdated } from './events.ts'
import type { Invoice, VoidReason } from './invoice.ts'
import { moveCredit } from './service/credit.ts'
import { draftInvoices as draftAll, namesOf } from './service/draft.ts'
import { giveUp, makeVoid } from './service/end.ts'
import { requireQuiet } from './service/pull.ts'
import { findBalance } from './store/credit.ts'
import * as store from './store/invoices.ts'
import * as lines from './store/lines.ts'

export type { Invoice } from './invoice.ts'

/** Row, lines and `invoice.created`. It is finalized by work, at `finalizeAt`. */
export async function draftInvoice(tx: Tx, draft: InvoiceDraft): Promise<Invoice> {
  const [invoice] = await draftAll(tx, [draft])
  return invoice as Invoice
}

/** Many in a few statements. In the same order. */
export function draftInvoices(tx: Tx, drafts: readonly InvoiceDraft[]): Promise<Invoice[]> {
  return draftAll(tx, drafts)
}

/** `leave`: one whose payment is under way is given back as it is, and may be paid yet. Otherwise it is refused. */
export async function voidInvoiceIn(
  tx: Tx,
  id: Id<'invoice'>,
  why: VoidReason,
  { ifPaying = 'refuse' }: { readonly ifPaying?: 'refuse' | 'leave' } = {},
): Promise<Invoice> {
  const before = await store.lockInvoice(tx, id)
  if (ifPaying === 'leave' && before.livePaymentId !== null) return before
  requireQuiet(before)
  return makeVoid(tx, before, why)
}

export async function giveUpInvoiceIn(tx: Tx, id: Id<'invoice'>): Promise<Invoice> {
  return giveUp(tx, await store.lockInvoice(tx, id))
}

/** Nothing of the subscription is tried by itself any more. What is under way goes on. */
export function holdCollection(tx: Tx, subscriptionId: Id<'subscription'>): Promise<void> {
  return setHeld(tx, subscriptionId, true)
}

/** What came due meanwhile is tried now. */
export function releaseCollection(tx: Tx, subscriptionId: Id<'subscription'>): Promise<void> {
  return setHeld(tx, subscriptionId, false)
}

async function setHeld(tx: Tx, subscriptionId: Id<'subscription'>, held: boolean): Promise<void> {
  const owed = (await store.lockOwed(tx, [subscriptionId])).filter((invoice) => invoice.held !== held)
  await store.updateInvoices(
    tx,
    owed.map((before) => ({ before, changes: { held }, told: false })),
  )
}

export function findInvoice(view: View, id: Id<'invoice'>): Promise<Invoice> {
  return store.findInvoice(view, id)
}

/**
 * What is owed of subscriptions that the caller holds, and the invoices that it names. Whoever will touch more than
 * one takes all of them here: one after the other, somebody who finalizes many would wait for us, and we for them.
 */
export function lockInvoicesOf(
  tx: Tx,
  subscriptionIds: readonly Id<'subscription'>[],
  named: readonly Id<'invoice'>[] = [],
): Promise<Invoice[]> {
  return store.lockOwed(tx, subscriptionIds, named)
}

/** Lines that stand on the next invoice of the subscription. */
export async function addPendingLines(
  tx: Tx,
  subscription: { readonly id: Id<'subscription'>; readonly currency: Currency },
  pending: readonly LineDraft[],
): Promise<void> {
  const names = await namesOf(tx, [{ lines: pending }])
  await lines.insertLines(
    tx,
    pending.map((line, position) => ({
      line,
      description: line.priceId === null ? null : (names.get(line.priceId) ?? null),
      invoiceId: null,
      subscriptionId: subscription.id,
      currency: subscription.currency,
      position,
    })),
  )
}

/** What waits for the next invoice, without taking it. */
export function pendingLinesOf(view: View, subscriptionId: Id<'subscription'>): Promise<LineDraft[]> {
  return lines.pendingLines(view, subscriptionId)
}

/** What waits for the next invoice. Whoever takes it puts it on one, in the same unit. */
export function takePendingLines(tx: Tx, subscriptionId: Id<'subscription'>): Promise<LineDraft[]> {
  return lines.deletePendingLines(tx, subscriptionId)
}

export type CreditGrant = Omit<CreditMove, 'reason'> & { readonly reason: 'unused_time' }

export function grantCredit(tx: Tx, grant: CreditGrant): Promise<CreditBalance> {
  return moveCredit(tx, grant)
}

export async function creditOf(view: View, customerId: Id<'customer'>, currency: Currency): Promise<bigint> {
  return (await findBalance(view, { customerId, currency }))?.balance ?? 0n
}

/** Their subscription has heard of what happened to them. The caller holds them. */
export async function acknowledge(tx: Tx, heard: readonly Invoice[]): Promise<void> {
  await store.updateInvoices(
    tx,
    heard.map((before) => ({ before, changes: { subscriptionDueAt: null }, told: false })),
  )
}

/** It is tried then. What its campaign has not heard of yet, it still will. */
export async function scheduleAttempt(tx: Tx, id: Id<'invoice'>, at: Date): Promise<Invoice> {
  return store.updateInvoice(tx, await store.lockInvoice(tx, id), { nextAttemptAt: at }, false)
}

/** Its campaign has heard of what happened, and says what comes next. */
export async function hearAndSchedule(
  tx: Tx,
  id: Id<'invoice'>,
  next: { readonly at: Date | null; readonly campaignId: Id<'dunning_campaign'> | null },
): Promise<Invoice> {
  const before = await store.lockInvoice(tx, id)
  const changes = { nextAttemptAt: next.at, campaignId: next.campaignId, dunningDueAt: null }
  return store.updateInvoice(tx, before, changes, false)
}

/** What it is collected with from now on. */
export async function changePaymentMethod(
  tx: Tx,
  id: Id<'invoice'>,
  paymentMethodId: Id<'payment_method'> | null,
): Promise<Invoice> {
  const before = await store.lockInvoice(tx, id)
  if (before.paymentMethodId === paymentMethodId) return before
  const after = await store.updateInvoice(tx, before, { paymentMethodId }, true)
  tx.emit(invoiceUpdated, { before, after })
  return after
}
