// Checks that run after every subscription of a batch has renewed while processes were killed. Each check
// returns its violations.

import type { Client } from 'pg'
import { type Id, idFromUuid, uuidOf } from '../../../src/kernel/id.ts'
import { price } from './insert-subscriptions.ts'

/** Statements that find violations in the workspaces `$1`. */
const violationQueries: Readonly<Record<string, string>> = {
  'subscriptions without exactly one invoice for the second month': `
    select subscriptions.id, 'has ' || count(invoices.id) || ' invoices' as violation
    from subscriptions left join invoices on invoices.workspace_id = subscriptions.workspace_id
      and invoices.subscription_id = subscriptions.id and invoices.period_index = 1
    where subscriptions.workspace_id = any($1) group by subscriptions.workspace_id, subscriptions.id
    having count(invoices.id) <> 1`,
  'unexpected invoices': `
    select subscription_id as id, reason || ' ' || status || ' of period ' || period_index as violation from invoices
    where workspace_id = any($1) and (period_index not in (0, 1) or reason not in ('start', 'cycle') or status = 'void')`,
  'subscriptions that are not in their second month': `
    select subscriptions.id, 'is in period ' || subscriptions.period_index as violation
    from subscriptions left join invoices on invoices.workspace_id = subscriptions.workspace_id
      and invoices.id = subscriptions.period_invoice_id
    where subscriptions.workspace_id = any($1) and not (subscriptions.period_index = 1
      and invoices.period_index = 1 and subscriptions.next_action_at = subscriptions.period_end_at
      and invoices.period_start_at = subscriptions.period_start_at
      and invoices.period_end_at = subscriptions.period_end_at and subscriptions.period_end_at > now())`,
  'subscriptions with a period that is billed twice or not at all': `
    select subscription_id as id, range_agg(during)::text as violation from billing_spans
    where workspace_id = any($1) group by workspace_id, subscription_id
    having count(*) <> 2 or (select count(*) from unnest(range_agg(during))) <> 1`,
  'invoices that are not finalized': `
    select id, status as violation from invoices
    where workspace_id = any($1) and (number is null or status = 'draft')`,
  'invoices with a wrong total': `
    select invoices.id, invoices.total || ', its lines ' || sum(line.amount) || ', their tax ' || coalesce(sum(line.tax), 0)
      as violation
    from invoices join invoice_lines as line on line.workspace_id = invoices.workspace_id
      and line.invoice_id = invoices.id
    where invoices.workspace_id = any($1) group by invoices.workspace_id, invoices.id
    having sum(line.amount) <> ${price} or invoices.total <> sum(line.amount + coalesce(line.tax, 0)) or count(*) <> 1
      or bool_or(line.tax <> round(line.amount * line.tax_percentage::numeric / 100))`,
  'invoice numbers with a gap': `
    select series.id, series.next_sequence - 1 || ' assigned, ' || count(*) || ' found, up to '
      || max(sequence_number) as violation
    from invoice_series as series join invoices on invoices.workspace_id = series.workspace_id
      and invoices.series_id = series.id
    where series.workspace_id = any($1) group by series.workspace_id, series.id
    having count(distinct sequence_number) <> series.next_sequence - 1 or min(sequence_number) <> 1
      or max(sequence_number) <> series.next_sequence - 1
      or bool_or(number <> prefix || '-' || lpad(sequence_number::text, greatest(6, length(sequence_number::text)), '0'))`,
  'events that were not emitted exactly once': `
    select subject.id, subject.type || ' was emitted ' || count(events.id) || ' times' as violation
    from (
      select workspace_id, id, unnest(array['invoice.created', 'invoice.finalized']) as type from invoices
      where workspace_id = any($1) and period_index = 1
      union all
      select workspace_id, id, 'subscription.renewed' from subscriptions where workspace_id = any($1)
    ) as subject left join events on events.workspace_id = subject.workspace_id and events.object_id = subject.id
      and events.type = subject.type
    group by subject.workspace_id, subject.id, subject.type having count(events.id) <> 1`,
  'parked work items': `
    select object_id as id, work || ': ' || reason as violation from work_failures
    where workspace_id = any($1) and parked_at is not null`,
}

const maxExamples = 3

/** All violations of the renewals, some examples of each kind; empty if there are none. */
export async function findRenewalViolations(
  client: Client,
  workspaces: readonly Id<'workspace'>[],
): Promise<string[]> {
  const violations: string[] = []
  for (const [kind, text] of Object.entries(violationQueries)) {
    const { rows } = await client.query<{ id: string; violation: string }>(text, [workspaces.map(uuidOf)])
    const examples = rows.slice(0, maxExamples).map(({ id, violation }) => `${id} ${violation}`)
    if (rows.length > 0) violations.push(`${rows.length} ${kind}: ${examples.join('; ')}`)
  }
  return violations
}

/** The charges of one payment in the ledger of the simulator. */
export type ChargeTotals = {
  readonly payment_id: string
  readonly approvals: number
  readonly captured: number
  readonly refunded: number
}

export async function readCharges(simulatorUrl: string): Promise<ChargeTotals[]> {
  const response = await fetch(`${simulatorUrl}/control/sums`)
  return ((await response.json()) as { sums: ChargeTotals[] }).sums
}

type CollectedInvoice = { readonly id: string; readonly status: string; readonly payments: readonly string[] }

/** Compares with the ledger: each renewal was charged once, and nothing else was charged. */
export async function findChargeViolations(
  client: Client,
  workspaces: readonly Id<'workspace'>[],
  ledger: readonly ChargeTotals[],
): Promise<string[]> {
  const { rows } = await client.query<CollectedInvoice>(
    `select invoices.id, invoices.status, array(select payments.id::text from payments
       where payments.workspace_id = invoices.workspace_id and payments.invoice_id = invoices.id) as payments
     from invoices where workspace_id = any($1) and period_index = 1`,
    [workspaces.map(uuidOf)],
  )
  const totalsByPayment = new Map(ledger.map((sums) => [sums.payment_id, sums]))
  const knownPayments = new Set<string>()
  const violations = rows.flatMap(({ id, status, payments }) => {
    const paymentIds = payments.map((uuid) => idFromUuid('payment', 'test', uuid) as string)
    for (const paymentId of paymentIds) knownPayments.add(paymentId)
    const sums = paymentIds.flatMap((paymentId) => totalsByPayment.get(paymentId) ?? [])
    const total = (pick: (totals: ChargeTotals) => number) =>
      sums.reduce((sum, totals) => sum + pick(totals), 0)
    const [approvals, captured] = [total((totals) => totals.approvals), total((totals) => totals.captured)]
    const isCorrect =
      status === 'paid' && approvals === 1 && captured === price && total((totals) => totals.refunded) === 0
    return isCorrect ? [] : [`${id} is ${status}, ledger: ${approvals} approvals, ${captured} captured`]
  })
  const unexpectedCharges = ledger.filter(
    ({ payment_id, captured }) => captured > 0 && !knownPayments.has(payment_id),
  )
  return [
    ...violations
      .slice(0, maxExamples)
      .concat(violations.length > maxExamples ? [`and ${violations.length - maxExamples} more`] : []),
    ...unexpectedCharges
      .slice(0, maxExamples)
      .map(({ payment_id }) => `${payment_id} was charged, but belongs to no invoice`),
  ]
}
