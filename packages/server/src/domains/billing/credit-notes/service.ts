/**
 * Issues credit notes. The invoice is locked first, so that notes of one invoice are issued one after the other, and
 * together never credit more than the invoice, nor return more than was paid.
 */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { monotonicMs } from '../../../kernel/clock.ts'
import {
  type CreditedLine,
  creditableOf,
  creditNoteAmounts,
  splitCreditNote,
  type TaxedCreditLine,
} from '../../../kernel/credit-note-arithmetic.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import { uuidInFilter } from '../../../kernel/filters.ts'
import { uuidFromText } from '../../../kernel/id.ts'
import { amountsOfDraft } from '../../../kernel/invoice-lines.ts'
import { isChange, nextTransition } from '../../../kernel/machine.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { read, type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { beginRefund, findRefund, requireRefundable } from '../../payments/payments/commands/create-refund.ts'
import { type Progress, runInBackground } from '../../payments/payments/commands/pay-invoice.ts'
import {
  type CreditNote,
  type CreditNoteTerms,
  creditNoteMachine,
  findCreditNote,
  hasNote,
  issueCreditNote,
  issuedNotesOf,
  listCreditNotes as listDocuments,
  markCreditNoteVoid,
} from '../credit-note-documents/service.ts'
import {
  creditInvoice,
  isRecorded,
  lockInvoice,
  postNote,
  requireNoPendingPayment,
  reverseCreditNote,
  uncreditInvoice,
  unearnedOfNote,
} from '../invoices/service/credit-note.ts'
import { renderCreditNotePdf } from '../invoices/service/credit-note-pdf.ts'
import { runOnTestClock } from '../invoices/service/on-test-clock.ts'
import { type Invoice, keptOf, keptOfUsage, type Line, remainingOf } from '../invoices/service/read.ts'
import { writeCreditNoteXml, type XmlOptions } from '../invoices/service/xml.ts'
import type { CreateCreditNote } from './schema.ts'
import * as store from './store.ts'

export type { CreditNote, CreditNoteTerms } from '../credit-note-documents/service.ts'

/** Calculates a note. Nothing is stored. */
export function previewCreditNote(
  deps: Deps,
  caller: Caller,
  input: CreateCreditNote,
): Promise<CreditNoteTerms> {
  return transact(deps, caller, async (tx) => planNote(tx, await lockForNote(tx, input), input))
}

export function createCreditNote(deps: Deps, caller: Caller, input: CreateCreditNote): Promise<CreditNote> {
  return runOnTestClock(deps, caller, input.invoice_id, async (clockDeps) => {
    const startedMs = monotonicMs()
    const refunds: Progress[] = []
    // Only the credit note is the result of the unit of work, because the result is stored as the response for the
    // idempotency key.
    const note = await transact(clockDeps, caller, async (tx) => {
      const issued = await issueNote(tx, input)
      refunds.splice(0, refunds.length, ...(issued.refund === null ? [] : [issued.refund]))
      return issued.note
    })
    for (const refund of refunds) {
      // If this process crashes, the payment resolver sends the refund.
      const ref = { workspaceId: caller.workspaceId, id: refund.payment.id }
      clockDeps.runInBackground(runInBackground(clockDeps, ref, refund, startedMs))
    }
    return note
  })
}

type IssuedNote = { readonly note: CreditNote; readonly refund: Progress | null }

async function issueNote(tx: Tx, input: CreateCreditNote): Promise<IssuedNote> {
  const invoice = await lockForNote(tx, input)
  const terms = await planNote(tx, invoice, input)
  const { total, taxTotal: tax, appliedAmount: applied, balanceAmount: balance } = terms
  const unearned = unearnedOfNote(invoice, { total, tax })
  await creditInvoice(tx, invoice, { total, tax, applied, balance, unearned })
  const needsRefund = terms.refundAmount > 0n && terms.refundId === null
  const refund = needsRefund ? await refundPart(tx, invoice, terms.refundAmount) : null
  const { testClockId } = invoice
  const refundId = terms.refundId ?? refund?.refund?.id ?? null
  const note = await issueCreditNote(tx, { ...terms, refundId, unearnedAmount: unearned, testClockId })
  await reverseCreditNote(tx, invoice, note)
  postNote(tx, invoice, { creditNoteId: note.id, tax, unearned })
  return { note, refund }
}

