// The checks of a drill. They compare acknowledged objects, the provider's ledger and received webhooks with
// the database. Each violation is a sentence; an empty list means success.

import type { Client } from 'pg'
import { idFromUuid } from '../../src/kernel/id.ts'
import { type Acknowledged, type Kind, kinds } from './load-generator.ts'

const tables = {
  payment: 'payments',
  refund: 'refunds',
  customer: 'customers',
  subscription: 'subscriptions',
} as const

type Row = { readonly id: string; readonly status: string | null; readonly version: number }

export type LostObject = { readonly object: Acknowledged; readonly violation: string }

/** Acknowledged objects that are missing or in an earlier state, the oldest first. */
export async function findLostObjects(client: Client, all: readonly Acknowledged[]): Promise<LostObject[]> {
  const rows = new Map<string, Row>()
  for (const kind of kinds) for (const [id, row] of await readRows(client, kind)) rows.set(id, row)
  return all.flatMap((object) => {
    const violation = findViolation(object, rows.get(object.id))
    return violation === null ? [] : [{ object, violation }]
  })
}

async function readRows(client: Client, kind: Kind): Promise<Map<string, Row>> {
  const status = kind === 'customer' ? 'null' : 'status'
  const { rows } = await client.query<Row>(`select id, ${status} as status, version from ${tables[kind]}`)
  return new Map(rows.map((row) => [idFromUuid(kind, 'test', row.id) as string, row]))
}

function findViolation({ kind, id, status, version }: Acknowledged, row: Row | undefined): string | null {
  if (row === undefined) return `${kind} ${id} was acknowledged and is gone`
  const isOlder = version !== null && row.version < version
  // Without a version in the response, only final states can be compared.
  const hasOtherStatus =
    (version === row.version || kind === 'refund') && status !== null && row.status !== status
  if (!isOlder && !hasOtherStatus) return null
  return `${kind} ${id} was ${status} in version ${version}, and is ${row.status} in version ${row.version}`
}

/** Statements that find inconsistent data. */
const inconsistencyQueries: Readonly<Record<string, string>> = {
  'events with a gap': `
    select object_id as id, 'has ' || count(*) || ' events up to ' || max(sequence) as violation from events
    group by workspace_id, object_id having count(*) <> max(sequence) or min(sequence) <> 1`,
  ...Object.fromEntries(
    Object.values(tables).map((table) => [
      `${table} whose sequence differs from that of their events`,
      `select objects.id, 'is at ' || objects.sequence || ', its events at ' || coalesce(max(events.sequence), 0) as violation
       from ${table} as objects left join events
         on events.workspace_id = objects.workspace_id and events.object_id = objects.id
       group by objects.workspace_id, objects.id, objects.sequence
       having objects.sequence <> coalesce(max(events.sequence), 0)`,
    ]),
  ),
  'payments whose amounts differ from the sums of their operations': `
    select payments.id, 'captured ' || amount_captured || ' and refunded ' || amount_refunded as violation
    from payments left join operations on operations.workspace_id = payments.workspace_id
      and operations.payment_id = payments.id and operations.status = 'succeeded'
    where purpose = 'payment' group by payments.workspace_id, payments.id, amount_captured, amount_refunded
    having amount_captured <> coalesce(sum(operations.amount)
        filter (where kind = 'capture' or (kind = 'authorize' and capture)), 0)
      or amount_refunded <> coalesce(sum(operations.amount) filter (where kind = 'refund'), 0)`,
  'invoice numbers with a gap': `
    select series.id, series.next_sequence - 1 || ' assigned, ' || count(*) || ' found' as violation
    from invoice_series as series left join invoices on invoices.workspace_id = series.workspace_id
      and invoices.series_id = series.id and invoices.sequence_number is not null
    group by series.workspace_id, series.id, series.next_sequence
    having count(distinct sequence_number) <> series.next_sequence - 1`,
  'subscriptions with a period that is billed twice or not at all': `
    select subscription_id as id, range_agg(during)::text as violation from billing_spans
    group by workspace_id, subscription_id having (select count(*) from unnest(range_agg(during))) <> 1`,
  'parked work items': `
    select object_id as id, work || ': ' || reason as violation from work_failures where parked_at is not null`,
}

const maxExamples = 3

