/** Creates draft invoices with their lines, in the transaction that changes the subscription. */
import type { Id } from '../../../../kernel/id.ts'
import {
  amountsOfDraft,
  type InvoiceDraft,
  type LineDraft,
  subscriptionTerms,
} from '../../../../kernel/invoice-lines.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import { findProductNames } from '../../products/service.ts'
import { invoiceCreated } from '../events.ts'
import type { Invoice, Line } from '../invoice.ts'
import { insertInvoices, type NewInvoice } from '../store/invoices.ts'
import { insertLines, type NewLine } from '../store/lines.ts'
import { requireSeriesAndTax, type SeriesAndTax } from '../store/series.ts'
import { requestTaxes } from '../store/tax.ts'

/** Creates many drafts in a few statements. The `invoice.finalize` worker finalizes them. */
export async function draftInvoices(
  tx: Tx,
  drafts: readonly InvoiceDraft[],
  known?: SeriesAndTax,
): Promise<Invoice[]> {
  if (drafts.length === 0) return []
  const { seriesId, taxMode } = known ?? (await requireSeriesAndTax(tx))
  const hasProvider = taxMode === 'provider'
  const newInvoices = drafts.map((draft) => ({ draft, seriesId, amounts: amountsOfDraft(draft) }))
  const names = await productNamesOf(tx, drafts)
  await insertInvoices(tx, newInvoices)
  const lines = await insertLines(
    tx,
    newInvoices.flatMap((newInvoice) => linesToWrite(newInvoice, names)),
  )
  if (hasProvider) await requestTaxes(tx, drafts)
  let nextLine = 0
  return newInvoices.map((newInvoice) => {
    const invoiceLines = lines.slice(nextLine, nextLine + newInvoice.draft.lines.length)
    nextLine += invoiceLines.length
    const after = {
      ...asDraft(tx, newInvoice, invoiceLines),
      taxStatus: hasProvider ? ('pending' as const) : null,
    }
    tx.emit(invoiceCreated, { after })
    return after
  })
}

type ProductNames = ReadonlyMap<Id<'price'>, string>

/** The product names of the prices. Lines keep them, even if a product is renamed later. */
export async function productNamesOf(
  view: View,
  drafts: readonly Pick<InvoiceDraft, 'lines'>[],
): Promise<ProductNames> {
  const prices = drafts.flatMap(({ lines }) =>
    lines.filter((line) => !isNamed(line)).flatMap(({ priceId }) => priceId ?? []),
  )
  return findProductNames(view, [...new Set(prices)])
}

/** Whether the draft already contains the name of the product, because planning has read it. */
function isNamed({ subscriptionItemId, description = null }: LineDraft): boolean {
  return subscriptionItemId !== null && description !== null
}

function linesToWrite({ draft, amounts }: NewInvoice, names: ProductNames): NewLine[] {
  return draft.lines.map((line, position) => ({
    line,
    calculated: amounts.lines[position] ?? null,
    description:
      (line.priceId === null || isNamed(line) ? line.description : names.get(line.priceId)) ?? null,
    invoiceId: draft.id,
    subscriptionId: draft.subscriptionId,
    currency: draft.currency,
    position,
  }))
}

/** The members that finalization sets. */
const notFinalized = {
  sequenceNumber: null,
  number: null,
  numberYear: null,
  numberInYear: null,
  parties: null,
  missing: [],
  taxStatus: null,
  taxError: null,
  blockedSinceAt: null,
  retainUntil: null,
  sentAt: null,
  reminderCount: 0,
}

/** The members that credit notes set. */
const notCredited = {
  amountCredited: 0n,
  taxCredited: 0n,
  creditedOwed: 0n,
  creditedBalance: 0n,
  unearnedCredited: 0n,
}

/** The invoice as inserted, without reading the row again. */
function asDraft(tx: Tx, { draft, seriesId, amounts }: NewInvoice, lines: readonly Line[]): Invoice {
  const { terms = subscriptionTerms } = draft
  const { id, reason, customerId, subscriptionId, currency, period, changeId, collect, testClockId } = draft
  return {
    id,
    seriesId,
    reason,
    customerId,
    subscriptionId,
    currency,
    period,
    changeId,
    collect,
    testClockId,
    status: 'draft',
    ...notFinalized,
    ...terms,
    lines,
    subtotal: amounts.subtotal,
    discountTotal: amounts.discountTotal,
    taxTotal: amounts.taxTotal,
    taxIncluded: amounts.taxTotal - amounts.exclusiveTax,
    total: amounts.total,
    creditApplied: 0n,
    creditGranted: 0n,
    amountDue: amounts.total > 0n ? amounts.total : 0n,
    amountPaid: 0n,
    ...notCredited,
    amountRefunded: 0n,
    amountRefunding: 0n,
    reducesInvoiceId: draft.reducesInvoiceId,
    paymentMethodId: draft.paymentMethodId,
    paymentRouteId: draft.paymentRouteId,
    pendingPaymentId: null,
    unresolved: false,
    paymentId: null,
    paidOutOfBand: false,
    attemptCount: 0,
    lastFailure: null,
    campaignId: null,
    held: false,
    finalizeAt: draft.finalizeAt,
    nextAttemptAt: null,
    subscriptionDueAt: null,
    dunningDueAt: null,
    dueAt: null,
    overdueSinceAt: null,
    finalizedAt: null,
    paidAt: null,
    earnedAt: null,
    voidedAt: null,
    withdrawnAt: null,
    withdrawReason: null,
    returnOnPayment: null,
    voidReason: null,
    uncollectibleAt: null,
    createdAt: tx.now,
    updatedAt: tx.now,
    version: 1,
    sequence: 1,
  }
}
