/** A person of an organization. Their role holds in all its workspaces. */
import type { Role } from '../../kernel/caller.ts'
import type { Id } from '../../kernel/id.ts'

export type Person = {
  readonly id: Id<'person'>
  readonly organizationId: Id<'organization'>
  readonly email: string
  readonly name: string | null
  readonly role: Role
  readonly createdAt: Date
  readonly updatedAt: Date
}
