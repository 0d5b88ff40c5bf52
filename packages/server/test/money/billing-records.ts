// Reads all database records of a billing scenario with one statement.

import { type Id, uuidOf } from '../../src/kernel/id.ts'
import type { BillingRun } from './billing-run.ts'
import { selectAsJson } from './records.ts'

export type InvoiceRow = {
  readonly id: string
  readonly status: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible'
  readonly reason: 'start' | 'cycle' | 'change' | 'resume' | 'cancel' | 'usage'
  readonly subscription_id: string
  readonly number: string | null
  readonly total: number
  readonly tax_total: number
  readonly line_count: number
  readonly amount_credited: number
  readonly credit_applied: number
  readonly credit_granted: number
  readonly amount_due: number
  readonly amount_paid: number
  readonly live_payment_id: string | null
  readonly payment_id: string | null
  readonly paid_out_of_band: boolean
  readonly campaign_id: string | null
  readonly held: boolean
  readonly next_attempt_at: string | null
  readonly collect_at: string | null
  readonly overdue_since_at: string | null
  readonly period_start_at: string | null
  readonly created_at: string
}
export type LineRow = {
  readonly id: string
  readonly invoice_id: string | null
  readonly subscription_id: string
  readonly subscription_item_id: string | null
  readonly price_id: string | null
  readonly kind: string
  readonly amount: number
  readonly discount: number | null
  readonly discounts: readonly { readonly id: string; readonly amount: string | number }[] | null
  /** Null: the line has no tax, or waits for the next invoice. */
  readonly net: number | null
  readonly tax: number | null
  readonly tax_percentage: string | null
  readonly tax_inclusive: boolean | null
  readonly source_line_id: string | null
  readonly explanation: { readonly changeId: string | null }
  readonly service_start_at: string
  readonly service_end_at: string
}
export type UsagePeriodRow = {
  readonly id: string
  readonly subscription_item_id: string
  readonly status: 'open' | 'ended' | 'closed' | 'settled'
  readonly start_at: string
  readonly end_at: string | null
  readonly billed_quantity: number | null
}
export type SubscriptionRow = {
  readonly id: string
  readonly status: 'trialing' | 'active' | 'paused' | 'cancelled'
  readonly period_invoice_id: string | null
  readonly activation: {
    readonly state: 'pending' | 'requires_action' | 'done' | 'expired'
    readonly invoiceId: string | null
  } | null
  readonly parked: object | null
}
export type CreditEntry = {
  readonly reason: 'unused_time' | 'invoice_below_zero' | 'applied' | 'returned' | 'credit_note'
  readonly amount: number
  readonly invoice_id: string | null
  readonly created_at: string
}
export type NoteRow = {
  readonly id: string
  readonly status: 'issued' | 'void'
  readonly reason: string
  readonly number: string
  readonly invoice_id: string
  readonly tax_total: number
  readonly total: number
  readonly applied_amount: number
  readonly refund_amount: number
  readonly balance_amount: number
  readonly refund_id: string | null
}
export type SessionRow = {
  readonly id: string
  readonly status: 'open' | 'processing' | 'completed' | 'expired'
  readonly amount: number
  readonly payment_link_id: string | null
  readonly live_payment_id: string | null
  readonly payment_id: string | null
  readonly completed_at: string | null
  readonly receipt_due_at: string | null
  readonly receipt_sent_at: string | null
}
/** The state of a subscription in an event, with ids as in the API. */
export type SubscriptionEventState = {
  readonly status: string
  readonly period_invoice_id: string | null
  readonly activation_state: string | null
  readonly activation_purpose: string | null
  readonly activation_invoice_id: string | null
}
export type BillingRecords = {
  readonly invoices: readonly InvoiceRow[]
  readonly subscriptions: readonly SubscriptionRow[]
  /** The distinct states of subscriptions in their events, which show what happened between the steps. */
  readonly eventStates: readonly SubscriptionEventState[]
  readonly entries: readonly CreditEntry[]
  readonly balances: readonly { readonly balance: number }[]
  readonly notes: readonly NoteRow[]
  /** The amounts that the ledger has in an account for each invoice: credits minus debits. */
  readonly ofAccounts: readonly {
    readonly invoice_id: string
    readonly tax_payable: number
    readonly receivable: number
  }[]
  readonly lines: readonly LineRow[]
  readonly usagePeriods: readonly UsagePeriodRow[]
  readonly meterEvents: readonly {
    readonly value: number
    readonly occurred_at: string
    readonly cancelled_at: string | null
  }[]
  readonly customerDiscounts: readonly { readonly id: string; readonly periods: number | null }[]
  readonly campaigns: readonly { readonly id: string; readonly invoice_id: string; readonly status: string }[]
  readonly sessions: readonly SessionRow[]
  readonly links: readonly {
    readonly id: string
    readonly status: string
    readonly reserved: number
    readonly completed: number
  }[]
  readonly customers: readonly { readonly id: string; readonly deleted_at: string | null }[]
}

