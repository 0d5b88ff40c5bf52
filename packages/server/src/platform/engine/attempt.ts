/**
 * One attempt to handle a work item. Its duration and outcome are measured, and it never throws. Failures are
 * counted in Postgres.
 */
import { type Clock, monotonicMs } from '../../kernel/clock.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { Ref } from '../../kernel/id.ts'
import { crashpoint } from '../crashpoint.ts'
import type { Databases } from '../db/databases.ts'
import { onShardOf } from '../db/fence.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { clearFailure, recordFailure } from './parking.ts'
import type { WorkType } from './work.ts'

/** The dependencies that the engine itself needs; all are passed on to `handle`. */
export type EngineDeps = { readonly databases: Databases; readonly clock: Clock }

export type WorkContext<Deps extends EngineDeps> = {
  readonly deps: Deps
  readonly log: Log
  readonly metrics: Pick<Metrics, 'workHandled' | 'workSeconds' | 'workRetried'>
}

export type WorkOutcome =
  | { readonly status: 'done' }
  | { readonly status: 'failed'; readonly retrySeconds: number }
  | { readonly status: 'parked' }

/** The retry delay when Postgres is unavailable and the failure cannot be counted. */
const uncountedRetrySeconds = 5

export async function attempt<Deps extends EngineDeps>(
  context: WorkContext<Deps>,
  work: WorkType<Deps>,
  { ref, failedBefore }: { readonly ref: Ref; readonly failedBefore: boolean },
): Promise<WorkOutcome> {
  const startedMs = monotonicMs()
  const outcome = await run(context, work, ref, failedBefore).catch((error) =>
    fail(context, work, ref, error),
  )
  context.metrics.workSeconds.observe({ work: work.name }, (monotonicMs() - startedMs) / 1000)
  context.metrics.workHandled.inc({ work: work.name, outcome: outcome.status })
  return outcome
}

async function run<Deps extends EngineDeps>(
  { deps }: WorkContext<Deps>,
  work: WorkType<Deps>,
  ref: Ref,
  failedBefore: boolean,
): Promise<WorkOutcome> {
  await work.handle(deps, ref)
  crashpoint('work.handled', work.name)
  if (failedBefore)
    await onShardOf(deps.databases, ref.workspaceId, (shard) => clearFailure(shard, work.name, ref))
  return { status: 'done' }
}

async function fail<Deps extends EngineDeps>(
  { deps, log }: WorkContext<Deps>,
  work: WorkType<Deps>,
  ref: Ref,
  error: unknown,
): Promise<WorkOutcome> {
  const logFields = { work: work.name, workspace_id: ref.workspaceId, id: ref.id, error }
  const failedAttempt = { work: work.name, ref, error, now: deps.clock.read() }
  // An unavailable database is not caused by the object: such a failure does not count towards parking.
  const isDatabaseUnavailable =
    error instanceof Refusal && (error.code === 'unavailable' || error.code === 'read_only')
  const failure = isDatabaseUnavailable
    ? null
    : await onShardOf(deps.databases, ref.workspaceId, (shard) => recordFailure(shard, failedAttempt)).catch(
        () => null,
      )
  if (failure === null) {
    log.warn('Work failed and will be retried. The failure is not counted.', logFields)
    return { status: 'failed', retrySeconds: uncountedRetrySeconds }
  }
  if (failure.parked) {
    log.error('Work failed too many times and was parked.', { ...logFields, attempt: failure.failures })
    return { status: 'parked' }
  }
  log.warn('Work failed and will be retried.', { ...logFields, attempt: failure.failures })
  return { status: 'failed', retrySeconds: failure.retrySeconds }
}
