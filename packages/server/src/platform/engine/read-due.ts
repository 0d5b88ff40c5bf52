/** Reads due work from Postgres, for the reconciler and for measurements. */
import type { Shard } from '../db/databases.ts'
import type { EngineDeps } from './attempt.ts'
import type { Due, WorkType } from './work.ts'

/** Reads due work in the role that sees only the ids and due times of all workspaces. */
export function readDue<Deps extends EngineDeps>(
  shard: Shard,
  deps: Deps,
  work: WorkType<Deps>,
  limit: number,
): Promise<readonly Due[]> {
  return shard.as('switchyard_due', (db) => work.due(db, deps.clock.read(), limit))
}
