/**
 * Finds the workspace of an object for requests without a token. The role that runs this query sees only ids.
 */
import { sql } from 'kysely'
import { type Id, idFromUuid, type Mode, uuidOf } from '../../kernel/id.ts'
import type { Databases, Db } from './databases.ts'
import { withRetries } from './retries.ts'

/** The workspace that owns the account; null if the account does not exist in that environment. */
export async function ownerOfAccount(
  { databases }: { readonly databases: Databases },
  mode: Mode,
  id: Id<'provider_account'>,
): Promise<Id<'workspace'> | null> {
  // The account has the slot of its workspace. Only a workspace that has moved is on another shard.
  const first = databases.of(idFromUuid('workspace', mode, uuidOf(id)))
  for (const shard of [first, ...databases.shards.filter((other) => other !== first)]) {
    const uuid = await withRetries({ isRepeatable: true }, () =>
      shard.as('switchyard_due', (db) => ownerIn(db, mode, id)),
    )
    if (uuid !== null) return idFromUuid('workspace', mode, uuid)
  }
  return null
}

async function ownerIn(db: Db, mode: Mode, id: Id<'provider_account'>): Promise<string | null> {
  const { rows } = await sql<{ workspace_id: string }>`
    select account.workspace_id
    from provider_accounts as account join workspaces on workspaces.workspace_id = account.workspace_id
    where account.id = ${uuidOf(id)} and workspaces.mode = ${mode} limit ${1}`.execute(db)
  return rows[0]?.workspace_id ?? null
}
