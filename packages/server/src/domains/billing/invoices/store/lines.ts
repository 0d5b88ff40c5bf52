/**
 * Rows of invoice lines, including pending lines that will be added to the next invoice of the subscription.
 */
import { type Selectable, sql } from 'kysely'
import type { Currency } from '../../../../kernel/currency.ts'
import type { LineDiscount } from '../../../../kernel/discounts.ts'
import {
  type Id,
  idFromUuid,
  idOrNull,
  type Kind,
  type Mode,
  uuidOf,
  uuidOrNull,
} from '../../../../kernel/id.ts'
import type { CalculatedLine } from '../../../../kernel/invoice-arithmetic.ts'
import {
  discountOfLine,
  type Explanation,
  type LineDraft,
  storedTaxRate,
} from '../../../../kernel/invoice-lines.ts'
import type { TaxMode } from '../../../../kernel/parties.ts'
import { type IdRange, keysetOf, pageOf } from '../../../../platform/db/keyset.ts'
import type { InvoiceLines } from '../../../../platform/db/tables.generated.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import type { Invoice, Line } from '../invoice.ts'

const columns = [
  'id',
  'invoice_id',
  'description',
  'kind',
  'amount',
  'quantity',
  'metered_quantity',
  'price_id',
  'subscription_item_id',
  'service_start_at',
  'service_end_at',
  'source_line_id',
  'explanation',
  'net',
  'tax',
  'tax_rate_id',
  'tax_percentage',
  'tax_category',
  'tax_inclusive',
  'tax_note',
  'discounts',
] as const
const selected = sql.join(columns.map((column) => sql.ref(column)))
type LineRow = Pick<Selectable<InvoiceLines>, (typeof columns)[number]>

