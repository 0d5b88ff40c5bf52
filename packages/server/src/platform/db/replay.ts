/**
 * Idempotency keys. The claim is an advisory lock that the transaction holds; the answer is a row of the
 * same commit as the effect. So there is no moment at which one exists without the other.
 */
import { type CompiledQuery, sql } from 'kysely'
import type { Caller, ReplayScope, StoredAnswer } from '../../kernel/caller.ts'
import { refuse } from '../../kernel/errors.ts'
import { type Id, idFromUuid, type Mode, uuidOf } from '../../kernel/id.ts'
import type { Db } from './databases.ts'

/** Keys are remembered this long; the partition before the current one still holds them. */
const keptDays = 7

/** Thrown to end a request whose answer exists already. The HTTP platform sends it as it was stored. */
export class Replayed extends Error {
  override name = 'Replayed'
  readonly answer: StoredAnswer
  readonly originalRequestId: Id<'request'>

  constructor(answer: StoredAnswer, originalRequestId: Id<'request'>) {
    super('This request was answered before.')
    this.answer = answer
    this.originalRequestId = originalRequestId
  }
}

/** Scopes whose answer is committed. A second unit of the same request would find it and take it for a repeat. */
const answered = new WeakSet<ReplayScope>()

export function noteAnswered(scope: ReplayScope): void {
  answered.add(scope)
}

export function isAnswered(scope: ReplayScope): boolean {
  return answered.has(scope)
}

/** The lock of a scope, as the signed 64-bit number that advisory locks take. */
export function lockNumberOf(scope: Buffer): bigint {
  return scope.readBigInt64BE(0)
}

export async function findAnswer(
  db: Db,
  workspaceId: Id<'workspace'>,
  scope: Buffer,
): Promise<KeptAnswer | null> {
  const { rows } = await sql<KeptAnswer>`
    select id, fingerprint, request_id, state, fence, subject_id, lease_until < now() as is_over, status, etag, body
    from idempotency_keys
    where workspace_id = ${uuidOf(workspaceId)} and scope = ${scope}
      and id >= uuid_floor(transaction_timestamp() - make_interval(days => ${sql.lit(keptDays)}))`.execute(db)
  return rows[0] ?? null
}

export type KeptAnswer = {
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

/** The first request has begun and not ended, and whoever ran it is gone: a repeat may go on in its place. */
export class Unfinished extends Error {
  override name = 'Unfinished'
  readonly keyUuid: string
  readonly fence: number
  readonly subjectUuid: string

  constructor(kept: KeptAnswer & { readonly state: 'running' }) {
    super('The first request has not ended.')
    this.keyUuid = kept.id
    this.fence = kept.fence
    this.subjectUuid = kept.subject_id
  }
}

/** Ends the request: with the answer of the first one, or with a refusal if this is another request. */
export function replay(kept: KeptAnswer, replay: ReplayScope, mode: Mode): never {
  if (!kept.fingerprint.equals(replay.fingerprint)) refuse('idempotency_key_reused')
  if (kept.state === 'running') {
    if (kept.is_over) throw new Unfinished(kept)
    return refuse('idempotency_key_in_use', { retryAfterSeconds: 1 })
  }
  throw new Replayed(
    { status: kept.status, etag: kept.etag, body: kept.body },
    idFromUuid('request', mode, kept.request_id),
  )
}

/** For a request of several units, at the beginning of the first: a repeat ends here and does nothing again. */
export async function endIfAnswered(db: Db, caller: Caller): Promise<void> {
  const scope = caller.request?.replay ?? null
  const kept = scope === null ? null : await findAnswer(db, caller.workspaceId, scope.scope)
  if (scope !== null && kept !== null) replay(kept, scope, caller.mode)
}

export function keepAnswer(
  db: Db,
  key: { workspaceId: Id<'workspace'>; uuid: string; requestId: Id<'request'> },
  replay: ReplayScope,
  answer: StoredAnswer,
): CompiledQuery {
  return sql`
    insert into idempotency_keys (workspace_id, id, scope, fingerprint, request_id, status, etag, body)
    values (${uuidOf(key.workspaceId)}, ${key.uuid}, ${replay.scope}, ${replay.fingerprint},
      ${uuidOf(key.requestId)}, ${answer.status}, ${answer.etag}, ${answer.body})`.compile(db)
}
