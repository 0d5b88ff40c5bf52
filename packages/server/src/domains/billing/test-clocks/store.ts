import { type Selectable, sql } from 'kysely'
import { refuse } from '../../../kernel/errors.ts'
import { type Id, idFromUuid, type Mode, uuidFromText, uuidOf } from '../../../kernel/id.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { listRows } from '../../../platform/db/list-rows.ts'
import type { TestClocks } from '../../../platform/db/tables.generated.ts'
import { ConcurrentChange, type Tx, type View } from '../../../platform/db/unit-of-work.ts'
import type { Status, TestClock } from './test-clock.ts'
import type { TimelineEvent } from './timeline.ts'

/**
 * Columns by name, never `*`: a column added by a migration must not change the prepared statements of a
 * running process.
 */
const columns = [
  'id',
  'name',
  'status',
  'now_at',
  'target_at',
  'actions',
  'failure',
  'metadata',
  'due_at',
  'deleted_at',
  'created_at',
  'updated_at',
  'version',
  'sequence',
] as const
type ClockRow = Pick<Selectable<TestClocks>, (typeof columns)[number]>

export async function insertClock(
  tx: Tx,
  { nowAt, name, metadata }: Pick<TestClock, 'nowAt' | 'name' | 'metadata'>,
): Promise<TestClock> {
  const id = tx.newId('test_clock')
  const row = await tx.db
    .insertInto('test_clocks')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(id),
      name,
      status: 'ready',
      now_at: nowAt,
      metadata: JSON.stringify(metadata),
      created_at: tx.wallTime,
      updated_at: tx.wallTime,
      // The creation of a clock emits no event.
      sequence: 0,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return fromRow(tx.caller.mode, row)
}

export type ClockChanges = Partial<
  Pick<TestClock, 'status' | 'nowAt' | 'targetAt' | 'actions' | 'failure' | 'dueAt' | 'deletedAt'>
>

/** Filters by the version: of two processes that move a clock, only one succeeds. */
export async function updateClock(
  tx: Tx,
  before: TestClock,
  changes: ClockChanges,
  emitsEvent: boolean,
): Promise<TestClock> {
  const updated = { ...before, ...changes }
  const row = await tx.db
    .updateTable('test_clocks')
    .set({
      status: updated.status,
      now_at: updated.nowAt,
      target_at: updated.targetAt,
      actions: updated.actions,
      failure: updated.failure,
      due_at: updated.dueAt,
      deleted_at: updated.deletedAt,
      updated_at: tx.wallTime,
      version: before.version + 1,
      sequence: before.sequence + (emitsEvent ? 1 : 0),
    })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(before.id))
    .where('version', '=', before.version)
    .returning(columns)
    .executeTakeFirst()
  if (row === undefined) throw new ConcurrentChange(before.id)
  const after = fromRow(tx.caller.mode, row)
  tx.wake('test_clock.advance', after.id, after.dueAt)
  return after
}

/**
 * Schedules a run of the clock now. A process that already runs it keeps its lease and queries due work
 * again.
 */
export async function wake(tx: Tx, id: Id<'test_clock'>): Promise<void> {
  await sql`
    update test_clocks set due_at = greatest(due_at, ${tx.wallTime}::timestamptz), version = version + 1
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id = ${uuidOf(id)}`.execute(tx.db)
  tx.wake('test_clock.advance', id, tx.wallTime)
}

export async function findClock(view: View, text: string): Promise<TestClock> {
  const row = await byId(view, text).where('deleted_at', 'is', null).executeTakeFirst()
  return row ? fromRow(view.caller.mode, row) : refuse('not_found', { detail: missing })
}

export async function lockClock(tx: Tx, text: string): Promise<TestClock> {
  const row = await byId(tx, text).where('deleted_at', 'is', null).forUpdate().executeTakeFirst()
  return row ? fromRow(tx.caller.mode, row) : refuse('not_found', { detail: missing })
}

/** The time of the clock, or its last time if it was deleted. */
export async function readTime(view: View, id: Id<'test_clock'>): Promise<Date> {
  return (await byUuid(view, uuidOf(id)).executeTakeFirstOrThrow()).now_at
}

/** Null if the clock was deleted. */
export async function lockUnlessDeleted(tx: Tx, id: Id<'test_clock'>): Promise<TestClock | null> {
  const row = await byId(tx, id).where('deleted_at', 'is', null).forUpdate().executeTakeFirst()
  return row ? fromRow(tx.caller.mode, row) : null
}

/** For a reference in a request body: a missing clock is a validation error. */
export async function requireClock(view: View, text: string): Promise<TestClock> {
  const uuid = uuidFromText('test_clock', view.caller.mode, text)
  const row =
    uuid === null ? undefined : await byUuid(view, uuid).where('deleted_at', 'is', null).executeTakeFirst()
  if (row !== undefined) return fromRow(view.caller.mode, row)
  return refuse('reference_not_found', {
    errors: [{ pointer: '/test_clock_id', code: 'not_found', detail: missingReference }],
  })
}

export const missing = 'There is no such test clock.'
const missingReference = 'is not the id of an existing test clock'

function byId(view: View, text: string) {
  const uuid = uuidFromText('test_clock', view.caller.mode, text) ?? refuse('not_found', { detail: missing })
  return byUuid(view, uuid)
}

function byUuid(view: View, uuid: string) {
  return view.db
    .selectFrom('test_clocks')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuid)
}

export function listClocks(view: View, range: IdRange) {
  return listRows(view, range, { table: 'test_clocks', columns, only: sql`and deleted_at is null`, fromRow })
}

/** The events of objects on the clock, oldest first. Events are kept for 90 days. */
export async function listEvents(
  view: View,
  id: Id<'test_clock'>,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<TimelineEvent[]> {
  const afterCursor = after === null ? sql`` : sql`and id > ${after}::uuid`
  const { rows } = await sql<{ id: string; type: string; data: string }>`
    select id, type, data from events
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and test_clock_id = ${uuidOf(id)} ${afterCursor}
    order by id limit ${limit}`.execute(view.db)
  return rows.map((row) => ({ ...row, id: idFromUuid('event', view.caller.mode, row.id) }))
}

function fromRow(mode: Mode, row: ClockRow): TestClock {
  return {
    id: idFromUuid('test_clock', mode, row.id),
    name: row.name,
    status: row.status as Status,
    nowAt: row.now_at,
    targetAt: row.target_at,
    actions: row.actions,
    failure: row.failure,
    metadata: row.metadata as Record<string, string>,
    dueAt: row.due_at,
    deletedAt: row.deleted_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
    sequence: row.sequence,
  }
}
