/**
 * Work that fails. How often and why stands in Postgres, so the count survives an engine that forgets. After
 * ten failures a piece of work is parked: it is not due any more until a person has looked and releases it.
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
const longestReason = 500
/** Failures of what has since gone well or away are kept a week, for those who look into it. */
const keepDays = 7
/** Workspaces cleaned up by one chore; the next one goes on. */
const maxWorkspacesAtOnce = 1_000

export type Failure = { readonly failures: number; readonly retrySeconds: number; readonly parked: boolean }

export type Parked = {
  readonly work: WorkName
  readonly workspaceId: Id<'workspace'>
  /** The object's id; its uuid if this version does not know the work. */
  readonly id: string
  readonly failures: number
  readonly reason: string
  readonly parkedAt: Date
}

type Failed = { readonly work: WorkName; readonly ref: Ref; readonly error: unknown; readonly now: Reading }

export async function recordFailure(shard: Shard, { work, ref, error, now }: Failed): Promise<Failure> {
  // Drawn here for every count, and picked there by the count that only the database knows.
  const waits = Array.from({ length: maxFailures }, (_, place) =>
    backoffSeconds({ attempt: place + 1, baseSeconds, capSeconds }),
  )
  const at = instantOf(now)
  return shard.inWorkspace(ref.workspaceId, async (db) => {
    const { rows } = await sql<{ failures: number; parked: boolean }>`
      insert into work_failures as known (workspace_id, work, object_id, failures, reason, retry_at)
      values (${uuidOf(ref.workspaceId)}, ${work}, ${uuidOf(ref.id)}, 1, ${reasonOf(error)},
        ${at} + ${waits[0]} * interval '1 second')
      on conflict (workspace_id, work, object_id) do update set
        failures = case when ${isOld(at)} then 1 else known.failures + 1 end,
        reason = excluded.reason,
        retry_at = ${at} + (${waits}::float8[])[case when ${isOld(at)} then 1
          else least(known.failures + 1, ${maxFailures}) end] * interval '1 second',
        parked_at = coalesce(known.parked_at,
          case when known.failures + 1 >= ${maxFailures} and not ${isOld(at)} then ${at} end)
      returning failures, parked_at is not null as parked`.execute(db)
    const { failures, parked } = rows[0] as { failures: number; parked: boolean }
    const retrySeconds = waits[Math.min(failures, maxFailures) - 1] ?? capSeconds
    return { failures, parked, retrySeconds }
  })
}

/** It went well after all: the next failure counts from one again. */
export async function clearFailure(shard: Shard, work: WorkName, ref: Ref): Promise<boolean> {
  return shard.inWorkspace(ref.workspaceId, async (db) => {
    const { numDeletedRows } = await failureOf(db, work, ref).executeTakeFirst()
    return numDeletedRows > 0n
  })
}

/** Lets parked work run again, with ten new attempts. The reconciler hands it out. False if there is none. */
export async function releaseParked(shard: Shard, work: WorkName, ref: Ref): Promise<boolean> {
  return shard.inWorkspace(ref.workspaceId, async (db) => {
    const { numDeletedRows } = await failureOf(db, work, ref)
      .where('parked_at', 'is not', null)
      .executeTakeFirst()
    return numDeletedRows > 0n
  })
}

function failureOf(db: Db, work: WorkName, ref: Ref) {
  return db
    .deleteFrom('work_failures')
    .where('workspace_id', '=', uuidOf(ref.workspaceId))
    .where('work', '=', work)
    .where('object_id', '=', uuidOf(ref.id))
}

/** The uuids of what has failed of this work and is not parked, so that success can clear it. */
export async function failingOf(shard: Shard, work: WorkName, limit: number): Promise<ReadonlySet<string>> {
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

/** What is parked, the newest first. `works` say which kind of id each of them carries. */
export async function listParked(
  shard: Shard,
  works: readonly { readonly name: WorkName; readonly key: Kind }[],
  limit: number,
): Promise<Parked[]> {
  const kinds = new Map<string, Kind>(works.map(({ name, key }) => [name, key]))
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

/** Forgets failures that led to nothing: the work went well in a way nobody noticed, or its object is gone. */
export async function forgetOldFailures(shard: Shard): Promise<void> {
  const old = sql<boolean>`parked_at is null and retry_at < now() - ${keepDays} * interval '1 day'`
  const workspaces = await shard.as('switchyard_due', (db) =>
    db
      .selectFrom('work_failures')
      .select('workspace_id')
      .distinct()
      .where(old)
      .limit(maxWorkspacesAtOnce)
      .execute(),
  )
  for (const { workspace_id } of workspaces) {
    // Only the uuid counts here, which is the same in either mode.
    await shard.inWorkspace(idFromUuid('workspace', 'live', workspace_id), (db) =>
      db.deleteFrom('work_failures').where('workspace_id', '=', workspace_id).where(old).execute(),
    )
  }
}

/** Whoever has not failed for an hour after its retry went well meanwhile: its next failure is a first one. */
function isOld(at: RawBuilder<Date>): RawBuilder<boolean> {
  return sql<boolean>`(known.parked_at is null and known.retry_at < ${at} - interval '1 hour')`
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return scrub(text).slice(0, longestReason)
}
