// Runs `due` and `handle` of work types directly, without NATS, until nothing is due. Tests do this before they assert,
// which proves each time that Postgres alone suffices.

import { assert } from '../../src/kernel/assert.ts'
import type { Shard } from '../../src/platform/db/databases.ts'
import type { EngineDeps } from '../../src/platform/engine/attempt.ts'
import type { Due, WorkName, WorkType } from '../../src/platform/engine/work.ts'
import { findDueTypes } from './find-due-types.ts'

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
    let found = await findDue(shard, deps, workTypes, 0)
    while (found !== null) {
      const { index, work, due } = found
      // Sequentially, in the order of due times, so that tests are deterministic.
      for (const ref of due) await work.handle(deps, ref)
      names.push(work.name)
      found = await findDue(shard, deps, workTypes, index + 1)
    }
  }
  return names
}

type DueWork<Deps> = {
  readonly index: number
  readonly work: WorkType<Deps>
  readonly due: readonly Due[]
}

/** Finds the first work type from `start` on that is due. */
function findDue<Deps extends EngineDeps>(
  shard: Shard,
  { clock }: Deps,
  workTypes: readonly WorkType<Deps>[],
  start: number,
): Promise<DueWork<Deps> | null> {
  return shard.as('switchyard_due', async (db) => {
    const dueTypes = await findDueTypes(db, workTypes, clock.read())
    for (const [index, work] of workTypes.entries()) {
      if (index < start || !dueTypes.has(index)) continue
      const due = await work.due(db, clock.read(), batchSize)
      if (due.length > 0) return { index, work, due }
    }
    return null
  })
}
