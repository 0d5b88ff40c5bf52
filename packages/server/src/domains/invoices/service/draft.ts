/** Invoices come to be as drafts, with all their lines, in the transaction of what they bill. */
import type { Id } from '../../../kernel/id.ts'
import { type InvoiceDraft, totalOf } from '../../../kernel/invoice-lines.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'
import { findNames } from '../../products/service.ts'
import { invoiceCreated } from '../events.ts'
import type { Invoice, Line } from '../invoice.ts'
import { insertInvoices, type NewInvoice } from '../store/invoices.ts'
import { insertLines, type NewLine } from '../store/lines.ts'
import { requireSeries } from '../store/series.ts'

/** Many in a few statements: a renewal costs little more than its rows. They are finalized by `invoice.finalize`. */
export async function draftInvoices(tx: Tx, drafts: readonly InvoiceDraft[]): Promise<Invoice[]> {
  if (drafts.length === 0) return []
  const seriesId = await requireSeries(tx)
  const wanted = drafts.map((draft) => ({ draft, seriesId, total: totalOf(draft.lines) }))
  const names = await namesOf(tx, drafts)
  await insertInvoices(tx, wanted)
  const lines = await insertLines(
    tx,
    wanted.flatMap((one) => linesToWrite(one, names)),
  )
  let place = 0
  return wanted.map((one) => {
    const own = lines.slice(place, place + one.draft.lines.length)
    place += own.length
    const after = asDraft(tx, one, own)
    tx.emit(invoiceCreated, { after })
    return after
  })
}

type Names = ReadonlyMap<Id<'price'>, string>

/** What the prices are for. The lines keep it, whatever a product is called later. */
export async function namesOf(view: View, drafts: readonly Pick<InvoiceDraft, 'lines'>[]): Promise<Names> {
  const prices = drafts.flatMap(({ lines }) => lines.flatMap(({ priceId }) => priceId ?? []))
  return findNames(view, [...new Set(prices)])
}

function linesToWrite({ draft }: NewInvoice, names: Names): NewLine[] {
  return draft.lines.map((line, position) => ({
    line,
    description: line.priceId === null ? null : (names.get(line.priceId) ?? null),
    invoiceId: draft.id,
    subscriptionId: draft.subscriptionId,
    currency: draft.currency,
    position,
  }))
}

/** As the row is now, without reading it again. */
function asDraft(tx: Tx, { draft, seriesId, total }: NewInvoice, lines: readonly Line[]): Invoice {
  const { id, reason, customerId, subscriptionId, currency, period, changeId, collect, testClockId } = draft
  return {
    ...{ id, seriesId, reason, customerId, subscriptionId, currency, period, changeId, collect, testClockId },
    ...{ status: 'draft', sequenceNumber: null, number: null, lines },
    ...{ subtotal: total, discountTotal: 0n, taxTotal: 0n, total, creditApplied: 0n, creditGranted: 0n },
    ...{ amountDue: total > 0n ? total : 0n, amountPaid: 0n, amountRefunded: 0n },
    ...{ reducesInvoiceId: draft.reducesInvoiceId, paymentMethodId: draft.paymentMethodId },
    paymentRouteId: draft.paymentRouteId,
    ...{ livePaymentId: null, unresolved: false, paymentId: null, paidOutOfBand: false },
    ...{ attemptCount: 0, lastFailure: null, campaignId: null, held: false },
    ...{ finalizeAt: draft.finalizeAt, nextAttemptAt: null, subscriptionDueAt: null, dunningDueAt: null },
    ...{ dueAt: null, overdueSinceAt: null, finalizedAt: null, paidAt: null, voidedAt: null },
    ...{ voidReason: null, uncollectibleAt: null, createdAt: tx.now, updatedAt: tx.now },
    ...{ version: 1, sequence: 1 },
  }
}
