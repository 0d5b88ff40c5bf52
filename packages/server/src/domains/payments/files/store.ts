/** Rows of files. The content is read only to send it to a provider. */
import { type Selectable, sql } from 'kysely'
import { refuse } from '../../../kernel/errors.ts'
import { type Id, idFromUuid, type Mode, uuidFromText, uuidOf } from '../../../kernel/id.ts'
import type { Files } from '../../../platform/db/tables.generated.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'
import type { File } from './file.ts'

const columns = [
  'id',
  'purpose',
  'name',
  'content_type',
  'size',
  'sha256',
  'dispute_id',
  'delete_at',
  'created_at',
  'version',
] as const
type FileRow = Pick<Selectable<Files>, (typeof columns)[number]>

export type NewFile = Omit<File, 'createdAt' | 'version' | 'disputeId'> & { readonly sealed: Buffer }

export async function insertFile(tx: Tx, file: NewFile): Promise<File> {
  const row = await tx.db
    .insertInto('files')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(file.id),
      purpose: file.purpose,
      name: file.name,
      content_type: file.contentType,
      size: file.size,
      sha256: Buffer.from(file.sha256, 'hex'),
      sealed: file.sealed,
      delete_at: file.deleteAt,
      created_at: tx.now,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return scheduled(tx, fromRow(tx.caller.mode, row))
}

const missing = 'There is no such file.'

export async function findFile(view: View, text: string): Promise<File> {
  const uuid = uuidFromText('file', view.caller.mode, text) ?? refuse('not_found', { detail: missing })
  const [file] = await selectFiles(view, [uuid]).execute()
  return file ? fromRow(view.caller.mode, file) : refuse('not_found', { detail: missing })
}

function selectFiles(view: View, uuids: readonly string[]) {
  return view.db
    .selectFrom('files')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', 'in', uuids)
}

export async function listFiles(view: View, ids: readonly Id<'file'>[]): Promise<readonly File[]> {
  if (ids.length === 0) return []
  return (await selectFiles(view, ids.map(uuidOf)).execute()).map((row) => fromRow(view.caller.mode, row))
}

/** Locks the files. Unknown ids are missing from the result. */
export async function lockFiles(tx: Tx, texts: readonly string[]): Promise<readonly File[]> {
  const uuids = texts.flatMap((text) => uuidFromText('file', tx.caller.mode, text) ?? [])
  if (uuids.length === 0) return []
  const rows = await selectFiles(tx, uuids).orderBy('id').forUpdate().execute()
  return rows.map((row) => fromRow(tx.caller.mode, row))
}

export async function readSealed(view: View, id: Id<'file'>): Promise<Buffer> {
  const { sealed } = await view.db
    .selectFrom('files')
    .select('sealed')
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuidOf(id))
    .executeTakeFirstOrThrow()
  return sealed
}

export async function updateFile(
  tx: Tx,
  before: File,
  changes: Pick<File, 'disputeId' | 'deleteAt'>,
): Promise<void> {
  await tx.db
    .updateTable('files')
    .set({
      dispute_id: changes.disputeId === null ? null : uuidOf(changes.disputeId),
      delete_at: changes.deleteAt,
      version: before.version + 1,
    })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(before.id))
    .execute()
  scheduled(tx, { ...before, ...changes })
}

/** Schedule the work here, so that no service function can forget it. */
function scheduled(tx: Tx, file: File): File {
  tx.wake('file.delete', file.id, file.deleteAt)
  return file
}

/** Does nothing if the file was attached in the meantime. */
export async function deleteDueFile(tx: Tx, id: Id<'file'>): Promise<void> {
  await sql`delete from files where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id = ${uuidOf(id)}
    and delete_at <= ${tx.now}`.execute(tx.db)
}

function fromRow(mode: Mode, row: FileRow): File {
  return {
    id: idFromUuid('file', mode, row.id),
    purpose: row.purpose as File['purpose'],
    name: row.name,
    contentType: row.content_type as File['contentType'],
    size: row.size,
    sha256: row.sha256.toString('hex'),
    disputeId: row.dispute_id === null ? null : idFromUuid('dispute', mode, row.dispute_id),
    deleteAt: row.delete_at,
    createdAt: row.created_at,
    version: row.version,
  }
}
