/**
 * Rows of invoices. Many rows are written in one statement, because many invoices are due at the same time.
 */
import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Currency } from '../../../../kernel/currency.ts'
import { refuse } from '../../../../kernel/errors.ts'
import { type Id, idFromUuid, uuidFromText, uuidOf, uuidOrNull } from '../../../../kernel/id.ts'
import type { CalculatedInvoice } from '../../../../kernel/invoice-arithmetic.ts'
import { type InvoiceDraft, type InvoiceTerms, subscriptionTerms } from '../../../../kernel/invoice-lines.ts'
import type { Parties } from '../../../../kernel/parties.ts'
import { type IdRange, keysetOf, pageOf } from '../../../../platform/db/keyset.ts'
import type { Invoices } from '../../../../platform/db/tables.generated.ts'
import { ConcurrentChange, type Tx, type View } from '../../../../platform/db/unit-of-work.ts'
import { collectAtOf, type Invoice } from '../invoice.ts'
import { invoiceMachine, type Status } from '../machine.ts'
import { columns, fromRow, type InvoiceRow } from './invoice-rows.ts'
import { linesOf } from './lines.ts'

/** Columns of the payment are read in the same statement, so that invoice and payment are consistent. */
const selected = sql`${sql.join(columns.map((column) => sql.ref(`invoices.${column}`)))},
  (select payments.unresolved_since_at is not null from payments
    where payments.workspace_id = invoices.workspace_id and payments.id = invoices.live_payment_id) as unresolved,
  (select payments.amount_refunded from payments
    where payments.workspace_id = invoices.workspace_id and payments.id = invoices.payment_id) as amount_refunded,
  (select payments.amount_refunding from payments
    where payments.workspace_id = invoices.workspace_id and payments.id = invoices.payment_id) as amount_refunding,
  (select status from invoice_taxes
    where invoice_taxes.workspace_id = invoices.workspace_id and invoice_taxes.invoice_id = invoices.id) as tax_status,
  (select error from invoice_taxes
    where invoice_taxes.workspace_id = invoices.workspace_id and invoice_taxes.invoice_id = invoices.id) as tax_error`

const missing = 'There is no such invoice.'

export type NewInvoice = {
  readonly draft: InvoiceDraft
  readonly seriesId: Id<'invoice_series'>
  readonly amounts: CalculatedInvoice
}

// biome-ignore format: a table.
const insertedColumns = [
  ['id', 'uuid'], ['status', 'text'], ['reason', 'text'], ['series_id', 'uuid'], ['customer_id', 'uuid'],
  ['subscription_id', 'uuid'], ['currency', 'text'], ['epoch', 'int'], ['period_index', 'int'],
  ['period_start_at', 'timestamptz'], ['period_end_at', 'timestamptz'], ['change_id', 'uuid'],
  ['subtotal', 'int8'], ['discount_total', 'int8'], ['tax_total', 'int8'], ['tax_included', 'int8'], ['total', 'int8'],
  ['amount_due', 'int8'],
  ['reduces_invoice_id', 'uuid'],
  ['payment_method_id', 'uuid'], ['payment_route_id', 'uuid'], ['collect', 'text'],
  ['collection_method', 'text'], ['terms_days', 'int'], ['memo', 'text'], ['purchase_order', 'text'], ['dunning_policy_id', 'uuid'], ['discounts', 'jsonb'],
  ['finalize_at', 'timestamptz'], ['test_clock_id', 'uuid'], ['created_at', 'timestamptz'],
  ['updated_at', 'timestamptz'],
] as const

/**
 * Inserts the rows without their lines, as one JSON document, so that the statement text is the same for any
 * number of rows.
 */
