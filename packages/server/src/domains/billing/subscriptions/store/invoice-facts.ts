/** Reads the invoice data that planning needs, for many subscriptions in one query each. */
import { sql } from 'kysely'
import { type Id, idFromUuid, type Kind, uuidOf } from '../../../../kernel/id.ts'
import type { TaxMode } from '../../../../kernel/parties.ts'
import type { View } from '../../../../platform/db/unit-of-work.ts'
import type { OwedInvoice } from '../collection.ts'
import type { InvoiceFacts, MoneyFacts, PaidLimit } from '../plan/snapshot.ts'
import type { Subscription } from '../subscription.ts'

type OwedRow = {
  id: string
  subscription_id: string
  status: 'draft' | 'open'
  reason: string
  overdue_since_at: Date | null
  remaining: bigint
  total: bigint
  reduces_invoice_id: string | null
  next_attempt_at: Date | null
  campaign_id: string | null
  live_payment_id: string | null
}

/** Drafts and open invoices of each subscription, oldest first. */
export async function listOwedInvoices(
  view: View,
  ids: readonly Id<'subscription'>[],
): Promise<ReadonlyMap<Id<'subscription'>, readonly OwedInvoice[]>> {
  const { rows } = await sql<OwedRow>`
    select id, subscription_id, status, reason, overdue_since_at, amount_due - amount_paid as remaining, total,
      reduces_invoice_id, collect_at as next_attempt_at, campaign_id, live_payment_id
    from invoices
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and subscription_id = any(${ids.map(uuidOf)}::uuid[])
      and status in ('draft', 'open') and withdrawn_at is null
    order by id`.execute(view.db)
  const { mode } = view.caller
  const id = <K extends Kind>(kind: K, uuid: string) => idFromUuid(kind, mode, uuid)
  const owed = rows.map((row) => ({
    subscriptionId: id('subscription', row.subscription_id),
    id: id('invoice', row.id),
    isDraft: row.status === 'draft',
    isForUsage: row.reason === 'usage',
    overdueSinceAt: row.overdue_since_at,
    remaining: row.remaining,
    total: row.total,
    reducesInvoiceId: row.reduces_invoice_id === null ? null : id('invoice', row.reduces_invoice_id),
    nextAttemptAt: row.next_attempt_at,
    campaignId: row.campaign_id === null ? null : id('dunning_campaign', row.campaign_id),
    inFlight: row.live_payment_id !== null,
  }))
  return Map.groupBy(owed, ({ subscriptionId }) => subscriptionId)
}

/** The invoices of the current periods, by id. */
export async function currentInvoices(
  view: View,
  subscriptions: readonly Subscription[],
): Promise<ReadonlyMap<Id<'invoice'>, InvoiceFacts>> {
  const ids = subscriptions.flatMap(({ currentPeriod }) => currentPeriod?.invoiceId ?? [])
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; status: InvoiceFacts['status']; in_flight: boolean }>`
    select id, status, live_payment_id is not null as in_flight from invoices
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and id = any(${ids.map(uuidOf)}::uuid[])`.execute(
    view.db,
  )
  return new Map(
    rows.map((row) => {
      const id = idFromUuid('invoice', view.caller.mode, row.id)
      return [id, { id, status: row.status, inFlight: row.in_flight }]
    }),
  )
}

type PendingLines = {
  /** The subscriptions that have pending lines for their next invoice. */
  readonly subscriptionIds: ReadonlySet<Id<'subscription'>>
  readonly taxMode: TaxMode
  /** Whether lines of earlier invoices may have tax, even if new ones have none. */
  readonly hasTaxedLines: boolean
}

/** Which subscriptions have pending lines, and whether the workspace uses tax: one statement for both. */
export async function findPendingLinesAndTax(
  view: View,
  ids: readonly Id<'subscription'>[],
): Promise<PendingLines> {
  const workspace = sql`${uuidOf(view.caller.workspaceId)}::uuid`
  const { rows } = await sql<{ subscription_ids: string[]; tax: TaxMode | null; has_tax: boolean | null }>`
    select array(select distinct subscription_id from invoice_lines
        where workspace_id = ${workspace} and invoice_id is null
          and subscription_id = any(${ids.map(uuidOf)}::uuid[])) as subscription_ids,
      seller.tax, seller.tax_used_at is not null as has_tax
    from (values (1)) as one left join sellers as seller on seller.workspace_id = ${workspace}`.execute(
    view.db,
  )
  const [row] = rows
  const { mode } = view.caller
  return {
    subscriptionIds: new Set(row?.subscription_ids.map((uuid) => idFromUuid('subscription', mode, uuid))),
    taxMode: row?.tax ?? 'none',
    hasTaxedLines: row?.has_tax === true,
  }
}

type PaidForPeriod = Pick<MoneyFacts, 'paidForPeriod' | 'creditLimit'> &
  Pick<PaidLimit, 'hasLostInvoice'> & {
    /** The amount that was billed for the period and not returned, whether or not it was paid. */
    readonly kept: bigint
  }

/**
 * The amount paid for the current period, by its invoice and by invoices for later changes, minus refunds and credit notes.
 * Ids are time-ordered, so later invoices have greater ids.
 */
export async function sumPaidSince(
  view: View,
  subscriptionId: Id<'subscription'>,
  invoiceId: Id<'invoice'>,
): Promise<PaidForPeriod> {
  const workspace = sql`${uuidOf(view.caller.workspaceId)}::uuid`
  const { rows } = await sql<{ paid: string; kept: bigint; returned: bigint; has_lost: boolean }>`
    select paid, kept, returned, exists (
      select from invoices
      where workspace_id = ${workspace} and subscription_id = ${uuidOf(subscriptionId)}
        and id > ${uuidOf(invoiceId)}::uuid and status in ('void', 'uncollectible') and reason = 'change' and total > 0
    ) as has_lost from (
      select coalesce(sum(invoices.total - invoices.credited_owed - invoices.credited_balance - coalesce((
        select payments.amount_refunded + payments.amount_refunding from payments
        where payments.workspace_id = invoices.workspace_id and payments.id = invoices.payment_id), 0)), 0)::text as paid
      from invoices
      where workspace_id = ${workspace} and subscription_id = ${uuidOf(subscriptionId)}
        and id >= ${uuidOf(invoiceId)}::uuid and status = 'paid' and reason <> 'usage'
    ) as since, kept_for_period(${workspace}, ${uuidOf(invoiceId)}::uuid)`.execute(view.db)
  const [row] = rows
  return {
    paidForPeriod: atLeastZero(BigInt(row?.paid ?? 0)),
    creditLimit: row === undefined || row.returned === 0n ? null : atLeastZero(row.kept),
    kept: row?.kept ?? 0n,
    hasLostInvoice: row?.has_lost === true,
  }
}

const atLeastZero = (amount: bigint) => (amount < 0n ? 0n : amount)

/** Invoices whose results were not applied to the subscription yet, oldest first. */
export async function listPendingResultIds(
  view: View,
  subscriptionId: Id<'subscription'>,
): Promise<Id<'invoice'>[]> {
  const { rows } = await sql<{ id: string }>`
    select id from invoices
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and subscription_id = ${uuidOf(subscriptionId)}
      and subscription_due_at is not null
    order by id`.execute(view.db)
  return rows.map(({ id }) => idFromUuid('invoice', view.caller.mode, id))
}
