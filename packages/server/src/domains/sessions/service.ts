/**
 * Sessions of people at the dashboard. Each is known by a secret that the browser carries in a cookie; here lies its
 * hash. From a session come tokens for the API, which die with it.
 */
import type { Deps } from '../../deps.ts'
import type { Role } from '../../kernel/caller.ts'
import { addSeconds } from '../../kernel/clock.ts'
import type { Id } from '../../kernel/id.ts'
import { changeControl, inControl } from '../../platform/db/control.ts'
import type { Db } from '../../platform/db/databases.ts'
import type { Tx } from '../../platform/db/unit-of-work.ts'
import {
  type Challenge,
  drawSecret,
  hashSecret,
  isOver,
  longestSeconds,
  type Rules,
  type Session,
} from './session.ts'
import * as store from './store.ts'

export { drawSecret, hashSecret, idleEndOf, type Session } from './session.ts'
export { readSessionToken, tokenSeconds, writeSessionToken } from './session-token.ts'

/** More than anybody can look through. */
const mostShown = 100

export type OpenedSession = { readonly session: Session; readonly secret: string }

export type NewSession = {
  readonly personId: Id<'person'>
  readonly role: Role
  readonly address: string
  readonly userAgent: string
  /** What the browser carried before. It is never what it carries afterwards. */
  readonly formerSecret: string | null
}

/** Begins a session with a secret of its own, and ends the one that the same browser had before. */
export async function openSession(tx: Tx, wish: NewSession): Promise<OpenedSession> {
  const { formerSecret, ...known } = wish
  const session: Session = {
    ...known,
    id: tx.newId('session'),
    challenge: null,
    createdAt: tx.now,
    lastSeenAt: tx.now,
    expiresAt: addSeconds(tx.now, longestSeconds),
  }
  const secret = drawSecret()
  await inControl(tx, async (db) => {
    if (formerSecret !== null) await store.deleteByHash(db, hashSecret(formerSecret))
    await store.sweepSessions(db, tx.now)
    await store.insertSession(db, session, hashSecret(secret))
  })
  return { session, secret }
}

export type Visited = { readonly session: Session; readonly wasNoted: boolean }

/** Where and when a session is looked for. */
export type At = { readonly db: Db; readonly now: Date }

/** A visit: the session of a secret, as it is from now on. Null if there is none, or it is over. */
export async function visitSession(rules: Rules, at: At, secret: string): Promise<Visited | null> {
  const seen = await glanceAtSession(rules, at, secret)
  if (seen === null) return null
  const { session } = seen
  const wasNoted = await store.touch(at.db, session.id, at.now)
  return { session: { ...session, lastSeenAt: wasNoted ? at.now : session.lastSeenAt }, wasNoted }
}

/** The same for a page that asks by itself, and so is no sign that somebody is there. */
export async function glanceAtSession(rules: Rules, at: At, secret: string): Promise<Visited | null> {
  const session = await store.findByHash(at.db, hashSecret(secret), at.now)
  return session === null || isOver(session, rules, at.now) ? null : { session, wasNoted: false }
}

/**
 * Whoever may do something else than before carries another secret. The new one; null if it is not needed, or another
 * request of the same browser has it.
 */
export async function renewSecret(
  db: Db,
  session: Session,
  { role, now }: { role: Role; now: Date },
): Promise<string | null> {
  if (session.role === role) return null
  const secret = drawSecret()
  return (await store.replaceSecret(db, session, { hash: hashSecret(secret), role, now })) ? secret : null
}

/** A new secret at once: whoever has a copy of the one before is out. Null if the session has ended meanwhile. */
export async function replaceSecret(tx: Tx, id: Id<'session'>): Promise<string | null> {
  const secret = drawSecret()
  return (await inControl(tx, (db) => store.setSecret(db, id, hashSecret(secret)))) ? secret : null
}

/** The session of a token. Null if it has ended. */
export async function findLiveSession(rules: Rules, at: At, id: Id<'session'>): Promise<Session | null> {
  const session = await store.findById(at.db, id)
  return session === null || isOver(session, rules, at.now) ? null : session
}

/** Those that go on, the newest first. */
export function listSessions(deps: Deps, personId: Id<'person'>): Promise<readonly Session[]> {
  return changeControl(deps, async (db, now) => {
    const all = await store.listOf(db, personId, mostShown)
    return all.filter((session) => !isOver(session, deps, now))
  })
}

/** False if the person has no such session. */
export function endSession(tx: Tx, personId: Id<'person'>, id: Id<'session'>): Promise<boolean> {
  return inControl(tx, (db) => store.deleteSession(db, personId, id))
}

/** Ends all sessions of a person, but for the one that is named. Their tokens are known to be over within seconds. */
export async function endSessionsOf(
  tx: Tx,
  personId: Id<'person'>,
  except: Id<'session'> | null = null,
): Promise<void> {
  await inControl(tx, (db) => store.deleteSessionsOf(db, personId, except))
}

export function keepChallenge(db: Db, id: Id<'session'>, challenge: Challenge | null): Promise<void> {
  return store.setChallenge(db, id, challenge)
}
