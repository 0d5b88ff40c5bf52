/** A privileged act: who did what to which object, and by which request. */
import type { Id } from '../../kernel/id.ts'

export const acts = [
  'organization.created',
  'workspace.created',
  'workspace.updated',
  'person.created',
  'person.updated',
  'person.deactivated',
  'person.signed_in',
  'person.signed_out',
  'person.sign_in_locked',
  'person.password_changed',
  'person.second_factor_added',
  'person.second_factor_removed',
  'person.recovery_code_used',
  'person.passkey_added',
  'person.passkey_removed',
  'invitation.created',
  'invitation.accepted',
  'invitation.revoked',
  'api_token.created',
  'api_token.rolled',
  'api_token.revoked',
  'api_token.expired',
  'webhook_endpoint.secret_revealed',
  'webhook_endpoint.secret_rotated',
  'vault.confirmed',
  'provider_account.created',
  'provider_account.updated',
  'provider_account.archived',
  'provider_account.secret_rotated',
  'operation.resolved',
] as const
export type Act = (typeof acts)[number]

export type AuditEntry = {
  readonly id: Id<'audit_entry'>
  readonly number: bigint
  readonly act: Act
  readonly objectId: string
  readonly tokenId: string | null
  /** Who did it at the dashboard. */
  readonly personId: string | null
  readonly authority: string
  readonly requestId: string | null
  /** What changed, in words and numbers that are no secrets. */
  readonly details: { readonly [name: string]: string | number | boolean | null }
  readonly createdAt: Date
}

/** The text that is hashed and kept. The order of its members is part of it. */
export function toText(entry: AuditEntry): string {
  return JSON.stringify({
    id: entry.id,
    number: Number(entry.number),
    act: entry.act,
    object_id: entry.objectId,
    api_token_id: entry.tokenId,
    // Left out where it says nothing, as in the entries from before there were people.
    ...(entry.personId === null ? {} : { person_id: entry.personId }),
    authority: entry.authority,
    request_id: entry.requestId,
    details: entry.details,
    created_at: entry.createdAt.toISOString(),
  })
}

export function fromText(text: string): AuditEntry {
  const kept = JSON.parse(text)
  return {
    id: kept.id,
    number: BigInt(kept.number),
    act: kept.act,
    objectId: kept.object_id,
    tokenId: kept.api_token_id,
    personId: kept.person_id ?? null,
    authority: kept.authority,
    requestId: kept.request_id,
    details: kept.details,
    createdAt: new Date(kept.created_at),
  }
}
