/** How long moves and fences have existed, for metrics. */
import { sql } from 'kysely'
import type { Databases, Shard } from '../databases.ts'
import type { MoveState } from './move.ts'

type StateFigures = { readonly count: number; readonly unchangedSeconds: number }

export type MoveFigures = {
  readonly byState: ReadonlyMap<MoveState, StateFigures>
  /** The age of the oldest move; 0 if there is none. */
  readonly oldestSeconds: number
}

type Row = StateFigures & { readonly state: MoveState; readonly oldestSeconds: number }

export async function measureMoves({ control }: Pick<Databases, 'control'>): Promise<MoveFigures> {
  const { rows } = await control.as('switchyard_control', (db) =>
    sql<Row>`
      select state, count(workspace_id)::int as count,
        extract(epoch from now() - min(changed_at))::float8 as "unchangedSeconds",
        extract(epoch from now() - min(started_at))::float8 as "oldestSeconds"
      from control.moves group by state`.execute(db),
  )
  return {
    byState: new Map(rows.map(({ state, count, unchangedSeconds }) => [state, { count, unchangedSeconds }])),
    oldestSeconds: Math.max(0, ...rows.map(({ oldestSeconds }) => oldestSeconds)),
  }
}

/** How long the workspace that was closed first on the shard has been closed; 0 if none is closed. */
export async function oldestFenceSeconds(shard: Shard): Promise<number> {
  return shard.as('switchyard_due', async (db) => {
    const { rows } = await sql<{ seconds: number }>`
      select coalesce(extract(epoch from now() - min(closed_at)), 0)::float8 as seconds
      from placements where not is_open`.execute(db)
    return rows[0]?.seconds ?? 0
  })
}
