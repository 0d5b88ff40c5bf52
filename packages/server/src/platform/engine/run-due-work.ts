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
    if (!(await isAnyDue(deps, workTypes))) return
    stillDue = await runRound(deps, workTypes)
  }
  assert(
    false,
    `Still due after ${maxRounds} rounds: ${stillDue.join(', ')}. Does handle advance the due time?`,
  )
}

/** Checks all work types in one transaction, which is faster than a round in which nothing is due. */
async function isAnyDue<Deps extends EngineDeps>(
  { databases, clock }: Deps,
  workTypes: readonly WorkType<Deps>[],
): Promise<boolean> {
  const isDueIn = (shard: Shard) =>
    shard.as('switchyard_due', async (db) => {
      for (const work of workTypes) if ((await work.due(db, clock.read(), 1)).length > 0) return true
      return false
    })
  for (const shard of databases.shards) if (await isDueIn(shard)) return true
  return false
}

async function runRound<Deps extends EngineDeps>(
  deps: Deps,
  workTypes: readonly WorkType<Deps>[],
): Promise<WorkName[]> {
  const names: WorkName[] = []
  for (const work of workTypes) {
    for (const shard of deps.databases.shards) {
      const due = await readDue(shard, deps, work, batchSize)
      // Sequentially, in the order of due times, so that tests are deterministic.
      for (const ref of due) await work.handle(deps, ref)
      if (due.length > 0) names.push(work.name)
    }
  }
  return names
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
