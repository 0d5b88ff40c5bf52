/** An invitation: whoever has its link becomes a person of the organization, once. */
import type { Role } from '../../kernel/caller.ts'
import type { Id } from '../../kernel/id.ts'

export const shownStatuses = ['pending', 'accepted', 'revoked', 'expired'] as const
export type ShownStatus = (typeof shownStatuses)[number]

export type Invitation = {
  readonly id: Id<'invitation'>
  readonly organizationId: Id<'organization'>
  readonly email: string
  readonly role: Role
  readonly status: 'pending' | 'accepted' | 'revoked'
  /** Null if it was made with a token. */
  readonly invitedBy: Id<'person'> | null
  /** Who came by it. */
  readonly personId: Id<'person'> | null
  readonly expiresAt: Date
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** It expires by itself: nobody has to write that down. */
export function statusAt({ status, expiresAt }: Invitation, now: Date): ShownStatus {
  return status === 'pending' && expiresAt <= now ? 'expired' : status
}
