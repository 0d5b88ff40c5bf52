/**
 * Failed work. The failure count and the reason are in Postgres, so they survive the loss of the engine's
 * data. After ten failures a work item is parked: it is not due again until an operator releases it.
 */
import { type RawBuilder, sql } from 'kysely'
import { backoffSeconds } from '../../kernel/backoff.ts'
import type { Reading } from '../../kernel/clock.ts'
import { type Id, idFromUuid, type Kind, type Mode, type Ref, uuidOf } from '../../kernel/id.ts'
import type { Db, Shard } from '../db/databases.ts'
import { instantOf } from '../db/due.ts'
import { scrub } from '../log.ts'
import type { WorkName } from './work.ts'

export const maxFailures = 10
/** From one second to five minutes: all attempts together take about ten minutes. */
const baseSeconds = 1
const capSeconds = 300
const maxReasonLength = 500
/** Failures of work that has since succeeded or disappeared are kept for a week, for investigation. */
const keepDays = 7
/** The number of workspaces cleaned up per run; the next run continues. */
const maxWorkspacesAtOnce = 1_000

export type Failure = { readonly failures: number; readonly retrySeconds: number; readonly parked: boolean }

export type Parked = {
  readonly work: WorkName
  readonly workspaceId: Id<'workspace'>
  /** The id of the object, or its UUID if this version does not have the work type. */
  readonly id: string
  readonly failures: number
  readonly reason: string
  readonly parkedAt: Date
}

type FailedAttempt = {
  readonly work: WorkName
  readonly ref: Ref
  readonly error: unknown
  readonly now: Reading
}

export async function recordFailure(
  shard: Shard,
  { work, ref, error, now }: FailedAttempt,
): Promise<Failure> {
  // A random delay for every possible count. The statement picks one, because only the database knows the
  // count.
  const delaysSeconds = Array.from({ length: maxFailures }, (_, index) =>
    backoffSeconds({ attempt: index + 1, baseSeconds, capSeconds }),
  )
  const at = instantOf(now)
  return shard.inWorkspace(ref.workspaceId, async (db) => {
    const { rows } = await sql<{ failures: number; parked: boolean }>`
      insert into work_failures as known (workspace_id, work, object_id, failures, reason, retry_at)
      values (${uuidOf(ref.workspaceId)}, ${work}, ${uuidOf(ref.id)}, 1, ${reasonOf(error)},
        ${at} + ${delaysSeconds[0]} * interval '1 second')
      on conflict (workspace_id, work, object_id) do update set
        failures = case when ${isOld(at)} then 1 else known.failures + 1 end,
        reason = excluded.reason,
        retry_at = ${at} + (${delaysSeconds}::float8[])[case when ${isOld(at)} then 1
          else least(known.failures + 1, ${maxFailures}) end] * interval '1 second',
        parked_at = coalesce(known.parked_at,
          case when known.failures + 1 >= ${maxFailures} and not ${isOld(at)} then ${at} end)
      returning failures, parked_at is not null as parked`.execute(db)
    const { failures, parked } = rows[0] as { failures: number; parked: boolean }
    const retrySeconds = delaysSeconds[Math.min(failures, maxFailures) - 1] ?? capSeconds
    return { failures, parked, retrySeconds }
  })
}

/** Resets the failure count after a success. */
export async function clearFailure(shard: Shard, work: WorkName, ref: Ref): Promise<boolean> {
  return shard.inWorkspace(ref.workspaceId, async (db) => {
    const { numDeletedRows } = await deleteFailure(db, work, ref).executeTakeFirst()
    return numDeletedRows > 0n
  })
}

/**
 * Releases parked work with ten new attempts. The reconciler dispatches it. Returns false if the work is not
 * parked.
 */
export async function releaseParked(shard: Shard, work: WorkName, ref: Ref): Promise<boolean> {
  return shard.inWorkspace(ref.workspaceId, async (db) => {
    const { numDeletedRows } = await deleteFailure(db, work, ref)
      .where('parked_at', 'is not', null)
      .executeTakeFirst()
    return numDeletedRows > 0n
  })
}