/** A part of the payment that is disputed cannot be refunded, so the whole note is refused. */
async function refundPart(tx: Tx, { paymentId }: Invoice, amount: bigint): Promise<Progress> {
  if (paymentId === null)
    return refuseMember('/refund_amount', 'too_large', 'must be 0, because no payment paid this invoice')
  const progress = await beginRefund(tx, { payment_id: paymentId, amount: Number(amount), source: 'api' })
  if (progress === null || progress.refund?.amount !== amount)
    return refuse('payment_disputed', {
      detail: 'The payment of the invoice is disputed, so this amount cannot be refunded.',
    })
  return progress
}

/**
 * Lock order: the subscription before the invoice, as in commands of subscriptions. The invoice is read once more after it is
 * locked, because a refund that was committed during the wait for the lock is visible only to a new statement.
 */
async function lockForNote(tx: Tx, { invoice_id }: CreateCreditNote): Promise<Invoice> {
  await store.lockSubscriptionOf(tx, invoice_id)
  await lockInvoice(tx, invoice_id)
  return lockInvoice(tx, invoice_id)
}

async function planNote(tx: Tx, invoice: Invoice, input: CreateCreditNote): Promise<CreditNoteTerms> {
  requireCreditable(invoice)
  const calculated = amountsOfDraft(invoice).lines
  const issued = await issuedNotesOf(tx, invoice.id)
  const before = issued.flatMap(({ lines }) =>
    lines.map(({ invoiceLineId, amount, tax }) => ({
      index: invoice.lines.findIndex(({ id }) => id === invoiceLineId),
      amount,
      tax,
    })),
  )
  const credited = creditedLines(tx, invoice, input)
  for (const [position, { index, amount }] of credited.entries()) {
    const line = calculated[index] as (typeof calculated)[number]
    const left = before.reduce(
      (rest, one) => (one.index === index ? rest - one.amount : rest),
      creditableOf(line),
    )
    if (amount > left)
      refuseMember(
        `/lines/${position}/amount`,
        'too_large',
        `must be ${left} or less, the amount that is not credited yet`,
      )
  }
  const amounts = creditNoteAmounts(calculated, before, credited)
  const refunded = await refundedBefore(tx, invoice, input)
  const split = splitOf(invoice, amounts.total, input, refunded?.amount ?? null)
  if (refunded === null) await requireUndisputed(tx, invoice, split)
  if (invoice.reason === 'usage') await requireKeptOfUsage(tx, invoice, amounts.lines)
  else await requireKeptForPeriod(tx, invoice, amounts.total - (refunded?.amount ?? 0n))
  return {
    invoiceId: invoice.id,
    customerId: invoice.customerId,
    currency: invoice.currency,
    reason: input.reason ?? 'other',
    memo: input.memo ?? null,
    subtotal: amounts.subtotal,
    taxTotal: amounts.taxTotal,
    total: amounts.total,
    appliedAmount: split.applied,
    refundAmount: split.refund,
    refundId: refunded?.id ?? null,
    balanceAmount: split.balance,
    lines: amounts.lines.map(({ index, amount, tax }) => {
      const { id, description } = invoice.lines[index] as Invoice['lines'][number]
      return { invoiceLineId: id, description, amount, tax }
    }),
  }
}

/** While a payment is in progress, it is not known how much is still owed. */
function requireCreditable(invoice: Invoice): void {
  requireNoPendingPayment(invoice)
  const { status, total } = invoice
  if ((status === 'open' || status === 'paid') && total > 0n) return
  refuse('invalid_state', {
    detail: 'Only an open or paid invoice with a positive total can be credited.',
    current_status: status,
    allowed_actions: [],
  })
}

