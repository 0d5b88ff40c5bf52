/** Rows of invoices. Many are written in one statement, because many fall due in one moment. */
import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Currency } from '../../../kernel/currency.ts'
import { refuse } from '../../../kernel/errors.ts'
import {
  type Id,
  idFromUuid,
  idOrNull,
  type Kind,
  type Mode,
  uuidFromText,
  uuidOf,
  uuidOrNull,
} from '../../../kernel/id.ts'
import type { InvoiceDraft } from '../../../kernel/invoice-lines.ts'
import { type IdRange, keysetOf, pageOf } from '../../../platform/db/keyset.ts'
import type { Invoices } from '../../../platform/db/tables.generated.ts'
import { Overtaken, type Tx, type View } from '../../../platform/db/unit-of-work.ts'
import { type CollectionFailure, collectAtOf, type Invoice, type Line, type VoidReason } from '../invoice.ts'
import { invoiceMachine, type Status } from '../machine.ts'
import { linesOf } from './lines.ts'

const columns = [
  ...(['id', 'status', 'reason', 'series_id', 'sequence_number', 'number', 'customer_id'] as const),
  ...(['subscription_id', 'currency', 'epoch', 'period_index', 'period_start_at', 'period_end_at'] as const),
  ...(['change_id', 'subtotal', 'discount_total', 'tax_total', 'total', 'credit_applied'] as const),
  ...(['credit_granted', 'amount_due', 'amount_paid', 'reduces_invoice_id', 'payment_method_id'] as const),
  'payment_route_id',
  ...(['collect', 'live_payment_id', 'payment_id', 'paid_out_of_band', 'attempt_count'] as const),
  ...([
    'last_failure',
    'campaign_id',
    'held',
    'finalize_at',
    'next_attempt_at',
    'subscription_due_at',
  ] as const),
  ...(['dunning_due_at', 'due_at', 'overdue_since_at', 'finalized_at', 'paid_at', 'voided_at'] as const),
  ...(['void_reason', 'uncollectible_at', 'test_clock_id', 'created_at', 'updated_at'] as const),
  ...(['version', 'sequence'] as const),
] as const
type InvoiceRow = Pick<Selectable<Invoices>, (typeof columns)[number]> & {
  readonly unresolved: boolean | null
  readonly amount_refunded: bigint | null
}

/** What its payments say is read with it, so it is never older than they are. */
const selected = sql`${sql.join(columns.map((column) => sql.ref(`invoices.${column}`)))},
  (select payments.unresolved_since_at is not null from payments
    where payments.workspace_id = invoices.workspace_id and payments.id = invoices.live_payment_id) as unresolved,
  (select payments.amount_refunded from payments
    where payments.workspace_id = invoices.workspace_id and payments.id = invoices.payment_id) as amount_refunded`

const missing = 'There is no such invoice.'

export type NewInvoice = {
  readonly draft: InvoiceDraft
  readonly seriesId: Id<'invoice_series'>
  readonly total: bigint
}

// biome-ignore format: a table.
const inserted = [
  ['id', 'uuid'], ['status', 'text'], ['reason', 'text'], ['series_id', 'uuid'], ['customer_id', 'uuid'],
  ['subscription_id', 'uuid'], ['currency', 'text'], ['epoch', 'int'], ['period_index', 'int'],
  ['period_start_at', 'timestamptz'], ['period_end_at', 'timestamptz'], ['change_id', 'uuid'],
  ['subtotal', 'int8'], ['total', 'int8'], ['amount_due', 'int8'], ['reduces_invoice_id', 'uuid'],
  ['payment_method_id', 'uuid'], ['payment_route_id', 'uuid'], ['collect', 'text'],
  ['finalize_at', 'timestamptz'], ['test_clock_id', 'uuid'], ['created_at', 'timestamptz'],
  ['updated_at', 'timestamptz'],
] as const

