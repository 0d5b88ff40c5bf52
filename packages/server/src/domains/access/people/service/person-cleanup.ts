/**
 * Removes passkeys, invitations and tokens of a person in the given transaction, and records it in the audit
 * log.
 */
import { refuse } from '../../../../kernel/errors.ts'
import type { Id, Ref } from '../../../../kernel/id.ts'
import { inControl } from '../../../../platform/db/control.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { recordAuditEntry } from '../../audit/service.ts'
import {
  deletePasskeysOf,
  expireTokenSecretsBy,
  lockCreatorOf,
  revokeInvitationsBy,
} from '../store/person-cleanup.ts'

/** A passkey needs no password, so an attacker who added one keeps access until it is removed. */
export async function removePasskeysOf(tx: Tx, personId: Id<'person'>): Promise<void> {
  const ids = await inControl(tx, (db) => deletePasskeysOf(db, personId))
  for (const id of ids)
    await recordAuditEntry(tx, 'person.passkey_removed', { objectId: personId, details: { passkey_id: id } })
}

/**
 * A person who lost the right to invite must not return through an invitation that they sent to themselves.
 */
export async function revokeInvitationsOf(tx: Tx, personId: Id<'person'>): Promise<void> {
  const ids = await inControl(tx, (db) => revokeInvitationsBy(db, personId, tx.now))
  for (const id of ids) await recordAuditEntry(tx, 'invitation.revoked', { objectId: id })
}

/**
 * Expires the secrets of all API tokens that the person created, in all workspaces. Returns the tokens,
 * because the row with the status of each token belongs to its workspace and is updated afterwards.
 */
export function expireTokensOf(tx: Tx, personId: Id<'person'>): Promise<readonly Ref<'api_token'>[]> {
  return inControl(tx, (db) => expireTokenSecretsBy(db, personId, tx.now))
}

/**
 * The person who is responsible for an object that the caller creates: the signed-in person, or the creator
 * of the token in use. The person is locked, so that nothing is created while they are being deactivated.
 * Null if unknown.
 */
export async function requireCreator(tx: Tx): Promise<Id<'person'> | null> {
  const { personId, tokenId, workspaceId } = tx.caller
  if (personId === null && tokenId === null) return null
  const creator = await inControl(tx, (db) => lockCreatorOf(db, { personId, tokenId, workspaceId }))
  if (creator?.status === 'deactivated') refuse('role_not_allowed')
  return creator?.id ?? null
}
