/** How far each workspace is counted, and what has come since. */
import { sql } from 'kysely'
import { uuidFloor, uuidOf } from '../../../kernel/id.ts'
import { floorOf, type Moment } from '../../../kernel/moment.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'
import { countedTypes } from '../counted.ts'
import { type Cursor, hasMore, type Look } from '../cursor.ts'
import type { News } from '../figures.ts'

export type CursorRow = {
  seen_at: Date | null
  seen_snapshot: string | null
  until_at: Date | null
  until_snapshot: string | null
  after_id: string | null
  walked_to: string | null
  idle: number
}

/** By name, never `*`: a column that a migration adds must not change what a running process has prepared. */
export const cursorColumns = sql.raw(
  'seen_at, seen_snapshot, until_at, until_snapshot, after_id, walked_to, idle',
)

/** Whoever counts holds it, so the position and the sums move together. */
export async function lockCursor(tx: Tx): Promise<Cursor> {
  const { rows } = await sql<CursorRow>`
    select ${cursorColumns} from report_cursors where workspace_id = ${uuidOf(tx.caller.workspaceId)}
    for update`.execute(tx.db)
  return cursorFrom(rows[0] as CursorRow)
}

export async function updateCursor(tx: Tx, { seen, until, ...cursor }: Cursor, dueAt: Date): Promise<void> {
  await tx.db
    .updateTable('report_cursors')
    .set({
      seen_at: seen?.at ?? null,
      seen_snapshot: seen?.snapshot ?? null,
      until_at: until?.at ?? null,
      until_snapshot: until?.snapshot ?? null,
      after_id: cursor.afterUuid,
      walked_to: cursor.walkedTo,
      idle: cursor.idle,
      due_at: dueAt,
    })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .execute()
  // A ring for every look would be a message every few seconds; only what is behind has to hurry.
  if (hasMore({ seen, until, ...cursor })) tx.wake('report.count', tx.caller.workspaceId, dueAt)
}

export function cursorFrom(row: CursorRow): Cursor {
  return {
    seen: momentFrom(row.seen_at, row.seen_snapshot),
    until: momentFrom(row.until_at, row.until_snapshot),
    afterUuid: row.after_id,
    walkedTo: row.walked_to,
    idle: row.idle,
  }
}

function momentFrom(at: Date | null, snapshot: string | null): Moment | null {
  return at === null || snapshot === null ? null : { at, snapshot }
}

/** What the world's clock says: what is counted is dated by it, also where a test turns time by hand. */
export async function wallTime(view: View): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select statement_timestamp() as at`.execute(view.db)
  return (rows[0] as { at: Date }).at
}

type NewsRow = { id: string | null; type: string; object_id: string; created_at: Date }
type Taken = { now_at: Date; now_snapshot: string }

/** The events with the lowest ids that are not counted yet. Those on test clocks happened in no time of the world. */
export async function readNews(
  view: View,
  cursor: Cursor,
  limit: number,
): Promise<{ readonly look: Look; readonly news: readonly News[] }> {
  // The snapshot is that of this very statement; its time is a little earlier than it, never later.
  const { rows } = await sql<NewsRow & Taken>`
    select taken.now_at, taken.now_snapshot, news.id, news.type, news.object_id, news.created_at
    from (select pg_current_snapshot()::text as now_snapshot, statement_timestamp() as now_at) as taken
    left join (
      select id, type, object_id, created_at from events
      where workspace_id = ${uuidOf(view.caller.workspaceId)} and type = any(${countedTypes}::text[])
        and test_clock_id is null ${sinceOf(cursor)} ${untilOf(cursor)}
      order by id limit ${limit}) as news on true`.execute(view.db)
  const { now_at: at, now_snapshot: snapshot } = rows[0] as Taken
  const news = rows.flatMap(({ id, type, object_id: objectUuid, created_at }) =>
    id === null ? [] : [{ uuid: id, type, objectUuid, at: created_at }],
  )
  const isFull = news.length === limit
  const look = { now: { at, snapshot }, found: news.length, lastUuid: news.at(-1)?.uuid ?? null, isFull }
  return { look, news }
}

function sinceOf({ seen, afterUuid }: Cursor) {
  const behind = afterUuid === null ? sql`` : sql`and id > ${afterUuid}::uuid`
  if (seen === null) return behind
  // A database that was restored from a dump counts its transactions anew. Then only ids can tell what is new.
  return sql`${behind} and id > ${floorOf(seen)}::uuid and case
    when pg_snapshot_xmax(${seen.snapshot}::pg_snapshot) > pg_snapshot_xmax(pg_current_snapshot())
      then id > ${uuidFloor(seen.at)}::uuid
    else not pg_visible_in_snapshot(txid, ${seen.snapshot}::pg_snapshot) end`
}

function untilOf({ until }: Cursor) {
  if (until === null) return sql``
  return sql`and (id < ${floorOf(until)}::uuid or pg_visible_in_snapshot(txid, ${until.snapshot}::pg_snapshot))`
}
