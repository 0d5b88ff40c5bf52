/** An entry of the audit log: who did what to which object, and with which request. */
import type { Caller } from '../../../kernel/caller.ts'
import type { Id } from '../../../kernel/id.ts'

export const acts = [
  'organization.created',
  'workspace.created',
  'workspace.updated',
  'workspace.card_data_changed',
  'workspace.elements_changed',
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
  'payment_method.credential_requested',
  'settlement_line.resolved',
  'export_destination.created',
  'export_destination.updated',
  'export_destination.deleted',
  'mail_settings.updated',
  'seller.updated',
  'tax_provider.updated',
  'tax_provider.deleted',
  'tax_rate.created',
  'tax_rate.updated',
  'tax_rule.created',
  'tax_rule.deleted',
  'portal_configuration.updated',
  'portal_session.created',
] as const
export type Act = (typeof acts)[number]

export type AuditEntry = {
  readonly id: Id<'audit_entry'>
  readonly number: bigint
  readonly act: Act
  readonly objectId: string
  readonly tokenId: string | null
  /** The person who acted in the dashboard; null if an API token or the system acted. */
  readonly personId: string | null
  readonly authority: string
  readonly requestId: string | null
  /** The change, without secrets. */
  readonly details: { readonly [name: string]: string | number | boolean | null }
  readonly createdAt: Date
}

/** An entry that is not in the chain yet. */
export type NewEntry = Omit<AuditEntry, 'number'>

type Unit = {
  readonly caller: Caller
  readonly now: Date
  newId(kind: 'audit_entry'): Id<'audit_entry'>
}

export type Target = { readonly objectId: string; readonly details?: AuditEntry['details'] }

/** The entry for an action of the caller in a unit of work of either plane. */
export function entryOf({ caller, now, newId }: Unit, act: Act, { objectId, details }: Target): NewEntry {
  return {
    id: newId('audit_entry'),
    act,
    objectId,
    tokenId: caller.tokenId,
    personId: caller.personId,
    authority: caller.authority,
    requestId: caller.request?.id ?? null,
    details: details ?? {},
    createdAt: now,
  }
}

/** The text that is hashed and stored. The order of its members matters. */
export function toText(entry: AuditEntry): string {
  return JSON.stringify({
    id: entry.id,
    number: Number(entry.number),
    act: entry.act,
    object_id: entry.objectId,
    api_token_id: entry.tokenId,
    // Omitted if null: older entries do not have this member, and the text must not change.
    ...(entry.personId === null ? {} : { person_id: entry.personId }),
    authority: entry.authority,
    request_id: entry.requestId,
    details: entry.details,
    created_at: entry.createdAt.toISOString(),
  })
}

export function fromText(text: string): AuditEntry {
  const stored = JSON.parse(text)
  return {
    id: stored.id,
    number: BigInt(stored.number),
    act: stored.act,
    objectId: stored.object_id,
    tokenId: stored.api_token_id,
    personId: stored.person_id ?? null,
    authority: stored.authority,
    requestId: stored.request_id,
    details: stored.details,
    createdAt: new Date(stored.created_at),
  }
}