function creditedLines({ caller }: Tx, { lines }: Invoice, input: CreateCreditNote): CreditedLine[] {
  const seen = new Set<number>()
  return input.lines.map(({ invoice_line_id: text, amount }, position) => {
    const uuid = uuidFromText('invoice_line', caller.mode, text)
    const index = lines.findIndex(
      ({ id }) => uuid !== null && uuidFromText('invoice_line', caller.mode, id) === uuid,
    )
    const pointer = `/lines/${position}/invoice_line_id`
    if (index === -1) refuseMember(pointer, 'not_found', 'is not a line of this invoice')
    if (seen.has(index)) refuseMember(pointer, 'not_together', 'is listed twice')
    seen.add(index)
    return { index, amount: BigInt(amount) }
  })
}

/** Unused time of the period may have been credited or refunded, by a change or a cancellation. */
async function requireKeptForPeriod(tx: Tx, { id, subscriptionId }: Invoice, total: bigint): Promise<void> {
  if (subscriptionId === null || total === 0n) return
  const kept = await store.keptForPeriod(tx, id)
  if (total > kept)
    refuseMember(
      '/lines',
      'too_large',
      `must be ${kept < 0n ? 0n : kept} or less in total: the rest of the period has already been returned`,
    )
}

/** Usage may have been cancelled after billing and returned by a correction. */
async function requireKeptOfUsage(
  tx: Tx,
  { subscriptionId, lines }: Invoice,
  credited: readonly TaxedCreditLine[],
): Promise<void> {
  if (subscriptionId === null) return
  const sourceOf = (index: number) => lines[index]?.sourceLineId ?? (lines[index] as Line).id
  const kept = await keptOfUsage(
    tx,
    subscriptionId,
    credited.map(({ index }) => sourceOf(index)),
  )
  for (const [position, { index, amount, tax }] of credited.entries()) {
    const source = kept.get(sourceOf(index))
    const total = lines[index]?.taxRate?.inclusive ? amount : amount + tax
    if (source !== undefined && total > source.kept)
      refuseMember(
        `/lines/${position}/amount`,
        'too_large',
        `must be ${source.kept < 0n ? 0n : source.kept} or less with its tax: the rest of the usage has already been returned`,
      )
  }
}

/** The bank returns the disputed part of the payment, so the note returns at most the rest. */
async function requireUndisputed(
  tx: Tx,
  invoice: Invoice,
  { refund, balance }: { readonly refund: bigint; readonly balance: bigint },
): Promise<void> {
  if (invoice.paymentId === null || refund + balance === 0n) return
  const { disputed } = await requireRefundable(tx, invoice.paymentId, refund)
  if (disputed === 0n || refund + balance <= keptOf(invoice) - disputed) return
  refuse('payment_disputed', {
    detail: `${disputed} minor units of the payment are disputed and cannot be returned. Credit a smaller amount.`,
  })
}

/** The refund of the payment that this note documents, if it was created before the note. */
async function refundedBefore(tx: Tx, { paymentId }: Invoice, input: CreateCreditNote) {
  if (input.refund_id === undefined) return null
  if (input.refund_amount !== undefined)
    refuseMember(
      '/refund_amount',
      'not_together',
      'must be omitted with refund_id: the amount of that refund is used',
    )
  const refund = await findRefund(tx, input.refund_id)
  if (refund.paymentId !== paymentId || refund.status === 'failed')
    refuseMember('/refund_id', 'not_found', 'is not a refund of the payment of this invoice')
  if (await hasNote(tx, refund.id)) refuseMember('/refund_id', 'not_together', 'already has a credit note')
  return refund
}

