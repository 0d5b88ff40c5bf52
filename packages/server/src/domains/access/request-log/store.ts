import { type Selectable, sql } from 'kysely'
import { refuse } from '../../../kernel/errors.ts'
import { type Id, idFromUuid, idOrNull, type Mode, uuidFromText, uuidOf } from '../../../kernel/id.ts'
import type { Db } from '../../../platform/db/databases.ts'
import { type IdRange, keysetOf, pageOf } from '../../../platform/db/keyset.ts'
import type { RequestLog } from '../../../platform/db/tables.generated.ts'
import type { View } from '../../../platform/db/unit-of-work.ts'
import { type Bodies, packBodies, unpackBodies } from './bodies.ts'
import type { LoggedRequest } from './logged-request.ts'

/** A new line of the request log, with its workspace. */
export type NewLine = Omit<LoggedRequest, 'createdAt'> & { readonly workspaceId: Id<'workspace'> }

/** Inserts lines of many workspaces in one statement, with a database role that can do nothing else. */
export async function insertLines(db: Db, lines: readonly NewLine[]): Promise<void> {
  const column = <T>(pick: (line: NewLine) => T) => lines.map(pick)
  await sql`
    insert into request_log (workspace_id, id, api_token_id, person_id, method, path, operation, status, error_code,
      api_version, idempotency_key, replayed, duration_ms, bodies)
    select * from unnest(
      ${column((line) => uuidOf(line.workspaceId))}::uuid[], ${column((line) => uuidOf(line.id))}::uuid[],
      ${column((line) => (line.tokenId === null ? null : uuidOf(line.tokenId)))}::uuid[],
      ${column((line) => (line.personId === null ? null : uuidOf(line.personId)))}::uuid[],
      ${column((line) => line.method)}::text[], ${column((line) => line.path)}::text[],
      ${column((line) => line.operation)}::text[], ${column((line) => line.status)}::int2[],
      ${column((line) => line.errorCode)}::text[], ${column((line) => line.apiVersion)}::text[],
      ${column((line) => line.idempotencyKey)}::text[], ${column((line) => line.replayed)}::boolean[],
      ${column((line) => line.durationMs)}::int[], ${column(packBodies)}::bytea[])
    on conflict do nothing`.execute(db)
}

/**
 * Columns by name, never `*`: a column added by a migration must not change the prepared statements of a
 * running process.
 */
const columns =
  sql.raw(`id, api_token_id, person_id, method, path, operation, status, error_code, api_version,
  idempotency_key, replayed, duration_ms, request_body, response_body, bodies`)

export async function findRequest(view: View, text: string): Promise<LoggedRequest> {
  const uuid = uuidFromText('request', view.caller.mode, text) ?? refuse('not_found', { detail: missing })
  const { rows } = await sql<RequestRow>`
    select ${columns}, uuid_extract_timestamp(id) as created_at from request_log where workspace_id = ${uuidOf(view.caller.workspaceId)} and id = ${uuid}`.execute(
    view.db,
  )
  const [row] = rows
  return row === undefined ? refuse('not_found', { detail: missing }) : fromRow(view.caller.mode, row)
}

const missing =
  'There is no such request. Requests are stored for 30 days and appear shortly after the response.'

/** At most one filter is set, since each has its own index. */
export type RequestFilter = {
  readonly statusClass: '4xx' | '5xx' | undefined
  readonly errorCode: string | undefined
}

/** Literal numbers, so that Postgres can use the partial indexes of failed requests. */
const statusConditions = {
  '4xx': sql`and status >= 400 and status < 500`,
  '5xx': sql`and status >= 500 and status < 600`,
}

export async function listRequests(view: View, range: IdRange, filter: RequestFilter) {
  const { statusClass, errorCode } = filter
  const conditions = [
    statusClass === undefined ? sql`` : statusConditions[statusClass],
    errorCode === undefined ? sql`` : sql`and error_code = ${errorCode}`,
  ]
  const { rows } = await sql<RequestRow>`
    select ${columns}, uuid_extract_timestamp(id) as created_at from request_log
    where workspace_id = ${uuidOf(view.caller.workspaceId)} ${sql.join(conditions, sql` `)} ${keysetOf(range)}`.execute(
    view.db,
  )
  return pageOf(
    rows.map((row) => fromRow(view.caller.mode, row)),
    range,
  )
}

type RequestRow = Omit<Selectable<RequestLog>, 'workspace_id'> & { created_at: Date }

function fromRow(mode: Mode, row: RequestRow): LoggedRequest {
  return {
    id: idFromUuid('request', mode, row.id),
    tokenId: idOrNull('api_token', mode, row.api_token_id),
    personId: idOrNull('person', mode, row.person_id),
    method: row.method,
    path: row.path,
    operation: row.operation,
    status: row.status,
    errorCode: row.error_code,
    apiVersion: row.api_version,
    idempotencyKey: row.idempotency_key,
    replayed: row.replayed,
    durationMs: row.duration_ms,
    ...bodiesOf(row),
    createdAt: row.created_at,
  }
}

/** Rows that were written by earlier versions contain the bodies as text. */
function bodiesOf({ bodies, request_body: requestBody, response_body: responseBody }: RequestRow): Bodies {
  return bodies === null ? { requestBody, responseBody } : unpackBodies(bodies)
}
