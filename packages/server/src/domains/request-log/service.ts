/**
 * The log of calls. Lines are written in batches after the answers, so a call never waits for its line;
 * a process that dies takes the lines of its last moments with it. The event log and the audit log lose none.
 */
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Databases } from '../../platform/db/databases.ts'
import type { IdRange } from '../../platform/db/keyset.ts'
import { read } from '../../platform/db/unit-of-work.ts'
import type { LoggedRequest } from './logged-request.ts'
import type { NewLine } from './store.ts'
import * as store from './store.ts'

export function getRequest(deps: Deps, caller: Caller, id: string): Promise<LoggedRequest> {
  return read(deps, caller, (view) => store.findRequest(view, id))
}

export function listRequests(deps: Deps, caller: Caller, range: IdRange) {
  return read(deps, caller, (view) => store.listRequests(view, range))
}

const batchLines = 100
const batchMs = 200
/** Beyond this the database is in trouble, and a log must not make it worse. */
const maxWaiting = 5_000

export type RequestLogWriter = { add(line: NewLine): void; flush(): Promise<void> }

/** `onLoss` hears how many lines could not be kept. */
export function createRequestLogWriter(
  databases: Databases,
  onLoss: (lines: number) => void,
): RequestLogWriter {
  let waiting: NewLine[] = []
  let timer: NodeJS.Timeout | null = null
  let writing = Promise.resolve()

  const flush = (): Promise<void> => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const lines = waiting
    waiting = []
    if (lines.length > 0) writing = writing.then(() => write(databases, lines, onLoss))
    return writing
  }

  return {
    flush,
    add(line) {
      if (waiting.length >= maxWaiting) return onLoss(1)
      waiting.push(line)
      if (waiting.length >= batchLines) void flush()
      else timer ??= setTimeout(flush, batchMs)
    },
  }
}

/** A batch for each shard: lines lie beside what they tell of. */
async function write(
  databases: Databases,
  lines: readonly NewLine[],
  onLoss: (lines: number) => void,
): Promise<void> {
  const byShard = Map.groupBy(lines, (line) => databases.of(line.workspaceId))
  for (const [shard, batch] of byShard) {
    await shard
      .as('switchyard_log', (db) => store.insertLines(db, batch))
      .then(
        () => {},
        () => onLoss(batch.length),
      )
  }
}
