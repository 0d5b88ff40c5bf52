/**
 * Drafts become invoices: each gets the next number of its series, credit is set against it, and what is too small
 * to be charged goes to the next one. Whoever numbers holds the series, so numbers have no gaps, and many are
 * numbered at once, so that renewals do not queue for the counter.
 */
import type { Deps } from '../../../deps.ts'
import { type Caller, systemCaller } from '../../../kernel/caller.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import type { Id, Ref } from '../../../kernel/id.ts'
import { draftLine } from '../../../kernel/invoice-lines.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import type { CreditBalance } from '../credit.ts'
import { invoiceUpdated } from '../events.ts'
import {
  type Closing,
  closingOf,
  firstAttemptAt,
  type Invoice,
  type Line,
  numberOf,
  remainingOf,
} from '../invoice.ts'
import { lockBalances } from '../store/credit.ts'
import * as store from '../store/invoices.ts'
import { insertLines, type NewLine } from '../store/lines.ts'
import { lockSeries, lockSeriesIfFree, type Series, updateSeries } from '../store/series.ts'
import { moveBalance, moveCredit } from './credit.ts'
import { pull, pullAll } from './pull.ts'

const batchSize = 500
/** After this, whoever found the series held looks again, in case its holder did not see what they came for. */
const busySeconds = 1

/** Work: the drafts of a series whose time has come. */
export async function finalizeSeries(deps: Deps, ref: Ref<'invoice_series'>): Promise<void> {
  await transact(deps, systemCaller(ref), async (tx) => {
    // To wait for whoever holds it would only hold a connection. A test clock waits, since it shall not take another
    // course because of others.
    const series = await (tx.testClockId === null ? lockSeriesIfFree : lockSeries)(tx, ref.id)
    if (series === null) return tx.wake('invoice.finalize', ref.id, addSeconds(tx.now, busySeconds))
    const batch = await store.lockDrafts(tx, series.id, batchSize)
    await finalizeAll(tx, series, batch)
    // There may be more of them, and others have gone away because of us.
    if (batch.drafts.length > 0) tx.wake('invoice.finalize', series.id, tx.now)
  })
}

/** One, now. */
export function finalizeInvoice(deps: Deps, caller: Caller, id: string): Promise<Invoice> {
  return transact(deps, caller, async (tx) => {
    const seen = await store.findInvoice(tx, id)
    // The series before the invoice, as whoever numbers many takes them.
    const series = await lockSeries(tx, seen.seriesId)
    const locked = await store.lockInvoices(tx, [
      seen.id,
      ...(seen.reducesInvoiceId === null ? [] : [seen.reducesInvoiceId]),
    ])
    const before = locked.find((invoice) => invoice.id === seen.id) as Invoice
    if (before.status !== 'draft') return pull(tx, before, 'finalize', {})
    const [after] = await finalizeAll(tx, series, { drafts: [before], locked })
    return after as Invoice
  })
}

async function finalizeAll(tx: Tx, series: Series, { drafts, locked }: store.Batch): Promise<Invoice[]> {
  if (drafts.length === 0) return []
  // Invoices before balances, as whoever makes one void takes them.
  const credit = new Credit(
    await lockBalances(
      tx,
      drafts.map(({ customerId }) => customerId),
    ),
  )
  const closings: Closing[] = []
  for (const draft of drafts) closings.push(await credit.close(tx, draft))
  const carried = await carryOver(tx, drafts, closings)
  const opened = await pullAll(
    tx,
    'finalize',
    drafts.map((before, place) => ({
      before,
      changes: openingOf(tx, { before, series, place, closing: closings[place] as Closing, carried }),
    })),
  )
  await updateSeries(tx, series, series.nextSequence + BigInt(drafts.length))
  for (const invoice of opened) await grant(tx, invoice, locked)
  return settleEmpty(tx, opened)
}

/** Balances that are locked, and how much of each is left while a batch uses them. */
class Credit {
  readonly #left: Map<string, CreditBalance>

  constructor(balances: readonly CreditBalance[]) {
    this.#left = new Map(balances.map((one) => [keyOf(one), one]))
  }

  async close(tx: Tx, draft: Invoice): Promise<Closing> {
    const balance = this.#left.get(keyOf(draft))
    const closing = closingOf(draft, balance?.balance ?? 0n)
    if (balance !== undefined && closing.creditApplied > 0n) {
      const { customerId, currency, id: invoiceId } = draft
      const move = {
        customerId,
        currency,
        amount: -closing.creditApplied,
        reason: 'applied',
        invoiceId,
      } as const
      this.#left.set(keyOf(draft), await moveBalance(tx, balance, move))
    }
    return closing
  }
}

const keyOf = ({ customerId, currency }: { readonly customerId: string; readonly currency: string }) =>
  `${customerId} ${currency}`

