/**
 * Worker: reads objects in pages, each in its own transaction, and stores the file in parts. A part is
 * committed together with the position after it, so a crash only repeats the work since the last part, and
 * the file is the same. A worker stops if it finds that a cancellation or another worker has changed the row
 * since.
 */
import { createHash } from 'node:crypto'
import type { Deps } from '../../../../deps.ts'
import { assert } from '../../../../kernel/assert.ts'
import { type Caller, systemCaller } from '../../../../kernel/caller.ts'
import { addSeconds, monotonicMs } from '../../../../kernel/clock.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { nextTransition } from '../../../../kernel/machine.ts'
import { read, type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import type { Row } from '../columns.ts'
import { exportCompleted, exportFailed, exportWritten } from '../events.ts'
import { type Export, storedDays } from '../export.ts'
import { type EncodedPart, formats } from '../formats.ts'
import { defaultSettings } from '../journal-settings.ts'
import { exportMachine } from '../machine.ts'
import { sourceOf } from '../sources.ts'
import * as store from '../store/exports.ts'
import { insertPart, readDirectories, readPart } from '../store/parts.ts'
import { addToSums } from '../sums.ts'
import { boundsOf, countPage, readPage } from './pages.ts'

/** Small enough that a page does not block other work of this process. */
const pageSize = 1_000
/**
 * A part has at least this many rows, except the last. Encoding a part must not block other work for long, and its rows
 * are in memory until it is encoded.
 */
const partRows = 2_500
const countBatchSize = 50_000
/** How often a worker that has nothing to store renews its lease and notices a cancellation. */
const renewEveryMs = 2_000
/** A worker that has not saved for this time is considered crashed. */
const leaseSeconds = 15
/** After this time the worker lets other exports run, and continues later. */
const maxTurnMs = 20_000

export async function runExport(deps: Deps, ref: Ref<'export'>): Promise<void> {
  const caller = systemCaller(ref)
  const claimed = await transact(deps, caller, (tx) => claim(tx, ref))
  if (claimed === null) return
  const worker = createWorker(deps, caller, claimed)
  // A daily export is not counted first, because this would read the changes of its day twice.
  const isCounted = claimed.total !== null || claimed.destinationId !== null
  if (!isCounted && !(await countAll(worker))) return
  if (await writeParts(worker)) await finish(worker)
}

/** A message may be late or a duplicate. The row shows whether there is anything to do. */
async function claim(tx: Tx, ref: Ref<'export'>): Promise<Export | null> {
  const before = await store.lockExport(tx, ref.id)
  if (before.dueAt === null || before.dueAt > tx.now) return null
  return store.updateProgress(tx, before, newLease(tx))
}

const newLease = (tx: Tx) => ({ dueAt: addSeconds(tx.now, leaseSeconds) })

type Write = (tx: Tx, before: Export) => Promise<Export>
type Worker = {
  readonly deps: Deps
  readonly caller: Caller
  /** The row as this worker last wrote it. */
  readonly current: () => Export
  /** Returns false if the row was changed since it was read: then this worker has to stop. */
  readonly save: (write: Write) => Promise<boolean>
  /** Renews the lease if the last save was a while ago. Returns what `save` returns. */
  readonly renew: () => Promise<boolean>
}

function createWorker(deps: Deps, caller: Caller, claimed: Export): Worker {
  let current = claimed
  let savedMs = monotonicMs()
  const save = async (write: Write) => {
    const saved = await transact(deps, caller, async (tx) => {
      const before = await store.lockExport(tx, current.id)
      return before.version === current.version ? write(tx, before) : null
    })
    if (saved === null) return false
    current = saved
    savedMs = monotonicMs()
    return true
  }
  const renew = async () =>
    monotonicMs() - savedMs < renewEveryMs ||
    save((tx, before) => store.updateProgress(tx, before, newLease(tx)))
  return { deps, caller, current: () => current, save, renew }
}

/** Counts the objects that have to be read, which is the total that progress refers to. */
async function countAll({ deps, caller, current, save, renew }: Worker): Promise<boolean> {
  let { after } = boundsOf(current())
  let total = 0
  for (;;) {
    const range = { after, limit: countBatchSize }
    const { counted, last } = await read(deps, caller, (view) => countPage(view, current(), range))
    total += counted
    if (last === null || counted < countBatchSize) break
    after = last
    if (!(await renew())) return false
  }
  return save((tx, before) => store.updateProgress(tx, before, { ...newLease(tx), total }))
}

/** Returns true if all parts are stored, false if this worker has to stop. */
async function writeParts(worker: Worker): Promise<boolean> {
  const turnEndsMs = monotonicMs() + maxTurnMs
  for (;;) {
    const collected = await collectRows(worker)
    if (collected === null) return false
    const hasTurnEnded = monotonicMs() >= turnEndsMs && !collected.isLast
    if (!(await savePart(worker, collected, hasTurnEnded)) || hasTurnEnded) return false
    if (collected.isLast) return true
  }
}

type Collected = {
  readonly rows: readonly Row[]
  readonly scanned: number
  readonly cursor: string | null
  readonly isLast: boolean
}

/** The rows of the next part; null if this worker has to stop. The same position always gives the same rows. */
async function collectRows({ deps, caller, current, renew }: Worker): Promise<Collected | null> {
  const rows: Row[] = []
  let { cursor } = current()
  let scanned = 0
  while (rows.length < partRows) {
    const range = { after: cursor ?? boundsOf(current()).after, limit: pageSize }
    const page = await read(deps, caller, (view) => readPage(view, current(), range))
    if (page.last === null) return { rows, scanned, cursor, isLast: true }
    for (const row of page.rows) rows.push(row)
    scanned += page.scanned
    cursor = page.last
    if (!(await renew())) return null
  }
  return { rows, scanned, cursor, isLast: false }
}

/** Returns false if this worker has to stop. */
async function savePart(worker: Worker, collected: Collected, hasTurnEnded: boolean): Promise<boolean> {
  const exported = worker.current()
  const { format, parts: number, bytes: position, sums } = exported
  // The first part starts the file, so there is one even without rows.
  if (collected.rows.length === 0 && number > 0) return true
  const { columns } = sourceOf(exported)
  const context = { ...exported, settings: exported.settings ?? defaultSettings }
  const part = await formats[format].encodePart({ columns, rows: collected.rows, number, position, context })
  const added = addToSums(sums, columns, collected.rows)
  const isSaved = await worker.save(async (tx, before) => {
    if (!(await hasRoom(tx, before, worker.deps.exportLimits, part))) return fail(tx, before)
    await insertPart(tx, before.id, number, part)
    return store.updateProgress(tx, before, {
      done: before.done + collected.scanned,
      cursor: collected.cursor,
      parts: number + 1,
      rowCount: before.rowCount + collected.rows.length,
      bytes: position + part.content.length,
      sums: added,
      dueAt: hasTurnEnded ? tx.now : newLease(tx).dueAt,
    })
  })
  if (!isSaved) return false
  const { exportsEnded, exportedRows } = worker.deps.financeMetrics
  const isRunning = worker.current().status === 'running'
  if (isRunning) exportedRows.inc(collected.rows.length)
  else exportsEnded.inc({ status: 'failed' })
  return isRunning
}

async function hasRoom(
  tx: Tx,
  before: Export,
  { storedBytes, dailyBytes }: Deps['exportLimits'],
  { content }: EncodedPart,
): Promise<boolean> {
  const bytes = before.bytes + content.length
  // A destination has at most the files of one day stored, because its next day is exported only after they were uploaded.
  // They do not count towards the limit of the workspace.
  if (before.destinationId !== null) return bytes <= dailyBytes
  return (await store.readOtherStoredBytes(tx, before)) + bytes <= storedBytes
}

async function fail(tx: Tx, before: Export): Promise<Export> {
  const { to } = nextTransition(exportMachine, { state: before.status, trigger: 'too_large', facts: {} })
  const after = await store.updateWithEvent(tx, before, {
    status: to,
    failure: 'too_large',
    dueAt: null,
    deleteAt: tx.now,
    completedAt: tx.now,
  })
  tx.emit(exportFailed, { before, after })
  return after
}

async function finish(worker: Worker): Promise<void> {
  const { deps, caller, current, save } = worker
  const { id, format, parts, bytes: position } = current()
  const directories = await read(deps, caller, (view) => readDirectories(view, id))
  const content = await formats[format].encodeEnd({
    columns: sourceOf(current()).columns,
    position,
    directories,
  })
  const sha256 = await hashFile(worker, content)
  if (sha256 === null) return
  const isSaved = await save(async (tx, before) => {
    if (content.length > 0) await insertPart(tx, id, parts, { content, directory: null })
    const file = {
      sha256,
      parts: content.length > 0 ? parts + 1 : parts,
      bytes: position + content.length,
    }
    return before.destinationId === null ? complete(tx, before, file) : startUpload(tx, before, file)
  })
  if (isSaved && current().status === 'completed')
    deps.financeMetrics.exportsEnded.inc({ status: 'completed' })
}

async function startUpload(
  tx: Tx,
  before: Export,
  file: Pick<Export, 'sha256' | 'parts' | 'bytes'>,
): Promise<Export> {
  const { to } = nextTransition(exportMachine, { state: before.status, trigger: 'written', facts: {} })
  const after = await store.updateWithEvent(tx, before, {
    ...file,
    total: before.done,
    status: to,
    dueAt: null,
    uploadAt: tx.now,
  })
  tx.emit(exportWritten, { before, after })
  return after
}

/** The hash of all stored parts and of the end; null if this worker has to stop. */
async function hashFile({ deps, caller, current, renew }: Worker, end: Uint8Array): Promise<string | null> {
  const hash = createHash('sha256')
  const { id, parts } = current()
  for (let number = 0; number < parts; number += 1) {
    const content = await read(deps, caller, (view) => readPart(view, id, number))
    assert(content !== null, 'The parts of a running export must not be deleted.')
    hash.update(content)
    if (!(await renew())) return null
  }
  return hash.update(end).digest('hex')
}

async function complete(
  tx: Tx,
  before: Export,
  file: Pick<Export, 'sha256' | 'parts' | 'bytes'>,
): Promise<Export> {
  const { to } = nextTransition(exportMachine, { state: before.status, trigger: 'end_reached', facts: {} })
  const expiresAt = addSeconds(tx.now, storedDays * 86_400)
  const after = await store.updateWithEvent(tx, before, {
    ...file,
    // The count may include objects that were written after the export started.
    total: before.done,
    status: to,
    dueAt: null,
    deleteAt: expiresAt,
    expiresAt,
    completedAt: tx.now,
  })
  tx.emit(exportCompleted, { before, after })
  return after
}
