/** The ordinary `due` query: a range of the partial index on a due column, without what waits or is parked. */
import { type RawBuilder, sql } from 'kysely'
import type { Reading } from '../../kernel/clock.ts'
import { idFromUuid, type Kind, type Mode } from '../../kernel/id.ts'
import type { Due, WorkName } from '../engine/work.ts'
import type { Db } from './databases.ts'

/** Business time inside a statement. */
export function instantOf(now: Reading): RawBuilder<Date> {
  return now.from === 'database' ? sql<Date>`now()` : sql<Date>`${now.at}::timestamptz`
}

export function dueIn<K extends Kind>(from: { work: WorkName; kind: K; table: string; column: string }) {
  const table = sql.table(from.table)
  const column = sql.ref(`row.${from.column}`)

  return async (db: Db, now: Reading, limit: number): Promise<readonly Due<K>[]> => {
    const at = instantOf(now)
    const { rows } = await sql<{ workspace_id: string; id: string; due_at: Date; mode: Mode }>`
      select row.workspace_id, row.id, ${column} as due_at, workspaces.mode
      from ${table} as row join workspaces on workspaces.workspace_id = row.workspace_id
      where ${column} <= ${at}
        and not exists (
          select from work_failures as failure
          where failure.workspace_id = row.workspace_id and failure.work = ${from.work}
            and failure.object_id = row.id and (failure.parked_at is not null or failure.retry_at > ${at})
        )
      order by ${column} limit ${limit}`.execute(db)
    return rows.map((row) => ({
      workspaceId: idFromUuid('workspace', row.mode, row.workspace_id),
      id: idFromUuid(from.kind, row.mode, row.id),
      dueAt: row.due_at,
    }))
  }
}
