import { type Selectable, sql } from 'kysely'
import type { Role } from '../../../kernel/caller.ts'
import { refuse } from '../../../kernel/errors.ts'
import { type Id, idFromUuid, type Mode, uuidFromText, uuidOf } from '../../../kernel/id.ts'
import type { Db } from '../../../platform/db/databases.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { listRows } from '../../../platform/db/list-rows.ts'
import type { ApiTokens } from '../../../platform/db/tables.generated.ts'
import { ConcurrentChange, type Tx, type View } from '../../../platform/db/unit-of-work.ts'
import type { ApiToken, SecretHash } from './api-token.ts'
import type { Status } from './machine.ts'
import type { TokenKind } from './token.ts'

/**
 * Columns by name, never `*`: a column added by a migration must not change the prepared statements of a
 * running process.
 */
const columns = [
  'id',
  'name',
  'kind',
  'role',
  'status',
  'hint',
  'expires_at',
  'last_used_at',
  'due_at',
  'created_by',
  'creator_generation',
  'directory_due_at',
  'created_at',
  'updated_at',
  'version',
] as const
type ApiTokenRow = Pick<Selectable<ApiTokens>, (typeof columns)[number]>

export async function insertApiToken(tx: Tx, token: ApiToken): Promise<void> {
  await tx.db
    .insertInto('api_tokens')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(token.id),
      name: token.name,
      kind: token.kind,
      role: token.role,
      created_by: token.createdBy === null ? null : uuidOf(token.createdBy),
      creator_generation: token.creatorGeneration,
      created_at: token.createdAt,
      ...changesToRow(tx, token),
    })
    .execute()
  wake(tx, token)
}

function wake(tx: Tx, { id, dueAt, directoryDueAt }: ApiToken): void {
  tx.wake('api_token.expire', id, dueAt)
  tx.wake('api_token.list', id, directoryDueAt)
}

type Changes = Pick<ApiToken, 'status' | 'hint' | 'expiresAt' | 'dueAt' | 'directoryDueAt'>

export async function updateApiToken(tx: Tx, before: ApiToken, changes: Changes): Promise<ApiToken> {
  const row = await tx.db
    .updateTable('api_tokens')
    .set({ ...changesToRow(tx, changes), version: before.version + 1 })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(before.id))
    .where('version', '=', before.version)
    .returning(columns)
    .executeTakeFirst()
  if (row === undefined) throw new ConcurrentChange(before.id)
  const after = fromRow(tx.caller.mode, row)
  // Schedule the work here, so that no service function can forget it.
  wake(tx, after)
  return after
}

export async function findApiToken(view: View, text: string): Promise<ApiToken> {
  const row = await byId(view, text).executeTakeFirst()
  return row ? fromRow(view.caller.mode, row) : refuse('not_found', { detail: missing })
}

export async function lockApiToken(tx: Tx, text: string): Promise<ApiToken> {
  const row = await byId(tx, text).forUpdate().executeTakeFirst()
  return row ? fromRow(tx.caller.mode, row) : refuse('not_found', { detail: missing })
}

const missing = 'There is no such API token.'

function byId(view: View, text: string) {
  const uuid = uuidFromText('api_token', view.caller.mode, text) ?? refuse('not_found', { detail: missing })
  return view.db
    .selectFrom('api_tokens')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuid)
}

export function listApiTokens(view: View, range: IdRange) {
  return listRows(view, range, { table: 'api_tokens', columns, fromRow })
}

/** Whether the secret with this hash has expired. False if the workspace has no such hash. */
export async function isHashExpired(view: View, hash: Buffer, now: Date | null): Promise<boolean> {
  const { rows } = await sql<{ is_expired: boolean }>`
    select expires_at <= coalesce(${now}::timestamptz, now()) as is_expired from api_token_hashes
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and hash = ${hash} and expires_at is not null`.execute(
    view.db,
  )
  return rows[0]?.is_expired ?? false
}

