import { type Selectable, sql } from 'kysely'
import type { DebitDetails } from '../../../kernel/debit-details.ts'
import { type Id, idFromUuid, idOrNull, type Mode, uuidFromText, uuidOf } from '../../../kernel/id.ts'
import type { CardTokens } from '../../../platform/db/tables.generated.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'
import type { CardRetention, CardToken, DisplayCard, TokenType } from './card-token.ts'

/**
 * Columns by name, never `*`: a column added by a migration must not change the prepared statements of a
 * running process.
 */
const columns = [
  'id',
  'type',
  'card',
  'debit',
  'account_holder_name',
  'fingerprint',
  'provider_account_id',
  'expires_at',
  'used_at',
  'created_at',
] as const
type TokenRow = Pick<Selectable<CardTokens>, (typeof columns)[number]>

/** The token is deleted when it expires, unless it is used before then. */
export async function insertToken(tx: Tx, token: CardToken, sealed: Buffer | null): Promise<void> {
  await tx.db
    .insertInto('card_tokens')
    .values({ ...toRow(tx, token), provider_token: sealed })
    .execute()
}

/** Like `insertToken`, with an encrypted bank account. */
export async function insertDebitToken(tx: Tx, token: CardToken, sealed: Buffer): Promise<void> {
  await tx.db
    .insertInto('card_tokens')
    .values({ ...toRow(tx, token), bank_account: sealed })
    .execute()
}

/** Like `insertToken`, with the encrypted token of a vault. */
export async function insertVaultToken(
  tx: Tx,
  token: CardToken,
  { vault, sealed }: { readonly vault: string; readonly sealed: Buffer },
): Promise<void> {
  await tx.db
    .insertInto('card_tokens')
    .values({ ...toRow(tx, token), vault, vault_token: sealed })
    .execute()
}

function toRow(tx: Tx, token: CardToken) {
  const { providerAccountId } = token
  return {
    workspace_id: uuidOf(tx.caller.workspaceId),
    id: uuidOf(token.id),
    type: token.type,
    card: JSON.stringify(token.card),
    debit: token.debit === null ? null : JSON.stringify(token.debit),
    account_holder_name: token.accountHolderName,
    fingerprint: token.fingerprint,
    provider_account_id: providerAccountId === null ? null : uuidOf(providerAccountId),
    expires_at: token.expiresAt,
    used_at: null,
    due_at: token.expiresAt,
    created_at: token.createdAt,
  }
}

/**
 * Returns null if there is no usable token. If several transactions use a token concurrently, one succeeds.
 */
export async function markUsed(tx: Tx, text: string, dueAt: Date): Promise<CardToken | null> {
  const uuid = uuidFromText('token', tx.caller.mode, text)
  if (uuid === null) return null
  const row = await tx.db
    .updateTable('card_tokens')
    .set({ used_at: tx.now, due_at: dueAt })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuid)
    .where('used_at', 'is', null)
    .where('expires_at', '>', tx.now)
    .returning(columns)
    .executeTakeFirst()
  return row === undefined ? null : fromRow(tx.caller.mode, row)
}

/**
 * Sets when the token and its card are deleted; null means never automatically. Returns false if they are
 * already deleted.
 */
export async function updateDueAt(tx: Tx, uuid: string, dueAt: Date | null): Promise<boolean> {
  const { numUpdatedRows } = await tx.db
    .updateTable('card_tokens')
    .set({ due_at: dueAt })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuid)
    .executeTakeFirstOrThrow()
  // One work item per workspace deletes all due tokens. The reconciler finds tokens with a later due time.
  if (dueAt !== null) tx.wake('vault.purge', tx.caller.workspaceId, dueAt)
  return numUpdatedRows > 0n
}

export async function findProviderToken(view: View, id: Id<'token'>): Promise<Buffer | null> {
  const row = await view.db
    .selectFrom('card_tokens')
    .select('provider_token')
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuidOf(id))
    .executeTakeFirst()
  return row?.provider_token ?? null
}

/** The encrypted bank account; null if it was deleted. */
export async function findBankAccount(view: View, id: Id<'token'>): Promise<Buffer | null> {
  const row = await view.db
    .selectFrom('card_tokens')
    .select('bank_account')
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuidOf(id))
    .executeTakeFirst()
  return row?.bank_account ?? null
}

/** The encrypted token of a vault; null if it was deleted. */
export async function findVaultToken(
  view: View,
  uuid: string,
): Promise<{ readonly vault: string; readonly sealed: Buffer } | null> {
  const row = await view.db
    .selectFrom('card_tokens')
    .select(['vault', 'vault_token'])
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuid)
    .executeTakeFirst()
  const { vault = null, vault_token: sealed = null } = row ?? {}
  return vault === null || sealed === null ? null : { vault, sealed }
}

/** The tokens that exist. Until the transaction ends, no other transaction can use, save or delete them. */
export async function lockTokens(tx: Tx, uuids: readonly string[]): Promise<CardRetention[]> {
  if (uuids.length === 0) return []
  const { rows } = await sql<{ id: string; due_at: Date | null }>`
    select id, due_at from card_tokens
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id = any(${[...uuids]}::uuid[])
    order by id for update`.execute(tx.db)
  return rows.map(({ id, due_at }) => ({ uuid: id, dueAt: due_at }))
}

/** The expired tokens, oldest first. */
export async function lockDueTokens(tx: Tx, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from card_tokens
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and due_at <= ${tx.now}
    order by due_at limit ${limit} for update`.execute(tx.db)
  return rows.map(({ id }) => id)
}

export async function deleteTokens(tx: Tx, uuids: readonly string[]): Promise<void> {
  await sql`
    delete from card_tokens
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id = any(${[...uuids]}::uuid[])`.execute(tx.db)
}

function fromRow(mode: Mode, row: TokenRow): CardToken {
  const { provider_account_id: account } = row
  return {
    id: idFromUuid('token', mode, row.id),
    type: row.type as TokenType,
    card: row.card as DisplayCard,
    debit: row.debit as DebitDetails | null,
    accountHolderName: row.account_holder_name,
    fingerprint: row.fingerprint,
    providerAccountId: idOrNull('provider_account', mode, account),
    expiresAt: row.expires_at,
    usedAt: row.used_at,
    createdAt: row.created_at,
  }
}
