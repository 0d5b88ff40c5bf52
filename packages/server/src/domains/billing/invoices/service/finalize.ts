/**
 * Finalizes drafts: each gets the next number of its series, credit is applied, and amounts too small to
 * charge move to the next invoice. The series row is locked while numbering, so numbers have no gaps. Many
 * drafts are numbered per transaction, so that renewals do not queue for the counter. The invoice keeps a copy of
 * the seller and the customer.
 */
import type { Deps } from '../../../../deps.ts'
import { type Caller, systemCaller } from '../../../../kernel/caller.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import { refuse } from '../../../../kernel/errors.ts'
import type { Id, Ref } from '../../../../kernel/id.ts'
import { draftLine } from '../../../../kernel/invoice-lines.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { endReservations } from '../../discounts/service/attach.ts'
import type { CreditBalance } from '../credit.ts'
import { invoiceUpdated } from '../events.ts'
import {
  type FinalizationAmounts,
  finalizationAmountsOf,
  firstAttemptAt,
  type Invoice,
  type Line,
  remainingOf,
} from '../invoice.ts'
import { lockBalances } from '../store/credit.ts'
import * as store from '../store/invoices.ts'
import { insertLines, type NewLine } from '../store/lines.ts'
import { lockSeries, lockSeriesIfFree, type Series } from '../store/series.ts'
import { changeCredit, changeLockedBalance } from './credit.ts'
import { mailCustomers } from './mails.ts'
import { type AssignedNumber, assignNumbers } from './numbers.ts'
import { withCurrentTax } from './one-off.ts'
import {
  type FoundParties,
  findParties,
  type PartiesOfDraft,
  partiesChanges,
  postponeBlocked,
} from './parties.ts'
import { reminderSchedule } from './remind.ts'
import { awaitTaxes, findUntaxed, prepareTax, requireTax } from './tax.ts'
import { recordSales } from './tax-documents.ts'
import { transition, transitionAll } from './transition.ts'

const batchSize = 500
/**
 * The delay before another try if the series is locked. The other transaction may not see the newest drafts.
 */
const retrySeconds = 1

/** Worker: drafts of a series are due for finalization. */
export async function finalizeSeries(deps: Deps, ref: Ref<'invoice_series'>): Promise<void> {
  await transact(deps, systemCaller(ref), async (tx) => {
    // Waiting for the lock would only occupy a connection. Work on a test clock does wait, so that its result
    // does not depend on concurrent transactions.
    const series = await (tx.testClockId === null ? lockSeriesIfFree : lockSeries)(tx, ref.id)
    if (series === null) return tx.wake('invoice.finalize', ref.id, addSeconds(tx.now, retrySeconds))
    const batch = await store.lockDrafts(tx, series.id, batchSize)
    const parties = await findParties(tx, batch.drafts)
    const [blocked, ready] = partition(
      batch.drafts,
      ({ id }) => parties.byInvoice.get(id)?.isBlocked === true,
    )
    await postponeBlocked(tx, blocked, parties)
    const untaxed = await findUntaxed(tx, ready, parties)
    const [waiting, taxed] = partition(ready, ({ id }) => untaxed.has(id))
    await awaitTaxes(tx, waiting, untaxed)
    await finalizeAll(tx, series, { ...batch, drafts: taxed }, parties)
    // There may be more drafts, and other workers may have skipped the locked series.
    if (batch.drafts.length > 0) tx.wake('invoice.finalize', series.id, tx.now)
  })
}

/** Finalizes one invoice now. */
export async function finalizeInvoice(deps: Deps, caller: Caller, id: string): Promise<Invoice> {
  await prepareTax(deps, caller, id)
  return transact(deps, caller, async (tx) => finalizeInTx(tx, await store.findInvoice(tx, id)))
}

/** Finalizes an invoice that the caller has read and not locked. */
export async function finalizeInTx(tx: Tx, found: Invoice): Promise<Invoice> {
  // Lock order: the series before the invoice, as in bulk finalization.
  const series = await lockSeries(tx, found.seriesId)
  const locked = await store.lockInvoices(tx, [
    found.id,
    ...(found.reducesInvoiceId === null ? [] : [found.reducesInvoiceId]),
  ])
  const drafted = locked.find((invoice) => invoice.id === found.id) as Invoice
  if (drafted.status !== 'draft') return transition(tx, drafted, 'finalize', {})
  requireLines(drafted)
  const before = await withCurrentTax(tx, drafted)
  const parties = await findParties(tx, [before])
  requireLegalFields(before, parties)
  await requireTax(tx, before, parties)
  const [after] = await finalizeAll(tx, series, { drafts: [before], locked }, parties)
  return after as Invoice
}

