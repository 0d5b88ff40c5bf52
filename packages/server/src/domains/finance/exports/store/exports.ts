/**
 * Rows of exports. Saving progress increments only the version; a change with an event also increments the sequence.
 */
import { type Selectable, sql } from 'kysely'
import { refuse } from '../../../../kernel/errors.ts'
import {
  type Id,
  idFromUuid,
  idOrNull,
  type Mode,
  uuidFromText,
  uuidOf,
  uuidOrNull,
} from '../../../../kernel/id.ts'
import type { IdRange } from '../../../../platform/db/keyset.ts'
import { listRows } from '../../../../platform/db/list-rows.ts'
import { lockName } from '../../../../platform/db/name-lock.ts'
import type { Exports } from '../../../../platform/db/tables.generated.ts'
import { ConcurrentChange, type Tx, type View } from '../../../../platform/db/unit-of-work.ts'
import type { UploadError } from '../destination.ts'
import type { Export, Failure } from '../export.ts'
import type { FormatName } from '../formats.ts'
import type { JournalSettings } from '../journal-settings.ts'
import type { Status } from '../machine.ts'
import type { SourceName } from '../sources.ts'
import type { Sums } from '../sums.ts'

const columns = [
  'id',
  'source',
  'format',
  'from_on',
  'to_on',
  'status',
  'failure',
  'total',
  'done',
  'cursor',
  'parts',
  'row_count',
  'bytes',
  'sums',
  'settings',
  'sha256',
  'destination_id',
  'upload_path',
  'upload_at',
  'upload_attempts',
  'upload_error',
  'upload_id',
  'due_at',
  'delete_at',
  'expires_at',
  'created_at',
  'updated_at',
  'completed_at',
  'version',
  'sequence',
] as const
type ExportRow = Pick<Selectable<Exports>, (typeof columns)[number]>

export async function insertExport(tx: Tx, created: Export): Promise<void> {
  await tx.db
    .insertInto('exports')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(created.id),
      source: created.source,
      format: created.format,
      from_on: created.fromOn,
      to_on: created.toOn,
      settings: created.settings === null ? null : JSON.stringify(created.settings),
      destination_id: uuidOrNull(created.destinationId),
      upload_path: created.uploadPath,
      created_at: created.createdAt,
      ...changesToRow(tx, created),
    })
    .execute()
  wake(tx, created)
}

export type Progress = Pick<
  Export,
  | 'total'
  | 'done'
  | 'cursor'
  | 'parts'
  | 'rowCount'
  | 'bytes'
  | 'sums'
  | 'dueAt'
  | 'deleteAt'
  | 'uploadAt'
  | 'uploadAttempts'
  | 'uploadError'
  | 'uploadId'
>
export type ExportEnd = Pick<Export, 'status' | 'failure' | 'sha256' | 'expiresAt' | 'completedAt'>

/** Writes progress, for which no event is emitted. */
export function updateProgress(tx: Tx, before: Export, changes: Partial<Progress>): Promise<Export> {
  return write(tx, before, { ...before, ...changes })
}

/** Writes a change that emits one event: increments the version and the event sequence by one. */
export function updateWithEvent(
  tx: Tx,
  before: Export,
  changes: Partial<Progress & ExportEnd>,
): Promise<Export> {
  return write(tx, before, { ...before, ...changes, sequence: before.sequence + 1 })
}

async function write(tx: Tx, before: Export, after: Export): Promise<Export> {
  const row = await tx.db
    .updateTable('exports')
    .set({ ...changesToRow(tx, after), version: before.version + 1, sequence: after.sequence })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(before.id))
    .where('version', '=', before.version)
    .returning(columns)
    .executeTakeFirst()
  if (row === undefined) throw new ConcurrentChange(before.id)
  wake(tx, after)
  return fromRow(tx.caller.mode, row)
}

/** Every write of a due column schedules the work, so that no service function can forget it. */
function wake(tx: Tx, { id, dueAt, uploadAt, deleteAt }: Export): void {
  tx.wake('export.run', id, dueAt)
  tx.wake('export.upload', id, uploadAt)
  tx.wake('export.delete_file', id, deleteAt)
}

