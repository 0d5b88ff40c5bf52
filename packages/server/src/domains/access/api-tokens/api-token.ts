import type { Role } from '../../../kernel/caller.ts'
import type { Id } from '../../../kernel/id.ts'
import type { Status } from './machine.ts'
import type { TokenKind } from './token.ts'

export type ApiToken = {
  readonly id: Id<'api_token'>
  readonly name: string
  readonly kind: TokenKind
  /** Null for a publishable token, which has no role. */
  readonly role: Role | null
  readonly status: Status
  readonly hint: string
  /** The signed-in person, or the creator of the token that was used to create this one; null if unknown. */
  readonly createdBy: Id<'person'> | null
  /** A number that changes when all tokens of that person are revoked. */
  readonly creatorGeneration: number
  readonly expiresAt: Date | null
  readonly lastUsedAt: Date | null
  /** When the token expires or the next expired secret is deleted, whichever is first. */
  readonly dueAt: Date | null
  /** When the work that updates the directory is due; null if it is up to date. */
  readonly directoryDueAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** A token with its new secret, which is shown only once. */
export type ShownToken = ApiToken & { readonly text: string }

/** The hash of a secret, in the workspace. The directory in the control plane has a copy. */
export type SecretHash = { readonly hash: Buffer; readonly createdAt: Date; readonly expiresAt: Date | null }

/** The earlier of two times, either of which may be null. */
export function earlierTime(a: Date | null, b: Date | null): Date | null {
  if (a === null || b === null) return a ?? b
  return a < b ? a : b
}
