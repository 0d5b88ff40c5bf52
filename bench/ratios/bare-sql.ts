/**
 * The baseline of `POST /customers`: the same prepared statements with `pg` only, with the same tables, role and
 * workspace, one after the other. The difference is the overhead of the server.
 */
import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import type { LoadResult } from './http-load.ts'

export type BareWrite = 'one row' | 'customer and event' | 'customer, event and key'

export type SqlLoad = {
  readonly url: string
  readonly workspace: string
  readonly connections: number
  readonly forMs: number
  readonly write: BareWrite
}

/** A copy of the customers table, without the trigger that requires an event. */
export const oneRowTable = 'create table bench_rows (like customers including all)'

export async function loadSql({ url, workspace, connections, forMs, write }: SqlLoad): Promise<LoadResult> {
  const options = write === 'one row' ? '' : '-c role=switchyard_app'
  const clients = Array.from({ length: connections }, () => new Client({ connectionString: url, options }))
  await Promise.all(clients.map((client) => client.connect()))
  const latenciesMs: number[] = []
  const startedMs = performance.now()
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() - startedMs < forMs) {
        const sentMs = performance.now()
        await writers[write](client, workspace)
        latenciesMs.push(performance.now() - sentMs)
      }
    }),
  )
  const ms = performance.now() - startedMs
  await Promise.all(clients.map((client) => client.end()))
  return { operations: latenciesMs.length, ms, latenciesMs }
}

const writers: Record<BareWrite, (client: Client, workspace: string) => Promise<unknown>> = {
  'one row': (client, workspace) => insertCustomer(client, 'bench_rows', workspace, newUuid(), new Date()),
  'customer and event': (client, workspace) => writeCustomer(client, workspace, false),
  'customer, event and key': (client, workspace) => writeCustomer(client, workspace, true),
}

async function writeCustomer(client: Client, workspace: string, withKey: boolean): Promise<void> {
  const [id, now] = [newUuid(), new Date()]
  await client.query(`begin; select set_config('app.workspace', '${workspace}', true)`)
  if (withKey) await findKey(client, workspace)
  await insertCustomer(client, 'customers', workspace, id, now)
  await insertEvent(client, workspace, id, now)
  if (withKey) await insertKey(client, workspace)
  await client.query('commit')
}

function insertCustomer(client: Client, table: string, workspace: string, id: string, now: Date) {
  return client.query({
    name: `insert ${table}`,
    text: `insert into ${table} (workspace_id, id, name, email, phone, description, locale, address, tax_ids,
      metadata, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    values: [workspace, id, 'Ada Lovelace', 'ada@example.com', ...nulls, '[]', '{"order":"1815"}', now, now],
  })
}

const nulls = [null, null, null, null]

function insertEvent(client: Client, workspace: string, customer: string, now: Date) {
  const id = newUuid()
  return client.query({
    name: 'insert event',
    text: `insert into events (workspace_id, id, type, object_id, sequence, api_version, created_at, data)
      values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    values: [workspace, id, 'customer.created', customer, 1, '2026-11-14', now, dataOf(id, customer, now)],
  })
}

/** A string as long as the event data that the server writes for this customer. */
function dataOf(id: string, customer: string, now: Date): string {
  const object = { id: customer, object: 'customer', name: 'Ada Lovelace', email: 'ada@example.com' }
  const rest = { phone: null, description: null, locale: null, address: null, tax_ids: [] }
  const times = { created_at: now, updated_at: now }
  const request = { id: 'request_test_01M7CYVGQTEAKSNTBFR026MPQ1', idempotency_key: null }
  const head = { id, type: 'customer.created', created_at: now, mode: 'test', sequence: 1 }
  return JSON.stringify({
    ...head,
    object: { ...object, ...rest, metadata: { order: '1815' }, ...times },
    request,
  })
}

function findKey(client: Client, workspace: string) {
  return client.query({
    name: 'find key',
    text: `select fingerprint, request_id, status, etag, body from idempotency_keys where workspace_id = $1
      and scope = $2 and id >= uuid_floor(transaction_timestamp() - interval '7 days')`,
    values: [workspace, randomBytes(32)],
  })
}

const responseBody = JSON.stringify({ id: 'customer_test_01M7CYVGQTEAKSNTBFR026MPQ1', text: 'x'.repeat(300) })

function insertKey(client: Client, workspace: string) {
  return client.query({
    name: 'insert key',
    text: `insert into idempotency_keys (workspace_id, id, scope, fingerprint, request_id, status, etag, body)
      values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    values: [workspace, newUuid(), randomBytes(32), randomBytes(32), newUuid(), 201, '"1"', responseBody],
  })
}

let counter = 0

/** A cheap version 7 uuid: the time and a counter. */
function newUuid(): string {
  counter = (counter + 1) % 0x1_0000_0000
  const time = Date.now().toString(16).padStart(12, '0')
  const tail = counter.toString(16).padStart(8, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7abc-8000-0000${tail}`
}
