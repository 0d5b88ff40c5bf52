/** Creates draft invoices with their lines, in the transaction that changes the subscription. */
import type { Id } from '../../../../kernel/id.ts'
import { amountsOfDraft, type InvoiceDraft } from '../../../../kernel/invoice-lines.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import { findProductNames } from '../../products/service.ts'
import { invoiceCreated } from '../events.ts'
import type { Invoice, Line } from '../invoice.ts'
import { insertInvoices, type NewInvoice } from '../store/invoices.ts'
import { insertLines, type NewLine } from '../store/lines.ts'
import { requireSeries } from '../store/series.ts'

/** Creates many drafts in a few statements. The `invoice.finalize` worker finalizes them. */
export async function draftInvoices(tx: Tx, drafts: readonly InvoiceDraft[]): Promise<Invoice[]> {
  if (drafts.length === 0) return []
  const seriesId = await requireSeries(tx)
  const newInvoices = drafts.map((draft) => ({ draft, seriesId, amounts: amountsOfDraft(draft) }))
  const names = await productNamesOf(tx, drafts)
  await insertInvoices(tx, newInvoices)
  const lines = await insertLines(
    tx,
    newInvoices.flatMap((newInvoice) => linesToWrite(newInvoice, names)),
  )
  let nextLine = 0
  return newInvoices.map((newInvoice) => {
    const invoiceLines = lines.slice(nextLine, nextLine + newInvoice.draft.lines.length)
    nextLine += invoiceLines.length
    const after = asDraft(tx, newInvoice, invoiceLines)
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
  const prices = drafts.flatMap(({ lines }) => lines.flatMap(({ priceId }) => priceId ?? []))
  return findProductNames(view, [...new Set(prices)])
}

function linesToWrite({ draft }: NewInvoice, names: ProductNames): NewLine[] {
  return draft.lines.map((line, position) => ({
    line,
    description: (line.priceId === null ? line.description : names.get(line.priceId)) ?? null,
    invoiceId: draft.id,
    subscriptionId: draft.subscriptionId,
    currency: draft.currency,
    position,
  }))
}

/** What finalization sets. */
const notFinalized = {
  sequenceNumber: null,
  number: null,
  numberYear: null,
  numberInYear: null,
  parties: null,
  missing: [],
  blockedSinceAt: null,
  retainUntil: null,
}

/** The invoice as inserted, without reading the row again. */
function asDraft(tx: Tx, { draft, seriesId, amounts }: NewInvoice, lines: readonly Line[]): Invoice {
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
    lines,
    subtotal: amounts.subtotal,
    discountTotal: amounts.discountTotal,
    taxTotal: amounts.exclusiveTax,
    total: amounts.total,
    creditApplied: 0n,
    creditGranted: 0n,
    amountDue: amounts.total > 0n ? amounts.total : 0n,
    amountPaid: 0n,
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
