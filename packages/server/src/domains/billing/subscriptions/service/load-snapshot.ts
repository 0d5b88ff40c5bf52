/** Loads subscriptions with the invoice data that planning needs. Most data is loaded in bulk. */
import { type Id, uuidOf } from '../../../../kernel/id.ts'
import type { TaxMode } from '../../../../kernel/parties.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import { loadCustomerDiscounts } from '../../discounts/service.ts'
import { pendingLinesOf } from '../../invoices/service.ts'
import { loadTaxRates } from '../../tax-rules/service/load-rates.ts'
import type { OwedInvoice } from '../collection.ts'
import type { IdFactory, MoneyFacts, Snapshot } from '../plan/snapshot.ts'
import { noTax, type TaxFacts } from '../plan/tax.ts'
import * as invoiceFacts from '../store/invoice-facts.ts'
import { chargedLines } from '../store/tax-facts.ts'
import type { Subscription } from '../subscription.ts'
import { itemsOf } from './load-tax.ts'

/** A snapshot, and the drafts and open invoices of the subscription. */
export type LoadedSnapshot = Snapshot & {
  readonly owed: readonly OwedInvoice[]
  readonly taxMode: TaxMode
  readonly hasTaxedLines: boolean
}

export async function loadSnapshots(view: View, locked: readonly Subscription[]): Promise<LoadedSnapshot[]> {
  if (locked.length === 0) return []
  const subscriptions = await loadCustomerDiscounts(view, locked)
  const ids = subscriptions.map(({ id }) => id)
  const owed = await invoiceFacts.listOwedInvoices(view, ids)
  const current = await invoiceFacts.currentInvoices(view, subscriptions)
  const pending = await invoiceFacts.findPendingLinesAndTax(view, ids)
  const tax = await loadTax(view, subscriptions, pending)
  const { taxMode, hasTaxedLines } = pending
  const snapshots: LoadedSnapshot[] = []
  for (const [index, subscription] of subscriptions.entries()) {
    const { id, currentPeriod } = subscription
    const invoices = owed.get(id) ?? []
    snapshots.push({
      subscription,
      owed: invoices,
      taxMode,
      hasTaxedLines,
      money: {
        current: (currentPeriod && current.get(currentPeriod.invoiceId)) ?? null,
        ...(await paidForPeriodOf(view, subscription)),
        paidLimit: null,
        unpaidForPeriod: unpaidSince(invoices, currentPeriod?.invoiceId ?? null),
        ...openOf(invoices),
        pending: pending.subscriptionIds.has(id) ? await pendingLinesOf(view, id) : [],
        tax: tax[index] ?? noTax,
      },
    })
  }
  return snapshots
}

/** Renewals credit nothing, and there are many of them, so their charged lines are not loaded. */
async function loadTax(
  view: View,
  subscriptions: readonly Subscription[],
  { taxMode, hasTaxedLines }: Pick<LoadedSnapshot, 'taxMode' | 'hasTaxedLines'>,
): Promise<TaxFacts[]> {
  const billed = subscriptions.map((one) => ({ customerId: one.customerId, items: itemsOf(one) }))
  const rates = taxMode === 'none' ? [] : await loadTaxRates(view, billed)
  const crediting = hasTaxedLines
    ? subscriptions.filter(({ scheduledChange }) => scheduledChange !== null)
    : []
  const charged = await chargedLines(view, crediting)
  return subscriptions.map(({ id }, index) => ({
    ...(rates[index] ?? noTax),
    charged: charged.get(id) ?? [],
  }))
}

export async function loadSnapshot(view: View, subscription: Subscription): Promise<LoadedSnapshot> {
  const [snapshot] = await loadSnapshots(view, [subscription])
  const { money, hasTaxedLines } = snapshot as LoadedSnapshot
  if (!hasTaxedLines || subscription.scheduledChange !== null) return snapshot as LoadedSnapshot
  const charged = (await chargedLines(view, [subscription])).get(subscription.id) ?? []
  return { ...(snapshot as LoadedSnapshot), money: { ...money, tax: { ...money.tax, charged } } }
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
  return owed.filter(
    ({ id, total, isForUsage }) => first !== null && !isForUsage && uuidOf(id) >= uuidOf(first) && total > 0n,
  )
}

/**
 * Queries the paid amount only if the subscription may stop before its period ends. Renewals do not need it, and
 * there are many of them.
 */
async function paidForPeriodOf(
  view: View,
  { id, currentPeriod, scheduledChange }: Subscription,
): Promise<Pick<MoneyFacts, 'paidForPeriod' | 'creditLimit'>> {
  const mayStopEarly = scheduledChange?.action === 'cancel' || scheduledChange?.action === 'pause'
  if (currentPeriod === null || !mayStopEarly) return { paidForPeriod: 0n, creditLimit: null }
  const { paidForPeriod, creditLimit } = await invoiceFacts.sumPaidSince(view, id, currentPeriod.invoiceId)
  return { paidForPeriod, creditLimit }
}

/** Adds the paid amount and the limit of credit, for commands that may return unused time. */
export async function withPaidAmount(view: View, snapshot: LoadedSnapshot): Promise<LoadedSnapshot> {
  const { id, currentPeriod } = snapshot.subscription
  if (currentPeriod === null) return snapshot
  const { kept, hasLostInvoice, ...paid } = await invoiceFacts.sumPaidSince(view, id, currentPeriod.invoiceId)
  const owed = snapshot.money.unpaidForPeriod.reduce((sum, { remaining }) => sum + remaining, 0n)
  const paidLimit = { amount: kept > owed ? kept - owed : 0n, hasLostInvoice }
  return { ...snapshot, money: { ...snapshot.money, ...paid, paidLimit } }
}

export function idFactoryOf(tx: Tx): IdFactory {
  return {
    invoice: (): Id<'invoice'> => tx.newId('invoice'),
    change: (): Id<'subscription_change'> => tx.newId('subscription_change'),
  }
}
