// What must hold when all of a crowd have renewed, whatever was killed meanwhile. Each check names what is at
// fault, so a run that went wrong says how.

import type { Client } from 'pg'
import { type Id, idFromUuid, uuidOf } from '../../../src/kernel/id.ts'
import { price } from './renewals-fill.ts'

/** Statements that find what is at fault in the workspaces `$1`, as texts. */
const faults: Readonly<Record<string, string>> = {
  'not one invoice for the second month': `
    select subscriptions.id, 'has ' || count(invoices.id) || ' invoices' as fault
    from subscriptions left join invoices on invoices.workspace_id = subscriptions.workspace_id
      and invoices.subscription_id = subscriptions.id and invoices.period_index = 1
    where subscriptions.workspace_id = any($1) group by subscriptions.workspace_id, subscriptions.id
    having count(invoices.id) <> 1`,
  'billed for something else': `
    select subscription_id as id, reason || ' ' || status || ' of period ' || period_index as fault from invoices
    where workspace_id = any($1) and (period_index not in (0, 1) or reason not in ('start', 'cycle') or status = 'void')`,
  'not in its second month': `
    select subscriptions.id, 'is in period ' || subscriptions.period_index as fault
    from subscriptions left join invoices on invoices.workspace_id = subscriptions.workspace_id
      and invoices.id = subscriptions.period_invoice_id
    where subscriptions.workspace_id = any($1) and not (subscriptions.period_index = 1
      and invoices.period_index = 1 and subscriptions.next_action_at = subscriptions.period_end_at
      and invoices.period_start_at = subscriptions.period_start_at
      and invoices.period_end_at = subscriptions.period_end_at and subscriptions.period_end_at > now())`,
  'time that is not accounted for once': `
    select subscription_id as id, range_agg(during)::text as fault from billing_spans
    where workspace_id = any($1) group by workspace_id, subscription_id
    having count(*) <> 2 or (select count(*) from unnest(range_agg(during))) <> 1`,
  'not finalized': `
    select id, status as fault from invoices
    where workspace_id = any($1) and (number is null or status = 'draft')`,
  'sums that are wrong': `
    select invoices.id, invoices.total || ', its lines ' || sum(line.amount) as fault
    from invoices join invoice_lines as line on line.workspace_id = invoices.workspace_id
      and line.invoice_id = invoices.id
    where invoices.workspace_id = any($1) group by invoices.workspace_id, invoices.id
    having invoices.total <> ${price} or sum(line.amount) <> invoices.total or count(*) <> 1`,
  'numbers with a gap': `
    select series.id, series.next_sequence - 1 || ' given, ' || count(*) || ' found, up to '
      || max(sequence_number) as fault
    from invoice_series as series join invoices on invoices.workspace_id = series.workspace_id
      and invoices.series_id = series.id
    where series.workspace_id = any($1) group by series.workspace_id, series.id
    having count(distinct sequence_number) <> series.next_sequence - 1 or min(sequence_number) <> 1
      or max(sequence_number) <> series.next_sequence - 1
      or bool_or(number <> prefix || '-' || lpad(sequence_number::text, greatest(6, length(sequence_number::text)), '0'))`,
  'not told once': `
    select subject.id, subject.type || ' was told ' || count(events.id) || ' times' as fault
    from (
      select workspace_id, id, unnest(array['invoice.created', 'invoice.finalized']) as type from invoices
      where workspace_id = any($1) and period_index = 1
      union all
      select workspace_id, id, 'subscription.renewed' from subscriptions where workspace_id = any($1)
    ) as subject left join events on events.workspace_id = subject.workspace_id and events.object_id = subject.id
      and events.type = subject.type
    group by subject.workspace_id, subject.id, subject.type having count(events.id) <> 1`,
  'given up by workers': `
    select object_id as id, work || ': ' || reason as fault from work_failures
    where workspace_id = any($1) and parked_at is not null`,
}

const shown = 3

/** All that is wrong with the renewals, some examples of each kind; nothing if all is well. */
export async function faultsOfRenewals(
  client: Client,
  workspaces: readonly Id<'workspace'>[],
): Promise<string[]> {
  const found: string[] = []
  for (const [kind, text] of Object.entries(faults)) {
    const { rows } = await client.query<{ id: string; fault: string }>(text, [workspaces.map(uuidOf)])
    const examples = rows.slice(0, shown).map(({ id, fault }) => `${id} ${fault}`)
    if (rows.length > 0) found.push(`${rows.length} ${kind}: ${examples.join('; ')}`)
  }
  return found
}

/** What the books of the simulator say about one payment. */
export type Charged = {
  readonly payment_id: string
  readonly approvals: number
  readonly captured: number
  readonly refunded: number
}

export async function chargedIn(simulatorUrl: string): Promise<Charged[]> {
  const answer = await fetch(`${simulatorUrl}/control/sums`)
  return ((await answer.json()) as { sums: Charged[] }).sums
}

type Collected = { readonly id: string; readonly status: string; readonly payments: readonly string[] }

/** The ledger is the judge: what was renewed was taken once, and nothing else was taken. */
export async function faultsOfCharges(
  client: Client,
  workspaces: readonly Id<'workspace'>[],
  ledger: readonly Charged[],
): Promise<string[]> {
  const { rows } = await client.query<Collected>(
    `select invoices.id, invoices.status, array(select payments.id::text from payments
       where payments.workspace_id = invoices.workspace_id and payments.invoice_id = invoices.id) as payments
     from invoices where workspace_id = any($1) and period_index = 1`,
    [workspaces.map(uuidOf)],
  )
  const books = new Map(ledger.map((sums) => [sums.payment_id, sums]))
  const known = new Set<string>()
  const found = rows.flatMap(({ id, status, payments }) => {
    const wireIds = payments.map((uuid) => idFromUuid('payment', 'test', uuid) as string)
    for (const wireId of wireIds) known.add(wireId)
    const sums = wireIds.flatMap((wireId) => books.get(wireId) ?? [])
    const total = (pick: (one: Charged) => number) => sums.reduce((sum, one) => sum + pick(one), 0)
    const [approvals, captured] = [total((one) => one.approvals), total((one) => one.captured)]
    const isRight =
      status === 'paid' && approvals === 1 && captured === price && total((one) => one.refunded) === 0
    return isRight ? [] : [`${id} is ${status}, the ledger has ${approvals} approvals and ${captured}`]
  })
  const strangers = ledger.filter(({ payment_id, captured }) => captured > 0 && !known.has(payment_id))
  return [
    ...found.slice(0, shown).concat(found.length > shown ? [`and ${found.length - shown} more`] : []),
    ...strangers
      .slice(0, shown)
      .map(({ payment_id }) => `${payment_id} was charged for nothing that we know of`),
  ]
}
