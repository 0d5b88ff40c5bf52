/**
 * Requests that call an external system between two commits. The first commit stores the intent and leases
 * the idempotency key; the last one stores the outcome and the response. A request repeated in between waits.
 * A request repeated after a crash resumes with the same object and never creates a second one.
 */
import { sql } from 'kysely'
import type { Caller } from '../../kernel/caller.ts'
import { refuse } from '../../kernel/errors.ts'
import { type Id, type Kind, uuidOf } from '../../kernel/id.ts'
import { UnfinishedRequest } from './replay.ts'
import { type FirstReads, runUnit, type Tx, type UnitDeps } from './unit-of-work.ts'

/**
 * Longer than the longest request. Until the lease expires, a repeated request waits and then gets
 * `Retry-After`.
 */
const leaseSeconds = 60

/** The right to store the response of the request. Null if it has no idempotency key. */
export type KeyLease = { readonly keyUuid: string; readonly fence: number } | null

export type BegunRequest<T> =
  | { readonly status: 'begun'; readonly result: T; readonly keyLease: KeyLease }
  | { readonly status: 'resumed'; readonly subjectUuid: string; readonly keyLease: KeyLease }

/**
 * Runs a request: `begin` is its first commit, and `proceed` does the rest. If an earlier request with this key was
 * interrupted, `begin` has no effect, and `proceed` gets the object to resume with.
 */
export async function runResumable<T extends { readonly id: Id<Kind> }, Result>(
  deps: ResumableDeps,
  caller: Caller,
  begin: (tx: Tx) => Promise<T>,
  proceed: (request: BegunRequest<T>) => Promise<Result>,
): Promise<Result> {
  const request = await beginRequest(deps, caller, begin)
  try {
    return await proceed(request)
  } catch (error) {
    if (request.keyLease !== null) deps.runInBackground(endLease(deps, caller, request.keyLease))
    throw error
  }
}

type ResumableDeps = UnitDeps & { readonly runInBackground: (work: Promise<unknown>) => void }

/** The first commit. */
async function beginRequest<T extends { readonly id: Id<Kind> }>(
  deps: ResumableDeps,
  caller: Caller,
  body: (tx: Tx) => Promise<T>,
): Promise<BegunRequest<T>> {
  let keyLease: KeyLease = null
  try {
    const storeResponse = (tx: Tx, created: unknown) => {
      const replay = tx.caller.request?.replay ?? null
      if (replay === null || tx.caller.request === null) return null
      keyLease = { keyUuid: uuidOf(tx.newId('request')), fence: 1 }
      return sql`
        insert into idempotency_keys (workspace_id, id, scope, fingerprint, request_id, state, lease_until, subject_id)
        values (${uuidOf(tx.caller.workspaceId)}, ${keyLease.keyUuid}, ${replay.scope}, ${replay.fingerprint},
          ${uuidOf(tx.caller.request.id)}, 'running', now() + ${leaseSeconds} * interval '1 second',
          ${uuidOf((created as T).id)})`.compile(tx.db)
    }
    const result = await runUnit(deps, caller, { body, storeResponse })
    return { status: 'begun', result, keyLease }
  } catch (error) {
    if (!(error instanceof UnfinishedRequest)) {
      // The first commit may have had an effect although its result was lost.
      if (keyLease !== null) deps.runInBackground(endLease(deps, caller, keyLease))
      throw error
    }
    return {
      status: 'resumed',
      subjectUuid: error.subjectUuid,
      keyLease: await takeOver(deps, caller, error),
    }
  }
}

/**
 * A later commit of the same request. If `isResponse` returns true, its result is the response. It waits like
 * `transactAfterCall`.
 */
export function continueRequest<T, Loaded>(
  deps: UnitDeps,
  caller: Caller,
  keyLease: KeyLease,
  body: (tx: Tx, loading: Promise<Loaded>) => Promise<T>,
  isResponse: (result: T) => boolean,
  firstReads?: FirstReads<Loaded>,
): Promise<T> {
  const storeResponse = (tx: Tx, result: unknown) => {
    const replay = caller.request?.replay ?? null
    if (keyLease === null || replay === null || !isResponse(result as T)) return null
    const { status, etag, body: text } = replay.render(result)
    // If another request has taken over, this update matches no row, and the other request stores the
    // response.
    return sql`
      update idempotency_keys set state = 'done', status = ${status}, etag = ${etag}, body = ${text}
      where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id = ${keyLease.keyUuid}
        and fence = ${keyLease.fence} and state = 'running'`.compile(tx.db)
  }
  return runUnit(deps, withoutKey(caller), {
    body,
    firstReads,
    storeResponse,
    isAfterCall: true,
  })
}

/**
 * Like `transact`, for the result of a call to an external system. While the database is unavailable, or the workspace is being
 * moved to another shard, it waits longer than other units, so that the result is not lost. The result is not the response of the request.
 */
export function transactAfterCall<T, Loaded = void>(
  deps: UnitDeps,
  caller: Caller,
  body: (tx: Tx, loading: Promise<Loaded>) => Promise<T>,
  firstReads?: FirstReads<Loaded>,
): Promise<T> {
  const storeResponse = () => null
  return runUnit(deps, withoutKey(caller), {
    body,
    firstReads,
    storeResponse,
    isAfterCall: true,
  })
}

/** The same caller without the idempotency key, for units whose result is not the response. */
export function withoutKey(caller: Caller): Caller {
  if (caller.request === null) return caller
  return { ...caller, request: { ...caller.request, replay: null } }
}

/** Lets a repeated request continue immediately, because this one has ended with an error. */
function endLease(deps: UnitDeps, caller: Caller, { keyUuid, fence }: NonNullable<KeyLease>): Promise<void> {
  return runUnit(deps, withoutKey(caller), {
    storeResponse: () => null,
    isAfterCall: true,
    body: async (tx) =>
      tx.write(
        sql`
          update idempotency_keys set lease_until = now()
          where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id = ${keyUuid}
            and fence = ${fence} and state = 'running'`.compile(tx.db),
      ),
  })
}

async function takeOver(deps: UnitDeps, caller: Caller, unfinished: UnfinishedRequest): Promise<KeyLease> {
  const request = caller.request as NonNullable<Caller['request']>
  return runUnit(deps, withoutKey(caller), {
    storeResponse: () => null,
    body: async (tx) => {
      const { rows } = await sql<{ fence: number }>`
        update idempotency_keys
        set fence = fence + 1, lease_until = now() + ${leaseSeconds} * interval '1 second'
        where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id = ${unfinished.keyUuid}
          and fence = ${unfinished.fence} and state = 'running'
          and (lease_until < now() or request_id = ${uuidOf(request.id)})
        returning fence`.execute(tx.db)
      const [row] = rows
      // Another repeated request took over first.
      if (row === undefined) refuse('idempotency_key_in_use', { retryAfterSeconds: 1 })
      return { keyUuid: unfinished.keyUuid, fence: row.fence }
    },
  })
}
