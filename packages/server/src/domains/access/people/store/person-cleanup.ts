/** Removes passkeys of a person, invitations that they sent, and secrets of API tokens that they created. */
import { type RawBuilder, sql } from 'kysely'
import { type Id, idFromUuid, type Mode, type Ref, uuidOf } from '../../../../kernel/id.ts'
import type { Db } from '../../../../platform/db/databases.ts'

/** Returns the ids, so that each removal can be recorded in the audit log. */
export async function deletePasskeysOf(db: Db, personId: Id<'person'>): Promise<Id<'passkey'>[]> {
  const { rows } = await sql<{ id: string }>`
    delete from control.passkeys where person_id = ${uuidOf(personId)} returning id`.execute(db)
  return rows.map(({ id }) => idFromUuid('passkey', 'live', id))
}

/** Revokes the pending invitations of the person. */
export async function revokeInvitationsBy(
  db: Db,
  personId: Id<'person'>,
  now: Date,
): Promise<Id<'invitation'>[]> {
  const { rows } = await sql<{ id: string }>`
    update control.invitations set status = 'revoked', updated_at = ${now}
    where invited_by = ${uuidOf(personId)} and status = 'pending' returning id`.execute(db)
  return rows.map(({ id }) => idFromUuid('invitation', 'live', id))
}

/**
 * Expires the secrets of all API tokens that the person created, so that they no longer authenticate. The
 * rows stay until the status of their token is changed, so that repeating the call finds the tokens again.
 */
export async function expireTokenSecretsBy(
  db: Db,
  personId: Id<'person'>,
  now: Date,
): Promise<Ref<'api_token'>[]> {
  // The new generation prevents tokens that are not in the directory yet from being added to it.
  const { rows } = await sql<{ workspace_id: string; api_token_id: string; mode: Mode }>`
    with next_generation as (
      update control.people set token_generation = token_generation + 1 where id = ${uuidOf(personId)}
    ), expired as (
      update control.api_token_secrets set expires_at = least(expires_at, ${now})
      where created_by = ${uuidOf(personId)}
      returning workspace_id, api_token_id)
    select distinct expired.workspace_id, expired.api_token_id, workspaces.mode
    from expired join control.workspaces on workspaces.id = expired.workspace_id`.execute(db)
  return rows.map(({ workspace_id, api_token_id, mode }) => ({
    workspaceId: idFromUuid('workspace', mode, workspace_id),
    id: idFromUuid('api_token', mode, api_token_id),
  }))
}

type CallerKeys = {
  readonly personId: Id<'person'> | null
  readonly tokenId: Id<'api_token'> | null
  readonly workspaceId: Id<'workspace'>
}

export type Creator = {
  readonly id: Id<'person'>
  readonly status: string
  /** Changes when the tokens of the person are revoked. */
  readonly generation: number
}

/** Locks the person who is signed in, or who created the token. */
export function lockCreatorOf(db: Db, keys: CallerKeys): Promise<Creator | null> {
  return selectCreator(db, keys, sql`for update`)
}

export function findCreatorOf(db: Db, keys: CallerKeys): Promise<Creator | null> {
  return selectCreator(db, keys, sql``)
}

async function selectCreator(
  db: Db,
  { personId, tokenId, workspaceId }: CallerKeys,
  lock: RawBuilder<unknown>,
): Promise<Creator | null> {
  const { rows } = await sql<{ id: string; status: string; generation: number }>`
    select id, status, token_generation as generation from control.people where id = coalesce(
      ${personId === null ? null : uuidOf(personId)}::uuid,
      (select created_by from control.api_token_secrets where workspace_id = ${uuidOf(workspaceId)}
        and api_token_id = ${tokenId === null ? null : uuidOf(tokenId)}::uuid limit 1)) ${lock}`.execute(db)
  const [row] = rows
  return row === undefined ? null : { ...row, id: idFromUuid('person', 'live', row.id) }
}
