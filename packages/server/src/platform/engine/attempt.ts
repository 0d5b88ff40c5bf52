/** One attempt at one piece of work: measured, and never thrown out of. Failures are counted in Postgres. */
import { type Clock, monotonicMs } from '../../kernel/clock.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { Ref } from '../../kernel/id.ts'
import { crashpoint } from '../crashpoint.ts'
import type { Databases } from '../db/databases.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { clearFailure, recordFailure } from './parking.ts'
import type { Work } from './work.ts'

/** What the engine needs of the dependencies it passes on to `handle`. */
export type EngineDeps = { readonly databases: Databases; readonly clock: Clock }

export type WorkContext<Deps extends EngineDeps> = {
  readonly deps: Deps
  readonly log: Log
  readonly metrics: Pick<Metrics, 'workHandled' | 'workSeconds' | 'workRetried'>
}

export type Outcome =
  | { readonly is: 'done' }
  | { readonly is: 'failed'; readonly retrySeconds: number }
  | { readonly is: 'parked' }

/** When Postgres is away, and the failure cannot even be counted. */
const uncountedRetrySeconds = 5

export async function attempt<Deps extends EngineDeps>(
  context: WorkContext<Deps>,
  work: Work<Deps>,
  { ref, failedBefore }: { readonly ref: Ref; readonly failedBefore: boolean },
): Promise<Outcome> {
  const startedMs = monotonicMs()
  const outcome = await run(context, work, ref, failedBefore).catch((error) =>
    fail(context, work, ref, error),
  )
  context.metrics.workSeconds.observe({ work: work.name }, (monotonicMs() - startedMs) / 1000)
  context.metrics.workHandled.inc({ work: work.name, outcome: outcome.is })
  return outcome
}

async function run<Deps extends EngineDeps>(
  { deps }: WorkContext<Deps>,
  work: Work<Deps>,
  ref: Ref,
  failedBefore: boolean,
): Promise<Outcome> {
  await work.handle(deps, ref)
  crashpoint('work.handled')
  if (failedBefore) await clearFailure(deps.databases.of(ref.workspaceId), work.name, ref)
  return { is: 'done' }
}

async function fail<Deps extends EngineDeps>(
  { deps, log }: WorkContext<Deps>,
  work: Work<Deps>,
  ref: Ref,
  error: unknown,
): Promise<Outcome> {
  const about = { work: work.name, workspace_id: ref.workspaceId, id: ref.id, error }
  const failed = { work: work.name, ref, error, now: deps.clock.read() }
  // A database that is away is not the object's fault: such a failure does not count towards parking.
  const away = error instanceof Refusal && error.code === 'unavailable'
  const failure = away
    ? null
    : await recordFailure(deps.databases.of(ref.workspaceId), failed).catch(() => null)
  if (failure === null) {
    log.warn('Work failed without being counted, and will be tried again.', about)
    return { is: 'failed', retrySeconds: uncountedRetrySeconds }
  }
  if (failure.parked) {
    log.error('Work failed too often and is parked.', { ...about, attempt: failure.failures })
    return { is: 'parked' }
  }
  log.warn('Work failed and will be tried again.', { ...about, attempt: failure.failures })
  return { is: 'failed', retrySeconds: failure.retrySeconds }
}
