/** What was told of a payment and of what lies under it. Events are kept for 90 days. */
import { type Id, idFromUuid, type Kind, uuidOf } from '../../../kernel/id.ts'
import type { View } from '../../../platform/db/unit-of-work.ts'
import type { ToldEvent } from '../timeline.ts'

/** Of one payment there are far fewer. */
const mostEvents = 1_000

export async function listTold(view: View, objects: readonly Id<Kind>[]): Promise<ToldEvent[]> {
  const rows = await view.db
    .selectFrom('events')
    .select(['id', 'type', 'data', 'created_at'])
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('object_id', 'in', objects.map(uuidOf))
    .orderBy('id')
    .limit(mostEvents)
    .execute()
  return rows.map((row) => ({
    id: idFromUuid('event', view.caller.mode, row.id),
    type: row.type,
    data: row.data,
    createdAt: row.created_at,
  }))
}
