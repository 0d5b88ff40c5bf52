import { type Selectable, sql } from 'kysely'
import type { Role } from '../../../kernel/caller.ts'
import { refuse } from '../../../kernel/errors.ts'
import { type Id, idFromUuid, type Mode, uuidFromText, uuidOf } from '../../../kernel/id.ts'
import { inControl } from '../../../platform/db/control.ts'
import type { Db } from '../../../platform/db/databases.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { listRows } from '../../../platform/db/list-rows.ts'
import type { ApiTokens } from '../../../platform/db/tables.generated.ts'
import { ConcurrentChange, type Tx, type View } from '../../../platform/db/unit-of-work.ts'
import type { ApiToken } from './api-token.ts'
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
      created_at: token.createdAt,
      ...changesToRow(tx, token),
    })
    .execute()
  tx.wake('api_token.expire', token.id, token.dueAt)
}

type Changes = Pick<ApiToken, 'status' | 'hint' | 'expiresAt' | 'dueAt'>

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
  tx.wake('api_token.expire', after.id, after.dueAt)
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

/** Adds a secret to the control plane. Earlier secrets expire at `othersExpireAt` at the latest. */
export async function addSecret(
  tx: Tx,
  { id, createdBy }: Pick<ApiToken, 'id' | 'createdBy'>,
  secret: { hash: Buffer; expiresAt: Date | null; othersExpireAt: Date | null },
): Promise<void> {
  const key = { workspace_id: uuidOf(tx.caller.workspaceId), api_token_id: uuidOf(id) }
  await inControl(tx, async (db) => {
    await sql`
      update control.api_token_secrets set expires_at = least(expires_at, ${secret.othersExpireAt})
      where workspace_id = ${key.workspace_id} and api_token_id = ${key.api_token_id}`.execute(db)
    const created_by = createdBy === null ? null : uuidOf(createdBy)
    const row = { ...key, hash: secret.hash, created_at: tx.now, expires_at: secret.expiresAt, created_by }
    await db.insertInto('control.api_token_secrets').values(row).execute()
  })
}

/** Deletes secrets that expired before the given time. Returns the next expiry of the remaining ones. */
export async function deleteExpiredSecrets(
  tx: Tx,
  id: Id<'api_token'>,
  expiredBefore: Date,
): Promise<Date | null> {
  const [workspace, token] = [uuidOf(tx.caller.workspaceId), uuidOf(id)]
  return inControl(tx, async (db) => {
    await sql`
      delete from control.api_token_secrets
      where workspace_id = ${workspace} and api_token_id = ${token} and expires_at <= ${expiredBefore}`.execute(
      db,
    )
    const { rows } = await sql<{ next: Date | null }>`
      select min(expires_at) as next from control.api_token_secrets
      where workspace_id = ${workspace} and api_token_id = ${token}`.execute(db)
    return rows[0]?.next ?? null
  })
}

/** Deletes all secrets, so that none of them authenticates. */
export async function deleteAllSecrets(tx: Tx, id: Id<'api_token'>): Promise<void> {
  await inControl(tx, (db) =>
    db
      .deleteFrom('control.api_token_secrets')
      .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
      .where('api_token_id', '=', uuidOf(id))
      .execute(),
  )
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
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
  }
}
