/** Rows of credit notes, their lines and their numbers. */
import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Currency } from '../../../kernel/currency.ts'
import { refuse } from '../../../kernel/errors.ts'
import {
  type Id,
  idFromUuid,
  idOrNull,
  type Mode,
  uuidFromText,
  uuidOf,
  uuidOrNull,
} from '../../../kernel/id.ts'
import { type IdRange, keysetOf, pageOf } from '../../../platform/db/keyset.ts'
import type { CreditNoteLines, CreditNotes } from '../../../platform/db/tables.generated.ts'
import { ConcurrentChange, type Tx, type View } from '../../../platform/db/unit-of-work.ts'
import {
  type CreditNote,
  type CreditNoteLine,
  type CreditNoteTerms,
  formatCreditNoteNumber,
} from './credit-note.ts'
import type { Status } from './machine.ts'

const columns = [
  'id',
  'status',
  'number',
  'invoice_id',
  'customer_id',
  'currency',
  'reason',
  'memo',
  'subtotal',
  'tax_total',
  'total',
  'applied_amount',
  'refund_amount',
  'balance_amount',
  'unearned_amount',
  'refund_id',
  'voided_at',
  'test_clock_id',
  'created_at',
  'updated_at',
  'version',
  'sequence',
] as const
const lineColumns = ['id', 'credit_note_id', 'invoice_line_id', 'description', 'amount', 'tax'] as const
type NoteRow = Pick<Selectable<CreditNotes>, (typeof columns)[number]>
type LineRow = Pick<Selectable<CreditNoteLines>, (typeof lineColumns)[number]>

const missing = 'There is no such credit note.'

/** Takes the next number. The row of the series stays locked until the transaction ends, so numbers have no gaps. */
async function takeNumber(tx: Tx): Promise<bigint> {
  const { rows } = await sql<{ next_sequence: bigint }>`
    insert into credit_note_series as series (workspace_id, next_sequence)
    values (${uuidOf(tx.caller.workspaceId)}, 2)
    on conflict (workspace_id) do update set next_sequence = series.next_sequence + 1
    returning next_sequence`.execute(tx.db)
  return (rows[0] as { next_sequence: bigint }).next_sequence - 1n
}

export async function insertCreditNote(
  tx: Tx,
  { lines, ...terms }: CreditNoteTerms & Pick<CreditNote, 'unearnedAmount' | 'testClockId'>,
): Promise<CreditNote> {
  const workspace = uuidOf(tx.caller.workspaceId)
  const sequenceNumber = await takeNumber(tx)
  const number = formatCreditNoteNumber(tx.caller.mode, sequenceNumber)
  const id = tx.newId('credit_note')
  await tx.db
    .insertInto('credit_notes')
    .values({
      workspace_id: workspace,
      id: uuidOf(id),
      status: 'issued',
      sequence_number: sequenceNumber,
      number,
      invoice_id: uuidOf(terms.invoiceId),
      customer_id: uuidOf(terms.customerId),
      currency: terms.currency,
      reason: terms.reason,
      memo: terms.memo,
      subtotal: terms.subtotal,
      tax_total: terms.taxTotal,
      total: terms.total,
      applied_amount: terms.appliedAmount,
      refund_amount: terms.refundAmount,
      balance_amount: terms.balanceAmount,
      unearned_amount: terms.unearnedAmount,
      refund_id: uuidOrNull(terms.refundId),
      test_clock_id: uuidOrNull(terms.testClockId),
      created_at: tx.now,
      updated_at: tx.now,
    })
    .execute()
  const written = lines.map((line) => ({ ...line, id: tx.newId('credit_note_line') }))
  await tx.db
    .insertInto('credit_note_lines')
    .values(
      written.map((line, position) => ({
        workspace_id: workspace,
        id: uuidOf(line.id),
        credit_note_id: uuidOf(id),
        invoice_line_id: uuidOf(line.invoiceLineId),
        position,
        description: line.description,
        amount: line.amount,
        tax: line.tax,
      })),
    )
    .execute()
  const times = { createdAt: tx.now, updatedAt: tx.now, voidedAt: null, version: 1, sequence: 1 }
  return { ...terms, ...times, id, status: 'issued', number, lines: written }
}

