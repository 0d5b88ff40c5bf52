/**
 * Rows of the vault. These statements run under the vault's own database role, outside any transaction of the API: see
 * `inVault`.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Reading } from '../../../../kernel/clock.ts'
import { type Id, idFromUuid, type Mode, uuidOf } from '../../../../kernel/id.ts'
import type { Db } from '../../../../platform/db/databases.ts'
import { canBeDispatched, instantOf } from '../../../../platform/db/due.ts'
import type { CardRetention } from '../card-token.ts'

/** Identifies a card by the uuid of its token. */
export type CardKey = { readonly workspaceId: Id<'workspace'>; readonly uuid: string }

export type SealedCard = { readonly sealed: Buffer; readonly createdAt: Date; readonly expiresAt: Date }
export type SealedCvc = { readonly sealed: Buffer; readonly period: number }

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

export async function insertCvc(
  db: Db,
  { workspaceId, uuid }: CardKey,
  code: SealedCvc & { readonly expiresAt: Date },
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

/** An expired CVC is not found, even if it has not been purged yet. */
export async function findCvc(
  db: Db,
  { workspaceId, uuid }: CardKey,
  now: Reading,
): Promise<SealedCvc | null> {
  const row = await db
    .selectFrom('vault.security_codes')
    .select(['sealed', 'period'])
    .where('workspace_id', '=', uuidOf(workspaceId))
    .where('card_id', '=', uuid)
    .where('expires_at', '>', instantOf(now))
    .executeTakeFirst()
  return row ?? null
}

/** The cards whose `expires_at` has passed, oldest first. The purge job deletes or reschedules them. */
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
  await deleteCvcs(db, workspaceId, uuids)
  await sql`
    delete from vault.cards where workspace_id = ${workspace} and id = any(${[...uuids]}::uuid[])`.execute(db)
}

export async function deleteCvcs(
  db: Db,
  workspaceId: Id<'workspace'>,
  uuids: readonly string[],
): Promise<void> {
  await sql`
    delete from vault.security_codes
    where workspace_id = ${uuidOf(workspaceId)} and card_id = any(${[...uuids]}::uuid[])`.execute(db)
}

export async function deleteExpiredCvcs(db: Db, workspaceId: Id<'workspace'>, now: Date): Promise<void> {
  await sql`
    delete from vault.security_codes
    where workspace_id = ${uuidOf(workspaceId)} and expires_at <= ${now}`.execute(db)
}

/**
 * Moves `expires_at` of each card to its token's deletion time plus a grace period; the purge job checks it again then.
 * Saved cards have no deletion time, so they are not checked again.
 */
export async function scheduleChecks(
  db: Db,
  workspaceId: Id<'workspace'>,
  retentions: readonly CardRetention[],
  graceSeconds: number,
): Promise<void> {
  await sql`
    update vault.cards as card
    set expires_at = retention.due_at + ${graceSeconds} * interval '1 second'
    from unnest(${retentions.map(({ uuid }) => uuid)}::uuid[], ${retentions.map(({ dueAt }) => dueAt)}::timestamptz[])
      as retention (id, due_at)
    where card.workspace_id = ${uuidOf(workspaceId)} and card.id = retention.id`.execute(db)
}

/** Workspaces with expired vault data, read with the database role that finds due work. */
export async function listDueVaults(db: Db, work: string, now: Reading, limit: number) {
  const instant = instantOf(now)
  const expiredRows = (table: string, column: string): RawBuilder<unknown> => sql`
    (select row.workspace_id, ${sql.ref(`row.${column}`)} as due_at from ${sql.table(table)} as row
     where ${sql.ref(`row.${column}`)} <= ${instant}
       and ${canBeDispatched(work, instant, { workspace: 'row.workspace_id', object: 'row.workspace_id' })}
     order by 2 limit ${limit})`
  const { rows } = await sql<{ workspace_id: string; due_at: Date; mode: Mode }>`
    select due.workspace_id, min(due.due_at) as due_at, workspaces.mode
    from (${expiredRows('card_tokens', 'due_at')} union all ${expiredRows('vault.cards', 'expires_at')}
      union all ${expiredRows('vault.security_codes', 'expires_at')}) as due
      join workspaces on workspaces.workspace_id = due.workspace_id
    group by due.workspace_id, workspaces.mode
    order by 2 limit ${limit}`.execute(db)
  return rows.map((row) => {
    const workspaceId = idFromUuid('workspace', row.mode, row.workspace_id)
    return { workspaceId, id: workspaceId, dueAt: row.due_at }
  })
}
