/**
 * Runs `due` and `handle` directly, without NATS. Tests run all due work this way before they assert, which
 * proves each time that Postgres alone suffices. The reconciler does the same in small batches while NATS is
 * unavailable.
 */
import { assert } from '../../kernel/assert.ts'
import type { Shard } from '../db/databases.ts'
import type { EngineDeps } from './attempt.ts'
import type { Due, WorkName, WorkType } from './work.ts'

const batchSize = 100
/**
 * One round runs every work type once. Work that needs more rounds than this does not advance its due time.
 */
const defaultMaxRounds = 1_000

/** Handles due work until nothing is due. Errors are thrown, so that tests fail. */
export async function runAllDueWork<Deps extends EngineDeps>(
  deps: Deps,
  workTypes: readonly WorkType<Deps>[],
  { maxRounds = defaultMaxRounds }: { readonly maxRounds?: number } = {},
): Promise<void> {
  let stillDue: WorkName[] = []
  for (let round = 0; round < maxRounds; round += 1) {
    stillDue = await runRound(deps, workTypes)
    if (stillDue.length === 0) return
  }
  assert(
    false,
    `Still due after ${maxRounds} rounds: ${stillDue.join(', ')}. Does handle advance the due time?`,
  )
}

/** Returns the names of the work types that were due. */
async function runRound<Deps extends EngineDeps>(
  deps: Deps,
  workTypes: readonly WorkType<Deps>[],
): Promise<WorkName[]> {
  const names: WorkName[] = []
  for (const shard of deps.databases.shards) {
    let remaining = workTypes
    while (remaining.length > 0) {
      const { work, due, after } = await findDue(shard, deps, remaining)
      // Sequentially, in the order of due times, so that tests are deterministic.
      for (const ref of due) await work?.handle(deps, ref)
      if (work) names.push(work.name)
      remaining = after
    }
  }
  return names
}

/**
 * Finds the first work type that is due, and the work types after it. All are read in one transaction, which
 * is much faster than a transaction for each, because most of them are not due.
 */
function findDue<Deps extends EngineDeps>(
  shard: Shard,
  { clock }: Deps,
  workTypes: readonly WorkType<Deps>[],
): Promise<{ work?: WorkType<Deps>; due: readonly Due[]; after: readonly WorkType<Deps>[] }> {
  return shard.as('switchyard_due', async (db) => {
    for (const [index, work] of workTypes.entries()) {
      const due = await work.due(db, clock.read(), batchSize)
      if (due.length > 0) return { work, due, after: workTypes.slice(index + 1) }
    }
    return { due: [], after: [] }
  })
}

/** Reads due work in the role that sees only the ids and due times of all workspaces. */
export function readDue<Deps extends EngineDeps>(
  shard: Shard,
  deps: Deps,
  work: WorkType<Deps>,
  limit: number,
): Promise<readonly Due[]> {
  return shard.as('switchyard_due', (db) => work.due(db, deps.clock.read(), limit))
}
