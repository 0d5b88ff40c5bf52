/** The ordinary `due` query: a range of the partial index on a due column, without what waits or is parked. */
import { type RawBuilder, sql } from 'kysely'
import type { Reading } from '../../kernel/clock.ts'
import { idFromUuid, type Kind, type Mode, uuidOf } from '../../kernel/id.ts'
import type { Due, WorkName } from '../engine/work.ts'
import type { Db } from './databases.ts'

/** Business time inside a statement. */
export function instantOf(now: Reading): RawBuilder<Date> {
  return now.from === 'database' ? sql<Date>`now()` : sql<Date>`${now.at}::timestamptz`
}

/** Whether the work may be handed out: it neither waits after a failure nor is parked for a person. */
export function mayBeHandedOut(
  work: string,
  at: RawBuilder<Date>,
  row: { readonly workspace: string; readonly object: string },
): RawBuilder<boolean> {
  return sql<boolean>`not exists (
    select from work_failures as failure
    where failure.workspace_id = ${sql.ref(row.workspace)} and failure.work = ${work}
      and failure.object_id = ${sql.ref(row.object)}
      and (failure.parked_at is not null or failure.retry_at > ${at}))`
}

/** Whose rows: those of the clock that asks, or those of no clock. */
export function ofClock(now: Reading, column: string): RawBuilder<boolean> {
  const clock = sql.ref(column)
  return now.from === 'test_clock' ? sql`${clock} = ${uuidOf(now.id)}::uuid` : sql`${clock} is null`
}

type DueIn<K> = {
  readonly work: WorkName
  readonly kind: K
  readonly table: string
  readonly column: string
  /** Whether rows may live on a test clock: then the table has `test_clock_id`. */
  readonly onClocks?: boolean
}

export function dueIn<K extends Kind>(from: DueIn<K>) {
  const table = sql.table(from.table)
  const column = sql.ref(`row.${from.column}`)

  return async (db: Db, now: Reading, limit: number): Promise<readonly Due<K>[]> => {
    const at = instantOf(now)
    const { rows } = await sql<DueRow>`
      select row.workspace_id, row.id, ${column} as due_at, workspaces.mode
      from ${table} as row join workspaces on workspaces.workspace_id = row.workspace_id
      where ${column} <= ${at} ${from.onClocks ? sql`and ${ofClock(now, 'row.test_clock_id')}` : sql``}
        and ${mayBeHandedOut(from.work, at, { workspace: 'row.workspace_id', object: 'row.id' })}
      order by ${column} limit ${limit}`.execute(db)
    return dueOf(from.kind, rows)
  }
}

type DueForOwner<K> = DueIn<K> & {
  /** The column that names whose work it is: many rows of one owner are one piece of work. */
  readonly owner: string
}

/** The same where a row only says that its owner has something to do. */
export function dueForOwner<K extends Kind>(from: DueForOwner<K>) {
  const column = sql.ref(`row.${from.column}`)
  const owner = `row.${from.owner}`

  return async (db: Db, now: Reading, limit: number): Promise<readonly Due<K>[]> => {
    const at = instantOf(now)
    const { rows } = await sql<DueRow>`
      select found.workspace_id, found.id, min(found.due_at) as due_at, workspaces.mode
      from (
        select row.workspace_id, ${sql.ref(owner)} as id, ${column} as due_at from ${sql.table(from.table)} as row
        where ${column} <= ${at} ${from.onClocks ? sql`and ${ofClock(now, 'row.test_clock_id')}` : sql``}
          and ${mayBeHandedOut(from.work, at, { workspace: 'row.workspace_id', object: owner })}
        order by ${column} limit ${limit}
      ) as found
        join workspaces on workspaces.workspace_id = found.workspace_id
      group by found.workspace_id, found.id, workspaces.mode
      order by 3`.execute(db)
    return dueOf(from.kind, rows)
  }
}

export type DueRow = {
  readonly workspace_id: string
  readonly id: string
  readonly due_at: Date
  readonly mode: Mode
}

export function dueOf<K extends Kind>(kind: K, rows: readonly DueRow[]): Due<K>[] {
  return rows.map(({ workspace_id, id, due_at: dueAt, mode }) => ({
    workspaceId: idFromUuid('workspace', mode, workspace_id),
    id: idFromUuid(kind, mode, id),
    dueAt,
  }))
}