function deleteFailure(db: Db, work: WorkName, ref: Ref) {
  return db
    .deleteFrom('work_failures')
    .where('workspace_id', '=', uuidOf(ref.workspaceId))
    .where('work', '=', work)
    .where('object_id', '=', uuidOf(ref.id))
}

/** The UUIDs of failed work of this type that is not parked, so that a success can clear the failure. */
export async function listFailingIds(
  shard: Shard,
  work: WorkName,
  limit: number,
): Promise<ReadonlySet<string>> {
  const rows = await shard.as('switchyard_due', (db) =>
    db
      .selectFrom('work_failures')
      .select('object_id')
      .where('work', '=', work)
      .where('parked_at', 'is', null)
      .limit(limit)
      .execute(),
  )
  return new Set(rows.map((row) => row.object_id))
}

export async function countParked(shard: Shard): Promise<number> {
  const { count } = await shard.as('switchyard_due', (db) =>
    db
      .selectFrom('work_failures')
      .select((eb) => eb.fn.countAll<bigint>().as('count'))
      .where('parked_at', 'is not', null)
      .executeTakeFirstOrThrow(),
  )
  return Number(count)
}

/** Parked work, newest first. `workTypes` defines which kind of id each work type has. */
export async function listParked(
  shard: Shard,
  workTypes: readonly { readonly name: WorkName; readonly objectKind: Kind }[],
  limit: number,
): Promise<Parked[]> {
  const kinds = new Map<string, Kind>(workTypes.map(({ name, objectKind }) => [name, objectKind]))
  const rows = await shard.as('switchyard_due', (db) =>
    db
      .selectFrom('work_failures as failure')
      .innerJoin('workspaces', 'workspaces.workspace_id', 'failure.workspace_id')
      .select(['failure.work', 'failure.workspace_id', 'failure.object_id', 'workspaces.mode'])
      .select(['failure.failures', 'failure.reason', 'failure.parked_at'])
      .where('failure.parked_at', 'is not', null)
      .orderBy('failure.parked_at', 'desc')
      .limit(limit)
      .$narrowType<{ parked_at: Date; mode: Mode; work: WorkName }>()
      .execute(),
  )
  return rows.map(({ work, workspace_id, object_id, mode, failures, reason, parked_at }) => {
    const kind = kinds.get(work)
    const id = kind === undefined ? object_id : idFromUuid(kind, mode, object_id)
    const workspaceId = idFromUuid('workspace', mode, workspace_id)
    return { work, workspaceId, id, failures, reason, parkedAt: parked_at }
  })
}

/**
 * Deletes old failures that did not lead to parking: the work succeeded without clearing them, or its object
 * is gone.
 */
export async function deleteOldFailures(shard: Shard): Promise<void> {
  const isOutdated = sql<boolean>`parked_at is null and retry_at < now() - ${keepDays} * interval '1 day'`
  const workspaces = await shard.as('switchyard_due', (db) =>
    db
      .selectFrom('work_failures')
      .select('workspace_id')
      .distinct()
      .where(isOutdated)
      .limit(maxWorkspacesAtOnce)
      .execute(),
  )
  for (const { workspace_id } of workspaces) {
    // Only the UUID matters here, and it does not depend on the mode.
    await shard.inWorkspace(idFromUuid('workspace', 'live', workspace_id), (db) =>
      db.deleteFrom('work_failures').where('workspace_id', '=', workspace_id).where(isOutdated).execute(),
    )
  }
}

/**
 * If work has not failed again within an hour after its retry, the retry succeeded, and its next failure
 * counts as the first.
 */
function isOld(at: RawBuilder<Date>): RawBuilder<boolean> {
  return sql<boolean>`(known.parked_at is null and known.retry_at < ${at} - interval '1 hour')`
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return scrub(text).slice(0, maxReasonLength)
}
