/**
 * Records sales and reversals at the tax provider, until each is recorded. Documents are written in the transaction that
 * finalizes or credits the invoice, and sent afterwards. The reference is unique at the provider, so a document whose
 * response was lost is sent again, and recorded once.
 */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import type { Id, Ref } from '../../../../kernel/id.ts'
import { discountOfLine } from '../../../../kernel/invoice-lines.ts'
import { sumOfTax, type TaxDocument, type TaxReversal } from '../../../../kernel/tax-quotes.ts'
import { transactAfterCall } from '../../../../platform/db/resumable.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { commitTax, type Recorded, reverseTax, type TaxAccount } from '../../../../tax-providers/perform.ts'
import { openTaxAccount, performDeps } from '../../tax-provider/service.ts'
import type { Invoice } from '../invoice.ts'
import * as taxStore from '../store/tax.ts'
import { attentionSeconds, leftOfSale, type ReversedLine, retrySecondsAfter, withinSale } from '../tax.ts'

/** If this process crashes during the call, another process repeats the call after this time. */
const leaseSeconds = 60
/** How long a reversal waits for its sale. It is due again as soon as the sale is recorded. */
const waitSeconds = 60 * 60

/** Writes the documents of invoices that were just finalized with tax of a provider. */
export async function recordSales(tx: Tx, finalized: readonly Invoice[]): Promise<void> {
  const taxed = finalized.filter(({ taxStatus }) => taxStatus !== null)
  if (taxed.length === 0) return
  const taxes = await taxStore.lockTaxes(
    tx,
    taxed.map(({ id }) => id),
  )
  const sales = taxed.flatMap((invoice): taxStore.NewTaxDocument[] => {
    const { input = null, quote = null, provider = null } = taxes.get(invoice.id) ?? {}
    if (input === null || quote === null || provider === null || quote.lines.length === 0) return []
    const document: TaxDocument = { reference: invoice.id, input, quote }
    return [{ ...documentOf(invoice), reference: invoice.id, kind: 'sale', provider, document }]
  })
  await taxStore.insertTaxDocuments(tx, sales)
  for (const invoice of taxed) await reverseCreditLines(tx, invoice)
  const sold = new Set(sales.map(({ invoiceId }) => invoiceId))
  await taxStore.markTaxesFinal(
    tx,
    taxed.map(({ id }) => ({ id, status: sold.has(id) ? 'committing' : 'committed' })),
  )
}

const documentOf = ({ id: invoiceId, testClockId }: Pick<Invoice, 'id' | 'testClockId'>) => ({
  invoiceId,
  testClockId,
  creditNoteId: null,
})

/** Credit lines reverse part of invoices that were recorded before. */
async function reverseCreditLines(tx: Tx, invoice: Invoice): Promise<void> {
  const credits = invoice.lines.filter(({ sourceLineId, amount }) => sourceLineId !== null && amount < 0n)
  if (credits.length === 0) return
  const sources = await taxStore.findBilledLines(
    tx,
    credits.flatMap(({ sourceLineId }) => sourceLineId ?? []),
  )
  const byInvoice = Map.groupBy(credits, ({ sourceLineId }) => sources.get(sourceLineId ?? '')?.invoiceId)
  let position = 0
  for (const [sourceId, lines] of byInvoice) {
    if (sourceId === undefined || sourceId === invoice.id) continue
    position += 1
    const reversed = lines.map((line) => ({
      reference: line.sourceLineId as string,
      amount: String(-(line.amount - discountOfLine(line))),
      tax: String(-line.tax),
    }))
    const source = { id: sourceId, testClockId: invoice.testClockId }
    await reverse(tx, source, {
      reference: `${invoice.id}-c${position}`,
      creditNoteId: null,
      lines: reversed,
    })
  }
}

type Reversed = {
  readonly reference: string
  readonly creditNoteId: Id<'credit_note'> | null
  /** The lines to reverse. Null: everything that was not reversed yet. */
  readonly lines: readonly ReversedLine[] | null
}

async function reverse(
  tx: Tx,
  invoice: Pick<Invoice, 'id' | 'testClockId'>,
  { reference, creditNoteId, lines: requested }: Reversed,
): Promise<void> {
  const sale = (await taxStore.findSales(tx, [invoice.id])).get(invoice.id)
  if (sale === undefined) return
  const left = leftOfSale(sale.document, sale.reversals)
  const lines = requested === null ? left : withinSale(requested, left)
  if (lines.length === 0) return
  const document = { date: tx.now.toISOString().slice(0, 10), lines }
  await taxStore.insertTaxDocuments(tx, [
    { ...documentOf(invoice), reference, creditNoteId, kind: 'reversal', provider: sale.provider, document },
  ])
}

export type CreditedTax = {
  readonly id: Id<'credit_note'>
  readonly lines: readonly { readonly invoiceLineId: string; readonly amount: bigint; readonly tax: bigint }[]
}

