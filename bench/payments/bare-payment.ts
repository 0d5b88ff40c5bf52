/**
 * The baseline of `POST /payments`: writes the same rows with `pg` only, in two commits, for the intent and the outcome.
 * It uses the same tables, role and workspace as the server, with prepared statements, one after the other. No provider
 * is called, and nothing is read, decided, decrypted or serialized.
 */
import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import type { LoadResult } from '../ratios/http-load.ts'

/** The uuids of the objects that the rows refer to. */
export type PaymentObjects = {
  readonly workspace: string
  readonly account: string
  readonly customer: string
  readonly method: string
  readonly endpoint: string
}

export type BarePaymentWriter = {
  load(forMs: number): Promise<LoadResult>
  close(): Promise<void>
}

/** Connections stay open like those of the server, so that their set-up is not measured. */
export async function openBarePaymentWriter(
  url: string,
  connections: number,
  objects: PaymentObjects,
): Promise<BarePaymentWriter> {
  const options = '-c role=switchyard_app'
  const clients = Array.from({ length: connections }, () => new Client({ connectionString: url, options }))
  await Promise.all(clients.map((client) => client.connect()))
  return {
    async load(forMs) {
      const latenciesMs: number[] = []
      const startedMs = performance.now()
      await Promise.all(
        clients.map(async (client) => {
          while (performance.now() - startedMs < forMs) {
            const sentMs = performance.now()
            await pay(client, objects)
            latenciesMs.push(performance.now() - sentMs)
          }
        }),
      )
      return { operations: latenciesMs.length, ms: performance.now() - startedMs, latenciesMs }
    },
    async close() {
      await Promise.all(clients.map((client) => client.end()))
    },
  }
}

async function pay(client: Client, { workspace, ...objects }: PaymentObjects): Promise<void> {
  const ids = { workspace, payment: newUuid(), attempt: newUuid(), operation: newUuid(), key: newUuid() }
  const run = (name: keyof typeof statements, values: unknown[]) =>
    client.query({ name, text: statements[name], values })
  const begin = () => client.query(`begin; select set_config('app.workspace', '${workspace}', true)`)
  const insertEvent = async (type: string, sequence: number, now: Date) => {
    const event = newUuid()
    const data = dataOf(event, type, ids.payment, now)
    await run('event', [workspace, event, type, ids.payment, sequence, now, data])
    await run('delivery', [workspace, event, objects.endpoint, type, ids.payment, sequence, now])
  }

  const now = new Date()
  const leaseUntil = new Date(now.getTime() + 70_000)
  await begin()
  await run('payment', [workspace, ids.payment, objects.customer, objects.method, objects.account, now])
  await run('attempt', [workspace, ids.payment, ids.attempt, objects.account, now])
  const reference = `${ids.payment}-1`
  const operationValues = [ids.attempt, reference, objects.account, leaseUntil, now]
  await run('operation', [workspace, ids.payment, ids.operation, ...operationValues])
  await insertEvent('payment.created', 1, now)
  const hashes = [randomBytes(32), randomBytes(32)]
  await run('key', [workspace, ids.key, ...hashes, newUuid(), leaseUntil, ids.payment])
  await client.query('commit')

  const providerReference = `sim_${ids.operation.replaceAll('-', '')}`
  await begin()
  const succeededValues = [workspace, ids.payment, ids.operation, providerReference, randomBytes(32)]
  await run('operation succeeded', succeededValues)
  await run('attempt captured', [workspace, ids.payment, ids.attempt, providerReference])
  await run('payment succeeded', [workspace, ids.payment, providerReference])
  await run('call', [workspace, newUuid(), ids.payment, ids.operation, objects.account])
  await insertEvent('payment.succeeded', 2, new Date())
  await run('key completed', [workspace, ids.key, dataOf(ids.key, 'payment', ids.payment, now)])
  await client.query('commit')
}

const card =
  '{"brand":"visa","last4":"4242","exp_month":12,"exp_year":2030,"funding":"credit","country":"US","bin":"424242"}'
const trace =
  '{"cause":"first in the default order","candidates":[{"provider_account_id":"provider_account_test_01M7CYVGQTEAKSNTBFR026MPQ1","reasons":[]},{"provider_account_id":"provider_account_test_01M7CYVGQTEAKSNTBFR026MPQ2","reasons":[]}]}'