/** Without their lines. As one document, so that the statement is the same however many there are. */
export async function insertInvoices(tx: Tx, invoices: readonly NewInvoice[]): Promise<void> {
  const names = sql.join(inserted.map(([name]) => sql.ref(name)))
  const shapes = sql.join(inserted.map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`))
  await sql`
    insert into invoices (workspace_id, ${names})
    select ${uuidOf(tx.caller.workspaceId)}::uuid, ${names}
    from jsonb_to_recordset(${JSON.stringify(invoices.map((one) => newRecord(tx, one)))}::jsonb)
      as made (${shapes})`.execute(tx.db)
  const soonest = new Map<Id<'invoice_series'>, Date>()
  for (const { seriesId, draft } of invoices) {
    const known = soonest.get(seriesId)
    if (known === undefined || draft.finalizeAt < known) soonest.set(seriesId, draft.finalizeAt)
  }
  for (const [seriesId, at] of soonest) tx.wake('invoice.finalize', seriesId, at)
}

function newRecord(
  tx: Tx,
  { draft, seriesId, total }: NewInvoice,
): { readonly [C in (typeof inserted)[number][0]]: unknown } {
  return {
    id: uuidOf(draft.id),
    status: invoiceMachine.initial,
    reason: draft.reason,
    series_id: uuidOf(seriesId),
    customer_id: uuidOf(draft.customerId),
    subscription_id: uuidOf(draft.subscriptionId),
    currency: draft.currency,
    epoch: draft.period?.epoch ?? null,
    period_index: draft.period?.index ?? null,
    period_start_at: draft.period?.startAt ?? null,
    period_end_at: draft.period?.endAt ?? null,
    change_id: uuidOrNull(draft.changeId),
    subtotal: String(total),
    total: String(total),
    amount_due: String(total > 0n ? total : 0n),
    reduces_invoice_id: uuidOrNull(draft.reducesInvoiceId),
    payment_method_id: uuidOrNull(draft.paymentMethodId),
    payment_route_id: uuidOrNull(draft.paymentRouteId),
    collect: draft.collect,
    finalize_at: draft.finalizeAt,
    test_clock_id: uuidOrNull(draft.testClockId),
    created_at: tx.now,
    updated_at: tx.now,
  }
}

/** What may change about an invoice. */
export type InvoiceChanges = Partial<Omit<Invoice, 'id' | 'version' | 'sequence' | 'createdAt' | 'updatedAt'>>

export type Update = {
  readonly before: Invoice
  readonly changes: InvoiceChanges
  /** Whether an event tells of it. Bookkeeping is not told, and the database sees to it that it is no more. */
  readonly told: boolean
}

/** In one statement, whatever changes about each. Gives them in the same order. */
export async function updateInvoices(tx: Tx, updates: readonly Update[]): Promise<Invoice[]> {
  if (updates.length === 0) return []
  const after = updates.map(({ before, changes, told }) => ({
    ...before,
    ...changes,
    version: before.version + 1,
    sequence: before.sequence + (told ? 1 : 0),
    updatedAt: tx.now,
  }))
  const { rows } = await sql`
    update invoices set ${sql.join(writable.map(([name]) => sql`${sql.ref(name)} = changed.${sql.ref(name)}`))}
    from jsonb_to_recordset(${JSON.stringify(after.map(toRecord))}::jsonb)
      as changed (id uuid, ${sql.join(writable.map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`))})
    where invoices.workspace_id = ${uuidOf(tx.caller.workspaceId)} and invoices.id = changed.id
      and invoices.version = changed.version - 1
    returning 1`.execute(tx.db)
  if (rows.length !== after.length) throw new Overtaken((after[0] as Invoice).id)
  for (const invoice of after) wakeFor(tx, invoice)
  return after
}

export async function updateInvoice(
  tx: Tx,
  before: Invoice,
  changes: InvoiceChanges,
  told: boolean,
): Promise<Invoice> {
  const [after] = await updateInvoices(tx, [{ before, changes, told }])
  return after as Invoice
}

/** Whoever writes a due column rings, so no service can forget to. */
function wakeFor(tx: Tx, invoice: Invoice): void {
  tx.wake('invoice.collect', invoice.id, collectAtOf(invoice))
  tx.wake('subscription.settle', invoice.subscriptionId, invoice.subscriptionDueAt)
  tx.wake('invoice.dun', invoice.id, invoice.dunningDueAt)
}

// biome-ignore format: a table.
const writable = [
  ['status', 'text'], ['sequence_number', 'int8'], ['number', 'text'],
  ['subtotal', 'int8'], ['total', 'int8'], ['credit_applied', 'int8'], ['credit_granted', 'int8'],
  ['amount_due', 'int8'], ['amount_paid', 'int8'], ['payment_method_id', 'uuid'], ['live_payment_id', 'uuid'],
  ['payment_id', 'uuid'], ['paid_out_of_band', 'boolean'], ['attempt_count', 'int'], ['last_failure', 'jsonb'],
  ['campaign_id', 'uuid'], ['held', 'boolean'], ['finalize_at', 'timestamptz'], ['next_attempt_at', 'timestamptz'],
  ['subscription_due_at', 'timestamptz'], ['dunning_due_at', 'timestamptz'], ['due_at', 'timestamptz'],
  ['overdue_since_at', 'timestamptz'], ['finalized_at', 'timestamptz'], ['paid_at', 'timestamptz'],
  ['voided_at', 'timestamptz'], ['void_reason', 'text'], ['uncollectible_at', 'timestamptz'],
  ['updated_at', 'timestamptz'], ['version', 'int'], ['sequence', 'int'],
] as const

type Writable = (typeof writable)[number][0]

/** Amounts as texts: a number of JSON would not hold all of them. */
function toRecord(invoice: Invoice): { readonly [C in Writable | 'id']: unknown } {
  const { sequenceNumber } = invoice
  return {
    id: uuidOf(invoice.id),
    status: invoice.status,
    sequence_number: sequenceNumber === null ? null : String(sequenceNumber),
    number: invoice.number,
    subtotal: String(invoice.subtotal),
    total: String(invoice.total),
    credit_applied: String(invoice.creditApplied),
    credit_granted: String(invoice.creditGranted),
    amount_due: String(invoice.amountDue),
    amount_paid: String(invoice.amountPaid),
    payment_method_id: uuidOrNull(invoice.paymentMethodId),
    live_payment_id: uuidOrNull(invoice.livePaymentId),
    payment_id: uuidOrNull(invoice.paymentId),
    paid_out_of_band: invoice.paidOutOfBand,
    attempt_count: invoice.attemptCount,
    last_failure: invoice.lastFailure,
    campaign_id: uuidOrNull(invoice.campaignId),
    held: invoice.held,
    finalize_at: invoice.finalizeAt,
    next_attempt_at: invoice.nextAttemptAt,
    subscription_due_at: invoice.subscriptionDueAt,
    dunning_due_at: invoice.dunningDueAt,
    due_at: invoice.dueAt,
    overdue_since_at: invoice.overdueSinceAt,
    finalized_at: invoice.finalizedAt,
    paid_at: invoice.paidAt,
    voided_at: invoice.voidedAt,
    void_reason: invoice.voidReason,
    uncollectible_at: invoice.uncollectibleAt,
    updated_at: invoice.updatedAt,
    version: invoice.version,
    sequence: invoice.sequence,
  }
}

export async function findInvoice(view: View, text: string): Promise<Invoice> {
  const uuid = uuidFromText('invoice', view.caller.mode, text) ?? refuse('not_found', { detail: missing })
  const [invoice] = await select(view, sql`and invoices.id = ${uuid}::uuid`)
  return invoice ?? refuse('not_found', { detail: missing })
}

/** A read that a write follows takes the lock: collectors, requests and webhooks take turns. */
export async function lockInvoice(tx: Tx, text: string): Promise<Invoice> {
  const uuid = uuidFromText('invoice', tx.caller.mode, text) ?? refuse('not_found', { detail: missing })
  const [invoice] = await select(tx, sql`and invoices.id = ${uuid}::uuid for update of invoices`)
  return invoice ?? refuse('not_found', { detail: missing })
}

/** In the order of their ids, so that two who lock several never wait for each other. */
export function lockInvoices(tx: Tx, ids: readonly Id<'invoice'>[]): Promise<Invoice[]> {
  if (ids.length === 0) return Promise.resolve([])
  return select(
    tx,
    sql`and invoices.id = any(${ids.map(uuidOf)}::uuid[]) order by invoices.id for update of invoices`,
  )
}

/** Drafts that are finalized together, and what they reduce. All of them are held. */
export type Batch = { readonly drafts: readonly Invoice[]; readonly locked: readonly Invoice[] }

/** Those of the series that are to be finalized by now, the oldest first. The caller holds the series. */
export async function lockDrafts(tx: Tx, seriesId: Id<'invoice_series'>, limit: number): Promise<Batch> {
  const clock =
    tx.testClockId === null
      ? sql`draft.test_clock_id is null`
      : sql`draft.test_clock_id = ${uuidOf(tx.testClockId)}::uuid`
  const locked = await select(
    tx,
    sql`and invoices.id = any(array(
        select unnest(array[due.id, due.reduces_invoice_id]) from (
          select draft.id, draft.reduces_invoice_id from invoices as draft
          where draft.workspace_id = ${uuidOf(tx.caller.workspaceId)} and draft.series_id = ${uuidOf(seriesId)}::uuid
            and draft.finalize_at <= ${tx.now}::timestamptz and ${clock}
          order by draft.finalize_at, draft.id limit ${limit}
        ) as due))
      order by invoices.id for update of invoices`,
  )
  // Somebody may have changed one while we waited for it, and what is reduced may itself be due later.
  const due = locked.filter((one) => one.seriesId === seriesId && one.finalizeAt !== null)
  const inOrder = due.toSorted(
    (a, b) => Number(a.finalizeAt) - Number(b.finalizeAt) || (a.id < b.id ? -1 : 1),
  )
  const drafts = inOrder.filter(({ finalizeAt }) => Number(finalizeAt) <= tx.now.getTime()).slice(0, limit)
  return { drafts, locked }
}

/**
 * Drafts and open ones of subscriptions that the caller holds, and those that it names, however they stand: all that it
 * will touch, in the order of their ids.
 */
export async function lockOwed(
  tx: Tx,
  subscriptionIds: readonly Id<'subscription'>[],
  named: readonly Id<'invoice'>[] = [],
): Promise<Invoice[]> {
  if (subscriptionIds.length === 0 && named.length === 0) return []
  const locked = await select(
    tx,
    sql`and invoices.id = any(array(
        select owed.id from invoices as owed
        where owed.workspace_id = ${uuidOf(tx.caller.workspaceId)}
          and owed.subscription_id = any(${subscriptionIds.map(uuidOf)}::uuid[])
          and owed.status in ('draft', 'open')
        union all select unnest(${named.map(uuidOf)}::uuid[])))
      order by invoices.id for update of invoices`,
  )
  // One may have been paid while we waited for it.
  return locked.filter(({ id, status }) => status === 'draft' || status === 'open' || named.includes(id))
}

async function select(view: View, conditions: RawBuilder<unknown>): Promise<Invoice[]> {
  const { rows } = await sql<InvoiceRow>`
    select ${selected} from invoices
    where invoices.workspace_id = ${uuidOf(view.caller.workspaceId)} ${conditions}`.execute(view.db)
  return withLines(view, rows)
}

async function withLines(view: View, rows: readonly InvoiceRow[]): Promise<Invoice[]> {
  const lines = await linesOf(
    view,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => fromRow(view.caller.mode, row, lines.get(row.id) ?? []))
}

export type InvoiceFilter = {
  readonly customerUuid: string | null
  readonly subscriptionUuid: string | null
  readonly status: Status | null
}

export async function listInvoices(view: View, range: IdRange, filter: InvoiceFilter) {
  const { customerUuid, subscriptionUuid, status } = filter
  const conditions = [
    ...(customerUuid === null ? [] : [sql`and customer_id = ${customerUuid}::uuid`]),
    ...(subscriptionUuid === null ? [] : [sql`and subscription_id = ${subscriptionUuid}::uuid`]),
    ...(status === null ? [] : [sql`and status = ${status}`]),
  ]
  const rows = await select(view, sql`${sql.join(conditions, sql` `)} ${keysetOf(range)}`)
  return pageOf(rows, range)
}

/** The period, if it bills one: the database sees to it that all of it is there, or nothing. */
function periodOf(row: InvoiceRow): Invoice['period'] {
  const { period_index: index, epoch, period_start_at: startAt, period_end_at: endAt } = row
  if (index === null || epoch === null || startAt === null || endAt === null) return null
  return { index, epoch, startAt, endAt }
}

function fromRow(mode: Mode, row: InvoiceRow, lines: readonly Line[]): Invoice {
  const id = <K extends Kind>(kind: K, uuid: string | null) => idOrNull(kind, mode, uuid)
  return {
    id: idFromUuid('invoice', mode, row.id),
    status: row.status as Status,
    reason: row.reason as Invoice['reason'],
    seriesId: idFromUuid('invoice_series', mode, row.series_id),
    sequenceNumber: row.sequence_number,
    number: row.number,
    customerId: idFromUuid('customer', mode, row.customer_id),
    subscriptionId: idFromUuid('subscription', mode, row.subscription_id),
    currency: row.currency as Currency,
    period: periodOf(row),
    changeId: id('subscription_change', row.change_id),
    lines,
    subtotal: row.subtotal,
    discountTotal: row.discount_total,
    taxTotal: row.tax_total,
    total: row.total,
    creditApplied: row.credit_applied,
    creditGranted: row.credit_granted,
    amountDue: row.amount_due,
    amountPaid: row.amount_paid,
    reducesInvoiceId: id('invoice', row.reduces_invoice_id),
    paymentMethodId: id('payment_method', row.payment_method_id),
    paymentRouteId: id('payment_route', row.payment_route_id),
    collect: row.collect as Invoice['collect'],
    livePaymentId: id('payment', row.live_payment_id),
    unresolved: row.unresolved === true,
    paymentId: id('payment', row.payment_id),
    amountRefunded: row.amount_refunded ?? 0n,
    paidOutOfBand: row.paid_out_of_band,
    attemptCount: row.attempt_count,
    lastFailure: row.last_failure as CollectionFailure | null,
    campaignId: id('dunning_campaign', row.campaign_id),
    held: row.held,
    finalizeAt: row.finalize_at,
    nextAttemptAt: row.next_attempt_at,
    subscriptionDueAt: row.subscription_due_at,
    dunningDueAt: row.dunning_due_at,
    dueAt: row.due_at,
    overdueSinceAt: row.overdue_since_at,
    finalizedAt: row.finalized_at,
    paidAt: row.paid_at,
    voidedAt: row.voided_at,
    voidReason: row.void_reason as VoidReason | null,
    uncollectibleAt: row.uncollectible_at,
    testClockId: id('test_clock', row.test_clock_id),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
    sequence: row.sequence,
  }
}
