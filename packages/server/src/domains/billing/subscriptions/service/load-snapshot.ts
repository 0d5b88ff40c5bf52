/** Loads subscriptions with the invoice data that planning needs. Most data is loaded in bulk. */
import { type Id, uuidOf } from '../../../../kernel/id.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import { pendingLinesOf } from '../../invoices/service.ts'
import type { OwedInvoice } from '../collection.ts'
import type { IdFactory, MoneyFacts, Snapshot } from '../plan/snapshot.ts'
import * as invoiceFacts from '../store/invoice-facts.ts'
import type { Subscription } from '../subscription.ts'

/** A snapshot, and the drafts and open invoices of the subscription. */
export type LoadedSnapshot = Snapshot & { readonly owed: readonly OwedInvoice[] }

export async function loadSnapshots(
  view: View,
  subscriptions: readonly Subscription[],
): Promise<LoadedSnapshot[]> {
  if (subscriptions.length === 0) return []
  const ids = subscriptions.map(({ id }) => id)
  const owed = await invoiceFacts.listOwedInvoices(view, ids)
  const current = await invoiceFacts.currentInvoices(view, subscriptions)
  const withPendingLines = await invoiceFacts.withPendingLines(view, ids)
  const snapshots: LoadedSnapshot[] = []
  for (const subscription of subscriptions) {
    const { id, currentPeriod } = subscription
    const invoices = owed.get(id) ?? []
    snapshots.push({
      subscription,
      owed: invoices,
      money: {
        current: (currentPeriod && current.get(currentPeriod.invoiceId)) ?? null,
        paidForPeriod: await paidForPeriodOf(view, subscription),
        unpaidForPeriod: unpaidSince(invoices, currentPeriod?.invoiceId ?? null),
        ...openOf(invoices),
        pending: withPendingLines.has(id) ? await pendingLinesOf(view, id) : [],
      },
    })
  }
  return snapshots
}

export async function loadSnapshot(view: View, subscription: Subscription): Promise<LoadedSnapshot> {
  const [snapshot] = await loadSnapshots(view, [subscription])
  return snapshot as LoadedSnapshot
}

function openOf(owed: readonly OwedInvoice[]): Pick<MoneyFacts, 'open' | 'overdue'> {
  const ids = new Set(owed.map(({ id }) => id))
  // A draft that credits paid time is not owed by the customer, and voiding it would deprive the customer of the
  // credit. A credit that reduces an unpaid invoice is voided with that invoice.
  const isOwedByCustomer = ({ total, reducesInvoiceId }: OwedInvoice) =>
    total >= 0n || (reducesInvoiceId !== null && ids.has(reducesInvoiceId))
  return {
    open: owed.filter(isOwedByCustomer).map(({ id }) => id),
    overdue: owed.filter(({ overdueSinceAt }) => overdueSinceAt !== null).map(({ id }) => id),
  }
}

/** Ids are time-ordered, so the invoices for a period are its own invoice and later ones. */
function unpaidSince(
  owed: readonly OwedInvoice[],
  first: Id<'invoice'> | null,
): MoneyFacts['unpaidForPeriod'] {
  return owed.filter(({ id, total }) => first !== null && uuidOf(id) >= uuidOf(first) && total > 0n)
}

/**
 * Queries the paid amount only if the subscription may stop before its period ends. Renewals do not need it, and
 * there are many of them.
 */
async function paidForPeriodOf(
  view: View,
  { id, currentPeriod, scheduledChange }: Subscription,
): Promise<bigint> {
  const mayStopEarly = scheduledChange?.action === 'cancel' || scheduledChange?.action === 'pause'
  return currentPeriod === null || !mayStopEarly
    ? 0n
    : invoiceFacts.sumPaidSince(view, id, currentPeriod.invoiceId)
}

/** Adds the paid amount, for commands that may return unused time. */
export async function withPaidAmount(view: View, snapshot: LoadedSnapshot): Promise<LoadedSnapshot> {
  const { id, currentPeriod } = snapshot.subscription
  if (currentPeriod === null) return snapshot
  const paidForPeriod = await invoiceFacts.sumPaidSince(view, id, currentPeriod.invoiceId)
  return { ...snapshot, money: { ...snapshot.money, paidForPeriod } }
}

export function idFactoryOf(tx: Tx): IdFactory {
  return {
    invoice: (): Id<'invoice'> => tx.newId('invoice'),
    change: (): Id<'subscription_change'> => tx.newId('subscription_change'),
  }
}
