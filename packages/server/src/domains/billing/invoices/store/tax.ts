/** Rows with the tax of invoices that a tax provider computes, and with the documents that it records. */
import { sql } from 'kysely'
import { type Id, idFromUuid, uuidFromText, uuidOf, uuidOrNull } from '../../../../kernel/id.ts'
import type { TaxDocument, TaxInput, TaxQuote, TaxRecord } from '../../../../kernel/tax-quotes.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import type { Invoice } from '../invoice.ts'
import type { ReversedLine, SourceLine, TaxStatus } from '../tax.ts'

export type InvoiceTax = {
  readonly status: TaxStatus
  readonly dueAt: Date | null
  readonly inputHash: string | null
  readonly input: TaxInput | null
  readonly quote: TaxQuote | null
  readonly provider: string | null
  readonly attempts: number
  readonly failingSinceAt: Date | null
  readonly error: string | null
  readonly waitingSinceAt: Date | null
}

const taxColumns = sql`status, due_at as "dueAt", input_hash as "inputHash", input, quote, provider, attempts,
  failing_since_at as "failingSinceAt", error, waiting_since_at as "waitingSinceAt"`

const workspaceOf = ({ caller }: View) => sql`${uuidOf(caller.workspaceId)}::uuid`

/** Schedules the computation of the tax of the invoices now. It is retried until it succeeds. */
export async function requestTaxes(
  tx: Tx,
  invoices: readonly { readonly id: Id<'invoice'>; readonly testClockId: Id<'test_clock'> | null }[],
): Promise<void> {
  const records = invoices.map(({ id, testClockId }) => ({ id: uuidOf(id), clock: uuidOrNull(testClockId) }))
  await sql`
    insert into invoice_taxes as row (workspace_id, invoice_id, status, due_at, test_clock_id, updated_at)
    select ${workspaceOf(tx)}, added.id, 'pending', ${tx.now}::timestamptz, added.clock, ${tx.now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(records)}::jsonb) as added (id uuid, clock uuid)
    on conflict (workspace_id, invoice_id) do update set status = 'pending', due_at = excluded.due_at,
      quote = null, input = null, input_hash = null, attempts = 0, error = null, failing_since_at = null,
      updated_at = excluded.updated_at
    where row.status in ('pending', 'ready', 'failed')`.execute(tx.db)
  for (const { id } of invoices) tx.wake('invoice.tax', id, tx.now)
}

export async function findTax(view: View, id: Id<'invoice'>): Promise<InvoiceTax | null> {
  const { rows } = await sql<InvoiceTax>`
    select ${taxColumns} from invoice_taxes
    where workspace_id = ${workspaceOf(view)} and invoice_id = ${uuidOf(id)}::uuid`.execute(view.db)
  return rows[0] ?? null
}

export async function lockTax(tx: Tx, id: Id<'invoice'>): Promise<InvoiceTax | null> {
  const { rows } = await sql<InvoiceTax>`
    select ${taxColumns} from invoice_taxes
    where workspace_id = ${workspaceOf(tx)} and invoice_id = ${uuidOf(id)}::uuid for update`.execute(tx.db)
  return rows[0] ?? null
}

/** The tax of many drafts, by invoice. */
export async function lockTaxes(
  tx: Tx,
  ids: readonly Id<'invoice'>[],
): Promise<ReadonlyMap<Id<'invoice'>, InvoiceTax>> {
  const { rows } = await sql<InvoiceTax & { invoice_id: string }>`
    select invoice_id, ${taxColumns} from invoice_taxes
    where workspace_id = ${workspaceOf(tx)} and invoice_id = any(${ids.map(uuidOf)}::uuid[])
    order by invoice_id for update`.execute(tx.db)
  return new Map(rows.map((row) => [idFromUuid('invoice', tx.caller.mode, row.invoice_id), row]))
}

/** Writes all members. */
export async function updateTax(
  tx: Tx,
  { id }: Pick<Invoice, 'id'>,
  { status, dueAt, inputHash, input, quote, ...tax }: InvoiceTax,
): Promise<void> {
  await sql`
    update invoice_taxes set status = ${status}, due_at = ${dueAt}::timestamptz, input_hash = ${inputHash},
      input = ${jsonOf(input)}::jsonb, quote = ${jsonOf(quote)}::jsonb, provider = ${tax.provider},
      attempts = ${tax.attempts}, failing_since_at = ${tax.failingSinceAt}::timestamptz, error = ${tax.error},
      waiting_since_at = ${tax.waitingSinceAt}::timestamptz, updated_at = ${tx.now}::timestamptz
    where workspace_id = ${workspaceOf(tx)} and invoice_id = ${uuidOf(id)}::uuid`.execute(tx.db)
  tx.wake('invoice.tax', id, dueAt)
}

export async function deleteTax(tx: Tx, id: Id<'invoice'>): Promise<void> {
  await sql`
    delete from invoice_taxes
    where workspace_id = ${workspaceOf(tx)} and invoice_id = ${uuidOf(id)}::uuid`.execute(tx.db)
}

