/**
 * Creates millions of succeeded payments, each with its attempt and its operation. Every tenth is refunded. Their events
 * are created separately.
 */
import type { Client } from 'pg'
import { type Filling, rowsOf, uuidAt, valuesOf } from './fill.ts'

export const paymentTables = ['payments', 'payment_attempts', 'operations', 'refunds'] as const
export type PaymentTable = (typeof paymentTables)[number]

/** Returns the table to insert into: the table itself, or a detached partition. */
export type Into = (table: PaymentTable) => string

export async function fillPayments(
  client: Client,
  filling: Filling,
  into: Into = (table) => table,
): Promise<void> {
  await client.query(uuidAt)
  // These rows have no events, so disable the triggers that require one.
  await client.query('set session_replication_role = replica')
  for (const table of paymentTables) await client.query(inserts[table](into(table)), valuesOf(filling))
  await client.query('set session_replication_role = origin')
}

/** Two events per payment: created and succeeded. */
export async function fillPaymentEvents(client: Client, filling: Filling, into = 'events'): Promise<void> {
  await client.query(uuidAt)
  for (const nth of [0, 1]) await client.query(insertEvents(into, nth), valuesOf(filling))
}

/** The posting of each payment's capture. */
export async function fillPostings(
  client: Client,
  filling: Filling,
  into = 'ledger_postings',
): Promise<void> {
  await client.query(uuidAt)
  await client.query(
    `insert into ${into} (workspace_id, id, cause_id, line, act, debit_account, credit_account, debit_object,
       credit_object, provider_account_id, currency, amount, effective_at, booked_at)
     select workspace_id, ledger_posting_id(${operation}, 0), ${operation}, 0, 'payment_captured', 'clearing', 'sales',
       ${payment}, ${payment}, ${account}, 'eur', 1299, made_at, made_at
     from (${rowsOf}) as filling`,
    valuesOf(filling),
  )
}

/** Attempts as counted by card networks. Every tenth was declined. */
export async function fillNetworkAttempts(client: Client, filling: Filling): Promise<void> {
  await client.query(uuidAt)
  await client.query(
    `insert into network_attempts (workspace_id, id, payment_id, card_key, amount, currency, initiator, result,
       created_at, ended_at)
     select workspace_id, ${attempt}, ${payment}, md5(n::text), 1299, 'eur', 'customer',
       case when n % 10 = 0 then 'declined' else 'approved' end, made_at, made_at
     from (${rowsOf}) as filling`,
    valuesOf(filling),
  )
}

/** Returns an id expression that differs for each kind of object with the same creation time. */
const idOf = (kind: number) => `pg_temp.uuid_at(made_at, n * 8 + ${kind})`
const [payment, attempt, operation, refund] = [idOf(0), idOf(1), idOf(2), idOf(3)]
const account = `'0190a5c0-0000-7abc-8000-000000000001'`
const card = `'{"brand":"visa","last4":"4242","exp_month":12,"exp_year":2030,"funding":"credit","country":"US","bin":"424242"}'`

const inserts: Readonly<Record<PaymentTable, (into: string) => string>> = {
  payments: (into) => `
    insert into ${into} (workspace_id, id, status, purpose, amount, currency, amount_captured, amount_refunded,
      capture_method, initiator, three_d_secure, customer_id, payment_method_id, card, fingerprint,
      provider_account_id, provider_reference, attempts_count, metadata, created_at, updated_at, version, sequence)
    select workspace_id, ${payment}, 'succeeded', 'payment', 1299, 'eur', 1299, case when n % 10 = 0 then 500 else 0 end,
      'automatic', 'customer', 'auto', pg_temp.uuid_at($2::timestamptz, n % 10000), ${idOf(4)}, ${card},
      md5(n::text), ${account}, 'sim_' || md5(n::text), 1, '{"order": "1815"}', made_at, made_at, 3, 2
    from (${rowsOf}) as filling`,
  payment_attempts: (into) => `
    insert into ${into} (workspace_id, payment_id, id, number, status, provider_account_id, provider_reference,
      trace, card_fingerprint, created_at, updated_at, version)
    select workspace_id, ${payment}, ${attempt}, 1, 'captured', ${account}, 'sim_' || md5(n::text),
      '{"cause": "first in the default order", "candidates": []}', md5(n::text), made_at, made_at, 2
    from (${rowsOf}) as filling`,
  operations: (into) => `
    insert into ${into} (workspace_id, payment_id, id, attempt_id, kind, number, reference, status, amount,
      currency, capture, provider_account_id, provider_reference, request_hash, lease_until, created_at,
      updated_at, version)
    select workspace_id, ${payment}, ${operation}, ${attempt}, 'authorize', 1, md5(n::text) || '-1', 'succeeded',
      1299, 'eur', true, ${account}, 'sim_' || md5(n::text), sha256(n::text::bytea), made_at, made_at, made_at, 2
    from (${rowsOf}) as filling`,
  refunds: (into) => `
    insert into ${into} (workspace_id, payment_id, id, status, amount, currency, reason, source,
      provider_reference, created_at, updated_at, version, sequence)
    select workspace_id, ${payment}, ${refund}, 'succeeded', 500, 'eur', 'requested_by_customer', 'api',
      'sim_' || md5(n::text), made_at, made_at, 2, 2
    from (${rowsOf}) as filling where n % 10 = 0`,
}

/** Shorter than real events, because only their index is read. */
const insertEvents = (into: string, nth: number) => `
  insert into ${into} (workspace_id, id, type, object_id, sequence, api_version, created_at, data)
  select workspace_id, ${idOf(5 + nth)}, '${nth === 0 ? 'payment.created' : 'payment.succeeded'}', ${payment},
    ${nth + 1}, '2026-11-14', made_at, '{"id":"event_test_' || n || '","object":"' || repeat('x', 100) || '"}'
  from (${rowsOf}) as filling`