function requireLines({ lines, status }: Invoice): void {
  if (lines.length > 0) return
  refuse('invalid_state', {
    detail: 'The invoice has no lines. Add a line first.',
    current_status: status,
    allowed_actions: [],
  })
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))]
}

function requireLegalFields({ id }: Invoice, parties: FoundParties): void {
  const { missing, isBlocked } = parties.byInvoice.get(id) as PartiesOfDraft
  if (!isBlocked) return
  refuse('legal_fields_missing', {
    detail: `The invoice cannot be finalized: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing.`,
  })
}

async function finalizeAll(
  tx: Tx,
  series: Series,
  { drafts, locked }: store.Batch,
  parties: FoundParties,
): Promise<Invoice[]> {
  if (drafts.length === 0) return []
  // Lock order: invoices before balances, as when voiding.
  const creditBalances = new CreditBalances(
    await lockBalances(
      tx,
      drafts.map(({ customerId }) => customerId),
    ),
  )
  const amounts: FinalizationAmounts[] = []
  const collections: Collection[] = []
  for (const draft of drafts) {
    amounts.push(await creditBalances.applyTo(tx, draft))
    collections.push(await collectionOf(tx, draft))
  }
  const carriedLines = await carryOver(tx, drafts, amounts)
  const numbers = await assignNumbers(tx, series, parties.settings, drafts.length)
  const finalized = await transitionAll(
    tx,
    'finalize',
    drafts.map((before, index) => ({
      before,
      changes: changesToOpen(tx, {
        before,
        assigned: numbers[index] as AssignedNumber,
        amounts: amounts[index] as FinalizationAmounts,
        carriedLine: carriedLines.get(before.id) ?? null,
        parties: parties.byInvoice.get(before.id) as PartiesOfDraft,
        collection: collections[index] as Collection,
      }),
    })),
  )
  for (const invoice of finalized) {
    await grantCredit(tx, invoice, locked)
    await endReservations(tx, invoice, 'used')
    // The payment of a checkout has ended before its invoice got a number.
    if (invoice.pendingPaymentId !== null) tx.wake('invoice.settle', invoice.id, tx.now)
  }
  await recordSales(tx, finalized)
  const opened = await markPaidIfNothingDue(tx, finalized)
  // A checkout has paid its invoice already.
  const unpaid = opened.filter(
    ({ status, pendingPaymentId }) => status === 'open' && pendingPaymentId === null,
  )
  await mailCustomers(tx, 'invoice_finalized', unpaid)
  return opened
}

/** The locked credit balances of the customers in a batch, updated as credit is applied to the drafts. */
class CreditBalances {
  readonly #balances: Map<string, CreditBalance>

  constructor(balances: readonly CreditBalance[]) {
    this.#balances = new Map(balances.map((balance) => [keyOf(balance), balance]))
  }

  async applyTo(tx: Tx, draft: Invoice): Promise<FinalizationAmounts> {
    const balance = this.#balances.get(keyOf(draft))
    // A checkout has charged the whole total, so credit is kept for the next invoice.
    const isCharged = draft.pendingPaymentId !== null
    const amounts = finalizationAmountsOf(draft, isCharged ? 0n : (balance?.balance ?? 0n))
    if (balance !== undefined && amounts.creditApplied > 0n) {
      const { customerId, currency, id: invoiceId } = draft
      const change = {
        customerId,
        currency,
        amount: -amounts.creditApplied,
        reason: 'applied',
        invoiceId,
      } as const
      this.#balances.set(keyOf(draft), await changeLockedBalance(tx, balance, change))
    }
    return amounts
  }
}

const keyOf = ({ customerId, currency }: { readonly customerId: string; readonly currency: string }) =>
  `${customerId} ${currency}`

type OpeningInput = {
  readonly before: Invoice
  readonly assigned: AssignedNumber
  readonly amounts: FinalizationAmounts
  readonly carriedLine: Line | null
  readonly parties: PartiesOfDraft
  readonly collection: Collection
}

/** When the invoice is first charged, or the customer first reminded of it. */
type Collection = { readonly nextAttemptAt: Date | null; readonly dueAt: Date | null }

const notCollected: Collection = { nextAttemptAt: null, dueAt: null }

async function collectionOf(tx: Tx, draft: Invoice): Promise<Collection> {
  if (draft.collectionMethod === 'send_invoice') return reminderSchedule(tx, draft)
  return { nextAttemptAt: firstAttemptAt(draft, tx.caller.mode, tx.now), dueAt: null }
}

