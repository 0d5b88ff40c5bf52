/** Finds current problems. Each query reads a limited range of a partial index. */
import { type RawBuilder, sql } from 'kysely'
import type { Reading } from '../../../kernel/clock.ts'
import { idFromUuid, type Kind, uuidOf } from '../../../kernel/id.ts'
import { instantOf } from '../../../platform/db/due.ts'
import type { View } from '../../../platform/db/unit-of-work.ts'
import {
  type Account,
  disputeCriticalHours,
  disputeDueHours,
  type Endpoint,
  endingDays,
  failuresUntilAttention,
  type GroupedKind,
  type IssueGroup,
  maxCounted,
  unknownMinutes,
} from './concern.ts'

type EndpointRow = Omit<Endpoint, 'id'> & { readonly id: string }

/**
 * Failing endpoints, and endpoints that were disabled automatically. Their number per workspace is limited.
 */
export async function findFailingEndpoints(view: View): Promise<readonly Endpoint[]> {
  const { rows } = await sql<EndpointRow>`
    select endpoint.id, endpoint.name, endpoint.url, endpoint.disabled_reason as "disabledReason",
      endpoint.disabled_at as "disabledAt", lane.failing_since_at as "failingSinceAt"
    from webhook_endpoints as endpoint join webhook_lanes as lane
      on lane.workspace_id = endpoint.workspace_id and lane.id = endpoint.id
    where endpoint.workspace_id = ${uuidOf(view.caller.workspaceId)} and endpoint.deleted_at is null
      and (endpoint.disabled_reason in ('failing', 'gone')
        or (endpoint.status = 'enabled' and lane.health <> 'healthy'))`.execute(view.db)
  return rows.map((row) => ({ ...row, id: idFromUuid('webhook_endpoint', view.caller.mode, row.id) }))
}

type AccountRow = Omit<Account, 'id'> & { readonly id: string }

export async function findTroubledAccounts(view: View): Promise<readonly Account[]> {
  const { rows } = await sql<AccountRow>`
    select account.id, account.display_name as name, account.hold_reason as "holdReason",
      account.hold_until_at as "holdUntilAt", account.updated_at as "updatedAt",
      health.opened_at as "openedAt", health.refused_since as "refusedSince"
    from provider_accounts as account cross join lateral (
      select min(opened_at) filter (where state = 'open') as opened_at, min(credentials_refused_since) as refused_since
      from provider_health as row
      where row.workspace_id = account.workspace_id and row.provider_account_id = account.id) as health
    where account.workspace_id = ${uuidOf(view.caller.workspaceId)} and account.status = 'active'
      and (account.hold_reason is not null or health.opened_at is not null
        or health.refused_since is not null)`.execute(view.db)
  return rows.map((row) => ({ ...row, id: idFromUuid('provider_account', view.caller.mode, row.id) }))
}

type IssueQuery = {
  readonly object: Kind
  readonly table: string
  /** The column with the id of the object; `id` by default. */
  readonly id?: string
  /** The column with the start of the issue, or with the last change if there is none. */
  readonly since: string
  readonly order: string
  readonly condition: (now: RawBuilder<Date>) => RawBuilder<unknown>
  /** Whether an object is urgent; by default none is. */
  readonly isUrgent?: (now: RawBuilder<Date>) => RawBuilder<unknown>
}

const minutes = sql.raw(`interval '${unknownMinutes} minutes'`)
const dueHours = sql.raw(`interval '${disputeDueHours} hours'`)
const criticalHours = sql.raw(`interval '${disputeCriticalHours} hours'`)
const days = sql.raw(`interval '${endingDays} days'`)