// biome-ignore format: a table.
const inserted = [
  ['id', 'uuid'], ['invoice_id', 'uuid'], ['subscription_id', 'uuid'], ['position', 'int'], ['description', 'text'],
  ['kind', 'text'], ['amount', 'int8'], ['currency', 'text'], ['quantity', 'int'], ['metered_quantity', 'int8'], ['price_id', 'uuid'],
  ['subscription_item_id', 'uuid'], ['service_start_at', 'timestamptz'], ['service_end_at', 'timestamptz'],
  ['source_line_id', 'uuid'], ['explanation', 'jsonb'], ['discounts', 'jsonb'], ['discount', 'int8'],
  ['created_at', 'timestamptz'], ['net', 'int8'], ['tax', 'int8'], ['tax_rate_id', 'uuid'], ['tax_percentage', 'text'],
  ['tax_category', 'text'], ['tax_inclusive', 'boolean'], ['tax_note', 'text'],
] as const
const insertedNames = sql.join(inserted.map(([name]) => sql.ref(name)))
const columnDefinitions = sql.join(inserted.map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`))

export type NewLine = {
  /** Default: a new id. */
  readonly id?: Id<'invoice_line'> | null
  readonly line: LineDraft
  /** Null for a pending line, whose tax its invoice calculates. */
  readonly calculated: Pick<CalculatedLine, 'net' | 'tax'> | null
  readonly description: string | null
  /** Null: a pending line for the next invoice. */
  readonly invoiceId: Id<'invoice'> | null
  /** Null for a line of a one-off invoice. */
  readonly subscriptionId: Id<'subscription'> | null
  readonly currency: Currency
  readonly position: number
}

/**
 * Inserts all lines in one statement, whose text is the same for any number of lines. Returns them in the
 * same order.
 */
export async function insertLines(tx: Tx, lines: readonly NewLine[]): Promise<Line[]> {
  if (lines.length === 0) return []
  const created = lines.map((newLine) => ({
    ...newLine,
    line: {
      ...newLine.line,
      id: newLine.id ?? tx.newId('invoice_line'),
      description: newLine.description,
      net: newLine.calculated?.net ?? newLine.line.amount - discountOfLine(newLine.line),
      tax: newLine.calculated?.tax ?? 0n,
    },
  }))
  const records = created.map(({ line, invoiceId, subscriptionId, currency, position }) => ({
    id: uuidOf(line.id),
    invoice_id: uuidOrNull(invoiceId),
    subscription_id: uuidOrNull(subscriptionId),
    position,
    description: line.description,
    kind: line.kind,
    amount: String(line.amount),
    currency,
    ...quantityToRow(line),
    price_id: uuidOrNull(line.priceId),
    subscription_item_id: uuidOrNull(line.subscriptionItemId),
    service_start_at: line.service.startAt,
    service_end_at: line.service.endAt,
    source_line_id: uuidOrNull(line.sourceLineId),
    explanation: explanationToRow(line.explanation),
    ...discountsToRow(line),
    created_at: tx.now,
    ...taxToRow(line, invoiceId === null),
  }))
  await sql`
    insert into invoice_lines (workspace_id, ${insertedNames})
    select ${uuidOf(tx.caller.workspaceId)}::uuid, ${insertedNames}
    from jsonb_to_recordset(${JSON.stringify(records)}::jsonb) as new_line (${columnDefinitions})`.execute(
    tx.db,
  )
  return created.map(({ line }) => line)
}

/** Deletes the lines of a draft, which are inserted again after the edit, and reads whether the workspace uses tax. */
export async function deleteLines(tx: Tx, invoiceId: Id<'invoice'>): Promise<TaxMode> {
  const workspace = sql`${uuidOf(tx.caller.workspaceId)}::uuid`
  const { rows } = await sql<{ tax: TaxMode }>`
    with deleted as (
      delete from invoice_lines where workspace_id = ${workspace} and invoice_id = ${uuidOf(invoiceId)}::uuid)
    select tax from sellers where workspace_id = ${workspace}`.execute(tx.db)
  return rows[0]?.tax ?? 'none'
}

/** Inserts the edited lines of a draft. Lines keep their ids. */
export function insertEditedLines(
  tx: Tx,
  {
    id: invoiceId,
    currency,
    subscriptionId,
  }: Pick<NewLine, 'currency' | 'subscriptionId'> & Pick<Invoice, 'id'>,
  lines: readonly (LineDraft & Pick<NewLine, 'description'> & { readonly id: Line['id'] | null })[],
  calculated: readonly NonNullable<NewLine['calculated']>[],
): Promise<Line[]> {
  return insertLines(
    tx,
    lines.map(({ id, description, ...line }, position) => ({
      id,
      line,
      calculated: calculated[position] ?? null,
      description,
      invoiceId,
      subscriptionId,
      currency,
      position,
    })),
  )
}

/** The lines of each invoice, in order. */
export async function linesOf(
  view: View,
  invoiceUuids: readonly string[],
): Promise<ReadonlyMap<string, readonly Line[]>> {
  if (invoiceUuids.length === 0) return new Map()
  const { rows } = await sql<LineRow>`
    select ${selected} from invoice_lines
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and invoice_id = any(${[...invoiceUuids]}::uuid[])
    order by invoice_id, position, id`.execute(view.db)
  const byInvoice = Map.groupBy(rows, ({ invoice_id }) => invoice_id as string)
  return new Map(
    [...byInvoice].map(([uuid, invoiceRows]) => [
      uuid,
      invoiceRows.map((row) => fromRow(view.caller.mode, row)),
    ]),
  )
}

export async function linesWithIds(view: View, ids: readonly Id<'invoice_line'>[]): Promise<Line[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<LineRow>`
    select ${selected} from invoice_lines
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and id = any(${ids.map(uuidOf)}::uuid[])`.execute(
    view.db,
  )
  return rows.map((row) => fromRow(view.caller.mode, row))
}

/**
 * The amount that was paid or is still owed for a line that billed usage and for its corrections, and was not
 * returned.
 */
export type KeptOfUsage = {
  readonly kept: bigint
  /** The part of the invoice that was not returned, either by credit notes or by refunds without one. */
  readonly keptOfInvoice: bigint
  readonly invoiceId: Id<'invoice'>
}

/**
 * The keys are the lines that first billed the usage. Void and uncollectible amounts are excluded because
 * they were not paid, and credited amounts because they were returned.
 */
export async function keptOfUsage(
  view: View,
  subscriptionId: Id<'subscription'>,
  sourceIds: readonly Id<'invoice_line'>[],
): Promise<ReadonlyMap<Id<'invoice_line'>, KeptOfUsage>> {
  const workspace = sql`${uuidOf(view.caller.workspaceId)}::uuid`
  const { rows } = await sql<{ source_id: string; invoice_id: string; kept: string; of_invoice: string }>`
    select source.id as source_id, (array_agg(lines.invoice_id order by lines.id = source.id desc))[1] as invoice_id,
      coalesce(sum(coalesce(lines.net + lines.tax, lines.amount - coalesce(lines.discount, 0)) - coalesce((
        select sum(noted.amount + case when lines.tax_inclusive then 0 else noted.tax end)
        from credit_notes as notes join credit_note_lines as noted
          on noted.workspace_id = notes.workspace_id and noted.credit_note_id = notes.id
        where notes.workspace_id = ${workspace} and notes.invoice_id = invoices.id and notes.status = 'issued'
          and noted.invoice_line_id = lines.id), 0))
        filter (where invoices.status not in ('void', 'uncollectible')), 0)::text as kept,
      coalesce(sum(invoices.total - invoices.credited_owed - invoices.credited_balance
        - coalesce(payments.amount_refunded + payments.amount_refunding, 0) - coalesce((
          select sum(disputes.amount) from disputes
          where disputes.workspace_id = ${workspace} and disputes.payment_id = payments.id
            and disputes.stage <> 'inquiry' and disputes.status not in ('won', 'closed')), 0))
        filter (where lines.id = source.id), 0)::text as of_invoice
    from unnest(${sourceIds.map(uuidOf)}::uuid[]) as source (id)
      join invoices on invoices.workspace_id = ${workspace} and invoices.subscription_id = ${uuidOf(subscriptionId)}::uuid
        and invoices.reason = 'usage'
      join invoice_lines as lines on lines.workspace_id = ${workspace} and lines.invoice_id = invoices.id
        and (lines.id = source.id or lines.source_line_id = source.id)
        and lines.kind in ('usage', 'usage_correction')
      left join payments on payments.workspace_id = ${workspace} and payments.id = invoices.payment_id
    group by source.id`.execute(view.db)
  const { mode } = view.caller
  return new Map(
    rows.map(({ source_id, invoice_id, kept, of_invoice }) => [
      idFromUuid('invoice_line', mode, source_id),
      {
        kept: BigInt(kept),
        keptOfInvoice: BigInt(of_invoice),
        invoiceId: idFromUuid('invoice', mode, invoice_id),
      },
    ]),
  )
}

/** A page of lines, newest first like all lists. */
export async function listLines(view: View, invoiceId: Id<'invoice'>, range: IdRange) {
  const { rows } = await sql<LineRow>`
    select ${selected} from invoice_lines
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and invoice_id = ${uuidOf(invoiceId)}::uuid
      ${keysetOf(range)}`.execute(view.db)
  return pageOf(
    rows.map((row) => fromRow(view.caller.mode, row)),
    range,
  )
}

export async function pendingLines(view: View, subscriptionId: Id<'subscription'>): Promise<Line[]> {
  const { rows } = await sql<LineRow>`
    select ${selected} from invoice_lines
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and invoice_id is null
      and subscription_id = ${uuidOf(subscriptionId)}::uuid
    order by id`.execute(view.db)
  return rows.map((row) => fromRow(view.caller.mode, row))
}

/** Deletes and returns the pending lines of the subscription. */
export async function deletePendingLines(tx: Tx, subscriptionId: Id<'subscription'>): Promise<Line[]> {
  const { rows } = await sql<LineRow>`
    delete from invoice_lines
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and invoice_id is null
      and subscription_id = ${uuidOf(subscriptionId)}::uuid
    returning ${selected}`.execute(tx.db)
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map((row) => fromRow(tx.caller.mode, row))
}

/** Usage can be larger than the column for other quantities. */
function quantityToRow({ kind, quantity }: LineDraft) {
  const isUsage = kind === 'usage' || kind === 'usage_correction'
  return isUsage ? { quantity: 0, metered_quantity: quantity } : { quantity }
}

/** Lines without a tax rate have no values, which keeps their rows small. */
function taxToRow({ net, tax, taxRate = null }: Line, isPending: boolean) {
  if (taxRate === null) return {}
  return {
    ...(isPending ? {} : { net: String(net), tax: String(tax) }),
    tax_rate_id: taxRate.id === null ? null : uuidOf(taxRate.id as Id<'tax_rate'>),
    tax_percentage: taxRate.percentage,
    tax_category: taxRate.category,
    tax_inclusive: taxRate.inclusive,
    tax_note: taxRate.note ?? null,
  }
}

/** A JSON number cannot represent every amount. */
function explanationToRow(explanation: Explanation): object {
  return { ...explanation, base: String(explanation.base) }
}

/** Lines without discounts have none of these columns. */
function discountsToRow({ discounts = [] }: LineDraft) {
  if (discounts.length === 0) return {}
  return {
    discounts: discounts.map((discount) => ({ ...discount, amount: String(discount.amount) })),
    discount: String(discountOfLine({ discounts })),
  }
}

type StoredDiscount = Omit<LineDiscount, 'amount'> & { readonly amount: string }

function discountsFromRow(stored: unknown): Pick<LineDraft, 'discounts'> {
  if (stored === null) return {}
  const discounts = stored as readonly StoredDiscount[]
  return { discounts: discounts.map((discount) => ({ ...discount, amount: BigInt(discount.amount) })) }
}

/** A rate without an id comes from a tax provider, which has computed the tax. */
function quotedTaxOf({ tax, tax_rate_id, tax_category }: LineRow): Pick<LineDraft, 'quotedTax'> {
  return tax !== null && tax_rate_id === null && tax_category === 'S' ? { quotedTax: tax } : {}
}

/** Writes the tax that a tax provider has computed for the lines of a draft. */
export async function updateTaxOfLines(
  tx: Tx,
  invoiceId: Id<'invoice'>,
  lines: readonly Line[],
): Promise<void> {
  const records = lines.map((line) => ({
    id: uuidOf(line.id),
    ...emptyTax,
    ...taxToRow(line, false),
  }))
  await sql`
    update invoice_lines as line
    set net = taxed.net, tax = taxed.tax, tax_rate_id = taxed.tax_rate_id, tax_percentage = taxed.tax_percentage,
      tax_category = taxed.tax_category, tax_inclusive = taxed.tax_inclusive, tax_note = taxed.tax_note
    from jsonb_to_recordset(${JSON.stringify(records)}::jsonb) as taxed (id uuid, net int8, tax int8, tax_rate_id uuid,
      tax_percentage text, tax_category text, tax_inclusive boolean, tax_note text)
    where line.workspace_id = ${uuidOf(tx.caller.workspaceId)}::uuid and line.invoice_id = ${uuidOf(invoiceId)}::uuid
      and line.id = taxed.id`.execute(tx.db)
}

const emptyTax = {
  net: null,
  tax: null,
  tax_rate_id: null,
  tax_percentage: null,
  tax_category: null,
  tax_inclusive: null,
  tax_note: null,
}

function fromRow(mode: Mode, row: LineRow): Line {
  const id = <K extends Kind>(kind: K, uuid: string | null) => idOrNull(kind, mode, uuid)
  const stored = row.explanation as Omit<Explanation, 'base'> & { readonly base: string }
  const discounted = discountsFromRow(row.discounts)
  return {
    id: idFromUuid('invoice_line', mode, row.id),
    description: row.description,
    kind: row.kind as Line['kind'],
    amount: row.amount,
    quantity: row.metered_quantity === null ? row.quantity : Number(row.metered_quantity),
    priceId: id('price', row.price_id),
    subscriptionItemId: id('subscription_item', row.subscription_item_id),
    service: { startAt: row.service_start_at, endAt: row.service_end_at },
    sourceLineId: id('invoice_line', row.source_line_id),
    explanation: { ...stored, base: BigInt(stored.base) },
    net: row.net ?? row.amount - discountOfLine(discounted),
    tax: row.tax ?? 0n,
    taxRate: storedTaxRate(mode, row),
    ...quotedTaxOf(row),
    ...discounted,
  }
}
