/**
 * Removes passkeys, invitations and tokens of a person in the given transaction, and records it in the audit
 * log.
 */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuse } from '../../../../kernel/errors.ts'
import type { Id, Ref } from '../../../../kernel/id.ts'
import { readControl } from '../../../../platform/db/control.ts'
import type { ControlTx } from '../../../../platform/db/control-unit.ts'
import { type AuditedTx, recordControlAct } from '../../audit/service/outbox.ts'
import {
  deletePasskeysOf,
  expireTokenSecretsBy,
  findCreatorOf,
  lockCreatorOf,
  revokeInvitationsBy,
} from '../store/person-cleanup.ts'

/** A passkey needs no password, so an attacker who added one keeps access until it is removed. */
export async function removePasskeysOf(tx: AuditedTx, personId: Id<'person'>): Promise<void> {
  const ids = await deletePasskeysOf(tx.db, personId)
  for (const id of ids)
    recordControlAct(tx, 'person.passkey_removed', { objectId: personId, details: { passkey_id: id } })
}

/**
 * A person who lost the right to invite must not return through an invitation that they sent to themselves.
 */
export async function revokeInvitationsOf(tx: AuditedTx, personId: Id<'person'>): Promise<void> {
  const ids = await revokeInvitationsBy(tx.db, personId, tx.now)
  for (const id of ids) recordControlAct(tx, 'invitation.revoked', { objectId: id })
}

/**
 * Expires the secrets of all API tokens that the person created, in all workspaces. Returns the tokens,
 * because the row with the status of each token belongs to its workspace and is updated afterwards.
 */
export function expireTokensOf(tx: ControlTx, personId: Id<'person'>): Promise<readonly Ref<'api_token'>[]> {
  return expireTokenSecretsBy(tx.db, personId, tx.now)
}

/**
 * The person who is responsible for an object that the caller creates: the signed-in person, or the creator
 * of the token in use. The person is locked, so that nothing is created while they are being deactivated.
 * Null if unknown.
 */
export async function requireCreator(tx: ControlTx): Promise<Id<'person'> | null> {
  const { personId, tokenId, workspaceId } = tx.caller
  if (personId === null && tokenId === null) return null
  const creator = await lockCreatorOf(tx.db, { personId, tokenId, workspaceId })
  if (creator?.status === 'deactivated') refuse('role_not_allowed')
  return creator?.id ?? null
}

/** The person who creates an API token, and the generation of their tokens, which changes when these are revoked. */
export type TokenCreator = { readonly id: Id<'person'>; readonly generation: number }

/**
 * Like `requireCreator`, without a lock: a token belongs to a workspace, and its creator to the control plane. The creator
 * is checked again when the token is listed in the directory.
 */
export async function findTokenCreator(deps: Deps, caller: Caller): Promise<TokenCreator | null> {
  const { personId, tokenId, workspaceId } = caller
  if (personId === null && tokenId === null) return null
  const creator = await readControl(deps, (db) => findCreatorOf(db, { personId, tokenId, workspaceId }))
  if (creator?.status === 'deactivated') refuse('role_not_allowed')
  return creator
}
