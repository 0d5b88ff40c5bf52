import { type Selectable, sql } from 'kysely'
import { refuse } from '../../../kernel/errors.ts'
import { idFromUuid, type Mode, uuidFromText, uuidOf } from '../../../kernel/id.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { listRows } from '../../../platform/db/list-rows.ts'
import type { WebhookEndpoints } from '../../../platform/db/tables.generated.ts'
import { ConcurrentChange, type Tx, type View } from '../../../platform/db/unit-of-work.ts'
import { type Reason, type Status, webhookEndpointMachine } from './machine.ts'
import type { EndpointSettings, Ordering, WebhookEndpoint } from './webhook-endpoint.ts'

/**
 * Columns by name, never `*`: a column added by a migration must not change the prepared statements of a
 * running process.
 */
const columns = [
  'id',
  'url',
  'name',
  'event_types',
  'status',
  'disabled_reason',
  'disabled_at',
  'ordering',
  'max_in_flight',
  'rate_limit',
  'timeout_seconds',
  'metadata',
  'created_at',
  'updated_at',
  'deleted_at',
  'version',
  'sequence',
] as const
type EndpointRow = Pick<Selectable<WebhookEndpoints>, (typeof columns)[number]>

export async function insertEndpoint(tx: Tx, settings: EndpointSettings): Promise<WebhookEndpoint> {
  const row = await tx.db
    .insertInto('webhook_endpoints')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(tx.newId('webhook_endpoint')),
      ...settingsToRow(settings),
      status: webhookEndpointMachine.initial,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return fromRow(tx.caller.mode, row)
}

type Changes = Partial<EndpointSettings & Pick<WebhookEndpoint, 'status' | 'disabled' | 'deletedAt'>>

/** Writes a change for which one event is emitted: increments the version and the sequence. */
export async function updateEndpoint(
  tx: Tx,
  before: WebhookEndpoint,
  changes: Changes,
): Promise<WebhookEndpoint> {
  const after = { ...before, ...changes }
  const row = await tx.db
    .updateTable('webhook_endpoints')
    .set({
      ...settingsToRow(after),
      status: after.status,
      disabled_reason: after.disabled?.reason ?? null,
      disabled_at: after.disabled?.at ?? null,
      deleted_at: after.deletedAt,
      version: before.version + 1,
      sequence: before.sequence + 1,
      updated_at: tx.now,
    })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(before.id))
    .where('version', '=', before.version)
    .returning(columns)
    .executeTakeFirst()
  if (row === undefined) throw new ConcurrentChange(before.id)
  // The process that serves the endpoint reads it again, and stops if it is disabled.
  tx.wake('webhook_endpoint.deliver', before.id, tx.now)
  return fromRow(tx.caller.mode, row)
}

/** A deleted endpoint is not found. */
export async function findEndpoint(view: View, text: string): Promise<WebhookEndpoint> {
  const row = await byId(view, text).where('deleted_at', 'is', null).executeTakeFirst()
  return row ? fromRow(view.caller.mode, row) : refuse('not_found', { detail: missing })
}

/**
 * Locks an endpoint, so that requests for it are serialized. Also finds deleted endpoints.
 */
export async function lockEndpoint(tx: Tx, text: string): Promise<WebhookEndpoint> {
  const row = await byId(tx, text).forUpdate().executeTakeFirst()
  return row ? fromRow(tx.caller.mode, row) : refuse('not_found', { detail: missing })
}

/** A deleted endpoint is not found. */
export async function lockPresentEndpoint(tx: Tx, text: string): Promise<WebhookEndpoint> {
  const endpoint = await lockEndpoint(tx, text)
  return endpoint.deletedAt === null ? endpoint : refuse('not_found', { detail: missing })
}

const missing = 'There is no such webhook endpoint.'

function byId(view: View, text: string) {
  const uuid =
    uuidFromText('webhook_endpoint', view.caller.mode, text) ?? refuse('not_found', { detail: missing })
  return view.db
    .selectFrom('webhook_endpoints')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuid)
}

export function listEndpoints(view: View, range: IdRange) {
  return listRows(view, range, {
    table: 'webhook_endpoints',
    columns,
    only: sql`and deleted_at is null`,
    fromRow,
  })
}

function settingsToRow(settings: EndpointSettings) {
  return {
    url: settings.url,
    name: settings.name,
    event_types: [...settings.eventTypes],
    ordering: settings.ordering,
    max_in_flight: settings.maxInFlight,
    rate_limit: settings.rateLimit,
    timeout_seconds: settings.timeoutSeconds,
    metadata: JSON.stringify(settings.metadata),
  }
}

function fromRow(mode: Mode, row: EndpointRow): WebhookEndpoint {
  const { disabled_reason: reason, disabled_at: at } = row
  return {
    id: idFromUuid('webhook_endpoint', mode, row.id),
    url: row.url,
    name: row.name,
    eventTypes: row.event_types,
    status: row.status as Status,
    disabled: reason === null || at === null ? null : { reason: reason as Reason, at },
    ordering: row.ordering as Ordering,
    maxInFlight: row.max_in_flight,
    rateLimit: row.rate_limit,
    timeoutSeconds: row.timeout_seconds,
    metadata: row.metadata as Record<string, string>,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deletedAt: row.deleted_at,
    version: row.version,
    sequence: row.sequence,
  }
}
