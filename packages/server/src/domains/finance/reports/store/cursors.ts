/** Stores the cursor of each workspace, and reads the events after it. */
import { sql } from 'kysely'
import { uuidFloor, uuidOf } from '../../../../kernel/id.ts'
import { floorOf, type LogSnapshot } from '../../../../kernel/log-snapshot.ts'
import { isNotIncludedIn } from '../../../../platform/db/snapshots.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import { countedTypes, paymentTypes } from '../counted-event-types.ts'
import { type Cursor, hasMore, type ReadResult } from '../cursor.ts'
import type { NewEvent } from '../figures.ts'

export type CursorRow = {
  seen_at: Date | null
  seen_snapshot: string | null
  until_at: Date | null
  until_snapshot: string | null
  after_id: string | null
  walked_to: string | null
  idle: number
}

/**
 * Columns by name, never `*`: a column added by a migration must not change the prepared statements of a
 * running process.
 */
export const cursorColumns = sql.raw(
  'seen_at, seen_snapshot, until_at, until_snapshot, after_id, walked_to, idle',
)

/** Locks the cursor during counting, so that concurrent runs count one after another. */
export async function lockCursor(tx: Tx): Promise<Cursor> {
  const { rows } = await sql<CursorRow>`
    select ${cursorColumns} from report_cursors where workspace_id = ${uuidOf(tx.caller.workspaceId)}
    for update`.execute(tx.db)
  return toCursor(rows[0] as CursorRow)
}

export async function updateCursor(
  tx: Tx,
  { countedUntil, backlogUntil, ...cursor }: Cursor,
  dueAt: Date,
): Promise<void> {
  await tx.db
    .updateTable('report_cursors')
    .set({
      seen_at: countedUntil?.at ?? null,
      seen_snapshot: countedUntil?.snapshot ?? null,
      until_at: backlogUntil?.at ?? null,
      until_snapshot: backlogUntil?.snapshot ?? null,
      after_id: cursor.afterUuid,
      walked_to: cursor.backfilledTo,
      idle: cursor.idleReads,
      due_at: dueAt,
    })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .execute()
  // Publish the next run only if there is a backlog: otherwise every workspace would cause a message every few
  // seconds.
  if (hasMore({ countedUntil, backlogUntil, ...cursor }))
    tx.wake('report.count', tx.caller.workspaceId, dueAt)
}

export function toCursor(row: CursorRow): Cursor {
  return {
    countedUntil: toSnapshot(row.seen_at, row.seen_snapshot),
    backlogUntil: toSnapshot(row.until_at, row.until_snapshot),
    afterUuid: row.after_id,
    backfilledTo: row.walked_to,
    idleReads: row.idle,
  }
}

function toSnapshot(at: Date | null, snapshot: string | null): LogSnapshot | null {
  return at === null || snapshot === null ? null : { at, snapshot }
}

/** The time of the database. Figures are dated with it, even in tests that control the clock. */
export async function wallTime(view: View): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select statement_timestamp() as at`.execute(view.db)
  return (rows[0] as { at: Date }).at
}

type EventPageRow = { id: string | null; type: string; object_id: string; created_at: Date }
type SnapshotRow = { now_at: Date; now_snapshot: string }

/** The events with the lowest ids that are not counted yet, without those on test clocks. */
export async function readEventRows(
  view: View,
  cursor: Cursor,
  limit: number,
): Promise<{ readonly result: ReadResult; readonly events: readonly NewEvent[] }> {
  // The snapshot of this statement. The time is slightly before the snapshot, never after it.
  const { rows } = await sql<EventPageRow & SnapshotRow>`
    select current.now_at, current.now_snapshot, page.id, page.type, page.object_id, page.created_at
    from (select pg_current_snapshot()::text as now_snapshot, statement_timestamp() as now_at) as current
    left join (
      select id, type, object_id, created_at from events
      where workspace_id = ${uuidOf(view.caller.workspaceId)} and type = any(${countedTypes}::text[])
        and test_clock_id is null ${isNewSince(cursor)} ${isVisibleUntil(cursor)}
      order by id limit ${limit}) as page on true`.execute(view.db)
  const { now_at: at, now_snapshot: snapshot } = rows[0] as SnapshotRow
  const events = rows.flatMap(({ id, type, object_id: objectUuid, created_at }) =>
    id === null ? [] : [{ uuid: id, type, objectUuid, at: created_at }],
  )
  const isFull = events.length === limit
  const result = {
    now: { at, snapshot },
    found: events.length,
    lastUuid: events.at(-1)?.uuid ?? null,
    isFull,
  }
  return { result, events }
}

/**
 * Events of payments on test clocks, the latest first. Their times are real times, not those of the clocks.
 */
export async function readTestClockEventRows(
  view: View,
  { from, to }: { readonly from: Date; readonly to: Date },
  limit: number,
): Promise<readonly NewEvent[]> {
  const { rows } = await sql<Omit<EventPageRow, 'id'> & { id: string }>`
    select id, type, object_id, created_at from events
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and type = any(${paymentTypes}::text[])
      and test_clock_id is not null and id >= ${uuidFloor(from)} and id < ${uuidFloor(to)}
    order by id desc limit ${limit}`.execute(view.db)
  return rows.map(({ id, type, object_id: objectUuid, created_at: at }) => ({
    uuid: id,
    type,
    objectUuid,
    at,
  }))
}

function isNewSince({ countedUntil, afterUuid }: Cursor) {
  const isAfterLast = afterUuid === null ? sql`` : sql`and id > ${afterUuid}::uuid`
  if (countedUntil === null) return isAfterLast
  return sql`${isAfterLast} and id > ${floorOf(countedUntil)}::uuid and ${isNotIncludedIn(
    sql`${countedUntil.snapshot}::pg_snapshot`,
    sql`id > ${uuidFloor(countedUntil.at)}::uuid`,
  )}`
}

function isVisibleUntil({ backlogUntil }: Cursor) {
  if (backlogUntil === null) return sql``
  return sql`and (id < ${floorOf(backlogUntil)}::uuid or pg_visible_in_snapshot(txid, ${backlogUntil.snapshot}::pg_snapshot))`
}