/**
 * Erases the address and the tax ids of the customer from the data that was sent to the tax provider, and
 * erases the hash of the request, because an address could be guessed from it. The caller has erased the
 * customer from the invoice.
 */
export async function eraseCustomerOfTax(tx: Tx, id: Id<'invoice'>): Promise<void> {
  const nothing = sql`'{"address": null, "taxIds": []}'::jsonb`
  await sql`
    update invoice_taxes set input = jsonb_set(input, '{customer}', (input -> 'customer') || ${nothing}),
      input_hash = 'erased', updated_at = ${tx.now}::timestamptz
    where workspace_id = ${workspaceOf(tx)} and invoice_id = ${uuidOf(id)}::uuid and input is not null`.execute(
    tx.db,
  )
  await sql`
    update tax_documents
    set document = jsonb_set(document, '{input,customer}', (document #> '{input,customer}') || ${nothing})
    where workspace_id = ${workspaceOf(tx)} and invoice_id = ${uuidOf(id)}::uuid and kind = 'sale'`.execute(
    tx.db,
  )
}

const jsonOf = (value: object | null) => (value === null ? null : JSON.stringify(value))

export type NewTaxDocument = {
  readonly reference: string
  readonly kind: 'sale' | 'reversal'
  readonly invoiceId: Id<'invoice'>
  readonly creditNoteId: Id<'credit_note'> | null
  readonly provider: string
  readonly document: TaxDocument | { readonly date: string; readonly lines: readonly ReversedLine[] }
  readonly testClockId: Id<'test_clock'> | null
}

export async function insertTaxDocuments(tx: Tx, documents: readonly NewTaxDocument[]): Promise<void> {
  if (documents.length === 0) return
  const records = documents.map((one, index) => ({
    reference: one.reference,
    kind: one.kind,
    invoice_id: uuidOf(one.invoiceId),
    credit_note_id: uuidOrNull(one.creditNoteId),
    provider: one.provider,
    document: one.document,
    test_clock_id: uuidOrNull(one.testClockId),
    position: index,
  }))
  await sql`
    insert into tax_documents (workspace_id, reference, kind, invoice_id, credit_note_id, provider, document, test_clock_id,
      due_at, created_at)
    select ${workspaceOf(tx)}, reference, kind, invoice_id, credit_note_id, provider, document, test_clock_id,
      ${tx.now}::timestamptz, ${tx.now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(records)}::jsonb) as added (reference text, kind text, invoice_id uuid,
      credit_note_id uuid, provider text, document jsonb, test_clock_id uuid)`.execute(tx.db)
  for (const id of new Set(documents.map(({ invoiceId }) => invoiceId)))
    tx.wake('invoice.tax_commit', id, tx.now)
}

export type StoredSale = {
  readonly provider: string
  readonly document: TaxDocument
  readonly record: TaxRecord | null
}
export type StoredReversal = { readonly date: string; readonly lines: readonly ReversedLine[] }

/** The sale of each invoice that a tax provider records, with its reversals. The caller has locked the invoices. */
export async function findSales(
  view: View,
  ids: readonly Id<'invoice'>[],
): Promise<ReadonlyMap<Id<'invoice'>, StoredSale & { readonly reversals: readonly StoredReversal[] }>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<StoredSale & { invoice_id: string; reversals: StoredReversal[] | null }>`
    select sale.invoice_id, sale.provider, sale.document, sale.record,
      (select jsonb_agg(reversal.document) from tax_documents as reversal
        where reversal.workspace_id = sale.workspace_id and reversal.invoice_id = sale.invoice_id
          and reversal.kind = 'reversal') as reversals
    from tax_documents as sale
    where sale.workspace_id = ${workspaceOf(view)} and sale.invoice_id = any(${ids.map(uuidOf)}::uuid[])
      and sale.kind = 'sale'`.execute(view.db)
  return new Map(
    rows.map(({ invoice_id, reversals, ...sale }) => [
      idFromUuid('invoice', view.caller.mode, invoice_id),
      { ...sale, reversals: reversals ?? [] },
    ]),
  )
}

export type LockedDocument = {
  readonly reference: string
  readonly kind: 'sale' | 'reversal'
  readonly provider: string
  readonly document: unknown
  readonly attempts: number
  readonly failingSinceAt: Date | null
  readonly attentionSinceAt: Date | null
}

const documentColumns = sql`reference, kind, provider, document, attempts, failing_since_at as "failingSinceAt",
  attention_since_at as "attentionSinceAt"`

/** The next document to send: the sale first, then its reversals in order. Null if none is due. */
export async function lockDueDocument(tx: Tx, id: Id<'invoice'>): Promise<LockedDocument | null> {
  const { rows } = await sql<LockedDocument>`
    select ${documentColumns} from tax_documents
    where workspace_id = ${workspaceOf(tx)} and invoice_id = ${uuidOf(id)}::uuid and due_at <= ${tx.now}::timestamptz
    order by kind desc, created_at, reference limit 1 for update skip locked`.execute(tx.db)
  return rows[0] ?? null
}