/** Adds hashes. Existing ones do not change. */
export async function insertHashes(
  tx: Tx,
  id: Id<'api_token'>,
  hashes: readonly SecretHash[],
): Promise<void> {
  if (hashes.length === 0) return
  const key = { workspace_id: uuidOf(tx.caller.workspaceId), api_token_id: uuidOf(id) }
  const rows = hashes.map(({ hash, createdAt, expiresAt }) => ({
    ...key,
    hash,
    created_at: createdAt,
    expires_at: expiresAt,
  }))
  await tx.db
    .insertInto('api_token_hashes')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Ensures that the secrets of the token expire no later than this time. */
export async function expireHashes(tx: Tx, id: Id<'api_token'>, expireAt: Date): Promise<void> {
  await sql`
    update api_token_hashes set expires_at = least(expires_at, ${expireAt})
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and api_token_id = ${uuidOf(id)}`.execute(tx.db)
}

/** Deletes hashes that expired before the given time. Returns the next expiry of the remaining ones. */
export async function deleteExpiredHashes(
  tx: Tx,
  id: Id<'api_token'>,
  expiredBefore: Date,
): Promise<Date | null> {
  const [workspace, token] = [uuidOf(tx.caller.workspaceId), uuidOf(id)]
  await sql`
    delete from api_token_hashes
    where workspace_id = ${workspace} and api_token_id = ${token} and expires_at <= ${expiredBefore}`.execute(
    tx.db,
  )
  const { rows } = await sql<{ next: Date | null }>`
    select min(expires_at) as next from api_token_hashes
    where workspace_id = ${workspace} and api_token_id = ${token}`.execute(tx.db)
  return rows[0]?.next ?? null
}

export async function deleteAllHashes(tx: Tx, id: Id<'api_token'>): Promise<void> {
  await tx.db
    .deleteFrom('api_token_hashes')
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('api_token_id', '=', uuidOf(id))
    .execute()
}

export type TokenLookup = { workspaceUuid: string; tokenUuid: string; isExpired: boolean }

/** Finds a token by the hash of its secret, in the control plane. */
export async function findByHash(db: Db, hash: Buffer, now: Date | null): Promise<TokenLookup | null> {
  const { rows } = await sql<{ workspace_id: string; api_token_id: string; is_expired: boolean }>`
    select workspace_id, api_token_id, coalesce(expires_at <= coalesce(${now}::timestamptz, now()), false) as is_expired
    from control.api_token_secrets where hash = ${hash}`.execute(db)
  const [row] = rows
  return row === undefined
    ? null
    : { workspaceUuid: row.workspace_id, tokenUuid: row.api_token_id, isExpired: row.is_expired }
}

/** Writes at most once a minute, so that most requests cause no write. */
export async function updateLastUsed(tx: Tx, id: Id<'api_token'>): Promise<void> {
  await sql`
    update api_tokens set last_used_at = ${tx.now}
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id = ${uuidOf(id)}
      and (last_used_at is null or last_used_at < ${tx.now}::timestamptz - interval '1 minute')`.execute(
    tx.db,
  )
}

function changesToRow(tx: Tx, changes: Changes) {
  return {
    status: changes.status,
    hint: changes.hint,
    expires_at: changes.expiresAt,
    due_at: changes.dueAt,
    directory_due_at: changes.directoryDueAt,
    updated_at: tx.now,
  }
}

function fromRow(mode: Mode, row: ApiTokenRow): ApiToken {
  return {
    id: idFromUuid('api_token', mode, row.id),
    name: row.name,
    kind: row.kind as TokenKind,
    role: row.role as Role | null,
    status: row.status as Status,
    hint: row.hint,
    createdBy: row.created_by === null ? null : idFromUuid('person', 'live', row.created_by),
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    dueAt: row.due_at,
    creatorGeneration: row.creator_generation,
    directoryDueAt: row.directory_due_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
  }
}
