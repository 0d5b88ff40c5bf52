/** The directory of API tokens in the control plane: it finds the workspace and the token of a secret. */
import { sql } from 'kysely'
import { type Id, type Ref, uuidOf } from '../../../../kernel/id.ts'
import type { Db } from '../../../../platform/db/databases.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import type { SecretHash } from '../api-token.ts'
import type { Status } from '../machine.ts'

/** The entry of a token in the directory. */
export type Listing = {
  readonly version: number
  readonly status: Status
  /** The uuid of the person who created the token. */
  readonly createdBy: string | null
  readonly creatorGeneration: number
  readonly hashes: readonly SecretHash[]
}

type ListingRow = {
  readonly version: number
  readonly status: Status
  readonly created_by: string | null
  readonly creator_generation: number
  readonly hash: Buffer | null
  readonly created_at: Date
  readonly expires_at: Date | null
}

/** Null if the directory is up to date. One statement, so that the hashes match the version. */
export async function readListing(view: View, id: Id<'api_token'>): Promise<Listing | null> {
  const { rows } = await sql<ListingRow>`
    select token.version, token.status, token.created_by, token.creator_generation,
      hashes.hash, hashes.created_at, hashes.expires_at
    from api_tokens as token left join api_token_hashes as hashes
      on hashes.workspace_id = token.workspace_id and hashes.api_token_id = token.id
    where token.workspace_id = ${uuidOf(view.caller.workspaceId)} and token.id = ${uuidOf(id)}
      and token.directory_due_at is not null`.execute(view.db)
  const [first] = rows
  if (first === undefined) return null
  const { version, status, created_by: createdBy, creator_generation: creatorGeneration } = first
  const hashes = rows.flatMap(({ hash, created_at: createdAt, expires_at: expiresAt }) =>
    hash === null ? [] : [{ hash, createdAt, expiresAt }],
  )
  return { version, status, createdBy, creatorGeneration, hashes }
}

/** A later change of the token sets the time again, so only the listed version is cleared. */
export async function clearDirectoryDue(tx: Tx, id: Id<'api_token'>, version: number): Promise<void> {
  await tx.db
    .updateTable('api_tokens')
    .set({ directory_due_at: null })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(id))
    .where('version', '=', version)
    .execute()
}

/** The secrets of a token in the directory. */
export async function listSecrets(db: Db, { workspaceId, id }: Ref<'api_token'>): Promise<SecretHash[]> {
  const rows = await db
    .selectFrom('control.api_token_secrets')
    .select(['hash', 'created_at', 'expires_at'])
    .where('workspace_id', '=', uuidOf(workspaceId))
    .where('api_token_id', '=', uuidOf(id))
    .execute()
  return rows.map((row) => ({ hash: row.hash, createdAt: row.created_at, expiresAt: row.expires_at }))
}

/** Records the version. Returns false if the directory already has a later one. Repeating it succeeds. */
export async function claimVersion(
  db: Db,
  { workspaceId, id }: Ref<'api_token'>,
  version: number,
): Promise<boolean> {
  const { rows } = await sql`
    insert into control.api_tokens as listed (workspace_id, id, version)
    values (${uuidOf(workspaceId)}, ${uuidOf(id)}, ${version})
    on conflict (workspace_id, id) do update set version = excluded.version
      where listed.version <= excluded.version
    returning version`.execute(db)
  return rows.length > 0
}

/**
 * Whether the tokens of this generation may be listed. Locks the person, so that the tokens cannot be revoked
 * concurrently.
 */
export async function isCreatorCurrent(db: Db, creator: string, generation: number): Promise<boolean> {
  const { rows } = await sql`
    select id from control.people where id = ${creator} and status = 'active' and token_generation = ${generation}
    for share`.execute(db)
  return rows.length > 0
}

/** Adds the secrets of the token. The expiry of a secret that is listed already can only become earlier. */
export async function insertSecrets(
  db: Db,
  { workspaceId, id }: Ref<'api_token'>,
  { hashes, createdBy }: Listing,
): Promise<void> {
  for (const { hash, createdAt, expiresAt } of hashes)
    await sql`
      insert into control.api_token_secrets as listed
        (hash, workspace_id, api_token_id, created_at, expires_at, created_by)
      values (${hash}, ${uuidOf(workspaceId)}, ${uuidOf(id)}, ${createdAt}, ${expiresAt}, ${createdBy})
      on conflict (hash) do update set expires_at = least(listed.expires_at, excluded.expires_at)
        where listed.workspace_id = excluded.workspace_id`.execute(db)
}

/** Deletes the secrets that expired before the given time, or all if it is null. */
export async function deleteSecrets(
  db: Db,
  { workspaceId, id }: Ref<'api_token'>,
  expiredBefore: Date | null,
): Promise<void> {
  await db
    .deleteFrom('control.api_token_secrets')
    .where('workspace_id', '=', uuidOf(workspaceId))
    .where('api_token_id', '=', uuidOf(id))
    .$if(expiredBefore !== null, (query) => query.where('expires_at', '<=', expiredBefore))
    .execute()
}
