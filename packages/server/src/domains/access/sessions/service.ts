/**
 * Sessions of people in the dashboard. A secret in a cookie identifies a session, and only its hash is
 * stored. A session issues tokens for the API, which become invalid when it ends.
 */
import type { Deps } from '../../../deps.ts'
import type { Role } from '../../../kernel/caller.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import type { Id } from '../../../kernel/id.ts'
import { changeControl } from '../../../platform/db/control.ts'
import type { ControlTx } from '../../../platform/db/control-unit.ts'
import type { Db } from '../../../platform/db/databases.ts'
import {
  type Challenge,
  generateSecret,
  hasEnded,
  hashSecret,
  maxSessionSeconds,
  type Session,
  type SessionRules,
} from './session.ts'
import * as store from './store.ts'

export { generateSecret, hashSecret, idleExpiry, type Session } from './session.ts'
export {
  hasFormatOfSessionToken,
  readSessionToken,
  tokenSeconds,
  writeSessionToken,
} from './session-token.ts'

/** The maximum number of listed sessions. */
const maxListed = 100

export type OpenedSession = { readonly session: Session; readonly secret: string }

export type NewSession = {
  readonly personId: Id<'person'>
  readonly role: Role
  readonly address: string
  readonly userAgent: string
  /** The secret of the previous session of this browser, which is ended. */
  readonly formerSecret: string | null
}

/** Starts a session with a new secret, and ends the previous session of the same browser. */
export async function openSession(tx: ControlTx, input: NewSession): Promise<OpenedSession> {
  const { formerSecret, ...details } = input
  const session: Session = {
    ...details,
    id: tx.newId('session'),
    challenge: null,
    createdAt: tx.now,
    lastSeenAt: tx.now,
    expiresAt: addSeconds(tx.now, maxSessionSeconds),
  }
  const secret = generateSecret()
  if (formerSecret !== null) await store.deleteByHash(tx.db, hashSecret(formerSecret))
  await store.deleteExpired(tx.db, tx.now)
  await store.insertSession(tx.db, session, hashSecret(secret))
  return { session, secret }
}

export type FoundSession = { readonly session: Session; readonly isActivityRecorded: boolean }

/** A database connection and the current time. */
export type DbAtTime = { readonly db: Db; readonly now: Date }

/** Finds the session of a secret and extends its idle timeout. Null if there is none, or it has ended. */
export async function findAndExtendSession(
  rules: SessionRules,
  at: DbAtTime,
  secret: string,
): Promise<FoundSession | null> {
  const found = await findSession(rules, at, secret)
  if (found === null) return null
  const { session } = found
  const isActivityRecorded = await store.updateLastSeen(at.db, session.id, at.now)
  return {
    session: { ...session, lastSeenAt: isActivityRecorded ? at.now : session.lastSeenAt },
    isActivityRecorded,
  }
}

/** Finds the session of a secret without extending its idle timeout, for automatic requests of a page. */
export async function findSession(
  rules: SessionRules,
  at: DbAtTime,
  secret: string,
): Promise<FoundSession | null> {
  const session = await store.findByHash(at.db, hashSecret(secret), at.now)
  return session === null || hasEnded(session, rules, at.now) ? null : { session, isActivityRecorded: false }
}

/**
 * Replaces the secret after a change of the role, and returns the new one. Null if the role has not changed,
 * or a concurrent request of the same browser has replaced the secret.
 */
export async function renewSecret(
  db: Db,
  session: Session,
  { role, now }: { role: Role; now: Date },
): Promise<string | null> {
  if (session.role === role) return null
  const secret = generateSecret()
  return (await store.replaceSecret(db, session, { hash: hashSecret(secret), role, now })) ? secret : null
}

/**
 * Replaces the secret immediately, so that a copy of the previous one is invalid. Null if the session has
 * ended.
 */
export async function replaceSecret(tx: ControlTx, id: Id<'session'>): Promise<string | null> {
  const secret = generateSecret()
  return (await store.setSecret(tx.db, id, hashSecret(secret))) ? secret : null
}

/** Finds the session of a token. Null if it has ended. */
export async function findActiveSession(
  rules: SessionRules,
  at: DbAtTime,
  id: Id<'session'>,
): Promise<Session | null> {
  const session = await store.findById(at.db, id)
  return session === null || hasEnded(session, rules, at.now) ? null : session
}

/** The active sessions of a person, newest first. */
export function listSessions(deps: Deps, personId: Id<'person'>): Promise<readonly Session[]> {
  return changeControl(deps, async (db, now) => {
    const all = await store.listSessions(db, personId, maxListed)
    return all.filter((session) => !hasEnded(session, deps, now))
  })
}

/** Returns false if the person has no such session. */
export function endSession(tx: ControlTx, personId: Id<'person'>, id: Id<'session'>): Promise<boolean> {
  return store.deleteSession(tx.db, personId, id)
}

/** Ends all sessions of a person, except the given one. Their tokens are rejected within seconds. */
export async function endSessionsOf(
  tx: ControlTx,
  personId: Id<'person'>,
  except: Id<'session'> | null = null,
): Promise<void> {
  await store.deleteSessionsOf(tx.db, personId, except)
}

export function storeChallenge(db: Db, id: Id<'session'>, challenge: Challenge | null): Promise<void> {
  return store.setChallenge(db, id, challenge)
}
