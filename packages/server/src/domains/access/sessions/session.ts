/** The session of a person in one browser. It expires after twelve hours, or earlier when it is idle. */
import { createHash, randomBytes } from 'node:crypto'
import type { Role } from '../../../kernel/caller.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import type { Id } from '../../../kernel/id.ts'

export const maxSessionSeconds = 12 * 60 * 60
/** PCI DSS requires an idle timeout of fifteen minutes if card numbers are accepted. */
const idleMinutes = { withCards: 15, otherwise: 60 }
/** How long a replaced secret stays valid, for requests in progress. */
export const formerSecretSeconds = 30

export type Session = {
  readonly id: Id<'session'>
  readonly personId: Id<'person'>
  /** The role of the person when the secret was created. */
  readonly role: Role
  readonly address: string
  readonly userAgent: string
  /** The challenge that a new passkey must sign; null if none is being added. */
  readonly challenge: Challenge | null
  readonly createdAt: Date
  readonly lastSeenAt: Date
  readonly expiresAt: Date
}

export type Challenge = { readonly text: string; readonly until: Date }

/** The setting of the operator that determines the idle timeout: whether live card numbers are accepted. */
export type SessionRules = { readonly vaultLive: boolean }

export function idleExpiry({ lastSeenAt, expiresAt }: Session, { vaultLive }: SessionRules): Date {
  const idleSeconds = 60 * (vaultLive ? idleMinutes.withCards : idleMinutes.otherwise)
  return new Date(Math.min(Number(addSeconds(lastSeenAt, idleSeconds)), Number(expiresAt)))
}

export function hasEnded(session: Session, rules: SessionRules, now: Date): boolean {
  return idleExpiry(session, rules) <= now
}

/** The secret of a cookie or a link: 256 random bits. */
export function generateSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** The stored form of a secret. With 256 random bits a plain hash is enough. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
