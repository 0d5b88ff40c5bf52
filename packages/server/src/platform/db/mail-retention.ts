/**
 * Deletes old e-mails, which contain addresses of payers. A deleted e-mail could be created again, so the period is longer
 * than the longest time between two attempts to create the same e-mail: reminders are created up to a year in advance.
 */
import { sql } from 'kysely'
import { idFromUuid } from '../../kernel/id.ts'
import type { Db, Shard } from './databases.ts'

export const mailKeepDays = 400
/** Few enough that no other statement waits for the deletion. */
const batchSize = 5_000
/** The number of rows deleted per run; the next run continues. */
const maxRows = 200_000

const isOld = sql<boolean>`due_at is null and updated_at < now() - ${sql.lit(mailKeepDays)} * interval '1 day'`

export async function deleteOldMails(shard: Shard): Promise<void> {
  for (let rows = 0; rows < maxRows; rows += batchSize) {
    const workspaces = await shard.as('switchyard_due', findWorkspaces)
    if (workspaces.length === 0) return
    // Only the UUID matters here, and it does not depend on the mode.
    for (const workspace of workspaces)
      await shard.inWorkspace(idFromUuid('workspace', 'live', workspace), (db) => deleteBatch(db, workspace))
  }
}

async function findWorkspaces(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ workspace_id: string }>`select distinct workspace_id
    from (select workspace_id from mails where ${isOld} order by updated_at limit ${batchSize}) as mail`.execute(
    db,
  )
  return rows.map(({ workspace_id }) => workspace_id)
}

async function deleteBatch(db: Db, workspace: string): Promise<void> {
  await sql`delete from mail_bounces where workspace_id = ${workspace}
    and bounced_at < now() - ${mailKeepDays} * interval '1 day'`.execute(db)
  await sql`delete from mails where workspace_id = ${workspace} and id in (
    select id from mails where workspace_id = ${workspace} and ${isOld}
    order by updated_at limit ${batchSize})`.execute(db)
}
