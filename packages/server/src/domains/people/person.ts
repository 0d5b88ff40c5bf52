/** A person of an organization. Their role holds in all its workspaces. */
import type { Role } from '../../kernel/caller.ts'
import type { Id } from '../../kernel/id.ts'

export const statuses = ['active', 'deactivated'] as const
export type Status = (typeof statuses)[number]

export type Person = {
  readonly id: Id<'person'>
  readonly organizationId: Id<'organization'>
  readonly email: string
  readonly name: string | null
  readonly role: Role
  readonly status: Status
  /** Whether a code is asked for beside the password. */
  readonly hasTotp: boolean
  readonly lastSeenAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** What decides whether somebody is let in. It never leaves the verbs of signing in. */
export type Credentials = {
  readonly passwordHash: string | null
  readonly totp: SealedTotp | null
}

/** Whether both ask for the same. A secret that was never proven asks for nothing. */
export function areSame(one: Credentials, other: Credentials): boolean {
  const [mine, theirs] = [provenSecret(one), provenSecret(other)]
  return one.passwordHash === other.passwordHash && mine === theirs
}

function provenSecret({ totp }: Credentials): string | null {
  return totp?.isConfirmed ? totp.sealed.toString('base64') : null
}

/** The secret that an authenticator shares with us, sealed with the key of a workspace. */
export type SealedTotp = {
  readonly sealed: Buffer
  readonly workspaceId: Id<'workspace'>
  /** Whether the person has proven to have it. Before that nothing is asked of them. */
  readonly isConfirmed: boolean
}
