/**
 * Rows of invoice lines, including pending lines that will be added to the next invoice of the subscription.
 */
import { type Selectable, sql } from 'kysely'
import type { Currency } from '../../../../kernel/currency.ts'
import {
  type Id,
  idFromUuid,
  idOrNull,
  type Kind,
  type Mode,
  uuidOf,
  uuidOrNull,
} from '../../../../kernel/id.ts'
import type { Explanation, LineDraft } from '../../../../kernel/invoice-lines.ts'
import { type IdRange, keysetOf, pageOf } from '../../../../platform/db/keyset.ts'
import type { InvoiceLines } from '../../../../platform/db/tables.generated.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import type { Line } from '../invoice.ts'

const columns = [
  'id',
  'invoice_id',
  'description',
  'kind',
  'amount',
  'quantity',
  'price_id',
  'subscription_item_id',
  'service_start_at',
  'service_end_at',
  'source_line_id',
  'explanation',
] as const
const selected = sql.join(columns.map((column) => sql.ref(column)))
type LineRow = Pick<Selectable<InvoiceLines>, (typeof columns)[number]>

// biome-ignore format: a table.
const inserted = [
  ['id', 'uuid'], ['invoice_id', 'uuid'], ['subscription_id', 'uuid'], ['position', 'int'], ['description', 'text'],
  ['kind', 'text'], ['amount', 'int8'], ['currency', 'text'], ['quantity', 'int'], ['price_id', 'uuid'],
  ['subscription_item_id', 'uuid'], ['service_start_at', 'timestamptz'], ['service_end_at', 'timestamptz'],
  ['source_line_id', 'uuid'], ['explanation', 'jsonb'], ['created_at', 'timestamptz'],
] as const
const insertedNames = sql.join(inserted.map(([name]) => sql.ref(name)))
const columnDefinitions = sql.join(inserted.map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`))

export type NewLine = {
  readonly line: LineDraft
  readonly description: string | null
  /** Null: a pending line for the next invoice. */
  readonly invoiceId: Id<'invoice'> | null
  readonly subscriptionId: Id<'subscription'>
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
    line: { ...newLine.line, id: tx.newId('invoice_line'), description: newLine.description },
  }))
  const records = created.map(({ line, invoiceId, subscriptionId, currency, position }) => ({
    id: uuidOf(line.id),
    invoice_id: uuidOrNull(invoiceId),
    subscription_id: uuidOf(subscriptionId),
    position,
    description: line.description,
    kind: line.kind,
    amount: String(line.amount),
    currency,
    quantity: line.quantity,
    price_id: uuidOrNull(line.priceId),
    subscription_item_id: uuidOrNull(line.subscriptionItemId),
    service_start_at: line.service.startAt,
    service_end_at: line.service.endAt,
    source_line_id: uuidOrNull(line.sourceLineId),
    explanation: explanationToRow(line.explanation),
    created_at: tx.now,
  }))
  await sql`
    insert into invoice_lines (workspace_id, ${insertedNames})
    select ${uuidOf(tx.caller.workspaceId)}::uuid, ${insertedNames}
    from jsonb_to_recordset(${JSON.stringify(records)}::jsonb) as new_line (${columnDefinitions})`.execute(
    tx.db,
  )
  return created.map(({ line }) => line)
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

/** A JSON number cannot represent every amount. */
function explanationToRow(explanation: Explanation): object {
  return { ...explanation, base: String(explanation.base) }
}

function fromRow(mode: Mode, row: LineRow): Line {
  const id = <K extends Kind>(kind: K, uuid: string | null) => idOrNull(kind, mode, uuid)
  const stored = row.explanation as Omit<Explanation, 'base'> & { readonly base: string }
  return {
    id: idFromUuid('invoice_line', mode, row.id),
    description: row.description,
    kind: row.kind as Line['kind'],
    amount: row.amount,
    quantity: row.quantity,
    priceId: id('price', row.price_id),
    subscriptionItemId: id('subscription_item', row.subscription_item_id),
    service: { startAt: row.service_start_at, endAt: row.service_end_at },
    sourceLineId: id('invoice_line', row.source_line_id),
    explanation: { ...stored, base: BigInt(stored.base) },
  }
}
