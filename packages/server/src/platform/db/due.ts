/**
 * The standard `due` query: a range of the partial index on a due column, excluding work that is waiting or
 * parked.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Reading } from '../../kernel/clock.ts'
import { idFromUuid, type Kind, type Mode, uuidOf } from '../../kernel/id.ts'
import type { Due, WorkName } from '../engine/work.ts'
import type { Db } from './databases.ts'

/** Business time as an SQL expression. */
export function instantOf(now: Reading): RawBuilder<Date> {
  return now.from === 'database' ? sql<Date>`now()` : sql<Date>`${now.at}::timestamptz`
}

/** Whether the work can be dispatched: it is neither waiting after a failure nor parked for review. */
export function canBeDispatched(
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

/** Selects the rows of the current test clock, or the rows without a test clock. */
export function onClockOf(now: Reading, column: string): RawBuilder<boolean> {
  const clock = sql.ref(column)
  return now.from === 'test_clock' ? sql`${clock} = ${uuidOf(now.id)}::uuid` : sql`${clock} is null`
}

type DueSource<K> = {
  readonly work: WorkName
  readonly kind: K
  readonly table: string
  readonly column: string
  /** A further condition on `row`, as in the partial index. */
  readonly only?: RawBuilder<unknown>
  /** Whether rows can be on a test clock: then the table has `test_clock_id`. */
  readonly onTestClocks?: boolean
}

export function dueIn<K extends Kind>(source: DueSource<K>) {
  const table = sql.table(source.table)
  const column = sql.ref(`row.${source.column}`)

  return async (db: Db, now: Reading, limit: number): Promise<readonly Due<K>[]> => {
    const at = instantOf(now)
    const { rows } = await sql<DueRow>`
      select row.workspace_id, row.id, ${column} as due_at, workspaces.mode
      from ${table} as row join workspaces on workspaces.workspace_id = row.workspace_id
      where ${column} <= ${at} ${source.only ? sql`and ${source.only}` : sql``} ${source.onTestClocks ? sql`and ${onClockOf(now, 'row.test_clock_id')}` : sql``}
        and ${canBeDispatched(source.work, at, { workspace: 'row.workspace_id', object: 'row.id' })}
      order by ${column} limit ${limit}`.execute(db)
    return toDue(source.kind, rows)
  }
}

type DueForOwner<K> = DueSource<K> & {
  /** The column with the owner of the work: many rows of one owner are one work item. */
  readonly owner: string
}

/** A `due` query for tables whose rows belong to a work item of their owner. */
export function dueForOwner<K extends Kind>(source: DueForOwner<K>) {
  const column = sql.ref(`row.${source.column}`)
  const owner = `row.${source.owner}`

  return async (db: Db, now: Reading, limit: number): Promise<readonly Due<K>[]> => {
    const at = instantOf(now)
    const { rows } = await sql<DueRow>`
      select found.workspace_id, found.id, min(found.due_at) as due_at, workspaces.mode
      from (
        select row.workspace_id, ${sql.ref(owner)} as id, ${column} as due_at from ${sql.table(source.table)} as row
        where ${column} <= ${at} ${source.only ? sql`and ${source.only}` : sql``} ${source.onTestClocks ? sql`and ${onClockOf(now, 'row.test_clock_id')}` : sql``}
          and ${canBeDispatched(source.work, at, { workspace: 'row.workspace_id', object: owner })}
        order by ${column} limit ${limit}
      ) as found
        join workspaces on workspaces.workspace_id = found.workspace_id
      group by found.workspace_id, found.id, workspaces.mode
      order by 3`.execute(db)
    return toDue(source.kind, rows)
  }
}

export type DueRow = {
  readonly workspace_id: string
  readonly id: string
  readonly due_at: Date
  readonly mode: Mode
}

export function toDue<K extends Kind>(kind: K, rows: readonly DueRow[]): Due<K>[] {
  return rows.map(({ workspace_id, id, due_at: dueAt, mode }) => ({
    workspaceId: idFromUuid('workspace', mode, workspace_id),
    id: idFromUuid(kind, mode, id),
    dueAt,
  }))
}
