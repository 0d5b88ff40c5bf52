/** Reads single columns of subscriptions. */
import { type Id, idFromUuid, uuidFromText, uuidOf } from '../../../../kernel/id.ts'
import type { View } from '../../../../platform/db/unit-of-work.ts'

/** The test clock of the subscription; null if it has none or does not exist. */
export async function clockIdOf(view: View, text: string): Promise<Id<'test_clock'> | null> {
  const uuid = uuidFromText('subscription', view.caller.mode, text)
  if (uuid === null) return null
  const row = await view.db
    .selectFrom('subscriptions')
    .select('test_clock_id')
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuid)
    .executeTakeFirst()
  return row?.test_clock_id ? idFromUuid('test_clock', view.caller.mode, row.test_clock_id) : null
}
