/** All audited actions. The type checker ensures that none is missing. */
import type { AuditEntry } from '@switchyard/sdk'

const isAudited: { readonly [A in AuditEntry['act']]: true } = {
  'organization.created': true,
  'workspace.created': true,
  'workspace.updated': true,
  'person.created': true,
  'person.updated': true,
  'person.deactivated': true,
  'person.signed_in': true,
  'person.signed_out': true,
  'person.sign_in_locked': true,
  'person.password_changed': true,
  'person.second_factor_added': true,
  'person.second_factor_removed': true,
  'person.recovery_code_used': true,
  'person.passkey_added': true,
  'person.passkey_removed': true,
  'invitation.created': true,
  'invitation.accepted': true,
  'invitation.revoked': true,
  'api_token.created': true,
  'api_token.rolled': true,
  'api_token.revoked': true,
  'api_token.expired': true,
  'webhook_endpoint.secret_revealed': true,
  'webhook_endpoint.secret_rotated': true,
  'vault.confirmed': true,
  'provider_account.created': true,
  'provider_account.updated': true,
  'provider_account.archived': true,
  'provider_account.secret_rotated': true,
  'operation.resolved': true,
  'settlement_line.resolved': true,
}

export const auditActions: readonly string[] = Object.keys(isAudited).toSorted()
