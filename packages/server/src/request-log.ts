/** Writes API requests to the request log, in batches. */
import { writeLines } from './domains/access/request-log/service.ts'
import type { NewLine } from './domains/access/request-log/store.ts'
import type { Id } from './kernel/id.ts'
import { createBatchesBy } from './platform/batches.ts'
import type { Databases } from './platform/db/databases.ts'
import { CommitLost, isNotWritten } from './platform/db/retries.ts'
import type { RequestLogEntry } from './platform/http/http-context.ts'
import type { Log } from './platform/log.ts'
import type { Metrics } from './platform/metrics.ts'

/**
 * A request never waits until it is written to the log. Entries are kept for 30 seconds while the database is
 * unavailable; a process that crashes loses its last entries.
 */
export function createRequestLog(databases: Databases, log: Log, metrics: Metrics) {
  const batches = createBatchesBy((line: NewLine) => databases.of(line.workspaceId).name, {
    size: 100,
    afterMs: 200,
    maxWaiting: 5_000,
    write: (lines: readonly NewLine[]) => writeLines(databases, lines),
    // A line that is stored already is not stored again.
    isTemporary: (error) => isNotWritten(error) || error instanceof CommitLost,
    keepMs: 30_000,
    onLoss: (count, error) => {
      metrics.requestLogDropped.inc(count)
      // Logging every dropped line would make an overload worse; the metric counts them all.
      if (error !== undefined) log.warn('request log lines were lost', { count, error })
    },
  })
  return {
    add: (line: RequestLogEntry) => batches.add(toRow(line)),
    flush: () => batches.flush(),
    stop: () => batches.stop(),
  }
}

function toRow({ caller, requestId, ...line }: RequestLogEntry): NewLine {
  return {
    ...line,
    id: requestId as Id<'request'>,
    workspaceId: caller.workspaceId,
    tokenId: caller.tokenId,
    personId: caller.personId,
    idempotencyKey: caller.request?.idempotencyKey ?? null,
  }
}
