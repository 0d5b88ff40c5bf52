/**
 * The functions that subscriptions and dunning campaigns call in their own transaction: subscriptions draft
 * and withdraw invoices, campaigns schedule attempts. The columns `subscription_due_at` and `dunning_due_at`
 * are set while they have a result to process, and cleared when it has been processed.
 */
import type { Currency } from '../../../kernel/currency.ts'
import type { Id } from '../../../kernel/id.ts'
import type { InvoiceDraft, LineDraft } from '../../../kernel/invoice-lines.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'
import { postAct, unearnedOf } from '../../finance/ledger/service/post.ts'
import { requestCancellation } from '../../payments/payments/commands/pay-invoice.ts'
import type { CreditBalance, CreditChange } from './credit.ts'
import { invoiceUpdated } from './events.ts'
import type { Invoice, ReturnOnPayment, VoidReason } from './invoice.ts'
import { changeCredit } from './service/credit.ts'
import { draftInvoices as draftAll, productNamesOf } from './service/draft.ts'
import { markLockedUncollectible, voidOrDiscard } from './service/end.ts'
import { requireNoPendingPayment } from './service/transition.ts'
import { findBalance } from './store/credit.ts'
import * as store from './store/invoices.ts'
import * as lines from './store/lines.ts'

export { type Invoice, keptOf } from './invoice.ts'
export { type KeptOfUsage, keptOfUsage } from './store/lines.ts'

/** Writes the row and its lines, and emits `invoice.created`. A worker finalizes it at `finalizeAt`. */
export async function draftInvoice(tx: Tx, draft: InvoiceDraft): Promise<Invoice> {
  const [invoice] = await draftAll(tx, [draft])
  return invoice as Invoice
}

/** The lines with these ids. */
export function findLines(view: View, ids: readonly Id<'invoice_line'>[]) {
  return lines.linesWithIds(view, ids)
}

/** Creates many drafts in a few statements, and returns them in the same order. */
export function draftInvoices(tx: Tx, drafts: readonly InvoiceDraft[]): Promise<Invoice[]> {
  return draftAll(tx, drafts)
}

/**
 * Binds a new draft to the payment of the checkout that has paid it. When the draft has its number, the payment is
 * applied to it.
 */
export async function bindPayment(tx: Tx, id: Id<'invoice'>, paymentId: Id<'payment'>): Promise<void> {
  const draft = await store.lockInvoice(tx, id)
  await store.updateInvoice(tx, draft, { pendingPaymentId: paymentId, attemptCount: 1 }, false)
}

/** Voids an invoice. Refused while a payment is in progress. */
export async function voidInvoiceInTx(tx: Tx, id: Id<'invoice'>, reason: VoidReason): Promise<Invoice> {
  const before = await store.lockInvoice(tx, id)
  requireNoPendingPayment(before)
  return voidOrDiscard(tx, before, reason)
}

/**
 * Withdraws an invoice that must no longer be paid. Without a payment in progress it becomes void now.
 * Otherwise the payment is cancelled, and the invoice becomes void when the payment has ended; a charge that
 * could not be stopped is refunded in full.
 */
export async function withdrawInvoice(tx: Tx, id: Id<'invoice'>, reason: VoidReason): Promise<Invoice> {
  const before = await store.lockInvoice(tx, id)
  if (before.pendingPaymentId === null) return voidOrDiscard(tx, before, reason)
  if (before.withdrawnAt !== null) return before
  const changes = { withdrawnAt: tx.now, withdrawReason: reason, nextAttemptAt: null }
  const after = await store.updateInvoice(tx, before, changes, true)
  tx.emit(invoiceUpdated, { before, after })
  await requestCancellation(tx, before.pendingPaymentId)
  return after
}

export async function markUncollectibleInTx(tx: Tx, id: Id<'invoice'>): Promise<Invoice> {
  return markLockedUncollectible(tx, await store.lockInvoice(tx, id))
}

/**
 * Stops automatic collection for the subscription. A payment in progress continues. With `endsCampaigns`, dunning campaigns
 * are notified, so that they end: the subscription cannot be resumed.
 */
export function holdCollection(
  tx: Tx,
  subscriptionId: Id<'subscription'>,
  { endsCampaigns }: { readonly endsCampaigns: boolean },
): Promise<void> {
  return setHeld(tx, subscriptionId, { held: true, endsCampaigns })
}

/** Resumes automatic collection for the subscription. Invoices that came due in the meantime are collected now. */
export function releaseCollection(tx: Tx, subscriptionId: Id<'subscription'>): Promise<void> {
  return setHeld(tx, subscriptionId, { held: false, endsCampaigns: false })
}

async function setHeld(
  tx: Tx,
  subscriptionId: Id<'subscription'>,
  { held, endsCampaigns }: { readonly held: boolean; readonly endsCampaigns: boolean },
): Promise<void> {
  const invoices = await store.lockInvoicesOf(tx, [subscriptionId])
  const changes = invoices.flatMap((before) => {
    const { status, campaignId } = before
    const endsCampaign = endsCampaigns && campaignId !== null
    if ((status !== 'draft' && status !== 'open') || (before.held === held && !endsCampaign)) return []
    return [{ before, changes: endsCampaign ? { held, dunningDueAt: tx.now } : { held }, emitsEvent: false }]
  })
  await store.updateInvoices(tx, changes)
}

export function findInvoice(view: View, id: Id<'invoice'>): Promise<Invoice> {
  return store.findInvoice(view, id)
}

/** This invoice and the later invoices of the subscription that are paid, latest first. */
export function paidInvoicesSince(
  view: View,
  subscriptionId: Id<'subscription'>,
  invoiceId: Id<'invoice'>,
): Promise<Invoice[]> {
  return store.paidInvoicesSince(view, subscriptionId, invoiceId)
}