/** Refunds and credit together return at most the amount that was paid and has not been returned yet. */
function splitOf(invoice: Invoice, total: bigint, input: CreateCreditNote, refunded: bigint | null) {
  const owed = remainingOf(invoice)
  const part = (amount: number | undefined) => (amount === undefined ? null : BigInt(amount))
  const requested = { refund: refunded ?? part(input.refund_amount), balance: part(input.balance_amount) }
  const split = splitCreditNote(total, owed, requested)
  const pointer = pointerOf(input)
  if (split === null) {
    const rest = total > owed ? total - owed : 0n
    return refuseMember(
      pointer,
      'too_large',
      `and the other part must add up to ${rest}: the total of ${total} minus the ${owed} still owed`,
    )
  }
  const left = keptOf(invoice) + (refunded ?? 0n)
  if (split.refund + split.balance > left)
    refuseMember(
      pointer,
      'too_large',
      `must be ${left} or less, the amount that was paid and has not been returned yet`,
    )
  return split
}

function pointerOf({ refund_id, refund_amount }: CreateCreditNote): string {
  if (refund_id !== undefined) return '/lines'
  return refund_amount === undefined ? '/balance_amount' : '/refund_amount'
}

/** Voids a note that only reduced what is owed, while the invoice is still open, or a note whose refund has failed. */
export async function voidCreditNote(deps: Deps, caller: Caller, id: string): Promise<CreditNote> {
  const found = await read(deps, caller, (view) => findCreditNote(view, id))
  return runOnTestClock(deps, caller, found.invoiceId, (clockDeps) =>
    transact(clockDeps, caller, async (tx) => {
      // Lock order: the invoice first. Its lock also protects its notes.
      const invoice = await lockInvoice(tx, found.invoiceId)
      const before = await findCreditNote(tx, id)
      const hasMovedMoney = await hasMoved(tx, invoice, before)
      const row = nextTransition(creditNoteMachine, {
        state: before.status,
        trigger: 'void',
        facts: { hasMovedMoney },
      })
      if (!isChange(row)) return before
      requireNoPendingPayment(invoice)
      requireUnrecorded(invoice, before)
      const after = await markCreditNoteVoid(tx, before)
      const {
        id: creditNoteId,
        total,
        appliedAmount: applied,
        taxTotal: tax,
        unearnedAmount: unearned,
      } = before
      await uncreditInvoice(tx, invoice, { creditNoteId, total, applied, tax, unearned })
      return after
    }),
  )
}

/** A tax provider records credit notes and cannot reverse them. */
function requireUnrecorded(invoice: Invoice, { status }: CreditNote): void {
  if (!isRecorded(invoice)) return
  refuse('invalid_state', {
    detail:
      'The tax provider records this credit note, so it cannot be voided. Create another invoice instead.',
    current_status: status,
    allowed_actions: [],
  })
}

/** A failed refund returned no money. */
async function hasMoved(tx: Tx, { status }: Invoice, note: CreditNote): Promise<boolean> {
  if (note.balanceAmount > 0n || (note.appliedAmount > 0n && status !== 'open')) return true
  return note.refundId !== null && (await findRefund(tx, note.refundId)).status !== 'failed'
}

export function getCreditNote(deps: Deps, caller: Caller, id: string): Promise<CreditNote> {
  return read(deps, caller, (view) => findCreditNote(view, id))
}

export function listCreditNotes(
  deps: Deps,
  caller: Caller,
  range: IdRange,
  query: { readonly invoice_id?: string | undefined; readonly customer_id?: string | undefined },
) {
  const filter = {
    invoiceUuid: uuidInFilter('invoice', caller.mode, query.invoice_id),
    customerUuid: uuidInFilter('customer', caller.mode, query.customer_id),
  }
  return read(deps, caller, (view) => listDocuments(view, range, filter))
}

export async function renderCreditNote(deps: Deps, caller: Caller, id: string) {
  const note = await getCreditNote(deps, caller, id)
  return { name: `${note.number}.pdf`, bytes: await renderCreditNotePdf(deps, caller, note) }
}

export async function writeCreditNote(deps: Deps, caller: Caller, id: string, options: XmlOptions) {
  return writeCreditNoteXml(deps, caller, await getCreditNote(deps, caller, id), options)
}
