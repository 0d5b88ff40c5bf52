/**
 * Requests that call a stranger between two commits. The first commit holds what is intended and claims the
 * key for a while; the last one holds what became of it and the answer. Whoever repeats the request in between
 * waits; whoever repeats it after a crash goes on with the same object, and never begins a second one.
 */
import { sql } from 'kysely'
import type { Caller } from '../../kernel/caller.ts'
import { refuse } from '../../kernel/errors.ts'
import { type Id, type Kind, uuidOf } from '../../kernel/id.ts'
import { Unfinished } from './replay.ts'
import { runUnit, type Tx, type UnitDeps } from './unit-of-work.ts'

/** Longer than a request may take: while it lasts, a repeat waits and is then told to come back. */
const leaseSeconds = 60

/** The right to answer the request. Null if it carries no key. */
export type Hold = { readonly keyUuid: string; readonly fence: number } | null

export type Begun<T> =
  | { readonly is: 'begun'; readonly result: T; readonly hold: Hold }
  | { readonly is: 'resumed'; readonly subjectUuid: string; readonly hold: Hold }

/** The first commit. If the request was begun before and left, says with which object to go on. */
export async function beginRequest<T extends { readonly id: Id<Kind> }>(
  deps: UnitDeps,
  caller: Caller,
  body: (tx: Tx) => Promise<T>,
): Promise<Begun<T>> {
  let hold: Hold = null
  try {
    const result = await runUnit(deps, caller, body, (tx, begun) => {
      const replay = tx.caller.request?.replay ?? null
      if (replay === null || tx.caller.request === null) return null
      hold = { keyUuid: uuidOf(tx.newId('request')), fence: 1 }
      return sql`
        insert into idempotency_keys (workspace_id, id, scope, fingerprint, request_id, state, lease_until, subject_id)
        values (${uuidOf(tx.caller.workspaceId)}, ${hold.keyUuid}, ${replay.scope}, ${replay.fingerprint},
          ${uuidOf(tx.caller.request.id)}, 'running', now() + ${leaseSeconds} * interval '1 second',
          ${uuidOf((begun as T).id)})`.compile(tx.db)
    })
    return { is: 'begun', result, hold }
  } catch (error) {
    if (!(error instanceof Unfinished)) throw error
    return { is: 'resumed', subjectUuid: error.subjectUuid, hold: await takeOver(deps, caller, error) }
  }
}

/** A later commit of the same request. If `isAnswer` says so, its result is what the request is answered with. */
export function continueRequest<T>(
  deps: UnitDeps,
  caller: Caller,
  hold: Hold,
  body: (tx: Tx) => Promise<T>,
  isAnswer: (result: T) => boolean,
): Promise<T> {
  return runUnit(deps, withoutKey(caller), body, (tx, result) => {
    const replay = caller.request?.replay ?? null
    if (hold === null || replay === null || !isAnswer(result as T)) return null
    const { status, etag, body: text } = replay.render(result)
    // One that has taken over meanwhile answers instead of us; the constraint of the row does not mind.
    return sql`
      update idempotency_keys set state = 'done', status = ${status}, etag = ${etag}, body = ${text}
      where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id = ${hold.keyUuid}
        and fence = ${hold.fence} and state = 'running'`.compile(tx.db)
  })
}

/** The same caller, for units whose result is not the answer. */
export function withoutKey(caller: Caller): Caller {
  if (caller.request === null) return caller
  return { ...caller, request: { ...caller.request, replay: null } }
}

async function takeOver(deps: UnitDeps, caller: Caller, left: Unfinished): Promise<Hold> {
  const nothing = () => null
  return runUnit(
    deps,
    withoutKey(caller),
    async (tx) => {
      const { rows } = await sql<{ fence: number }>`
        update idempotency_keys
        set fence = fence + 1, lease_until = now() + ${leaseSeconds} * interval '1 second'
        where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id = ${left.keyUuid}
          and fence = ${left.fence} and state = 'running' and lease_until < now()
        returning fence`.execute(tx.db)
      const [row] = rows
      // Another repeat was quicker.
      if (row === undefined) refuse('idempotency_key_in_use', { retryAfterSeconds: 1 })
      return { keyUuid: left.keyUuid, fence: row.fence }
    },
    nothing,
  )
}
