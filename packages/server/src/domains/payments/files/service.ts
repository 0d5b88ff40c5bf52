/** Uploads files, attaches them to disputes, and deletes them when they are no longer needed. */
import { createHash } from 'node:crypto'
import type { Deps } from '../../../deps.ts'
import { type Caller, systemCaller } from '../../../kernel/caller.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import { refuseMember } from '../../../kernel/errors.ts'
import { evidenceDeletionTime } from '../../../kernel/evidence-retention.ts'
import type { Id, Ref } from '../../../kernel/id.ts'
import { read, type Tx, transact, type View } from '../../../platform/db/unit-of-work.ts'
import { contentTypeOf, type File, fromBase64, maxFileBytes } from './file.ts'
import type { CreateFile } from './schema.ts'
import * as store from './store.ts'

export type { File } from './file.ts'

const daySeconds = 86_400
const unattachedDays = 7

export function createFile(deps: Deps, caller: Caller, input: CreateFile): Promise<File> {
  const content = fromBase64(input.content) ?? refuseContent('must be base64')
  if (content.length > maxFileBytes) refuseContent('must be a file of at most 5 MB')
  const contentType = contentTypeOf(content) ?? refuseContent('must be a PDF, JPEG or PNG file')
  const sha256 = createHash('sha256').update(content).digest('hex')
  return transact(deps, caller, async (tx) => {
    const id = tx.newId('file')
    return store.insertFile(tx, {
      id,
      purpose: input.purpose,
      name: input.name,
      contentType,
      size: content.length,
      sha256,
      sealed: await deps.sealedBox.seal(tx.db, locationOf(tx, id), input.content),
      deleteAt: addSeconds(tx.now, unattachedDays * daySeconds),
    })
  })
}

function refuseContent(detail: string): never {
  return refuseMember('/content', 'bad_format', detail)
}

function locationOf({ caller: { workspaceId } }: View, rowId: Id<'file'>) {
  return { workspaceId, table: 'files', column: 'sealed', rowId }
}

export function getFile(deps: Deps, caller: Caller, id: string): Promise<File> {
  return read(deps, caller, (view) => store.findFile(view, id))
}

/** In the order of the ids. Deleted files are missing. */
export async function listFiles(view: View, ids: readonly Id<'file'>[]): Promise<readonly File[]> {
  const files = await store.listFiles(view, ids)
  return ids.flatMap((id) => files.find((file) => file.id === id) ?? [])
}

export async function readContent(deps: Deps, view: View, id: Id<'file'>): Promise<Buffer> {
  const text = await deps.sealedBox.open(view.db, locationOf(view, id), await store.readSealed(view, id))
  return Buffer.from(text, 'base64')
}

type Attachment = {
  readonly disputeId: Id<'dispute'>
  readonly before: readonly Id<'file'>[]
  readonly after: readonly string[]
}

/** Attaches the files to the dispute, and detaches the others. Returns the ids of the attached files. */
export async function attachFiles(tx: Tx, { disputeId, before, after }: Attachment): Promise<Id<'file'>[]> {
  const files = await store.lockFiles(tx, [...new Set([...before, ...after])])
  const attached = after.map((text, index) => {
    const file = files.find(({ id }) => id.toUpperCase() === text.toUpperCase())
    if (file === undefined || (file.disputeId !== null && file.disputeId !== disputeId))
      return refuseMember(`/file_ids/${index}`, 'not_found', 'is not a file that can be attached')
    return file
  })
  for (const file of files) {
    const isAttached = attached.includes(file)
    if (isAttached && file.disputeId === null) await store.updateFile(tx, file, { disputeId, deleteAt: null })
    if (!isAttached) {
      const deleteAt = addSeconds(tx.now, unattachedDays * daySeconds)
      await store.updateFile(tx, file, { disputeId: null, deleteAt })
    }
  }
  return attached.map(({ id }) => id)
}

/** `endedAt` is null if the dispute is open, or open again. */
export async function scheduleDeletion(
  tx: Tx,
  ids: readonly Id<'file'>[],
  endedAt: Date | null,
): Promise<void> {
  const deleteAt = endedAt === null ? null : evidenceDeletionTime(endedAt)
  for (const file of await store.lockFiles(tx, ids))
    if (file.deleteAt?.getTime() !== deleteAt?.getTime())
      await store.updateFile(tx, file, { disputeId: file.disputeId, deleteAt })
}

export async function deleteFile(deps: Deps, ref: Ref<'file'>): Promise<void> {
  await transact(deps, systemCaller(ref), (tx) => store.deleteDueFile(tx, ref.id))
}
