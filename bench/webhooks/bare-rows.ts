/** What a delivery writes, by `pg` alone: the attempt, and the delivery that it settles. */
import { Pool } from 'pg'
import { idFromUuid } from '../../packages/server/src/kernel/id.ts'

export type Waiting = {
  readonly workspaceId: string
  readonly id: string
  readonly eventId: string
  readonly url: string
  readonly body: string
}

export type Writer = (delivery: Waiting, status: number) => Promise<void>

const columns = `(workspace_id, delivery_id, number, trigger, started_at, duration_ms, first_byte_ms, connection_reused,
  outcome, status, remote_ip, response_headers, response_body, signature_digest, webhook_signature,
  webhook_timestamp, secret_ids, worker)`

const write = `
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
  update deliveries as one
  set state = 'delivered', tries = 1, attempts = 1, last_outcome = 'ok', last_status = result.status,
    settled_at = now(), version = one.version + 1
  from result
  where one.workspace_id = result.workspace_id and one.id = result.id and one.version = 1`

/** What waits, with the bytes that would be sent. */
export async function readWaiting(pool: Pool): Promise<Waiting[]> {
  const { rows } = await pool.query(`
    select one.workspace_id, one.id, one.event_id, endpoint.url, event.type, event.created_at,
      event.api_version, event.fan_out, event.data
    from deliveries as one
      join webhook_endpoints as endpoint
        on endpoint.workspace_id = one.workspace_id and endpoint.id = one.webhook_endpoint_id
      join events as event on event.workspace_id = one.workspace_id and event.id = one.event_id
    where one.state = 'pending' order by one.id`)
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

type Line = { readonly delivery: Waiting; readonly status: number; readonly done: () => void }

/** One statement for each delivery, which is done when it is committed. */
export function oneByOne(pool: Pool): Writer {
  return (delivery, status) => writeLines(pool, [{ delivery, status, done: () => {} }])
}

/** One statement for up to 64, at the latest after 5 ms: as the service does it. */
export function inBatches(pool: Pool, most = 64, afterMs = 5): Writer {
  let lines: Line[] = []
  let timer: NodeJS.Timeout | null = null
  const flush = () => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const taken = lines
    lines = []
    if (taken.length > 0) void writeLines(pool, taken)
  }
  return (delivery, status) =>
    new Promise((done) => {
      lines.push({ delivery, status, done })
      if (lines.length >= most) flush()
      else timer ??= setTimeout(flush, afterMs)
    })
}

async function writeLines(pool: Pool, lines: readonly Line[]): Promise<void> {
  const values = [
    lines.map(({ delivery }) => delivery.workspaceId),
    lines.map(({ delivery }) => delivery.id),
    lines.map(({ status }) => status),
  ]
  await pool.query({ name: 'write', text: write, values })
  for (const { done } of lines) done()
}