type Opening = {
  readonly before: Invoice
  readonly series: Series
  readonly place: number
  readonly closing: Closing
  readonly carried: ReadonlyMap<Id<'invoice'>, Line>
}

function openingOf(tx: Tx, { before, series, place, closing, carried }: Opening): store.InvoiceChanges {
  const sequenceNumber = series.nextSequence + BigInt(place)
  const line = carried.get(before.id)
  const total = before.total - closing.carried
  const amountDue = total > closing.creditApplied ? total - closing.creditApplied : 0n
  const nextAttemptAt = amountDue === 0n ? null : firstAttemptAt(before, tx.caller.mode, tx.now)
  return {
    ...{ sequenceNumber, number: numberOf(series.prefix, sequenceNumber) },
    ...{ subtotal: total, total, amountDue },
    ...{ creditApplied: closing.creditApplied, creditGranted: closing.creditGranted },
    ...(line === undefined ? {} : { lines: [...before.lines, line] }),
    ...{ finalizeAt: null, finalizedAt: tx.now, nextAttemptAt, dueAt: nextAttemptAt ?? tx.now },
  }
}

/** A line that closes an invoice which is too small, and one that waits for the next. Gives the closing ones. */
async function carryOver(
  tx: Tx,
  drafts: readonly Invoice[],
  closings: readonly Closing[],
): Promise<ReadonlyMap<Id<'invoice'>, Line>> {
  const small = drafts.flatMap((invoice, place) => {
    const { carried } = closings[place] as Closing
    return carried === 0n ? [] : [{ invoice, carried }]
  })
  const closing = await insertLines(
    tx,
    small.map(({ invoice, carried }) =>
      carriedLine(tx, invoice, -carried, { isPending: false, source: null }),
    ),
  )
  await insertLines(
    tx,
    small.map(({ invoice, carried }, place) =>
      carriedLine(tx, invoice, carried, { isPending: true, source: (closing[place] as Line).id }),
    ),
  )
  return new Map(small.map(({ invoice }, place) => [invoice.id, closing[place] as Line]))
}

function carriedLine(
  tx: Tx,
  invoice: Invoice,
  amount: bigint,
  { isPending, source }: { readonly isPending: boolean; readonly source: Id<'invoice_line'> | null },
): NewLine {
  const { id, subscriptionId, currency, lines } = invoice
  const line = draftLine(currency, {
    ...{ rule: 'carried', unitAmountDecimal: String(amount), quantity: 1, priceId: null },
    ...{ subscriptionItemId: null, service: { startAt: tx.now, endAt: tx.now }, sourceLineId: source },
    ...{ numeratorSeconds: 1, denominatorSeconds: 1, changeId: null },
  })
  return {
    ...{ line, description: null, subscriptionId, currency },
    ...{ invoiceId: isPending ? null : id, position: lines.length },
  }
}

/** What we owe the customer lowers the invoice that it came from, if that is still open; the rest is credit. */
async function grant(tx: Tx, invoice: Invoice, locked: readonly Invoice[]): Promise<void> {
  const { creditGranted: amount, customerId, currency, id: invoiceId, reducesInvoiceId } = invoice
  if (amount === 0n) return
  await moveCredit(tx, { customerId, currency, amount, reason: 'invoice_below_zero', invoiceId })
  const source = locked.find(({ id }) => id === reducesInvoiceId)
  if (source !== undefined) await reduce(tx, await store.lockInvoice(tx, source.id), amount)
}

async function reduce(tx: Tx, before: Invoice, most: bigint): Promise<void> {
  const remaining = remainingOf(before)
  if (before.status !== 'open' || before.livePaymentId !== null || remaining === 0n) return
  const amount = remaining < most ? remaining : most
  const { customerId, currency, id: invoiceId } = before
  await moveCredit(tx, { customerId, currency, amount: -amount, reason: 'applied', invoiceId })
  const changes = {
    creditApplied: before.creditApplied + amount,
    amountDue: before.amountDue - amount,
    ...(remaining === amount ? { nextAttemptAt: null } : {}),
  }
  const after = await store.updateInvoice(tx, before, changes, true)
  tx.emit(invoiceUpdated, { before, after })
  await settleEmpty(tx, [after])
}

/** Where nothing is due, nothing is waited for. */
async function settleEmpty(tx: Tx, opened: readonly Invoice[]): Promise<Invoice[]> {
  const empty = opened.filter((invoice) => remainingOf(invoice) === 0n)
  const paid = await pullAll(
    tx,
    'settle',
    empty.map((before) => ({ before, changes: { paidAt: tx.now, subscriptionDueAt: tx.now } })),
  )
  const byId = new Map(paid.map((invoice) => [invoice.id, invoice]))
  return opened.map((invoice) => byId.get(invoice.id) ?? invoice)
}