export async function insertInvoices(tx: Tx, invoices: readonly NewInvoice[]): Promise<void> {
  const names = sql.join(insertedColumns.map(([name]) => sql.ref(name)))
  const columnDefinitions = sql.join(
    insertedColumns.map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`),
  )
  await sql`
    insert into invoices (workspace_id, ${names})
    select ${uuidOf(tx.caller.workspaceId)}::uuid, ${names}
    from jsonb_to_recordset(${JSON.stringify(invoices.map((one) => newRecord(tx, one)))}::jsonb)
      as new_invoice (${columnDefinitions})`.execute(tx.db)
  const earliest = new Map<Id<'invoice_series'>, Date>()
  for (const {
    seriesId,
    draft: { finalizeAt },
  } of invoices) {
    const current = earliest.get(seriesId)
    if (finalizeAt !== null && (current === undefined || finalizeAt < current))
      earliest.set(seriesId, finalizeAt)
  }
  for (const [seriesId, at] of earliest) tx.wake('invoice.finalize', seriesId, at)
}

function newRecord(
  tx: Tx,
  { draft, seriesId, amounts }: NewInvoice,
): { readonly [C in (typeof insertedColumns)[number][0]]: unknown } {
  return {
    id: uuidOf(draft.id),
    status: invoiceMachine.initial,
    reason: draft.reason,
    series_id: uuidOf(seriesId),
    customer_id: uuidOf(draft.customerId),
    subscription_id: uuidOrNull(draft.subscriptionId),
    currency: draft.currency,
    epoch: draft.period?.epoch ?? null,
    period_index: draft.period?.index ?? null,
    period_start_at: draft.period?.startAt ?? null,
    period_end_at: draft.period?.endAt ?? null,
    change_id: uuidOrNull(draft.changeId),
    subtotal: String(amounts.subtotal),
    discount_total: String(amounts.discountTotal),
    tax_total: String(amounts.taxTotal),
    tax_included: String(amounts.taxTotal - amounts.exclusiveTax),
    total: String(amounts.total),
    amount_due: String(amounts.total > 0n ? amounts.total : 0n),
    reduces_invoice_id: uuidOrNull(draft.reducesInvoiceId),
    payment_method_id: uuidOrNull(draft.paymentMethodId),
    payment_route_id: uuidOrNull(draft.paymentRouteId),
    collect: draft.collect,
    ...termsToRow(draft.terms ?? subscriptionTerms),
    finalize_at: draft.finalizeAt,
    test_clock_id: uuidOrNull(draft.testClockId),
    created_at: tx.now,
    updated_at: tx.now,
  }
}

function termsToRow(terms: InvoiceTerms) {
  return {
    collection_method: terms.collectionMethod,
    terms_days: terms.termsDays,
    memo: terms.memo,
    purchase_order: terms.purchaseOrder,
    dunning_policy_id: uuidOrNull(terms.dunningPolicyId),
    discounts: terms.discounts.length === 0 ? null : terms.discounts,
  }
}

/** The members that can change. */
export type InvoiceChanges = Partial<Omit<Invoice, 'id' | 'version' | 'sequence' | 'createdAt' | 'updatedAt'>>

export type Update = {
  readonly before: Invoice
  readonly changes: InvoiceChanges
  /**
   * Whether the caller emits an event for the change. The database rejects updates without an event that
   * change more than bookkeeping columns.
   */
  readonly emitsEvent: boolean
}

/** Updates all rows in one statement, and returns them in the same order. */
export async function updateInvoices(tx: Tx, updates: readonly Update[]): Promise<Invoice[]> {
  if (updates.length === 0) return []
  const after = updates.map(({ before, changes, emitsEvent }) => ({
    ...before,
    ...changes,
    // A one-off invoice has no subscription that processes its results.
    ...(before.subscriptionId === null ? { subscriptionDueAt: null } : {}),
    version: before.version + 1,
    sequence: before.sequence + (emitsEvent ? 1 : 0),
    updatedAt: tx.now,
  }))
  const { rows } = await sql`
    update invoices set ${sql.join(writableColumns.map(([name]) => sql`${sql.ref(name)} = changed.${sql.ref(name)}`))}
    from jsonb_to_recordset(${JSON.stringify(after.map(toRecord))}::jsonb)
      as changed (id uuid, ${sql.join(writableColumns.map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`))})
    where invoices.workspace_id = ${uuidOf(tx.caller.workspaceId)} and invoices.id = changed.id
      and invoices.version = changed.version - 1
    returning 1`.execute(tx.db)
  if (rows.length !== after.length) throw new ConcurrentChange((after[0] as Invoice).id)
  for (const invoice of after) wakeFor(tx, invoice)
  return after
}

export async function updateInvoice(
  tx: Tx,
  before: Invoice,
  changes: InvoiceChanges,
  emitsEvent: boolean,
): Promise<Invoice> {
  const [after] = await updateInvoices(tx, [{ before, changes, emitsEvent }])
  return after as Invoice
}

/** Every write of a due column also schedules the work, so that no service can forget it. */
function wakeFor(tx: Tx, invoice: Invoice): void {
  tx.wake('invoice.collect', invoice.id, collectAtOf(invoice))
  if (invoice.subscriptionId !== null)
    tx.wake('subscription.settle', invoice.subscriptionId, invoice.subscriptionDueAt)
  tx.wake('invoice.dun', invoice.id, invoice.dunningDueAt)
}

// biome-ignore format: a table.
const writableColumns = [
  ['status', 'text'], ['sequence_number', 'int8'], ['number', 'text'], ['number_year', 'int'], ['number_in_year', 'int8'],
  ['subtotal', 'int8'], ['total', 'int8'], ['credit_applied', 'int8'], ['credit_granted', 'int8'],
  ['discount_total', 'int8'], ['tax_total', 'int8'], ['tax_included', 'int8'], ['collect', 'text'], ['collection_method', 'text'], ['terms_days', 'int'],
  ['memo', 'text'], ['purchase_order', 'text'], ['dunning_policy_id', 'uuid'], ['discounts', 'jsonb'], ['sent_at', 'timestamptz'], ['reminder_count', 'int'],
  ['amount_credited', 'int8'], ['tax_credited', 'int8'], ['credited_owed', 'int8'], ['credited_balance', 'int8'], ['unearned_credited', 'int8'],
  ['amount_due', 'int8'], ['amount_paid', 'int8'], ['payment_method_id', 'uuid'], ['live_payment_id', 'uuid'],
  ['payment_id', 'uuid'], ['paid_out_of_band', 'boolean'], ['attempt_count', 'int'], ['last_failure', 'jsonb'],
  ['campaign_id', 'uuid'], ['held', 'boolean'], ['finalize_at', 'timestamptz'], ['next_attempt_at', 'timestamptz'],
  ['subscription_due_at', 'timestamptz'], ['dunning_due_at', 'timestamptz'], ['due_at', 'timestamptz'],
  ['overdue_since_at', 'timestamptz'], ['finalized_at', 'timestamptz'], ['paid_at', 'timestamptz'],
  ['return_amount', 'int8'], ['return_as', 'text'], ['withdrawn_at', 'timestamptz'], ['withdraw_reason', 'text'], ['voided_at', 'timestamptz'], ['void_reason', 'text'], ['uncollectible_at', 'timestamptz'],
  ['parties', 'jsonb'], ['missing', 'text[]'], ['blocked_since_at', 'timestamptz'], ['retain_until', 'timestamptz'],
  ['updated_at', 'timestamptz'], ['version', 'int'], ['sequence', 'int'],
] as const

type WritableColumn = (typeof writableColumns)[number][0]

/** Amounts are strings, because JSON numbers are not exact for all of them. */
function toRecord(invoice: Invoice): { readonly [C in WritableColumn | 'id']: unknown } {
  const { sequenceNumber, returnOnPayment } = invoice
  return {
    id: uuidOf(invoice.id),
    status: invoice.status,
    sequence_number: sequenceNumber === null ? null : String(sequenceNumber),
    number: invoice.number,
    number_year: invoice.numberYear,
    number_in_year: invoice.numberInYear === null ? null : String(invoice.numberInYear),
    subtotal: String(invoice.subtotal),
    total: String(invoice.total),
    discount_total: String(invoice.discountTotal),
    tax_total: String(invoice.taxTotal),
    tax_included: String(invoice.taxIncluded),
    collect: invoice.collect,
    ...termsToRow(invoice),
    sent_at: invoice.sentAt,
    reminder_count: invoice.reminderCount,
    credit_applied: String(invoice.creditApplied),
    credit_granted: String(invoice.creditGranted),
    amount_due: String(invoice.amountDue),
    amount_paid: String(invoice.amountPaid),
    amount_credited: String(invoice.amountCredited),
    tax_credited: String(invoice.taxCredited),
    credited_owed: String(invoice.creditedOwed),
    credited_balance: String(invoice.creditedBalance),
    unearned_credited: String(invoice.unearnedCredited),
    payment_method_id: uuidOrNull(invoice.paymentMethodId),
    live_payment_id: uuidOrNull(invoice.pendingPaymentId),
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
    return_amount: returnOnPayment === null ? null : String(returnOnPayment.amount),
    return_as: returnOnPayment?.as ?? null,
    withdrawn_at: invoice.withdrawnAt,
    withdraw_reason: invoice.withdrawReason,
    voided_at: invoice.voidedAt,
    void_reason: invoice.voidReason,
    uncollectible_at: invoice.uncollectibleAt,
    parties: invoice.parties,
    missing: invoice.missing,
    blocked_since_at: invoice.blockedSinceAt,
    retain_until: invoice.retainUntil,
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

/**
 * This invoice and the later invoices of the subscription that are paid, latest first. Ids are time-ordered,
 * so later invoices have greater ids.
 */
export function paidInvoicesSince(
  view: View,
  subscriptionId: Id<'subscription'>,
  invoiceId: Id<'invoice'>,
): Promise<Invoice[]> {
  return select(
    view,
    sql`and invoices.subscription_id = ${uuidOf(subscriptionId)}::uuid and invoices.status = 'paid'
      and invoices.reason <> 'usage' and invoices.id >= ${uuidOf(invoiceId)}::uuid order by invoices.id desc`,
  )
}

/** Every read that precedes a write takes this lock, so collectors, requests and webhooks are serialized. */
export async function lockInvoice(tx: Tx, text: string): Promise<Invoice> {
  const uuid = uuidFromText('invoice', tx.caller.mode, text) ?? refuse('not_found', { detail: missing })
  const [invoice] = await select(tx, sql`and invoices.id = ${uuid}::uuid for update of invoices`)
  return invoice ?? refuse('not_found', { detail: missing })
}

/** Locks in the order of ids, so that concurrent transactions do not deadlock. */
export function lockInvoices(tx: Tx, ids: readonly Id<'invoice'>[]): Promise<Invoice[]> {
  if (ids.length === 0) return Promise.resolve([])
  return select(
    tx,
    sql`and invoices.id = any(${ids.map(uuidOf)}::uuid[]) order by invoices.id for update of invoices`,
  )
}

/** Drafts that are finalized together, and the invoices they reduce. All are locked. */
export type Batch = { readonly drafts: readonly Invoice[]; readonly locked: readonly Invoice[] }

/** The drafts of the series that are due, oldest first. The caller holds the lock on the series. */
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
  // A draft may have changed while this transaction waited for its lock, and a reduced invoice may itself be
  // a draft that is due later.
  const due = locked.filter((one) => one.seriesId === seriesId && one.finalizeAt !== null)
  const inOrder = due.toSorted(
    (a, b) => Number(a.finalizeAt) - Number(b.finalizeAt) || (a.id < b.id ? -1 : 1),
  )
  const drafts = inOrder.filter(({ finalizeAt }) => Number(finalizeAt) <= tx.now.getTime()).slice(0, limit)
  return { drafts, locked }
}

/**
 * Locks all invoices that a change of these subscriptions may affect, in the order of ids: drafts, open
 * invoices, invoices with results to process, and `additionalIds`. One statement, so that an invoice that is
 * paid concurrently is locked as well.
 */
export async function lockInvoicesOf(
  tx: Tx,
  subscriptionIds: readonly Id<'subscription'>[],
  additionalIds: readonly Id<'invoice'>[] = [],
): Promise<Invoice[]> {
  if (subscriptionIds.length === 0 && additionalIds.length === 0) return []
  return select(
    tx,
    sql`and invoices.id = any(array(
        select affected.id from invoices as affected
        where affected.workspace_id = ${uuidOf(tx.caller.workspaceId)}
          and affected.subscription_id = any(${subscriptionIds.map(uuidOf)}::uuid[])
          and (affected.status in ('draft', 'open') or affected.subscription_due_at is not null)
        union all select unnest(${additionalIds.map(uuidOf)}::uuid[])))
      order by invoices.id for update of invoices`,
  )
}

type EarnedInvoice = {
  readonly id: Id<'invoice'>
  readonly currency: Currency
  readonly total: bigint
  readonly tax: bigint
  readonly unearnedCredited: bigint
}
type EarnedRow = Pick<Selectable<Invoices>, 'id' | 'total' | 'tax_total' | 'unearned_credited'> & {
  readonly currency: Currency
  readonly status: Status
}

/** Sets `earned_at`, and returns the invoices that are finalized. Locks in the order of ids. */
export async function markEarned(tx: Tx, ids: readonly Id<'invoice'>[]): Promise<EarnedInvoice[]> {
  if (ids.length === 0) return []
  const workspace = sql`${uuidOf(tx.caller.workspaceId)}::uuid`
  const { rows } = await sql<EarnedRow>`
    with ended as (
      select id from invoices
      where workspace_id = ${workspace} and id = any(${ids.map(uuidOf)}::uuid[]) and period_index is not null
        and earned_at is null and withdrawn_at is null and status <> 'void'
      order by id for update)
    update invoices set earned_at = ${tx.now} from ended
    where invoices.workspace_id = ${workspace} and invoices.id = ended.id
    returning invoices.id, invoices.currency, invoices.status, invoices.total, invoices.tax_total,
      invoices.unearned_credited`.execute(tx.db)
  const finalized = rows.filter(({ status, total }) => status !== 'draft' && total > 0n)
  return finalized.map(({ id, currency, total, tax_total: tax, unearned_credited: unearnedCredited }) => ({
    id: idFromUuid('invoice', tx.caller.mode, id),
    currency,
    total,
    tax,
    unearnedCredited,
  }))
}

/** Sets when the copy of the deleted customer is erased from each of their invoices. */
export async function scheduleErasure(tx: Tx, customerId: Id<'customer'>): Promise<void> {
  const { rows } = await sql<{ id: string; erase_parties_at: Date }>`
    update invoices set erase_parties_at = retain_until
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and customer_id = ${uuidOf(customerId)}::uuid
      and retain_until is not null and parties_erased_at is null
    returning id, erase_parties_at`.execute(tx.db)
  for (const { id, erase_parties_at } of rows)
    tx.wake('invoice.erase_parties', idFromUuid('invoice', tx.caller.mode, id), erase_parties_at)
}

/** Does nothing before the retention period has ended. Returns whether it has ended. */
export async function eraseParties(tx: Tx, id: Id<'invoice'>, parties: Parties): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update invoices set parties = ${JSON.stringify(parties)}::jsonb, parties_erased_at = ${tx.now}, erase_parties_at = null
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id = ${uuidOf(id)}::uuid
      and erase_parties_at <= ${tx.now}`.execute(tx.db)
  return numAffectedRows === 1n
}

export function lockOpenInvoicesOf(tx: Tx, customerId: Id<'customer'>): Promise<Invoice[]> {
  return select(
    tx,
    sql`and invoices.customer_id = ${uuidOf(customerId)}::uuid and invoices.status in ('draft', 'open')
      and invoices.withdrawn_at is null
      order by invoices.id for update of invoices`,
  )
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
