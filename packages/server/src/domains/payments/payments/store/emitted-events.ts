/** The events of a payment, its attempts and its refunds. Events are kept for 90 days. */
import { type Id, idFromUuid, type Kind, uuidOf } from '../../../../kernel/id.ts'
import type { View } from '../../../../platform/db/unit-of-work.ts'
import type { EmittedEvent } from '../timeline.ts'

/** The maximum number of events that are read. A payment has far fewer. */
const maxEvents = 1_000

export async function listEmittedEvents(view: View, objects: readonly Id<Kind>[]): Promise<EmittedEvent[]> {
  const rows = await view.db
    .selectFrom('events')
    .select(['id', 'type', 'data', 'created_at'])
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('object_id', 'in', objects.map(uuidOf))
    .orderBy('id')
    .limit(maxEvents)
    .execute()
  return rows.map((row) => ({
    id: idFromUuid('event', view.caller.mode, row.id),
    type: row.type,
    data: row.data,
    createdAt: row.created_at,
  }))
}
