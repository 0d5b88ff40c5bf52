/** Rows of export destinations. Their secrets are sealed, and are read only to make requests. */
import { type Selectable, sql } from 'kysely'
import { refuse } from '../../../../kernel/errors.ts'
import { type Id, idFromUuid, type Mode, uuidFromText, uuidOf } from '../../../../kernel/id.ts'
import type { IdRange } from '../../../../platform/db/keyset.ts'
import { listRows } from '../../../../platform/db/list-rows.ts'
import type { ExportDestinations } from '../../../../platform/db/tables.generated.ts'
import { ConcurrentChange, type Tx, type View } from '../../../../platform/db/unit-of-work.ts'
import type { Destination, DestinationFormat, UploadError } from '../destination.ts'
import type { SourceName } from '../sources.ts'

const columns = [
  'id',
  'name',
  'endpoint_url',
  'region',
  'bucket',
  'prefix',
  'access_key_id',
  'sources',
  'format',
  'next_day_on',
  'due_at',
  'failures',
  'failing_since_at',
  'error',
  'last_success_at',
  'created_at',
  'updated_at',
  'deleted_at',
  'version',
  'sequence',
] as const
type DestinationRow = Pick<Selectable<ExportDestinations>, (typeof columns)[number]>

export async function insertDestination(tx: Tx, created: Destination, secret: Buffer): Promise<void> {
  await tx.db
    .insertInto('export_destinations')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(created.id),
      secret_access_key: secret,
      created_at: created.createdAt,
      ...changesToRow(tx, created),
    })
    .execute()
  tx.wake('export_destination.schedule', created.id, created.dueAt)
}

type Changes = Partial<Omit<Destination, 'id' | 'createdAt' | 'updatedAt' | 'version' | 'sequence'>>

/** Writes the schedule or the result of an attempt, for which no event is emitted. */
export function updateState(
  tx: Tx,
  before: Destination,
  changes: Pick<Changes, 'nextDayOn' | 'dueAt' | 'failures' | 'failingSinceAt' | 'error' | 'lastSuccessAt'>,
): Promise<Destination> {
  return write(tx, before, { ...before, ...changes }, {})
}

/** Writes a change that emits one event. A new secret replaces the old one; null deletes it. */
export function updateWithEvent(
  tx: Tx,
  before: Destination,
  changes: Changes,
  secret?: Buffer | null,
): Promise<Destination> {
  const after = { ...before, ...changes, sequence: before.sequence + 1 }
  return write(tx, before, after, secret === undefined ? {} : { secret_access_key: secret })
}

async function write(
  tx: Tx,
  before: Destination,
  after: Destination,
  secret: { readonly secret_access_key?: Buffer | null },
): Promise<Destination> {
  const row = await tx.db
    .updateTable('export_destinations')
    .set({ ...changesToRow(tx, after), ...secret, version: before.version + 1, sequence: after.sequence })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(before.id))
    .where('version', '=', before.version)
    .returning(columns)
    .executeTakeFirst()
  if (row === undefined) throw new ConcurrentChange(before.id)
  tx.wake('export_destination.schedule', before.id, after.dueAt)
  return fromRow(tx.caller.mode, row)
}

function changesToRow(tx: Tx, after: Destination) {
  return {
    name: after.name,
    endpoint_url: after.endpointUrl,
    region: after.region,
    bucket: after.bucket,
    prefix: after.prefix,
    access_key_id: after.accessKeyId,
    sources: [...after.sources],
    format: after.format,
    next_day_on: after.nextDayOn,
    due_at: after.dueAt,
    failures: after.failures,
    failing_since_at: after.failingSinceAt,
    error: after.error === null ? null : JSON.stringify(after.error),
    last_success_at: after.lastSuccessAt,
    deleted_at: after.deletedAt,
    updated_at: tx.now,
  }
}

export const missing = 'There is no such export destination.'

/** A deleted destination is not found. */
export async function findDestination(view: View, text: string): Promise<Destination> {
  const row = await byId(view, text).where('deleted_at', 'is', null).executeTakeFirst()
  return row ? fromRow(view.caller.mode, row) : refuse('not_found', { detail: missing })
}

/** Also finds deleted destinations. */
export async function lockDestination(tx: Tx, text: string): Promise<Destination> {
  const row = await byId(tx, text).forUpdate().executeTakeFirst()
  return row ? fromRow(tx.caller.mode, row) : refuse('not_found', { detail: missing })
}

/** The sealed secret; null if the destination was deleted. */
export async function findSealedSecret(view: View, id: Id<'export_destination'>): Promise<Buffer | null> {
  const row = await view.db
    .selectFrom('export_destinations')
    .select('secret_access_key')
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuidOf(id))
    .executeTakeFirst()
  return row?.secret_access_key ?? null
}

function byId(view: View, text: string) {
  const uuid =
    uuidFromText('export_destination', view.caller.mode, text) ?? refuse('not_found', { detail: missing })
  return view.db
    .selectFrom('export_destinations')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuid)
}

export function listDestinations(view: View, range: IdRange) {
  const only = sql`and deleted_at is null`
  return listRows(view, range, { table: 'export_destinations', columns, only, fromRow })
}

function fromRow(mode: Mode, row: DestinationRow): Destination {
  return {
    id: idFromUuid('export_destination', mode, row.id),
    name: row.name,
    endpointUrl: row.endpoint_url,
    region: row.region,
    bucket: row.bucket,
    prefix: row.prefix,
    accessKeyId: row.access_key_id,
    sources: row.sources as SourceName[],
    format: row.format as DestinationFormat,
    nextDayOn: row.next_day_on,
    dueAt: row.due_at,
    failures: row.failures,
    failingSinceAt: row.failing_since_at,
    error: row.error as UploadError | null,
    lastSuccessAt: row.last_success_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deletedAt: row.deleted_at,
    version: row.version,
    sequence: row.sequence,
  }
}
