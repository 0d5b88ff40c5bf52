/** An invitation. Its link can be used once, by one person, to join the organization. */
import type { Role } from '../../../kernel/caller.ts'
import type { Id } from '../../../kernel/id.ts'

export const shownStatuses = ['pending', 'accepted', 'revoked', 'expired'] as const
export type ShownStatus = (typeof shownStatuses)[number]

export type Invitation = {
  readonly id: Id<'invitation'>
  readonly organizationId: Id<'organization'>
  readonly email: string
  readonly role: Role
  readonly status: 'pending' | 'accepted' | 'revoked'
  /** The signed-in person, or the creator of the API token that was used; null if unknown. */
  readonly invitedBy: Id<'person'> | null
  /** The person who accepted it. */
  readonly personId: Id<'person'> | null
  readonly expiresAt: Date
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The status at a time. `expired` is computed and not stored. */
export function statusAt({ status, expiresAt }: Invitation, now: Date): ShownStatus {
  return status === 'pending' && expiresAt <= now ? 'expired' : status
}