export async function voidCreditNote(tx: Tx, before: CreditNote): Promise<CreditNote> {
  const after = {
    ...before,
    status: 'void' as const,
    voidedAt: tx.now,
    updatedAt: tx.now,
    version: before.version + 1,
    sequence: before.sequence + 1,
  }
  const row = await tx.db
    .updateTable('credit_notes')
    .set({
      status: after.status,
      voided_at: after.voidedAt,
      updated_at: after.updatedAt,
      version: after.version,
      sequence: after.sequence,
    })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(before.id))
    .where('version', '=', before.version)
    .returning('id')
    .executeTakeFirst()
  if (row === undefined) throw new ConcurrentChange(before.id)
  return after
}

export async function findCreditNote(view: View, text: string): Promise<CreditNote> {
  const uuid = uuidFromText('credit_note', view.caller.mode, text) ?? refuse('not_found', { detail: missing })
  const [note] = await select(view, sql`and id = ${uuid}::uuid`)
  return note ?? refuse('not_found', { detail: missing })
}

export async function hasNote(view: View, refundId: Id<'refund'>): Promise<boolean> {
  return (await select(view, sql`and refund_id = ${uuidOf(refundId)}::uuid`)).length > 0
}

/** The valid credit notes of an invoice. The lock on the invoice prevents others from adding any. */
export function issuedNotesOf(view: View, invoiceId: Id<'invoice'>): Promise<CreditNote[]> {
  return select(view, sql`and invoice_id = ${uuidOf(invoiceId)}::uuid and status = 'issued' order by id`)
}

export type CreditNoteFilter = { readonly invoiceUuid: string | null; readonly customerUuid: string | null }

export async function listCreditNotes(view: View, range: IdRange, filter: CreditNoteFilter) {
  const { invoiceUuid, customerUuid } = filter
  const conditions = [
    ...(invoiceUuid === null ? [] : [sql`and invoice_id = ${invoiceUuid}::uuid`]),
    ...(customerUuid === null ? [] : [sql`and customer_id = ${customerUuid}::uuid`]),
  ]
  const rows = await select(view, sql`${sql.join(conditions, sql` `)} ${keysetOf(range)}`)
  return pageOf(rows, range)
}

async function select(view: View, conditions: RawBuilder<unknown>): Promise<CreditNote[]> {
  const workspace = uuidOf(view.caller.workspaceId)
  const { rows } = await sql<NoteRow>`
    select ${sql.join(columns.map((column) => sql.ref(column)))} from credit_notes
    where workspace_id = ${workspace} ${conditions}`.execute(view.db)
  if (rows.length === 0) return []
  const { rows: lineRows } = await sql<LineRow>`
    select ${sql.join(lineColumns.map((column) => sql.ref(column)))} from credit_note_lines
    where workspace_id = ${workspace} and credit_note_id = any(${rows.map(({ id }) => id)}::uuid[])
    order by credit_note_id, position`.execute(view.db)
  const lines = Map.groupBy(lineRows, ({ credit_note_id }) => credit_note_id)
  const { mode } = view.caller
  return rows.map((row) =>
    fromRow(
      mode,
      row,
      (lines.get(row.id) ?? []).map((line) => lineFromRow(mode, line)),
    ),
  )
}

function lineFromRow(mode: Mode, row: LineRow): CreditNoteLine {
  return {
    id: idFromUuid('credit_note_line', mode, row.id),
    invoiceLineId: idFromUuid('invoice_line', mode, row.invoice_line_id),
    description: row.description,
    amount: row.amount,
    tax: row.tax,
  }
}

function fromRow(mode: Mode, row: NoteRow, lines: readonly CreditNoteLine[]): CreditNote {
  return {
    id: idFromUuid('credit_note', mode, row.id),
    status: row.status as Status,
    number: row.number,
    invoiceId: idFromUuid('invoice', mode, row.invoice_id),
    customerId: idFromUuid('customer', mode, row.customer_id),
    currency: row.currency as Currency,
    reason: row.reason as CreditNote['reason'],
    memo: row.memo,
    lines,
    subtotal: row.subtotal,
    taxTotal: row.tax_total,
    total: row.total,
    appliedAmount: row.applied_amount,
    refundAmount: row.refund_amount,
    balanceAmount: row.balance_amount,
    refundId: idOrNull('refund', mode, row.refund_id),
    unearnedAmount: row.unearned_amount,
    voidedAt: row.voided_at,
    testClockId: idOrNull('test_clock', mode, row.test_clock_id),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
    sequence: row.sequence,
  }
}