// Objects on test clocks are excluded: they need no attention.
// biome-ignore format: a table.
const queries: { readonly [K in GroupedKind]: IssueQuery } = {
  payments_unknown:     { object: 'payment', table: 'payments', since: 'unresolved_since_at', order: 'unresolved_since_at',
    condition: (now) => sql`unresolved_since_at <= ${now} - ${minutes} and test_clock_id is null` },
  payments_in_review:   { object: 'payment', table: 'payments', since: 'updated_at', order: 'review, id',
    condition: () => sql`review in ('needs_review', 'conflict') and test_clock_id is null` },
  refunds_in_review:    { object: 'refund', table: 'refunds', since: 'updated_at', order: 'id',
    condition: () => sql`review is not null and not exists (select from payments as payment
      where payment.workspace_id = refunds.workspace_id and payment.id = refunds.payment_id and payment.test_clock_id is not null)` },
  disputes_due:         { object: 'dispute', table: 'disputes', since: 'created_at', order: 'respond_by_at',
    condition: (now) => sql`status = 'needs_response' and respond_by_at > ${now} and respond_by_at <= ${now} + ${dueHours}`,
    isUrgent: (now) => sql`respond_by_at <= ${now} + ${criticalHours}` },
  disputes_overdue:     { object: 'dispute', table: 'disputes', since: 'respond_by_at', order: 'respond_by_at', condition: () => sql`status = 'needs_response' and overdue_since_at is not null` },
  // The statuses and `order` match an index.
  settlement_differences: { object: 'settlement_line', table: 'settlement_lines', since: 'imported_at', order: 'status, id',
    condition: () => sql`status in ('amount_differs', 'missing_here', 'missing_there')` },
  // The number of destinations per workspace is limited.
  export_destinations_failing: { object: 'export_destination', table: 'export_destinations', since: 'failing_since_at', order: 'failing_since_at',
    condition: () => sql`failures >= ${sql.lit(failuresUntilAttention)} and deleted_at is null` },
  invoices_blocked:     { object: 'invoice', table: 'invoices', since: 'blocked_since_at', order: 'blocked_since_at',
    condition: () => sql`status = 'draft' and blocked_since_at is not null` },
  invoice_taxes_failed: { object: 'invoice', table: 'invoice_taxes', id: 'invoice_id', since: 'updated_at', order: 'updated_at',
    condition: () => sql`status = 'failed' and test_clock_id is null` },
  tax_documents_unrecorded: { object: 'invoice', table: 'tax_documents', id: 'invoice_id', since: 'attention_since_at', order: 'attention_since_at',
    condition: () => sql`due_at is not null and attention_since_at is not null and test_clock_id is null` },
  subscriptions_parked: { object: 'subscription', table: 'subscriptions', since: 'updated_at', order: 'id',
    condition: () => sql`parked is not null and test_clock_id is null` },
  dunning_ending:       { object: 'dunning_campaign', table: 'dunning_campaigns', since: 'failed_at', order: 'ends_at',
    condition: (now) => sql`status = 'running' and test_clock_id is null and ends_at <= ${now} + ${days}` },
  customers_unreachable: { object: 'customer', table: 'mail_bounces', id: 'customer_id', since: 'bounced_at', order: 'bounced_at',
    condition: () => sql`customer_id is not null and exists (select from customers as customer
      where customer.workspace_id = mail_bounces.workspace_id and customer.id = mail_bounces.customer_id and customer.email_status is not null)` },
  cancellation_requests_open: { object: 'cancellation_request', table: 'cancellation_requests', since: 'received_at', order: 'received_at',
    condition: () => sql`status in ('received', 'confirmed')` },
}

/** Counts the objects with an issue, up to the limit, and finds the first one. */
export async function findIssue(view: View, kind: GroupedKind, now: Reading): Promise<IssueGroup | null> {
  const { object, table, id = 'id', since, order, condition, isUrgent = () => sql`false` } = queries[kind]
  const { rows } = await sql<{ id: string; since: Date; isUrgent: boolean; count: number }>`
    with found as materialized (
      select ${sql.ref(id)} as id, ${sql.ref(since)} as since, ${isUrgent(instantOf(now))} as is_urgent, row_number() over (order by ${sql.raw(order)}) as position
      from ${sql.table(table)}
      where workspace_id = ${uuidOf(view.caller.workspaceId)} and ${condition(instantOf(now))}
      order by ${sql.raw(order)} limit ${maxCounted + 1})
    select id, since, is_urgent as "isUrgent", (select count(id)::int from found) as count from found where position = 1`.execute(
    view.db,
  )
  const [first] = rows
  if (first === undefined) return null
  return {
    objectId: idFromUuid(object, view.caller.mode, first.id),
    since: first.since,
    count: Math.min(first.count, maxCounted),
    hasMore: first.count > maxCounted,
    isUrgent: first.isUrgent,
  }
}