const inScenario = 'workspace_id = $1 and id >= $2'

const ofCustomer = 'workspace_id = $1 and customer_id = $3'
const balances = `select id from credit_balances where ${ofCustomer}`

const eventStateColumns = `distinct object->>'status' as status,
  object#>>'{current_period,invoice_id}' as period_invoice_id,
  object#>>'{activation,state}' as activation_state, object#>>'{activation,purpose}' as activation_purpose,
  object#>>'{activation,invoice_id}' as activation_invoice_id`

const text = `select
  ${selectAsJson(
    `*, (select count(1)::int from invoice_lines as lines
      where lines.workspace_id = $1 and lines.invoice_id = invoices.id) as line_count`,
    `invoices where ${inScenario} order by id`,
  )} as invoices,
  ${selectAsJson('*', `subscriptions where ${inScenario} order by id`)} as subscriptions,
  ${selectAsJson(
    eventStateColumns,
    `(select (data::jsonb)->'object' as object from events
      where workspace_id = $1 and id >= $2 and type like 'subscription.%') as subscription_events`,
  )} as "eventStates",
  ${selectAsJson('reason, amount, invoice_id, created_at', `credit_entries where workspace_id = $1 and credit_balance_id in (${balances})`)} as entries,
  ${selectAsJson('balance', `credit_balances where ${ofCustomer}`)} as balances,
  ${selectAsJson('*', `credit_notes where ${inScenario} order by id`)} as notes,
  ${selectAsJson(
    `invoices.id as invoice_id,
      coalesce(sum(amount) filter (where credit_account = 'tax_payable'), 0)
        - coalesce(sum(amount) filter (where debit_account = 'tax_payable'), 0) as tax_payable,
      coalesce(sum(amount) filter (where credit_account = 'receivable' and credit_object = invoices.id), 0)
        - coalesce(sum(amount) filter (where debit_account = 'receivable' and debit_object = invoices.id), 0) as receivable`,
    `invoices join ledger_postings as postings on postings.workspace_id = $1
        and (postings.debit_object = invoices.id or postings.credit_object = invoices.id)
      where invoices.workspace_id = $1 and invoices.id >= $2 group by invoices.id`,
  )} as "ofAccounts",
  ${selectAsJson(
    'lines.*',
    `invoice_lines as lines join subscriptions on subscriptions.workspace_id = $1
        and subscriptions.id = lines.subscription_id
      where lines.workspace_id = $1 and subscriptions.id >= $2 order by lines.id`,
  )} as lines,
  ${selectAsJson(
    'id, subscription_item_id, status, lower(during) as start_at, upper(during) as end_at, billed_quantity',
    `usage_periods where ${inScenario} order by id`,
  )} as "usagePeriods",
  ${selectAsJson('value, occurred_at, cancelled_at', `meter_events where ${ofCustomer}`)} as "meterEvents",
  ${selectAsJson('id, periods', `customer_discounts where ${ofCustomer}`)} as "customerDiscounts",
  ${selectAsJson('id, invoice_id, status', `dunning_campaigns where ${inScenario}`)} as campaigns,
  ${selectAsJson('*', `checkout_sessions where ${inScenario} order by id`)} as sessions,
  ${selectAsJson(
    'links.id, links.status, places.reserved, places.completed',
    `payment_links as links join payment_link_places as places
      on places.workspace_id = links.workspace_id and places.payment_link_id = links.id
      where links.workspace_id = $1 and links.id >= $2`,
  )} as links,
  ${selectAsJson('id, deleted_at', 'customers where workspace_id = $1 and id = $3')} as customers`

export async function readBillingRecords({
  harness,
  workspace,
  floor,
  customerId,
}: BillingRun): Promise<BillingRecords> {
  const values = [uuidOf(workspace.workspaceId), floor, uuidOf(customerId as Id<'customer'>)]
  const { rows } = await harness.installation
    .ownerOf(workspace.workspaceId)
    .query({ name: 'billing_records', text, values })
  return rows[0] as BillingRecords
}
