/**
 * Stores the lines of an uploaded file in batches, each in its own transaction, while the file is received. An interrupted
 * upload is repeated from the beginning: lines that are stored already are recognized by their ids.
 */
import { createHash } from 'node:crypto'
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { Refusal, refuse } from '../../../../kernel/errors.ts'
import { crashpoint } from '../../../../platform/crashpoint.ts'
import { readCsv } from '../../../../platform/csv.ts'
import { changeControl } from '../../../../platform/db/control.ts'
import { withoutKey } from '../../../../platform/db/resumable.ts'
import { read, type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { type LineReader, openLineReader, type ReadLine } from '../formats/line-reader.ts'
import type { SettlementImport } from '../settlement-import.ts'
import * as store from '../store/imports.ts'
import { insertOrTakeOverLines } from '../store/lines.ts'

const batchSize = 1_500

/** The part of the file that was read. The header is the first record. */
type Content = {
  readonly sha256: string
  readonly times: { readonly first: Date; readonly last: Date } | null
}

export async function uploadContent(
  deps: Deps,
  caller: Caller,
  id: string,
  file: AsyncIterable<Uint8Array>,
): Promise<SettlementImport> {
  // Only the last unit of work stores the response for repeated requests.
  const batchCaller = withoutKey(caller)
  const started = await startUpload(deps, batchCaller, id)
  const outcome = await storeLines(deps, batchCaller, started, file).then(
    (content) => ({ content, error: null }),
    (error: unknown) => ({ content: null, error }),
  )
  const { content, error } = outcome
  if (content !== null) {
    await extendLease(deps, started)
    const uploaded = await transact(deps, caller, (tx) => finishUpload(tx, started, content))
    await releaseLease(deps, started)
    crashpoint('settlement.uploaded')
    return uploaded
  }
  const { isCurrent, isFailed } = await transact(deps, batchCaller, (tx) => endUpload(tx, started, error))
  if (isCurrent) await releaseLease(deps, started)
  if (isFailed) deps.financeMetrics.settlementImports.inc({ result: 'failed' })
  throw error
}

/**
 * The lease is in the control plane, because it covers the whole installation. It is taken before the import changes, and
 * released after it has changed. If the process is killed in between, the lease expires.
 */
async function startUpload(deps: Deps, caller: Caller, id: string): Promise<SettlementImport> {
  const found = await read(deps, caller, (view) => store.findImport(view, id))
  requireNotUploaded(found)
  const isTaken = await changeControl(deps, (db, now) =>
    store.takeUploadLease(db, found.id, { now, isNew: true }),
  )
  if (!isTaken) refuse('settlement_import_running', { retryAfterSeconds: 5 })
  return transact(deps, caller, (tx) => markStarted(tx, id)).then(null, async (error) => {
    await releaseLease(deps, found)
    throw error
  })
}

function requireNotUploaded(before: SettlementImport): void {
  if (before.status !== 'awaiting_content' && before.status !== 'uploading')
    refuse('invalid_state', {
      detail: 'The content of this import was uploaded already. Create another import for another file.',
      current_status: before.status,
      allowed_actions: [],
    })
}

async function markStarted(tx: Tx, id: string): Promise<SettlementImport> {
  const before = await store.lockImport(tx, id)
  requireNotUploaded(before)
  return store.updateImport(tx, before, {
    status: 'uploading',
    uploads: before.uploads + 1,
    linesRead: 0n,
    linesNew: 0n,
  })
}

async function storeLines(
  deps: Deps,
  caller: Caller,
  started: SettlementImport,
  file: AsyncIterable<Uint8Array>,
): Promise<Content> {
  const hash = createHash('sha256')
  const { workspaceId } = caller
  let reader: LineReader | null = null
  let times: Content['times'] = null
  let batch: ReadLine[] = []
  let storing: Promise<void> = Promise.resolve()
  const storeNext = async (lines: readonly ReadLine[]) => {
    await extendLease(deps, started)
    await transact(deps, caller, (tx) => storeBatch(tx, started, lines))
    crashpoint('settlement.batch_stored')
  }
  // The next batch is read while this one is stored.
  const store = async () => {
    await storing
    const lines = batch
    batch = []
    if (lines.length > 0) storing = storeNext(lines)
    // An error is thrown when the promise is awaited.
    storing.then(null, () => {})
  }
  const delimiter = started.mapping?.delimiter ?? ','
  for await (const records of readCsv(hashed(file, hash), { delimiter })) {
    for (const record of records) {
      if (reader === null) {
        reader = openLineReader({ ...started, workspaceId }, record)
        await extendLease(deps, started)
        await transact(deps, caller, (tx) => storeColumns(tx, started, record))
        continue
      }
      const line = reader.read(record)
      times = extend(times, line.createdAt)
      batch.push(line)
      if (batch.length >= batchSize) await store()
    }
  }
  if (reader === null) refuse('invalid_settlement_file', { detail: 'The file is empty.' })
  await store()
  await storing
  return { sha256: hash.digest('hex'), times }
}

async function* hashed(file: AsyncIterable<Uint8Array>, hash: ReturnType<typeof createHash>) {
  for await (const chunk of file) {
    hash.update(chunk)
    yield chunk
  }
}

function extend(times: Content['times'], at: Date): Content['times'] {
  if (times === null) return { first: at, last: at }
  if (at < times.first) return { first: at, last: times.last }
  return at > times.last ? { first: times.first, last: at } : times
}

/** Each batch extends the lease. If another upload has taken it over, this one ends. */
async function extendLease(deps: Deps, { id }: SettlementImport): Promise<void> {
  if (!(await changeControl(deps, (db, now) => store.takeUploadLease(db, id, { now, isNew: false }))))
    refuse('settlement_import_running', interrupted)
}

function releaseLease(deps: Deps, { id }: SettlementImport): Promise<void> {
  return changeControl(deps, (db) => store.releaseUploadLease(db, id))
}

/** Another upload of the same import ends this one. */
async function lockUpload(tx: Tx, { id, uploads }: SettlementImport): Promise<SettlementImport> {
  const before = await store.lockImport(tx, id)
  if (before.status !== 'uploading' || before.uploads !== uploads)
    refuse('settlement_import_running', interrupted)
  return before
}

const interrupted = {
  detail: 'This upload was interrupted for too long, and another one has started.',
  retryAfterSeconds: 5,
}

async function storeColumns(tx: Tx, started: SettlementImport, columns: readonly string[]): Promise<void> {
  await store.updateImport(tx, await lockUpload(tx, started), { columns })
}

async function storeBatch(tx: Tx, started: SettlementImport, lines: readonly ReadLine[]): Promise<void> {
  const before = await lockUpload(tx, started)
  const added = await insertOrTakeOverLines(tx, before, lines)
  await store.updateImport(tx, before, {
    linesRead: before.linesRead + BigInt(lines.length),
    linesNew: before.linesNew + BigInt(added),
  })
}

async function finishUpload(tx: Tx, started: SettlementImport, content: Content): Promise<SettlementImport> {
  const before = await lockUpload(tx, started)
  if (content.times !== null) await store.extendCoveredTimes(tx, before.providerAccountId, content.times)
  return store.updateImport(tx, before, {
    status: 'matching',
    contentSha256: content.sha256,
    duplicateOfId: await store.findSameContent(tx, before, content.sha256),
    step: 'pending_lines',
    dueAt: tx.now,
  })
}

/**
 * A file that cannot be imported fails its import. The lines that were stored are not matched: the next import that
 * contains them uses them. After any other error the upload can be repeated.
 */
async function endUpload(tx: Tx, started: SettlementImport, error: unknown): Promise<EndedUpload> {
  const before = await store.lockImport(tx, started.id)
  if (before.uploads !== started.uploads || before.status !== 'uploading')
    return { isCurrent: false, isFailed: false }
  if (!(error instanceof Refusal) || error.code !== 'invalid_settlement_file')
    return { isCurrent: true, isFailed: false }
  const failure = error.members.detail ?? error.message
  await store.updateImport(tx, before, { status: 'failed', failure, linesNew: 0n })
  return { isCurrent: true, isFailed: true }
}

/** `isCurrent`: no other upload of the same import has started. */
type EndedUpload = { readonly isCurrent: boolean; readonly isFailed: boolean }
