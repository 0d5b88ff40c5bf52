/** Writes the rows of a delivery with `pg` only: the attempt, and the update of the delivery. */
import { Pool } from 'pg'
import { idFromUuid } from '../../packages/server/src/kernel/id.ts'

export type PendingDelivery = {
  readonly workspaceId: string
  readonly id: string
  readonly eventId: string
  readonly url: string
  readonly body: string
}

export type Writer = (delivery: PendingDelivery, status: number) => Promise<void>

const columns = `(workspace_id, delivery_id, number, trigger, started_at, duration_ms, first_byte_ms, connection_reused,
  outcome, status, remote_ip, response_headers, response_body, signature_digest, webhook_signature,
  webhook_timestamp, secret_ids, worker)`

const writeStatement = `
  with result as (
    select * from unnest($1::uuid[], $2::uuid[], $3::int2[]) as result (workspace_id, id, status)
  ),
  logged as (
    insert into delivery_attempts ${columns}
    select workspace_id, id, 1, 'schedule', now(), 3, 3, true, 'ok', status, '127.0.0.1',
      '{"date":"Sat, 14 Nov 2026 12:00:00 GMT","connection":"keep-alive","keep-alive":"timeout=5"}', '',
      't=1794657600,v1=${'0'.repeat(64)}', 'v1,${'0'.repeat(43)}=', 1794657600, array[id], id
    from result
  )
  update deliveries as delivery
  set state = 'delivered', tries = 1, attempts = 1, last_outcome = 'ok', last_status = result.status,
    settled_at = now(), version = delivery.version + 1
  from result
  where delivery.workspace_id = result.workspace_id and delivery.id = result.id and delivery.version = 1`

/** Pending deliveries with their bodies. */
export async function readPendingDeliveries(pool: Pool): Promise<PendingDelivery[]> {
  const { rows } = await pool.query(`
    select delivery.workspace_id, delivery.id, delivery.event_id, endpoint.url, event.type, event.created_at,
      event.api_version, event.fan_out, event.data
    from deliveries as delivery
      join webhook_endpoints as endpoint
        on endpoint.workspace_id = delivery.workspace_id and endpoint.id = delivery.webhook_endpoint_id
      join events as event on event.workspace_id = delivery.workspace_id and event.id = delivery.event_id
    where delivery.state = 'pending' order by delivery.id`)
  return rows.map((row) => {
    const eventId = idFromUuid('event', 'test', row.event_id)
    return { workspaceId: row.workspace_id, id: row.id, eventId, url: row.url, body: bodyOf(eventId, row) }
  })
}

type Row = Record<'type' | 'api_version' | 'fan_out' | 'data', string> & { created_at: Date }

function bodyOf(id: string, { type, created_at, api_version, fan_out, data }: Row): string {
  const head = { id, object: 'event', type, created_at: created_at.toISOString() }
  return JSON.stringify({ ...head, api_version, pending_deliveries: fan_out, data })
}

export function openRows(databaseUrl: string): Pool {
  return new Pool({ connectionString: databaseUrl, max: 16, options: '-c role=switchyard_delivery' })
}

type PendingWrite = { readonly delivery: PendingDelivery; readonly status: number; readonly done: () => void }

/** One statement per delivery, each committed separately. */
export function writeOneByOne(pool: Pool): Writer {
  return (delivery, status) => writeBatch(pool, [{ delivery, status, done: () => {} }])
}

/** One statement for up to 64 deliveries, after at most 5 ms, like the server. */
export function writeInBatches(pool: Pool, maxBatch = 64, afterMs = 5): Writer {
  let writes: PendingWrite[] = []
  let timer: NodeJS.Timeout | null = null
  const flush = () => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const batch = writes
    writes = []
    if (batch.length > 0) void writeBatch(pool, batch)
  }
  return (delivery, status) =>
    new Promise((done) => {
      writes.push({ delivery, status, done })
      if (writes.length >= maxBatch) flush()
      else timer ??= setTimeout(flush, afterMs)
    })
}

async function writeBatch(pool: Pool, writes: readonly PendingWrite[]): Promise<void> {
  const values = [
    writes.map(({ delivery }) => delivery.workspaceId),
    writes.map(({ delivery }) => delivery.id),
    writes.map(({ status }) => status),
  ]
  await pool.query({ name: 'write', text: writeStatement, values })
  for (const { done } of writes) done()
}
