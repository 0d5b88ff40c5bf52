/**
 * `due` and `handle`, here and now, without the engine. Tests settle before they look, which proves each time
 * that Postgres alone suffices; the reconciler does the same in small portions while NATS is away.
 */
import { assert } from '../../kernel/assert.ts'
import type { Shard } from '../db/databases.ts'
import type { EngineDeps } from './attempt.ts'
import type { Due, Work, WorkName } from './work.ts'

const portion = 100
/** A round looks at every work once. Whoever needs more does not move its due time on. */
const defaultMaxRounds = 1_000

/** Handles what is due until nothing is. What fails is thrown, so that a test sees it. */
export async function settle<Deps extends EngineDeps>(
  deps: Deps,
  works: readonly Work<Deps>[],
  { maxRounds = defaultMaxRounds }: { readonly maxRounds?: number } = {},
): Promise<void> {
  let busy: WorkName[] = []
  for (let round = 0; round < maxRounds; round += 1) {
    busy = await settleRound(deps, works)
    if (busy.length === 0) return
  }
  assert(false, `Still due after ${maxRounds} rounds: ${busy.join(', ')}. Does handle move the due time on?`)
}

async function settleRound<Deps extends EngineDeps>(
  deps: Deps,
  works: readonly Work<Deps>[],
): Promise<WorkName[]> {
  const busy: WorkName[] = []
  for (const work of works) {
    for (const shard of deps.databases.shards) {
      const due = await readDue(shard, deps, work, portion)
      // One after another, in the order of their due times: a test should run the same way twice.
      for (const ref of due) await work.handle(deps, ref)
      if (due.length > 0) busy.push(work.name)
    }
  }
  return busy
}

/** What is outstanding, as the role that sees ids and due times of all workspaces, and nothing else. */
export function readDue<Deps extends EngineDeps>(
  shard: Shard,
  deps: Deps,
  work: Work<Deps>,
  limit: number,
): Promise<readonly Due[]> {
  return shard.as('switchyard_due', (db) => work.due(db, deps.clock.read(), limit))
}