export async function findInconsistencies(client: Client): Promise<string[]> {
  const violations: string[] = []
  for (const [kind, text] of Object.entries(inconsistencyQueries)) {
    const { rows } = await client.query<{ id: string; violation: string }>(text)
    const examples = rows.slice(0, maxExamples).map(({ id, violation }) => `${id} ${violation}`)
    if (rows.length > 0) violations.push(`${rows.length} ${kind}: ${examples.join('; ')}`)
  }
  return violations
}

/** An entry of the provider's ledger. */
export type LedgerEntry = {
  readonly fact: string
  readonly reference: string
  readonly payment_id: string
  readonly amount: number
  readonly currency: string
  readonly at: string
}

export async function fetchLedger(simulatorUrl: string, client: Client): Promise<LedgerEntry[]> {
  const { rows } = await client.query<{ id: string }>('select id from provider_accounts')
  const entries: LedgerEntry[] = []
  for (const { id } of rows) {
    const account = idFromUuid('provider_account', 'test', id)
    const response = await fetch(`${simulatorUrl}/control/${account}/ledger`)
    entries.push(...((await response.json()) as { facts: LedgerEntry[] }).facts)
  }
  return entries
}

export type Comparison = {
  /** Entries of the ledger that the database does not contain. */
  readonly missingInDatabase: readonly LedgerEntry[]
  /** References of operations that succeeded in the database, but are not in the ledger. */
  readonly missingInLedger: readonly string[]
  /** Entries of the ledger whose operation has a different amount or did not succeed in the database. */
  readonly different: readonly string[]
}

/** Compares by reference, which both sides store. The guide on restoring has the same statement. */
export async function compareWithLedger(
  client: Client,
  entries: readonly LedgerEntry[],
): Promise<Comparison> {
  const { rows } = await client.query<{ reference: string; status: string; amount: string }>(
    'select reference, status, amount::text as amount from operations',
  )
  const operations = new Map(rows.map((row) => [row.reference, row]))
  const ledgerReferences = new Set(entries.map(({ reference }) => reference))
  const isDifferent = ({ reference, amount }: LedgerEntry) => {
    const operation = operations.get(reference)
    return (
      operation !== undefined && (operation.status !== 'succeeded' || Number(operation.amount) !== amount)
    )
  }
  return {
    missingInDatabase: entries.filter(({ reference }) => !operations.has(reference)),
    missingInLedger: rows
      .filter(({ status, reference }) => status === 'succeeded' && !ledgerReferences.has(reference))
      .map(({ reference }) => reference),
    different: entries
      .filter(isDifferent)
      .map(
        ({ fact, reference }) =>
          `${fact} ${reference} is ${operations.get(reference)?.status} in the database`,
      ),
  }
}

/** Differences between the database and the provider's ledger, and payments that were charged twice. */
export async function findLedgerViolations(
  client: Client,
  entries: readonly LedgerEntry[],
): Promise<string[]> {
  const { missingInDatabase, missingInLedger, different } = await compareWithLedger(client, entries)
  return [
    ...missingInDatabase.map(
      ({ fact, reference }) => `${fact} ${reference} is in the provider's ledger, but not in the database`,
    ),
    ...missingInLedger.map(
      (reference) => `${reference} is in the database, but not in the provider's ledger`,
    ),
    ...different,
    ...findDoubleCharges(entries),
  ]
}

/** More than one approval of one payment would be a second charge. */
export function findDoubleCharges(entries: readonly LedgerEntry[]): string[] {
  const charges = entries.filter(({ fact }) => fact === 'charge')
  const byPayment = Map.groupBy(charges, ({ payment_id }) => payment_id)
  return [...byPayment]
    .filter(([, all]) => all.length > 1)
    .map(([id, all]) => `${id} was charged ${all.length} times`)
}

const countOpenOperations = `select count(*)::int as count from operations
  where status in ('sending', 'pending', 'unknown', 'awaiting_customer')`

/** Whether the outcome of every operation is known. */
export async function isIdle(client: Client): Promise<boolean> {
  const { rows } = await client.query(countOpenOperations)
  return rows[0].count === 0
}

const countedTables = [...Object.values(tables), 'operations', 'invoices', 'events']

export async function countRows(client: Client): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of countedTables) {
    const { rows } = await client.query(`select count(*)::int as count from ${table}`)
    counts[table] = rows[0].count
  }
  return counts
}

/** The events that the endpoint of a drill must receive. */
export async function readEventIds(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    "select id from events where type ~ '^(payment|refund|customer|subscription|invoice)[.]'",
  )
  return rows.map(({ id }) => idFromUuid('event', 'test', id))
}
