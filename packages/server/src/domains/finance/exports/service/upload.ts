/**
 * Worker: uploads the file of a daily export from its parts, and then the manifest. No request is made inside a transaction.
 * After a crash or a failure everything is uploaded again, with identical names and content.
 */
import { hash } from 'node:crypto'
import type { Deps } from '../../../../deps.ts'
import { assert } from '../../../../kernel/assert.ts'
import { type Caller, systemCaller } from '../../../../kernel/caller.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { nextTransition } from '../../../../kernel/machine.ts'
import { crashpoint } from '../../../../platform/crashpoint.ts'
import { read, type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import type { ObjectStorage, StorageResult } from '../../../../platform/object-storage.ts'
import { retryAfterSeconds } from '../daily.ts'
import type { UploadError } from '../destination.ts'
import { exportCompleted } from '../events.ts'
import { type Export, fileNameOf } from '../export.ts'
import { formats } from '../formats.ts'
import { exportMachine } from '../machine.ts'
import { type FilePart, manifestName, manifestText } from '../manifest.ts'
import { findDestination, lockDestination } from '../store/destinations.ts'
import * as store from '../store/exports.ts'
import { readPart } from '../store/parts.ts'
import { openStorage, recordFailure, recordSuccess } from './destination-health.ts'

/**
 * Larger files are uploaded in chunks of this size, the smallest that S3 allows. Only one chunk is in memory. S3 allows
 * 10,000 of them, which is more than the largest file has.
 */
const chunkBytes = 5 * 1_048_576
/** Longer than a request can take: a worker renews its lease before each request. */
const leaseSeconds = 180

type Claimed = { readonly exported: Export; readonly storage: ObjectStorage }
/** `null`: another worker or a cancellation has changed the row, so this worker has to stop. */
type Step = StorageResult<null> | null
type Upload = {
  readonly deps: Deps
  readonly caller: Caller
  readonly storage: ObjectStorage
  /** The chunks that were uploaded. */
  readonly parts: FilePart[]
  readonly current: () => Export
  /** Saves progress and renews the lease. Returns false if this worker has to stop. */
  readonly save: (changes: Partial<Pick<Export, 'uploadId'>>) => Promise<boolean>
}

export async function uploadExport(deps: Deps, ref: Ref<'export'>): Promise<void> {
  const caller = systemCaller(ref)
  const claimed = await transact(deps, caller, (tx) => claim(deps, tx, ref))
  if (claimed === null) return
  const upload = startUpload(deps, caller, claimed)
  const result = await uploadFile(upload)
  const last = result?.is === 'ok' ? await uploadManifest(upload) : result
  if (last === null) return
  const isSaved = await transact(deps, caller, (tx) => recordResult(tx, upload.current(), last))
  if (!isSaved) return
  deps.financeMetrics.exportUploads.inc({ result: last.is === 'ok' ? 'uploaded' : 'failed' })
  if (last.is === 'ok') deps.financeMetrics.exportsEnded.inc({ status: 'completed' })
}

async function claim(deps: Deps, tx: Tx, ref: Ref<'export'>): Promise<Claimed | null> {
  const before = await store.lockExport(tx, ref.id)
  if (before.uploadAt === null || before.uploadAt > tx.now || before.destinationId === null) return null
  const storage = await openStorage(deps, tx, await findDestination(tx, before.destinationId))
  assert(storage !== null, 'Exports of a deleted destination must be cancelled.')
  const exported = await store.updateProgress(tx, before, { ...newLease(tx), uploadError: null })
  return { exported, storage }
}

const newLease = (tx: Tx) => ({ uploadAt: addSeconds(tx.now, leaseSeconds) })

function startUpload(deps: Deps, caller: Caller, { exported, storage }: Claimed): Upload {
  let current = exported
  const save: Upload['save'] = async (changes) => {
    const saved = await transact(deps, caller, async (tx) => {
      const before = await store.lockExport(tx, current.id)
      if (before.version !== current.version) return null
      return store.updateProgress(tx, before, { ...newLease(tx), ...changes })
    })
    if (saved === null) return false
    current = saved
    return true
  }
  return { deps, caller, storage, parts: [], current: () => current, save }
}

const keyOf = ({ uploadPath }: Export, name: string) => `${uploadPath}/${name}`
const fileKeyOf = (exported: Export) =>
  keyOf(exported, fileNameOf(exported, formats[exported.format].extension))

async function uploadFile(upload: Upload): Promise<Step> {
  const { storage, current, save } = upload
  const { uploadId, bytes, format } = current()
  const key = fileKeyOf(current())
  if (uploadId !== null) {
    // A crashed worker left this upload. If it cannot be aborted, lifecycle rules of the bucket have to
    // delete its parts.
    await storage.abortUpload(key, uploadId)
    if (!(await save({ uploadId: null }))) return null
  }
  if (bytes > chunkBytes) return uploadInChunks(upload, key)
  const { value: content } = await chunksOf(upload).next()
  return storage.putObject(key, content ?? new Uint8Array(), formats[format].contentType)
}

async function uploadInChunks(upload: Upload, key: string): Promise<Step> {
  const { storage, current, save } = upload
  const started = await storage.startUpload(key, formats[current().format].contentType)
  if (started.is === 'failed') return started
  const uploadId = started.value
  const tags: string[] = []
  const stop = async (result: Step) => {
    await storage.abortUpload(key, uploadId)
    return result
  }
  if (!(await save({ uploadId }))) return stop(null)
  for await (const chunk of chunksOf(upload)) {
    const put = await storage.putPart({ key, uploadId, number: tags.length + 1 }, chunk)
    if (put.is === 'failed') return stop(put)
    tags.push(put.value)
    if (!(await save({}))) return stop(null)
  }
  const completed = await storage.completeUpload(key, uploadId, tags)
  if (completed.is === 'failed') return stop(completed)
  return (await save({ uploadId: null })) ? completed : null
}

/** The file in chunks of at least `chunkBytes`, except the last. */
async function* chunksOf({ deps, caller, current, parts: uploaded }: Upload): AsyncGenerator<Uint8Array> {
  const { id, parts } = current()
  let start = 0
  let collected: Uint8Array[] = []
  let size = 0
  for (let number = 0; number < parts; number += 1) {
    const content = await read(deps, caller, (view) => readPart(view, id, number))
    assert(content !== null, 'The parts of an export must not be deleted before the upload has ended.')
    collected.push(content)
    size += content.length
    if (size < chunkBytes && number < parts - 1) continue
    const chunk = Buffer.concat(collected)
    uploaded.push({ start, bytes: size, sha256: hash('sha256', chunk) })
    yield chunk
    collected = []
    start += size
    size = 0
  }
}

async function uploadManifest({ storage, parts, current, save }: Upload): Promise<Step> {
  crashpoint('export.file_uploaded')
  if (!(await save({}))) return null
  const text = manifestText(current(), formats[current().format].extension, parts)
  return storage.putObject(keyOf(current(), manifestName), Buffer.from(text), 'application/json')
}

/** Returns false if another worker or a cancellation has changed the row. */
async function recordResult(tx: Tx, { id, version, destinationId }: Export, result: StorageResult<null>) {
  assert(
    destinationId !== null,
    'An export must have a destination to be uploaded: only daily exports have one.',
  )
  const destination = await lockDestination(tx, destinationId)
  const before = await store.lockExport(tx, id)
  if (before.version !== version) return false
  if (result.is === 'failed') {
    await recordFailure(tx, destination, result.error)
    await postpone(tx, before, result.error)
  } else {
    await recordSuccess(tx, destination)
    await complete(tx, before)
  }
  return true
}

async function postpone(tx: Tx, before: Export, uploadError: UploadError): Promise<void> {
  const uploadAttempts = before.uploadAttempts + 1
  const uploadAt = addSeconds(tx.now, retryAfterSeconds(uploadAttempts))
  await store.updateProgress(tx, before, { uploadAttempts, uploadError, uploadAt, uploadId: null })
}

/** The file is in the bucket, so its parts are deleted. */
async function complete(tx: Tx, before: Export): Promise<void> {
  const { to } = nextTransition(exportMachine, { state: before.status, trigger: 'uploaded', facts: {} })
  const after = await store.updateWithEvent(tx, before, {
    status: to,
    uploadAttempts: before.uploadAttempts + 1,
    uploadAt: null,
    deleteAt: tx.now,
    expiresAt: tx.now,
    completedAt: tx.now,
  })
  tx.emit(exportCompleted, { before, after })
}