export async function lockDocument(tx: Tx, reference: string): Promise<LockedDocument | null> {
  const { rows } = await sql<LockedDocument>`
    select ${documentColumns} from tax_documents
    where workspace_id = ${workspaceOf(tx)} and reference = ${reference} and due_at is not null for update`.execute(
    tx.db,
  )
  return rows[0] ?? null
}

export type DocumentChange = {
  readonly dueAt: Date
  readonly attempts: number
  readonly failingSinceAt: Date | null
  readonly attentionSinceAt: Date | null
  readonly error: string | null
}

export async function postponeDocument(
  tx: Tx,
  { id, reference }: { readonly id: Id<'invoice'>; readonly reference: string },
  change: DocumentChange,
): Promise<void> {
  await sql`
    update tax_documents set due_at = ${change.dueAt}::timestamptz, attempts = ${change.attempts},
      failing_since_at = ${change.failingSinceAt}::timestamptz,
      attention_since_at = ${change.attentionSinceAt}::timestamptz, error = ${change.error}
    where workspace_id = ${workspaceOf(tx)} and reference = ${reference}`.execute(tx.db)
  tx.wake('invoice.tax_commit', id, change.dueAt)
}

/** Records the response, and makes the reversals due that waited for the sale. */
export async function recordDocument(
  tx: Tx,
  { id, reference, kind }: { readonly id: Id<'invoice'>; readonly reference: string; readonly kind: string },
  record: TaxRecord,
): Promise<void> {
  await sql`
    update tax_documents set due_at = null, record = ${JSON.stringify(record)}::jsonb,
      recorded_at = ${tx.now}::timestamptz, error = null, failing_since_at = null, attention_since_at = null
    where workspace_id = ${workspaceOf(tx)} and reference = ${reference}`.execute(tx.db)
  if (kind !== 'sale') return
  await sql`
    update tax_documents set due_at = ${tx.now}::timestamptz
    where workspace_id = ${workspaceOf(tx)} and invoice_id = ${uuidOf(id)}::uuid and due_at is not null`.execute(
    tx.db,
  )
  await sql`
    update invoice_taxes set status = 'committed', updated_at = ${tx.now}::timestamptz
    where workspace_id = ${workspaceOf(tx)} and invoice_id = ${uuidOf(id)}::uuid and status = 'committing'`.execute(
    tx.db,
  )
  tx.wake('invoice.tax_commit', id, tx.now)
}

/** Marks finalized invoices to be recorded next, or as recorded if they have no lines to record. */
export async function markTaxesFinal(
  tx: Tx,
  invoices: readonly { readonly id: Id<'invoice'>; readonly status: 'committing' | 'committed' }[],
): Promise<void> {
  const records = invoices.map(({ id, status }) => ({ id: uuidOf(id), status }))
  await sql`
    update invoice_taxes as row set status = final.status, waiting_since_at = null, updated_at = ${tx.now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(records)}::jsonb) as final (id uuid, status text)
    where row.workspace_id = ${workspaceOf(tx)} and row.invoice_id = final.id`.execute(tx.db)
}

/** Drafts that are due but whose tax is not ready. `isOutdated`: the quote is not for the current draft. */
export async function markTaxesAwaited(
  tx: Tx,
  awaited: readonly { readonly id: Id<'invoice'>; readonly isOutdated: boolean }[],
): Promise<void> {
  const records = awaited.map(({ id, isOutdated }) => ({ id: uuidOf(id), outdated: isOutdated }))
  await sql`
    update invoice_taxes as row set waiting_since_at = coalesce(row.waiting_since_at, ${tx.now}::timestamptz),
      status = case when awaited.outdated then 'pending' else row.status end,
      due_at = case when awaited.outdated then ${tx.now}::timestamptz else row.due_at end
    from jsonb_to_recordset(${JSON.stringify(records)}::jsonb) as awaited (id uuid, outdated boolean)
    where row.workspace_id = ${workspaceOf(tx)} and row.invoice_id = awaited.id`.execute(tx.db)
  for (const { id, isOutdated } of awaited) if (isOutdated) tx.wake('invoice.tax', id, tx.now)
}

export type BilledLine = SourceLine & { readonly invoiceId: Id<'invoice'> }

/** The lines that credit lines reverse, with the amounts after discounts. */
export async function findBilledLines(
  view: View,
  ids: readonly string[],
): Promise<ReadonlyMap<string, BilledLine>> {
  const uuids = ids.flatMap((id) => uuidFromText('invoice_line', view.caller.mode, id) ?? [])
  if (uuids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; invoice_id: string; amount: bigint; tax: bigint }>`
    select id, invoice_id, amount - coalesce(discount, 0) as amount, coalesce(tax, 0) as tax from invoice_lines
    where workspace_id = ${workspaceOf(view)} and id = any(${uuids}::uuid[]) and invoice_id is not null`.execute(
    view.db,
  )
  const { mode } = view.caller
  return new Map(
    rows.map(({ id, invoice_id, amount, tax }) => [
      idFromUuid('invoice_line', mode, id),
      { invoiceId: idFromUuid('invoice', mode, invoice_id), amount, tax },
    ]),
  )
}
