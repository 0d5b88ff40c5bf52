/**
 * The request log. Lines are written in batches after the responses, so a request never waits for its line;
 * a process that crashes loses its last lines. The event log and the audit log lose none.
 */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { requireOneFilter } from '../../../kernel/filters.ts'
import type { Databases } from '../../../platform/db/databases.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { read } from '../../../platform/db/unit-of-work.ts'
import type { LoggedRequest } from './logged-request.ts'
import type { NewLine } from './store.ts'
import * as store from './store.ts'

export function getRequest(deps: Deps, caller: Caller, id: string): Promise<LoggedRequest> {
  return read(deps, caller, (view) => store.findRequest(view, id))
}

export function listRequests(
  deps: Deps,
  caller: Caller,
  range: IdRange,
  filter: {
    readonly status_class?: '4xx' | '5xx' | undefined
    readonly error_code?: string | undefined
  },
) {
  const { status_class: statusClass, error_code: errorCode } = filter
  requireOneFilter({ status_class: statusClass, error_code: errorCode })
  return read(deps, caller, (view) => store.listRequests(view, range, { statusClass, errorCode }))
}

/** Writes the lines of one batch with one statement per shard: lines are stored with their workspace. */
export async function writeLines(databases: Databases, lines: readonly NewLine[]): Promise<void> {
  for (const [shard, batch] of Map.groupBy(lines, (line) => databases.of(line.workspaceId))) {
    await shard.as('switchyard_log', (db) => store.insertLines(db, batch))
  }
}
