/** The events of a unit of work, from the call of `emit` to the stored text. */
import type { Caller } from '../../kernel/caller.ts'
import { uuidOf } from '../../kernel/id.ts'
import type { Db } from './databases.ts'
import type { EventRecord } from './events.ts'

/** An emitted event, waiting for the API version in which it is written. */
export type PendingEvent = (apiVersion: string) => EventRecord

type EventScope = { readonly db: Db; readonly caller: Caller }

/**
 * The caller of the API already has the API version of the workspace. The system caller does not, so the version is looked
 * up, and only if there are events.
 */
export async function recordPendingEvents(
  scope: EventScope,
  pendingEvents: readonly PendingEvent[],
): Promise<EventRecord[]> {
  if (pendingEvents.length === 0) return []
  const apiVersion = scope.caller.apiVersion ?? (await readApiVersion(scope))
  return pendingEvents.map((pendingEvent) => pendingEvent(apiVersion))
}

async function readApiVersion({ db, caller }: EventScope): Promise<string> {
  const row = await db
    .selectFrom('workspaces')
    .select('api_version')
    .where('workspace_id', '=', uuidOf(caller.workspaceId))
    .executeTakeFirstOrThrow()
  return row.api_version
}
