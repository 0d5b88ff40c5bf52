/** A person who is signed in with one browser. It ends by itself: after twelve hours, or after a while without a visit. */
import { createHash, randomBytes } from 'node:crypto'
import type { Role } from '../../kernel/caller.ts'
import { addSeconds } from '../../kernel/clock.ts'
import type { Id } from '../../kernel/id.ts'

export const longestSeconds = 12 * 60 * 60
/** PCI DSS asks for fifteen minutes where card numbers are taken. */
const idleMinutes = { withCards: 15, otherwise: 60 }
/** How long the id before a new one is still good: as long as a browser's requests may be under way. */
export const formerSeconds = 30

export type Session = {
  readonly id: Id<'session'>
  readonly personId: Id<'person'>
  /** What the person might do when the secret was drawn. */
  readonly role: Role
  readonly address: string
  readonly userAgent: string
  /** What a new passkey has to sign; null: nobody is about to add one. */
  readonly challenge: Challenge | null
  readonly createdAt: Date
  readonly lastSeenAt: Date
  readonly expiresAt: Date
}

export type Challenge = { readonly text: string; readonly until: Date }

/** What the operator has decided. */
export type Rules = { readonly vaultLive: boolean }

export function idleEndOf({ lastSeenAt, expiresAt }: Session, { vaultLive }: Rules): Date {
  const idleSeconds = 60 * (vaultLive ? idleMinutes.withCards : idleMinutes.otherwise)
  return new Date(Math.min(Number(addSeconds(lastSeenAt, idleSeconds)), Number(expiresAt)))
}

export function isOver(session: Session, rules: Rules, now: Date): boolean {
  return idleEndOf(session, rules) <= now
}

/** What a cookie or a link carries: 256 random bits. */
export function drawSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** What is stored of it. With so many random bits behind it a plain hash cannot be searched. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