function changesToOpen(
  tx: Tx,
  { before, assigned, amounts, carriedLine, parties, collection }: OpeningInput,
): store.InvoiceChanges {
  const { creditApplied, creditGranted } = amounts
  const total = before.total - amounts.carriedOver
  const amountDue = total > creditApplied ? total - creditApplied : 0n
  const isCollected = amountDue > 0n && before.pendingPaymentId === null
  const { nextAttemptAt, dueAt } = isCollected ? collection : notCollected
  return {
    ...assigned,
    subtotal: before.subtotal - amounts.carriedOver,
    total,
    amountDue,
    creditApplied,
    creditGranted,
    ...(carriedLine === null ? {} : { lines: [...before.lines, carriedLine] }),
    ...partiesChanges(tx, parties),
    ...(before.taxStatus === null ? {} : { taxStatus: 'committing' as const }),
    finalizeAt: null,
    finalizedAt: tx.now,
    nextAttemptAt,
    dueAt: dueAt ?? nextAttemptAt ?? tx.now,
  }
}

/**
 * For each invoice that is too small to charge, adds a line that reduces the amount due to zero, and a
 * pending line with the same amount for the next invoice. Returns the added invoice lines by invoice.
 */
async function carryOver(
  tx: Tx,
  drafts: readonly Invoice[],
  amounts: readonly FinalizationAmounts[],
): Promise<ReadonlyMap<Id<'invoice'>, Line>> {
  const tooSmall = drafts.flatMap((invoice, index) => {
    const { carriedOver } = amounts[index] as FinalizationAmounts
    return carriedOver === 0n ? [] : [{ invoice, carriedOver }]
  })
  const offsetLines = await insertLines(
    tx,
    tooSmall.map(({ invoice, carriedOver }) =>
      carriedOverLine(tx, invoice, -carriedOver, { isPending: false, sourceLineId: null }),
    ),
  )
  await insertLines(
    tx,
    tooSmall.map(({ invoice, carriedOver }, index) =>
      carriedOverLine(tx, invoice, carriedOver, {
        isPending: true,
        sourceLineId: (offsetLines[index] as Line).id,
      }),
    ),
  )
  return new Map(tooSmall.map(({ invoice }, index) => [invoice.id, offsetLines[index] as Line]))
}

function carriedOverLine(
  tx: Tx,
  invoice: Invoice,
  amount: bigint,
  {
    isPending,
    sourceLineId,
  }: { readonly isPending: boolean; readonly sourceLineId: Id<'invoice_line'> | null },
): NewLine {
  const { id, subscriptionId, currency, lines } = invoice
  const line = draftLine(currency, {
    rule: 'carried',
    unitAmountDecimal: String(amount),
    quantity: 1,
    priceId: null,
    subscriptionItemId: null,
    service: { startAt: tx.now, endAt: tx.now },
    sourceLineId,
    numeratorSeconds: 1,
    denominatorSeconds: 1,
    changeId: null,
  })
  return {
    line,
    calculated: null,
    description: null,
    subscriptionId,
    currency,
    invoiceId: isPending ? null : id,
    position: lines.length,
  }
}

/**
 * Grants a negative total as credit, and applies the credit first to the invoice that this invoice reduces, if
 * that one is still open.
 */
async function grantCredit(tx: Tx, invoice: Invoice, locked: readonly Invoice[]): Promise<void> {
  const { creditGranted: amount, customerId, currency, id: invoiceId, reducesInvoiceId } = invoice
  if (amount === 0n) return
  await changeCredit(tx, { customerId, currency, amount, reason: 'invoice_below_zero', invoiceId })
  const reduced = locked.find(({ id }) => id === reducesInvoiceId)
  if (reduced !== undefined) await applyCreditTo(tx, await store.lockInvoice(tx, reduced.id), amount)
}

async function applyCreditTo(tx: Tx, before: Invoice, available: bigint): Promise<void> {
  const remaining = remainingOf(before)
  if (before.status !== 'open' || before.pendingPaymentId !== null || remaining === 0n) return
  const amount = remaining < available ? remaining : available
  const { customerId, currency, id: invoiceId } = before
  await changeCredit(tx, { customerId, currency, amount: -amount, reason: 'applied', invoiceId })
  const changes = {
    creditApplied: before.creditApplied + amount,
    amountDue: before.amountDue - amount,
    ...(remaining === amount ? { nextAttemptAt: null } : {}),
  }
  const after = await store.updateInvoice(tx, before, changes, true)
  tx.emit(invoiceUpdated, { before, after })
  await markPaidIfNothingDue(tx, [after])
}

/** Marks invoices with nothing due as paid. */
export async function markPaidIfNothingDue(tx: Tx, finalized: readonly Invoice[]): Promise<Invoice[]> {
  const withNothingDue = finalized.filter((invoice) => remainingOf(invoice) === 0n)
  const paid = await transitionAll(
    tx,
    'settle',
    withNothingDue.map((before) => ({ before, changes: { paidAt: tx.now, subscriptionDueAt: tx.now } })),
  )
  const byId = new Map(paid.map((invoice) => [invoice.id, invoice]))
  return finalized.map((invoice) => byId.get(invoice.id) ?? invoice)
}
