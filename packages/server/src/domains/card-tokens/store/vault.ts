/** What the vault holds. Its statements run as its own role, outside of any unit of work: see `inVault`. */
import { type RawBuilder, sql } from 'kysely'
import type { Reading } from '../../../kernel/clock.ts'
import { type Id, idFromUuid, type Mode, uuidOf } from '../../../kernel/id.ts'
import type { Db } from '../../../platform/db/databases.ts'
import { instantOf, mayBeHandedOut } from '../../../platform/db/due.ts'
import type { Stay } from '../card-token.ts'

/** Which card; it has the id of its token. */
export type CardKey = { readonly workspaceId: Id<'workspace'>; readonly uuid: string }

export type SealedCard = { readonly sealed: Buffer; readonly createdAt: Date; readonly expiresAt: Date }
export type SealedCode = { readonly sealed: Buffer; readonly period: number }

export async function insertCard(db: Db, { workspaceId, uuid }: CardKey, card: SealedCard): Promise<void> {
  await db
    .insertInto('vault.cards')
    .values({
      workspace_id: uuidOf(workspaceId),
      id: uuid,
      sealed: card.sealed,
      expires_at: card.expiresAt,
      created_at: card.createdAt,
    })
    .execute()
}

export async function insertCode(
  db: Db,
  { workspaceId, uuid }: CardKey,
  code: SealedCode & { readonly expiresAt: Date },
): Promise<void> {
  await db
    .insertInto('vault.security_codes')
    .values({
      workspace_id: uuidOf(workspaceId),
      card_id: uuid,
      period: code.period,
      sealed: code.sealed,
      expires_at: code.expiresAt,
    })
    .execute()
}

export async function findCard(db: Db, { workspaceId, uuid }: CardKey): Promise<Buffer | null> {
  const row = await db
    .selectFrom('vault.cards')
    .select('sealed')
    .where('workspace_id', '=', uuidOf(workspaceId))
    .where('id', '=', uuid)
    .executeTakeFirst()
  return row?.sealed ?? null
}

/** One that is over is not found, also while it has not been purged yet. */
export async function findCode(
  db: Db,
  { workspaceId, uuid }: CardKey,
  now: Reading,
): Promise<SealedCode | null> {
  const row = await db
    .selectFrom('vault.security_codes')
    .select(['sealed', 'period'])
    .where('workspace_id', '=', uuidOf(workspaceId))
    .where('card_id', '=', uuid)
    .where('expires_at', '>', instantOf(now))
    .executeTakeFirst()
  return row ?? null
}

/** The cards about which the vault has to ask, the oldest first. */
export async function listExpired(
  db: Db,
  workspaceId: Id<'workspace'>,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('vault.cards')
    .select('id')
    .where('workspace_id', '=', uuidOf(workspaceId))
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

export async function deleteCards(
  db: Db,
  workspaceId: Id<'workspace'>,
  uuids: readonly string[],
): Promise<void> {
  const workspace = uuidOf(workspaceId)
  await deleteCodes(db, workspaceId, uuids)
  await sql`
    delete from vault.cards where workspace_id = ${workspace} and id = any(${[...uuids]}::uuid[])`.execute(db)
}

export async function deleteCodes(
  db: Db,
  workspaceId: Id<'workspace'>,
  uuids: readonly string[],
): Promise<void> {
  await sql`
    delete from vault.security_codes
    where workspace_id = ${uuidOf(workspaceId)} and card_id = any(${[...uuids]}::uuid[])`.execute(db)
}

export async function deleteExpiredCodes(db: Db, workspaceId: Id<'workspace'>, now: Date): Promise<void> {
  await sql`
    delete from vault.security_codes
    where workspace_id = ${uuidOf(workspaceId)} and expires_at <= ${now}`.execute(db)
}

/** Asks again after the token is over; never, if its card is kept. */
export async function postpone(
  db: Db,
  workspaceId: Id<'workspace'>,
  stays: readonly Stay[],
  patienceSeconds: number,
): Promise<void> {
  await sql`
    update vault.cards as card
    set expires_at = stay.due_at + ${patienceSeconds} * interval '1 second'
    from unnest(${stays.map(({ uuid }) => uuid)}::uuid[], ${stays.map(({ dueAt }) => dueAt)}::timestamptz[])
      as stay (id, due_at)
    where card.workspace_id = ${uuidOf(workspaceId)} and card.id = stay.id`.execute(db)
}

/** Workspaces in whose vault something is over, as the role that looks for due work. Codes are over soonest. */
export async function dueVaults(db: Db, work: string, now: Reading, limit: number) {
  const at = instantOf(now)
  const over = (table: string, column: string): RawBuilder<unknown> => sql`
    (select row.workspace_id, ${sql.ref(`row.${column}`)} as due_at from ${sql.table(table)} as row
     where ${sql.ref(`row.${column}`)} <= ${at}
       and ${mayBeHandedOut(work, at, { workspace: 'row.workspace_id', object: 'row.workspace_id' })}
     order by 2 limit ${limit})`
  const { rows } = await sql<{ workspace_id: string; due_at: Date; mode: Mode }>`
    select due.workspace_id, min(due.due_at) as due_at, workspaces.mode
    from (${over('card_tokens', 'due_at')} union all ${over('vault.cards', 'expires_at')}
      union all ${over('vault.security_codes', 'expires_at')}) as due
      join workspaces on workspaces.workspace_id = due.workspace_id
    group by due.workspace_id, workspaces.mode
    order by 2 limit ${limit}`.execute(db)
  return rows.map((row) => {
    const workspaceId = idFromUuid('workspace', row.mode, row.workspace_id)
    return { workspaceId, id: workspaceId, dueAt: row.due_at }
  })
}
