/** Who is signed in: the session behind a cookie, and the tokens that come from it. */
import type { Deps } from '../../../deps.ts'
import type { Identity } from '../../../kernel/caller.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import { changeControl, inControl } from '../../../platform/db/control.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import { getWorkspace, nameOfOrganization, workspacesOf } from '../../organizations/service.ts'
import { findActive, lockEntrant, noteSeen, type Person } from '../../people/service/credentials.ts'
import {
  findLiveSession,
  glanceAtSession,
  idleEndOf,
  readSessionToken,
  renewSecret,
  type Session,
  tokenSeconds,
  visitSession,
  writeSessionToken,
} from '../../sessions/service.ts'
import { listPasskeysOf } from '../store/passkeys.ts'
import type { Visitor } from '../visitor.ts'

export type Visit = {
  readonly session: Session
  readonly person: Person
  /** Drawn because the person may do something else than before; null: the browser has the right one. */
  readonly newSecret: string | null
  readonly now: Date
}

/** The session of the cookie. Each visit puts off the end of an idle one. */
export function requireVisit(deps: Deps, visitor: Pick<Visitor, 'secret'>): Promise<Visit> {
  return findVisit(deps, visitor, visitSession)
}

/** The same for a page that asks by itself while nobody may be sitting there: the end stays where it is. */
export function requireGlance(deps: Deps, visitor: Pick<Visitor, 'secret'>): Promise<Visit> {
  return findVisit(deps, visitor, glanceAtSession)
}

async function findVisit(
  deps: Deps,
  { secret }: Pick<Visitor, 'secret'>,
  look: typeof visitSession,
): Promise<Visit> {
  const visit = secret === null ? null : await visitBy(deps, secret, look)
  return visit ?? refuse('session_required')
}

function visitBy(deps: Deps, secret: string, look: typeof visitSession): Promise<Visit | null> {
  return changeControl(deps, async (db, now) => {
    const visited = await look(deps, { db, now }, secret)
    const person = visited === null ? null : await findActive(db, visited.session.personId)
    if (visited === null || person === null) return null
    const { session, wasNoted } = visited
    if (wasNoted) await noteSeen(db, person.id, now)
    const newSecret = await renewSecret(db, session, { role: person.role, now })
    return { session, person, newSecret, now }
  })
}

/** Takes the person, and refuses if their session has ended meanwhile: a new password ends what was under way. */
export async function requireStillSignedIn(deps: Deps, tx: Tx, { person, session }: Visit): Promise<void> {
  const isHere = (await lockEntrant(tx, person.id, null)) !== null
  const live = await inControl(tx, (db) => findLiveSession(deps, { db, now: tx.now }, session.id))
  if (!isHere || live === null) refuse('session_required')
}

/** All that the pages show of whoever is signed in. */
export async function describeSession(deps: Deps, { session, person }: Pick<Visit, 'session' | 'person'>) {
  const { organizationId } = person
  const [organization, workspaces, passkeys] = await Promise.all([
    nameOfOrganization(deps, organizationId),
    workspacesOf(deps, organizationId),
    changeControl(deps, (db) => listPasskeysOf(db, person.id)),
  ])
  const idleEndsAt = idleEndOf(session, deps)
  const known = { id: organizationId, name: organization }
  return { session, idleEndsAt, person, organization: known, workspaces, passkeys }
}

export type DescribedSession = Awaited<ReturnType<typeof describeSession>>

/** A token for the API of one workspace. It proves itself; nothing is written. */
export async function issueToken(deps: Deps, { session, person, now }: Visit, workspaceId: string) {
  const workspaces = await workspacesOf(deps, person.organizationId)
  const workspace = workspaces.find(({ id }) => id === workspaceId)
  if (workspace === undefined)
    return refuseMember('/workspace_id', 'not_found', 'is no workspace of your organization')
  const expiresAt = new Date(Math.min(Number(addSeconds(now, tokenSeconds)), Number(session.expiresAt)))
  const { id: sessionId } = session
  const token = writeSessionToken(deps.sessionKeys, { sessionId, workspaceId: workspace.id, expiresAt })
  return { token, expiresAt }
}

/** Whether the text is a token that we gave to somebody who is signed in. Asks nobody. */
export function isSessionToken(deps: Deps, text: string): boolean {
  return readSessionToken(deps.sessionKeys, text) !== null
}

/** Who holds the token, as they are now: what they may do is read each time. */
export async function recognizeSessionToken(deps: Deps, text: string): Promise<Identity> {
  const token = readSessionToken(deps.sessionKeys, text)
  if (token === null) return { is: 'unknown' }
  const person = await changeControl(deps, async (db, now) => {
    const session = token.expiresAt <= now ? null : await findLiveSession(deps, { db, now }, token.sessionId)
    return session === null ? null : findActive(db, session.personId)
  })
  if (person === null) return { is: 'expired' }
  const { workspaceId } = token
  const workspace = await getWorkspace(deps, systemCaller({ workspaceId, id: workspaceId }))
  if (workspace.organizationId !== person.organizationId) return { is: 'unknown' }
  const { mode, apiVersion } = workspace
  const { id: personId, role: authority } = person
  return { is: 'known', workspaceId, tokenId: null, personId, mode, authority, apiVersion }
}