function changesToRow(tx: Tx, after: Export) {
  return {
    status: after.status,
    failure: after.failure,
    total: after.total,
    done: after.done,
    cursor: after.cursor,
    parts: after.parts,
    row_count: after.rowCount,
    bytes: BigInt(after.bytes),
    sums: JSON.stringify(after.sums),
    sha256: after.sha256,
    upload_at: after.uploadAt,
    upload_attempts: after.uploadAttempts,
    upload_error: after.uploadError === null ? null : JSON.stringify(after.uploadError),
    upload_id: after.uploadId,
    due_at: after.dueAt,
    delete_at: after.deleteAt,
    expires_at: after.expiresAt,
    completed_at: after.completedAt,
    updated_at: tx.now,
  }
}

/**
 * The number of running exports that were requested, up to `limit`. Until the transaction ends, concurrent requests
 * wait.
 */
export async function lockRunning(tx: Tx, limit: number): Promise<number> {
  const workspace = uuidOf(tx.caller.workspaceId)
  await lockName(tx, `exports of ${workspace}`)
  const { rows } = await sql`
    select id from exports where workspace_id = ${workspace} and due_at is not null and destination_id is null
    limit ${limit}`.execute(tx.db)
  return rows.length
}

/** The bytes that the files of the other exports of the workspace occupy, without daily exports. */
export async function readOtherStoredBytes(tx: Tx, { id }: Export): Promise<number> {
  const { rows } = await sql<{ readonly bytes: bigint | null }>`
    select sum(bytes)::int8 as bytes from exports
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id <> ${uuidOf(id)}
      and destination_id is null and (due_at is not null or delete_at is not null)`.execute(tx.db)
  return Number(rows[0]?.bytes ?? 0n)
}

export const missing = 'There is no such export.'

export async function findExport(view: View, text: string): Promise<Export> {
  const row = await byId(view, text).executeTakeFirst()
  return row ? fromRow(view.caller.mode, row) : refuse('not_found', { detail: missing })
}

export async function lockExport(tx: Tx, text: string): Promise<Export> {
  const row = await byId(tx, text).forUpdate().executeTakeFirst()
  return row ? fromRow(tx.caller.mode, row) : refuse('not_found', { detail: missing })
}

function byId(view: View, text: string) {
  const uuid = uuidFromText('export', view.caller.mode, text) ?? refuse('not_found', { detail: missing })
  return view.db
    .selectFrom('exports')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuid)
}

/** The exports of a destination, or those that were requested. */
export function listExports(view: View, range: IdRange, destinationUuid: string | null) {
  const only =
    destinationUuid === null
      ? sql`and destination_id is null`
      : sql`and destination_id = ${destinationUuid}::uuid`
  return listRows(view, range, { table: 'exports', columns, only, fromRow })
}

/** The daily exports of a destination that have not ended. They are few, because the next day waits for them. */
export async function lockUnfinished(tx: Tx, destinationId: Id<'export_destination'>): Promise<Export[]> {
  const rows = await tx.db
    .selectFrom('exports')
    .select(columns)
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('destination_id', '=', uuidOf(destinationId))
    .where('completed_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute()
  return rows.map((row) => fromRow(tx.caller.mode, row))
}

function fromRow(mode: Mode, row: ExportRow): Export {
  return {
    id: idFromUuid('export', mode, row.id),
    source: row.source as SourceName,
    format: row.format as FormatName,
    fromOn: row.from_on,
    toOn: row.to_on,
    status: row.status as Status,
    failure: row.failure as Failure | null,
    total: row.total,
    done: row.done,
    cursor: row.cursor,
    parts: row.parts,
    rowCount: row.row_count,
    bytes: Number(row.bytes),
    sums: row.sums as Sums,
    settings: row.settings as JournalSettings | null,
    sha256: row.sha256,
    destinationId: idOrNull('export_destination', mode, row.destination_id),
    uploadPath: row.upload_path,
    uploadAt: row.upload_at,
    uploadAttempts: row.upload_attempts,
    uploadError: row.upload_error as UploadError | null,
    uploadId: row.upload_id,
    dueAt: row.due_at,
    deleteAt: row.delete_at,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    completedAt: row.completed_at,
    version: row.version,
    sequence: row.sequence,
  }
}
