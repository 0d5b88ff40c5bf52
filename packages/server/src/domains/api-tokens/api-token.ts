import type { Role } from '../../kernel/caller.ts'
import type { Id } from '../../kernel/id.ts'
import type { Status } from './machine.ts'
import type { TokenKind } from './token.ts'

export type ApiToken = {
  readonly id: Id<'api_token'>
  readonly name: string
  readonly kind: TokenKind
  /** Null for a publishable token: it may do the same whoever holds it. */
  readonly role: Role | null
  readonly status: Status
  readonly hint: string
  readonly expiresAt: Date | null
  readonly lastUsedAt: Date | null
  /** When something ends next: the token, or a text that was rolled. */
  readonly dueAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** A token whose text was just made, and is shown now or never. */
export type ShownToken = ApiToken & { readonly text: string }

/** The sooner of two ends, either of which may be missing. */
export function sooner(a: Date | null, b: Date | null): Date | null {
  if (a === null || b === null) return a ?? b
  return a < b ? a : b
}
