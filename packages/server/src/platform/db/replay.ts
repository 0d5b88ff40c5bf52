/**
 * Idempotency keys. The claim is an advisory lock of the transaction; the response is a row in the same
 * commit as the effect. So neither exists without the other.
 */
import { type CompiledQuery, sql } from 'kysely'
import type { Caller, RenderedResponse, ReplayScope } from '../../kernel/caller.ts'
import { refuse } from '../../kernel/errors.ts'
import { type Id, idFromUuid, uuidOf } from '../../kernel/id.ts'
import type { Db } from './databases.ts'

/** Keys are valid this long; the previous partition still has them. */
export const retentionDays = 7

/** Thrown to end a request whose response is already stored. The HTTP platform sends the stored response. */
export class Replayed extends Error {
  override name = 'Replayed'
  readonly response: RenderedResponse
  readonly originalRequestId: Id<'request'>

  constructor(response: RenderedResponse, originalRequestId: Id<'request'>) {
    super('This request was answered before.')
    this.response = response
    this.originalRequestId = originalRequestId
  }
}

/**
 * Scopes whose response is committed. A second unit of the same request would find the response and treat the
 * request as a repeat.
 */
const answered = new WeakSet<ReplayScope>()

export function markAnswered(scope: ReplayScope): void {
  answered.add(scope)
}

export function isAnswered(scope: ReplayScope): boolean {
  return answered.has(scope)
}

/** The advisory lock of a scope, as a signed 64-bit number. */
export function lockNumberOf(scope: Buffer): bigint {
  return scope.readBigInt64BE(0)
}

export async function findStoredResponse(
  db: Db,
  workspaceId: Id<'workspace'>,
  scope: Buffer,
): Promise<StoredResponse | null> {
  const { rows } = await sql<StoredResponse>`
    select id, fingerprint, request_id, state, fence, subject_id, lease_until < now() as is_over, status, etag, body
    from idempotency_keys
    where workspace_id = ${uuidOf(workspaceId)} and scope = ${scope}
      and id >= uuid_floor(transaction_timestamp() - make_interval(days => ${sql.lit(retentionDays)}))`.execute(
    db,
  )
  return rows[0] ?? null
}

export type StoredResponse = {
  readonly id: string
  readonly fingerprint: Buffer
  readonly request_id: string
} & (
  | { readonly state: 'done'; readonly status: number; readonly etag: string | null; readonly body: string }
  | {
      readonly state: 'running'
      readonly fence: number
      readonly subject_id: string
      readonly is_over: boolean
    }
)

/** Thrown when a request with this key began and is no longer running: the repeated request can resume it. */
export class UnfinishedRequest extends Error {
  override name = 'Unfinished'
  readonly keyUuid: string
  readonly fence: number
  readonly subjectUuid: string

  constructor(stored: StoredResponse & { readonly state: 'running' }) {
    super('The first request has not ended.')
    this.keyUuid = stored.id
    this.fence = stored.fence
    this.subjectUuid = stored.subject_id
  }
}

/** Ends the request with the stored response, or rejects it if the content differs. */
export function replay(stored: StoredResponse, replay: ReplayScope, { mode, request }: Caller): never {
  if (!stored.fingerprint.equals(replay.fingerprint)) refuse('idempotency_key_reused')
  if (stored.state === 'running') {
    // The response to the first commit of this request was lost, and the request runs again.
    const isOwn = request !== null && stored.request_id === uuidOf(request.id)
    if (stored.is_over || isOwn) throw new UnfinishedRequest(stored)
    return refuse('idempotency_key_in_use', { retryAfterSeconds: 1 })
  }
  throw new Replayed(
    { status: stored.status, etag: stored.etag, body: stored.body },
    idFromUuid('request', mode, stored.request_id),
  )
}

/**
 * Call this at the start of a request that consists of several units: a repeated request ends here without
 * any effect.
 */
export async function endIfAnswered(db: Db, caller: Caller): Promise<void> {
  const scope = caller.request?.replay ?? null
  const stored = scope === null ? null : await findStoredResponse(db, caller.workspaceId, scope.scope)
  if (scope !== null && stored !== null) replay(stored, scope, caller)
}

export function storeResponse(
  db: Db,
  key: { workspaceId: Id<'workspace'>; uuid: string; requestId: Id<'request'> },
  replay: ReplayScope,
  response: RenderedResponse,
): CompiledQuery {
  return sql`
    insert into idempotency_keys (workspace_id, id, scope, fingerprint, request_id, status, etag, body)
    values (${uuidOf(key.workspaceId)}, ${key.uuid}, ${replay.scope}, ${replay.fingerprint},
      ${uuidOf(key.requestId)}, ${response.status}, ${response.etag}, ${response.body})`.compile(db)
}
