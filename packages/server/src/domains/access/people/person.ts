/** A person of an organization. Their role applies in all its workspaces. */
import type { Role } from '../../../kernel/caller.ts'
import type { Id } from '../../../kernel/id.ts'

export const statuses = ['active', 'deactivated'] as const
export type Status = (typeof statuses)[number]

export type Person = {
  readonly id: Id<'person'>
  readonly organizationId: Id<'organization'>
  readonly email: string
  readonly name: string | null
  readonly role: Role
  readonly status: Status
  /** Whether a code is required in addition to the password. */
  readonly hasTotp: boolean
  readonly lastSeenAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The credentials of a person. Used only for signing in. */
export type Credentials = {
  readonly passwordHash: string | null
  readonly totp: SealedTotp | null
}

/** Whether password and second factor are unchanged. An unconfirmed authenticator does not count. */
export function haveSameCredentials(a: Credentials, b: Credentials): boolean {
  return a.passwordHash === b.passwordHash && confirmedTotpSecret(a) === confirmedTotpSecret(b)
}

function confirmedTotpSecret({ totp }: Credentials): string | null {
  return totp?.isConfirmed ? totp.sealed.toString('base64') : null
}

/** The shared secret of an authenticator, encrypted with the key of a workspace. */
export type SealedTotp = {
  readonly sealed: Buffer
  readonly workspaceId: Id<'workspace'>
  /** Whether the person has confirmed it with a code. Before that no code is required. */
  readonly isConfirmed: boolean
}