/** A credit note reverses part of its invoice. The caller holds the lock on the invoice. */
export async function reverseCreditNote(tx: Tx, invoice: Invoice, note: CreditedTax): Promise<void> {
  if (!isRecorded(invoice)) return
  const lines = note.lines.map(({ invoiceLineId, amount, tax }) => ({
    reference: invoiceLineId,
    amount: String(amount),
    tax: String(tax),
  }))
  await reverse(tx, invoice, { reference: note.id, creditNoteId: note.id, lines })
}

/**
 * A void invoice is not a sale: everything that was not credited before is reversed, with the credit note of the void. There is
 * no note if earlier notes have credited the whole invoice.
 */
export async function reverseVoidInvoice(
  tx: Tx,
  invoice: Invoice,
  note: Pick<CreditedTax, 'id'> | null,
): Promise<void> {
  if (!isRecorded(invoice)) return
  const reference = note?.id ?? `${invoice.id}-void`
  await reverse(tx, invoice, { reference, creditNoteId: note?.id ?? null, lines: null })
}

/** Whether the tax provider records the invoice, once it is finalized. */
export function isRecorded({ taxStatus }: Pick<Invoice, 'taxStatus'>): boolean {
  return taxStatus !== null
}

/** Worker: documents of an invoice are due. */
export async function recordTaxDocuments(deps: Deps, ref: Ref<'invoice'>): Promise<void> {
  const account = await openTaxAccount(deps, ref.workspaceId)
  // Each document is postponed before it is sent, so the loop ends.
  for (;;) {
    const begun = await transact(deps, systemCaller(ref), (tx) => beginDocument(tx, ref.id, account))
    if (begun === null) return
    const recorded = await send(deps, account as TaxAccount, begun)
    await transactAfterCall(deps, systemCaller(ref), (tx) =>
      finishDocument(deps, tx, ref.id, { begun, recorded }),
    )
  }
}

type Begun =
  | { readonly kind: 'sale'; readonly document: TaxDocument }
  | { readonly kind: 'reversal'; readonly document: TaxReversal }

/** Reserves the document for the time of the call. Null: nothing can be sent now. */
async function beginDocument(tx: Tx, id: Id<'invoice'>, account: TaxAccount | null): Promise<Begun | null> {
  const found = await taxStore.lockDueDocument(tx, id)
  if (found === null) return null
  const { reference, kind, provider } = found
  const attempts = found.attempts + 1
  const postpone = (seconds: number, change: Partial<taxStore.DocumentChange>) =>
    taxStore.postponeDocument(
      tx,
      { id, reference },
      { ...found, error: null, dueAt: addSeconds(tx.now, seconds), ...change },
    )
  if (account?.provider.id !== provider) {
    const error = `The document has to be recorded at ${provider}, which is not configured.`
    const attentionSinceAt = found.attentionSinceAt ?? tx.now
    await postpone(retrySecondsAfter(attempts), { attempts, error, attentionSinceAt })
    return null
  }
  if (kind === 'sale') {
    await postpone(leaseSeconds, { attempts })
    return { kind, document: found.document as TaxDocument }
  }
  const sale = (await taxStore.findSales(tx, [id])).get(id)
  if (sale?.record == null) {
    await postpone(waitSeconds, {})
    return null
  }
  await postpone(leaseSeconds, { attempts })
  const { date, lines } = found.document as taxStore.StoredReversal
  return { kind, document: { reference, date, lines, original: { ...sale.document, record: sale.record } } }
}

function send(deps: Deps, account: TaxAccount, begun: Begun): Promise<Recorded> {
  return begun.kind === 'sale'
    ? commitTax(performDeps(deps), account, begun.document)
    : reverseTax(performDeps(deps), account, begun.document)
}

async function finishDocument(
  deps: Deps,
  tx: Tx,
  id: Id<'invoice'>,
  { begun, recorded }: { readonly begun: Begun; readonly recorded: Recorded },
): Promise<void> {
  const { reference } = begun.document
  // Another process may have sent the same document, and recorded the response.
  const found = await taxStore.lockDocument(tx, reference)
  if (found === null) return
  if (recorded.is === 'recorded') {
    const expected = begun.kind === 'sale' ? begun.document.quote.lines : begun.document.lines
    if (BigInt(recorded.record.tax) !== sumOfTax(expected))
      deps.log.error('A tax provider has recorded a different tax than it quoted.', { code: reference })
    deps.taxMetrics.taxDocuments.inc({ kind: begun.kind, result: 'recorded' })
    return taxStore.recordDocument(tx, { id, reference, kind: begun.kind }, recorded.record)
  }
  deps.taxMetrics.taxDocuments.inc({ kind: begun.kind, result: recorded.is })
  const failingSinceAt = found.failingSinceAt ?? tx.now
  const needsAttention = recorded.is === 'rejected' || addSeconds(failingSinceAt, attentionSeconds) <= tx.now
  await taxStore.postponeDocument(
    tx,
    { id, reference },
    {
      dueAt: addSeconds(tx.now, retrySecondsAfter(found.attempts)),
      attempts: found.attempts,
      failingSinceAt,
      attentionSinceAt: needsAttention ? (found.attentionSinceAt ?? tx.now) : null,
      error: recorded.fault.message.slice(0, 500),
    },
  )
}
