/** The lines of the request log, from the calls of the API to batches of rows. */
import { writeLines } from './domains/request-log/service.ts'
import type { NewLine } from './domains/request-log/store.ts'
import type { Id } from './kernel/id.ts'
import { createBatches } from './platform/batches.ts'
import type { Databases } from './platform/db/databases.ts'
import type { RequestLine } from './platform/http/site.ts'
import type { Log } from './platform/log.ts'
import type { Metrics } from './platform/metrics.ts'

/** A call never waits for its line; a process that dies takes the lines of its last moments with it. */
export function createRequestLog(databases: Databases, log: Log, metrics: Metrics) {
  const batches = createBatches({
    size: 100,
    afterMs: 200,
    maxWaiting: 5_000,
    write: (lines: readonly NewLine[]) => writeLines(databases, lines),
    onLoss: (count, error) => {
      metrics.requestLogDropped.inc(count)
      // A line for each line would make an overload worse; the figure counts them all.
      if (error !== undefined) log.warn('lines of the request log were lost', { count, error })
    },
  })
  return { add: (line: RequestLine) => batches.add(newLineOf(line)), flush: () => batches.flush() }
}

function newLineOf({ caller, requestId, ...line }: RequestLine): NewLine {
  return {
    ...line,
    id: requestId as Id<'request'>,
    workspaceId: caller.workspaceId,
    tokenId: caller.tokenId,
    personId: caller.personId,
    idempotencyKey: caller.request?.idempotencyKey ?? null,
  }
}
