/** Reads deliveries and attempts. */
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { refuse } from '../../../../kernel/errors.ts'
import { type Id, idFromUuid, type Mode, uuidFromText, uuidOf } from '../../../../kernel/id.ts'
import type { IdRange } from '../../../../platform/db/keyset.ts'
import { listRows } from '../../../../platform/db/list-rows.ts'
import type { Deliveries, DeliveryAttempts } from '../../../../platform/db/tables.generated.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import type { Attempt, AttemptTrigger, Delivery, DeliveryOutcome, DeliveryState } from '../delivery.ts'

/**
 * Columns by name, never `*`: a column added by a migration must not change the prepared statements of a
 * running process.
 */
export const deliveryColumns = [
  'id',
  'event_id',
  'event_type',
  'webhook_endpoint_id',
  'state',
  'due_at',
  'trigger',
  'tries',
  'attempts',
  'exhaustions',
  'last_outcome',
  'last_status',
  'settled_at',
  'version',
] as const
export type DeliveryRow = Pick<Selectable<Deliveries>, (typeof deliveryColumns)[number]>

/**
 * The maximum number of attempts in a response. A round has 14 at most, but a delivery can be resent without
 * limit.
 */
const maxAttempts = 50

export async function findDelivery(view: View, text: string): Promise<Delivery> {
  const row = await byId(view, text).executeTakeFirst()
  return row ? fromRow(view.caller.mode, row) : refuse('not_found', { detail: missing })
}

/**
 * Locks the delivery. An update increments its version, so that the result of an attempt in flight is
 * ignored.
 */
export async function lockDelivery(tx: Tx, text: string): Promise<Delivery> {
  const row = await byId(tx, text).forUpdate().executeTakeFirst()
  return row ? fromRow(tx.caller.mode, row) : refuse('not_found', { detail: missing })
}

const missing = 'There is no such delivery. Deliveries are stored for 30 days.'

function byId(view: View, text: string) {
  const uuid = uuidFromText('delivery', view.caller.mode, text) ?? refuse('not_found', { detail: missing })
  return view.db
    .selectFrom('deliveries')
    .select(deliveryColumns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuid)
}

export async function listDeliveries(
  view: View,
  range: IdRange,
  filter: { readonly endpointId: Id<'webhook_endpoint'>; readonly state: DeliveryState | undefined },
) {
  // A literal rather than a parameter: the partial index only contains these two states, and Postgres must
  // see which one it is.
  const state = filter.state === undefined ? sql`` : sql`and state = ${sql.lit(filter.state)}`
  return selectPage(view, range, sql`and webhook_endpoint_id = ${uuidOf(filter.endpointId)} ${state}`)
}

export function listAllDeliveries(view: View, range: IdRange, eventUuid: string | null) {
  return selectPage(view, range, eventUuid === null ? sql`` : isOfEvent(eventUuid))
}

/**
 * The first half of a delivery id is the first half of the event id, so the primary key finds the deliveries.
 */
function isOfEvent(uuid: string) {
  const half = uuid.slice(0, 18)
  return sql`and event_id = ${uuid}::uuid
    and id >= ${`${half}-0000-000000000000`}::uuid and id <= ${`${half}-ffff-ffffffffffff`}::uuid`
}

function selectPage(view: View, range: IdRange, only: RawBuilder<unknown>) {
  return listRows(view, range, { table: 'deliveries', columns: deliveryColumns, only, fromRow })
}

const attemptColumns = [
  'number',
  'trigger',
  'started_at',
  'duration_ms',
  'dns_ms',
  'connect_ms',
  'tls_ms',
  'first_byte_ms',
  'connection_reused',
  'outcome',
  'status',
  'remote_ip',
  'detail',
  'response_headers',
  'response_body',
  'signature_digest',
  'webhook_signature',
  'webhook_timestamp',
  'secret_ids',
  'next_attempt_at',
  'worker',
] as const
type AttemptRow = Pick<Selectable<DeliveryAttempts>, (typeof attemptColumns)[number]>

/** The latest attempts, oldest first. */
export async function listAttempts(view: View, text: string): Promise<Attempt[]> {
  const uuid = uuidFromText('delivery', view.caller.mode, text)
  if (uuid === null) return []
  const rows = await view.db
    .selectFrom('delivery_attempts')
    .select(attemptColumns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('delivery_id', '=', uuid)
    .orderBy('number', 'desc')
    .limit(maxAttempts)
    .execute()
  return rows.map((row) => attemptFromRow(view.caller.mode, row)).toReversed()
}

export function fromRow(mode: Mode, row: DeliveryRow): Delivery {
  return {
    id: idFromUuid('delivery', mode, row.id),
    eventId: idFromUuid('event', mode, row.event_id),
    eventType: row.event_type,
    webhookEndpointId: idFromUuid('webhook_endpoint', mode, row.webhook_endpoint_id),
    state: row.state as DeliveryState,
    dueAt: row.due_at,
    trigger: row.trigger as Delivery['trigger'],
    tries: row.tries,
    attempts: row.attempts,
    lastOutcome: row.last_outcome as DeliveryOutcome | null,
    lastStatus: row.last_status,
    settledAt: row.settled_at,
    version: row.version,
    sequence: row.exhaustions,
  }
}

function attemptFromRow(mode: Mode, row: AttemptRow): Attempt {
  return {
    number: row.number,
    trigger: row.trigger as AttemptTrigger,
    startedAt: row.started_at,
    durationMs: row.duration_ms,
    dnsMs: row.dns_ms,
    connectMs: row.connect_ms,
    tlsMs: row.tls_ms,
    firstByteMs: row.first_byte_ms,
    connectionReused: row.connection_reused,
    outcome: row.outcome as DeliveryOutcome,
    status: row.status,
    remoteIp: row.remote_ip,
    detail: row.detail,
    responseHeaders: row.response_headers as Record<string, string> | null,
    responseBody: row.response_body,
    signatureDigest: row.signature_digest,
    webhookSignature: row.webhook_signature,
    webhookTimestamp: Number(row.webhook_timestamp),
    secretIds: row.secret_ids.map((uuid) => idFromUuid('webhook_secret', mode, uuid)),
    nextAttemptAt: row.next_attempt_at,
    worker: row.worker,
  }
}