/**
 * Locks invoices of subscriptions that the caller has locked: drafts, open invoices, invoices with results to
 * process, and `additionalIds`. Until the transaction ends, no payment of these invoices starts, and no
 * result is applied. A caller that changes several invoices must lock them here together: locking them one by
 * one could deadlock with bulk finalization.
 */
export function lockInvoicesOf(
  tx: Tx,
  subscriptionIds: readonly Id<'subscription'>[],
  additionalIds: readonly Id<'invoice'>[] = [],
): Promise<Invoice[]> {
  return store.lockInvoicesOf(tx, subscriptionIds, additionalIds)
}

/**
 * Records that subscriptions left the periods of these invoices: the revenue that the invoices billed is
 * earned. Invoices that are void or withdrawn are never earned.
 */
export async function endPeriods(tx: Tx, ids: readonly Id<'invoice'>[]): Promise<void> {
  for (const { id: invoiceId, currency, ...amounts } of await store.markEarned(tx, ids))
    postAct(tx, { act: 'period_ended', invoiceId, currency, amount: unearnedOf(amounts) })
}

/** Locks the drafts and open invoices of a customer, except withdrawn ones. */
export function lockOpenInvoices(tx: Tx, customerId: Id<'customer'>): Promise<Invoice[]> {
  return store.lockOpenInvoicesOf(tx, customerId)
}

/** Adds lines to the next invoice of the subscription. */
export async function addPendingLines(
  tx: Tx,
  subscription: { readonly id: Id<'subscription'>; readonly currency: Currency },
  pending: readonly LineDraft[],
): Promise<void> {
  const names = await productNamesOf(tx, [{ lines: pending }])
  await lines.insertLines(
    tx,
    pending.map((line, position) => ({
      line,
      calculated: null,
      description: line.priceId === null ? null : (names.get(line.priceId) ?? null),
      invoiceId: null,
      subscriptionId: subscription.id,
      currency: subscription.currency,
      position,
    })),
  )
}

/** The lines that will be added to the next invoice. */
export function pendingLinesOf(view: View, subscriptionId: Id<'subscription'>): Promise<LineDraft[]> {
  return lines.pendingLines(view, subscriptionId)
}

/** Deletes and returns the pending lines. The caller adds them to an invoice in the same transaction. */
export function takePendingLines(tx: Tx, subscriptionId: Id<'subscription'>): Promise<LineDraft[]> {
  return lines.deletePendingLines(tx, subscriptionId)
}

export type CreditGrant = Omit<CreditChange, 'reason'> & { readonly reason: 'unused_time' }

export function grantCredit(tx: Tx, grant: CreditGrant): Promise<CreditBalance> {
  return changeCredit(tx, grant)
}

export async function creditOf(view: View, customerId: Id<'customer'>, currency: Currency): Promise<bigint> {
  return (await findBalance(view, { customerId, currency }))?.balance ?? 0n
}

/**
 * Sets the amount to return once the invoice is paid: the value of the time that the subscription no longer
 * uses. Null removes it.
 */
export async function setReturnOnPayment(
  tx: Tx,
  id: Id<'invoice'>,
  returnOnPayment: ReturnOnPayment | null,
): Promise<Invoice> {
  const before = await store.lockInvoice(tx, id)
  const after = await store.updateInvoice(tx, before, { returnOnPayment }, true)
  tx.emit(invoiceUpdated, { before, after })
  return after
}

/** Records that the subscription has processed the results of these invoices, which the caller has locked. */
export async function acknowledgeResults(tx: Tx, invoices: readonly Invoice[]): Promise<void> {
  await store.updateInvoices(
    tx,
    invoices.map((before) => ({ before, changes: { subscriptionDueAt: null }, emitsEvent: false })),
  )
}

/** Schedules the next attempt. `dunning_due_at` is not cleared. */
export async function scheduleAttempt(tx: Tx, id: Id<'invoice'>, at: Date): Promise<Invoice> {
  return store.updateInvoice(tx, await store.lockInvoice(tx, id), { nextAttemptAt: at }, false)
}

/** Records that the campaign has processed the result, and schedules the next attempt. */
export async function acknowledgeAndSchedule(
  tx: Tx,
  id: Id<'invoice'>,
  next: { readonly at: Date | null; readonly campaignId: Id<'dunning_campaign'> | null },
): Promise<Invoice> {
  const before = await store.lockInvoice(tx, id)
  const changes = { nextAttemptAt: next.at, campaignId: next.campaignId, dunningDueAt: null }
  return store.updateInvoice(tx, before, changes, false)
}

/**
 * Uses a new payment method for the open one-off invoices of a customer. Overdue ones are retried. Invoices
 * that were sent to the customer are not charged: the customer pays them.
 */
export async function chargeOneOffInvoices(
  tx: Tx,
  customerId: Id<'customer'>,
  paymentMethodId: Id<'payment_method'>,
): Promise<void> {
  const open = (await store.lockOpenInvoicesOf(tx, customerId)).filter(
    ({ subscriptionId, collectionMethod }) =>
      subscriptionId === null && collectionMethod === 'charge_automatically',
  )
  for (const before of open) {
    const isRetried = before.overdueSinceAt !== null && before.pendingPaymentId === null
    const changes = { paymentMethodId, ...(isRetried ? { nextAttemptAt: tx.now } : {}) }
    const after = await store.updateInvoice(tx, before, changes, true)
    tx.emit(invoiceUpdated, { before, after })
  }
}

/** Changes the payment method that is charged. */
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
