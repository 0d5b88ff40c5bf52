/**
 * Creates millions of rows inside the database. They look like rows of the server: ids are ordered by time, and events
 * are as long as the event of a small customer. The trigger that requires an event for each change is disabled.
 */
import type { Client } from 'pg'

export type Filling = {
  readonly rows: number
  /** The time range of the row ids. */
  readonly from: Date
  readonly to: Date
  /** Rows are distributed over these workspaces in turn. */
  readonly workspaces: readonly string[]
}

/** A uuid of version 7 whose random part counts up, so that rows of one millisecond keep their order. */
export const uuidAt = `
  create or replace function pg_temp.uuid_at(at timestamptz, number bigint) returns uuid
  language sql stable parallel safe
  return (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0')
    || '7abc8' || lpad(to_hex(number), 15, '0'))::uuid`

/** The rows to fill in, numbered by `n`, each with its workspace and creation time. */
export const rowsOf = `
  select n, ($4::uuid[])[1 + n % cardinality($4::uuid[])] as workspace_id,
    $2::timestamptz + ($3::timestamptz - $2::timestamptz) * (n::float8 / $1::bigint) as made_at
  from generate_series(0, $1::bigint - 1) as n`

export async function fillCustomers(client: Client, filling: Filling): Promise<void> {
  await client.query(uuidAt)
  await client.query('alter table customers disable trigger customers_change_is_told')
  await client.query(
    `insert into customers (workspace_id, id, name, email, metadata, created_at, updated_at)
     select workspace_id, pg_temp.uuid_at(made_at, n), 'Ada Lovelace ' || n, 'ada' || n || '@example.com',
       '{"order": "1815"}', made_at, made_at
     from (${rowsOf}) as filling`,
    valuesOf(filling),
  )
  await client.query('alter table customers enable trigger customers_change_is_told')
}

export async function fillEvents(client: Client, filling: Filling, into = 'events'): Promise<void> {
  await client.query(uuidAt)
  await client.query(
    `insert into ${into} (workspace_id, id, type, object_id, sequence, api_version, created_at, data)
     select workspace_id, pg_temp.uuid_at(made_at, n), 'customer.created', pg_temp.uuid_at(made_at, n), 1,
       '2026-11-14', made_at, '{"id":"event_test_' || n || '","object":"' || repeat('x', 500) || '"}'
     from (${rowsOf}) as filling`,
    valuesOf(filling),
  )
}

/** Idempotency keys of completed requests. */
export async function fillKeys(client: Client, filling: Filling): Promise<void> {
  await client.query(uuidAt)
  await client.query(
    `insert into idempotency_keys (workspace_id, id, scope, fingerprint, request_id, status, body)
     select workspace_id, pg_temp.uuid_at(made_at, n), sha256(n::text::bytea), sha256(n::text::bytea),
       pg_temp.uuid_at(made_at, n), 201, '{"id":"customer_test_' || n || '","text":"' || repeat('x', 300) || '"}'
     from (${rowsOf}) as filling`,
    valuesOf(filling),
  )
}

export function valuesOf({ rows, from, to, workspaces }: Filling): unknown[] {
  return [rows, from, to, workspaces]
}
