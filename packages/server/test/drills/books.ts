// The judge of a drill. What callers were told, what the provider did and what the receiver took are compared with
// what the database holds. Every finding is a sentence; none means that all is well.

import type { Client } from 'pg'
import { idFromUuid } from '../../src/kernel/id.ts'
import { type Acknowledged, type Kind, kinds } from './crowd.ts'

const tables = {
  payment: 'payments',
  refund: 'refunds',
  customer: 'customers',
  subscription: 'subscriptions',
} as const

type Row = { readonly id: string; readonly status: string | null; readonly version: number }

export type Forgotten = { readonly told: Acknowledged; readonly fault: string }

/** What was acknowledged and is not there, or is there in an earlier state; the oldest first. */
export async function forgotten(client: Client, all: readonly Acknowledged[]): Promise<Forgotten[]> {
  const rows = new Map<string, Row>()
  for (const kind of kinds) for (const [id, row] of await rowsOf(client, kind)) rows.set(id, row)
  return all.flatMap((told) => {
    const fault = faultOf(told, rows.get(told.id))
    return fault === null ? [] : [{ told, fault }]
  })
}

async function rowsOf(client: Client, kind: Kind): Promise<Map<string, Row>> {
  const status = kind === 'customer' ? 'null' : 'status'
  const { rows } = await client.query<Row>(`select id, ${status} as status, version from ${tables[kind]}`)
  return new Map(rows.map((row) => [idFromUuid(kind, 'test', row.id) as string, row]))
}

function faultOf({ kind, id, status, version }: Acknowledged, row: Row | undefined): string | null {
  if (row === undefined) return `${kind} ${id} was acknowledged and is gone`
  const isBack = version !== null && row.version < version
  // Where an answer has no version, only what ends in a state stays comparable.
  const isOther = (version === row.version || kind === 'refund') && status !== null && row.status !== status
  if (!isBack && !isOther) return null
  return `${kind} ${id} was ${status} in version ${version}, and is ${row.status} in version ${row.version}`
}

/** Statements that find what contradicts itself. */
const contradictions: Readonly<Record<string, string>> = {
  'events with a gap': `
    select object_id as id, 'has ' || count(*) || ' events up to ' || max(sequence) as fault from events
    group by workspace_id, object_id having count(*) <> max(sequence) or min(sequence) <> 1`,
  ...Object.fromEntries(
    Object.values(tables).map((table) => [
      `${table} that are elsewhere than their events`,
      `select own.id, 'is at ' || own.sequence || ', its events at ' || coalesce(max(events.sequence), 0) as fault
       from ${table} as own left join events
         on events.workspace_id = own.workspace_id and events.object_id = own.id
       group by own.workspace_id, own.id, own.sequence
       having own.sequence <> coalesce(max(events.sequence), 0)`,
    ]),
  ),
  'payments whose amounts are not those of their operations': `
    select payments.id, 'took ' || amount_captured || ' and gave back ' || amount_refunded as fault
    from payments left join operations on operations.workspace_id = payments.workspace_id
      and operations.payment_id = payments.id and operations.status = 'succeeded'
    where purpose = 'payment' group by payments.workspace_id, payments.id, amount_captured, amount_refunded
    having amount_captured <> coalesce(sum(operations.amount)
        filter (where kind = 'capture' or (kind = 'authorize' and capture)), 0)
      or amount_refunded <> coalesce(sum(operations.amount) filter (where kind = 'refund'), 0)`,
  'invoice numbers with a gap': `
    select series.id, series.next_sequence - 1 || ' given, ' || count(*) || ' found' as fault
    from invoice_series as series left join invoices on invoices.workspace_id = series.workspace_id
      and invoices.series_id = series.id and invoices.sequence_number is not null
    group by series.workspace_id, series.id, series.next_sequence
    having count(distinct sequence_number) <> series.next_sequence - 1`,
  'stretches of time that are billed twice or not at all': `
    select subscription_id as id, range_agg(during)::text as fault from billing_spans
    group by workspace_id, subscription_id having (select count(*) from unnest(range_agg(during))) <> 1`,
  'pieces of work that were given up': `
    select object_id as id, work || ': ' || reason as fault from work_failures where parked_at is not null`,
}

const shown = 3

export async function contradictionsIn(client: Client): Promise<string[]> {
  const found: string[] = []
  for (const [kind, text] of Object.entries(contradictions)) {
    const { rows } = await client.query<{ id: string; fault: string }>(text)
    const examples = rows.slice(0, shown).map(({ id, fault }) => `${id} ${fault}`)
    if (rows.length > 0) found.push(`${rows.length} ${kind}: ${examples.join('; ')}`)
  }
  return found
}

/** A line of the provider's books. */
export type Fact = {
  readonly fact: string
  readonly reference: string
  readonly payment_id: string
  readonly amount: number
  readonly currency: string
  readonly at: string
}

export async function factsAt(simulatorUrl: string, client: Client): Promise<Fact[]> {
  const { rows } = await client.query<{ id: string }>('select id from provider_accounts')
  const facts: Fact[] = []
  for (const { id } of rows) {
    const account = idFromUuid('provider_account', 'test', id)
    const answer = await fetch(`${simulatorUrl}/control/${account}/ledger`)
    facts.push(...((await answer.json()) as { facts: Fact[] }).facts)
  }
  return facts
}

export type Comparison = {
  /** What the provider did and our books do not know of. */
  readonly unknownHere: readonly Fact[]
  /** References of what we say was done and the provider does not know of. */
  readonly unknownThere: readonly string[]
  /** What the provider did under a reference that our books say came to nothing, or is still open. */
  readonly unlike: readonly string[]
}

/** By reference: it is the name that both sides know. The guide on restoring has the same statement. */
export async function compareBooks(client: Client, facts: readonly Fact[]): Promise<Comparison> {
  const { rows } = await client.query<{ reference: string; status: string; amount: string }>(
    'select reference, status, amount::text as amount from operations',
  )
  const ours = new Map(rows.map((row) => [row.reference, row]))
  const theirs = new Set(facts.map(({ reference }) => reference))
  const isUnlike = ({ reference, amount }: Fact) => {
    const own = ours.get(reference)
    return own !== undefined && (own.status !== 'succeeded' || Number(own.amount) !== amount)
  }
  return {
    unknownHere: facts.filter(({ reference }) => !ours.has(reference)),
    unknownThere: rows
      .filter(({ status, reference }) => status === 'succeeded' && !theirs.has(reference))
      .map(({ reference }) => reference),
    unlike: facts
      .filter(isUnlike)
      .map(({ fact, reference }) => `${fact} ${reference} is ${ours.get(reference)?.status} here`),
  }
}

/** More approvals of one payment than one would be a second charge. */
export function chargedTwice(facts: readonly Fact[]): string[] {
  const charges = facts.filter(({ fact }) => fact === 'charge')
  const byPayment = Map.groupBy(charges, ({ payment_id }) => payment_id)
  return [...byPayment]
    .filter(([, all]) => all.length > 1)
    .map(([id, all]) => `${id} was charged ${all.length} times`)
}

const counted = [...Object.values(tables), 'operations', 'invoices', 'events']

export async function countRows(client: Client): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of counted) {
    const { rows } = await client.query(`select count(*)::int as count from ${table}`)
    counts[table] = rows[0].count
  }
  return counts
}

/** The events that the endpoint of a drill is owed. */
export async function eventIdsOf(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    "select id from events where type ~ '^(payment|refund|customer|subscription|invoice)[.]'",
  )
  return rows.map(({ id }) => idFromUuid('event', 'test', id))
}