const statements = {
  payment: `insert into payments (workspace_id, id, status, purpose, amount, currency, capture_method, initiator,
      three_d_secure, customer_id, payment_method_id, card, fingerprint, vault_card_id, provider_account_id,
      attempts_count, description, metadata, created_at, updated_at)
    values ($1, $2, 'processing', 'payment', 1299, 'eur', 'automatic', 'customer', 'auto', $3, $4, '${card}',
      'Vg0fPrMnWbDTkRBIAKqUc1BwDi7hSCd7nJGgTG2bA3I', $4, $5, 1, 'Order 1815', '{"order": "1815"}', $6, $6)`,
  attempt: `insert into payment_attempts (workspace_id, payment_id, id, number, status, provider_account_id, trace,
      card_fingerprint, created_at, updated_at)
    values ($1, $2, $3, 1, 'started', $4, '${trace}', 'Vg0fPrMnWbDTkRBIAKqUc1BwDi7hSCd7nJGgTG2bA3I', $5, $5)`,
  operation: `insert into operations (workspace_id, payment_id, id, attempt_id, kind, number, reference, status, amount,
      currency, capture, final, provider_account_id, lease_until, complete_before_at, due_at, created_at, updated_at)
    values ($1, $2, $3, $4, 'authorize', 1, $5, 'sending', 1299, 'eur', true, true, $6, $7, $7, $7, $8, $8)`,
  event: `insert into events (workspace_id, id, type, object_id, sequence, api_version, created_at, data, fan_out)
    values ($1, $2, $3, $4, $5, '2026-11-14', $6, $7, 1)`,
  delivery: `insert into deliveries (workspace_id, id, event_id, webhook_endpoint_id, event_type, object_id, sequence,
      ordered, state, due_at, trigger)
    values ($1, delivery_id($2, $3), $2, $3, $4, $5, $6, false, 'pending', $7, 'schedule')`,
  key: `insert into idempotency_keys (workspace_id, id, scope, fingerprint, request_id, state, lease_until, subject_id)
    values ($1, $2, $3, $4, $5, 'running', $6, $7)`,
  'operation succeeded': `update operations set status = 'succeeded', provider_reference = $4, request_hash = $5,
      due_at = null, version = 2, updated_at = now()
    where workspace_id = $1 and payment_id = $2 and id = $3 and version = 1`,
  'attempt captured': `update payment_attempts set status = 'captured', provider_reference = $4, version = 2,
      updated_at = now()
    where workspace_id = $1 and payment_id = $2 and id = $3 and version = 1`,
  'payment succeeded': `update payments set status = 'succeeded', amount_captured = 1299, provider_reference = $3,
      version = 2, sequence = 2, updated_at = now()
    where workspace_id = $1 and id = $2 and version = 1`,
  call: `insert into provider_calls (workspace_id, id, payment_id, operation_id, provider_account_id, step, status,
      outcome, may_have_been_sent, request_bytes, answer_bytes, duration_ms, created_at)
    values ($1, $2, $3, $4, $5, 'authorize', 200, 'succeeded', true, 700, 300, 2, now())`,
  'key completed': `update idempotency_keys set state = 'done', status = 201, etag = null, body = $3
    where workspace_id = $1 and id = $2 and fence = 1 and state = 'running'`,
}

/** A string of the same length as the event data that the server writes for this payment. */
function dataOf(id: string, type: string, payment: string, now: Date): string {
  const request = { id: 'request_test_01M7CYVGQTEAKSNTBFR026MPQ1', idempotency_key: 'key-1815' }
  const head = { id, type, created_at: now, mode: 'test', sequence: 1, request }
  return JSON.stringify({ ...head, object: { id: payment, text: 'x'.repeat(1_350) } })
}

let counter = 0

/** A cheap version 7 uuid: the time and a counter. */
function newUuid(): string {
  counter = (counter + 1) % 0x1_0000_0000
  const time = Date.now().toString(16).padStart(12, '0')
  const tail = counter.toString(16).padStart(8, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7abc-8000-0001${tail}`
}
