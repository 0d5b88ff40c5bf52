/** Subscriptions whose invoices have news for them. */
import { sql } from 'kysely'
import type { Reading } from '../../../kernel/clock.ts'
import { idFromUuid, type Mode } from '../../../kernel/id.ts'
import type { Db } from '../../../platform/db/databases.ts'
import { instantOf, mayBeHandedOut, ofClock } from '../../../platform/db/due.ts'

export async function dueForSettling(db: Db, work: string, now: Reading, limit: number) {
  const at = instantOf(now)
  const { rows } = await sql<{ workspace_id: string; id: string; due_at: Date; mode: Mode }>`
    select news.workspace_id, news.subscription_id as id, min(news.subscription_due_at) as due_at, workspaces.mode
    from (
      select row.workspace_id, row.subscription_id, row.subscription_due_at from invoices as row
      where row.subscription_due_at <= ${at} and ${ofClock(now, 'row.test_clock_id')}
        and ${mayBeHandedOut(work, at, { workspace: 'row.workspace_id', object: 'row.subscription_id' })}
      order by row.subscription_due_at limit ${limit}
    ) as news
      join workspaces on workspaces.workspace_id = news.workspace_id
    group by news.workspace_id, news.subscription_id, workspaces.mode
    order by 3`.execute(db)
  return rows.map((row) => ({
    workspaceId: idFromUuid('workspace', row.mode, row.workspace_id),
    id: idFromUuid('subscription', row.mode, row.id),
    dueAt: row.due_at,
  }))
}
