/** The session of the current request, and the API tokens that it issues. */
import type { Deps } from '../../../../deps.ts'
import type { Identity } from '../../../../kernel/caller.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import { keysIn, refuseWrongCell } from '../../../../kernel/cells.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import { changeControl } from '../../../../platform/db/control.ts'
import type { ControlTx } from '../../../../platform/db/control-unit.ts'
import { findOrganizationName, getWorkspace, listWorkspaces } from '../../organizations/service.ts'
import { findActive, lockForSignIn, type Person, recordLastSeen } from '../../people/service/credentials.ts'
import {
  findActiveSession,
  findAndExtendSession,
  findSession,
  idleExpiry,
  readSessionToken,
  renewSecret,
  type Session,
  tokenSeconds,
  writeSessionToken,
} from '../../sessions/service.ts'
import type { DashboardClient } from '../dashboard-client.ts'
import { listPasskeysOf } from '../store/passkeys.ts'

export type SignedInSession = {
  readonly session: Session
  readonly person: Person
  /** A new session secret, because the role of the person has changed; null if the secret is unchanged. */
  readonly newSecret: string | null
  readonly now: Date
}

/** The session that the cookie identifies. Each request extends its idle timeout, unless writes are refused. */
export function requireSession(
  deps: Deps,
  client: Pick<DashboardClient, 'sessionSecret'>,
): Promise<SignedInSession> {
  const find = deps.databases.control.isReadOnly() ? findSession : findAndExtendSession
  return requireSessionBy(deps, client, find)
}

/** Like `requireSession`, for automatic requests of a page, which do not extend the idle timeout. */
export function requireSessionWithoutExtending(
  deps: Deps,
  client: Pick<DashboardClient, 'sessionSecret'>,
): Promise<SignedInSession> {
  return requireSessionBy(deps, client, findSession)
}

async function requireSessionBy(
  deps: Deps,
  { sessionSecret }: Pick<DashboardClient, 'sessionSecret'>,
  find: typeof findAndExtendSession,
): Promise<SignedInSession> {
  const current = sessionSecret === null ? null : await sessionBySecret(deps, sessionSecret, find)
  return current ?? refuse('session_required')
}

function sessionBySecret(
  deps: Deps,
  secret: string,
  find: typeof findAndExtendSession,
): Promise<SignedInSession | null> {
  return changeControl(deps, async (db, now) => {
    const found = await find(deps, { db, now }, secret)
    const person = found === null ? null : await findActive(db, found.session.personId)
    if (found === null || person === null) return null
    const { session, isActivityRecorded } = found
    if (isActivityRecorded) await recordLastSeen(db, person.id, now)
    const newSecret = await renewSecret(db, session, { role: person.role, now })
    return { session, person, newSecret, now }
  })
}

/**
 * Locks the person, and refuses if their session has ended in the meantime, for example because of a new password.
 */
export async function requireStillSignedIn(
  deps: Deps,
  tx: ControlTx,
  { person, session }: SignedInSession,
): Promise<void> {
  const isActive = (await lockForSignIn(tx, person.id, null)) !== null
  const activeSession = await findActiveSession(deps, tx, session.id)
  if (!isActive || activeSession === null) refuse('session_required')
}

/** Everything that the pages show about the signed-in person. */
export async function describeSession(
  deps: Deps,
  { session, person }: Pick<SignedInSession, 'session' | 'person'>,
) {
  const { organizationId } = person
  const [organizationName, workspaces, passkeys] = await Promise.all([
    findOrganizationName(deps, organizationId),
    listWorkspaces(deps, organizationId),
    changeControl(deps, (db) => listPasskeysOf(db, person.id)),
  ])
  const idleExpiresAt = idleExpiry(session, deps)
  const organizationInfo = { id: organizationId, name: organizationName }
  return { session, idleExpiresAt, person, organization: organizationInfo, workspaces, passkeys }
}

export type DescribedSession = Awaited<ReturnType<typeof describeSession>>

/** A token for the API of one workspace. It is signed, so nothing is stored. */
export async function issueToken(deps: Deps, { session, person, now }: SignedInSession, workspaceId: string) {
  const workspaces = await listWorkspaces(deps, person.organizationId)
  const workspace = workspaces.find(({ id }) => id === workspaceId)
  if (workspace === undefined) return refuseForeignWorkspace(deps, workspaceId)
  const expiresAt = new Date(Math.min(Number(addSeconds(now, tokenSeconds)), Number(session.expiresAt)))
  const { id: sessionId } = session
  const token = writeSessionToken(deps.sessionKeys, { sessionId, workspaceId: workspace.id, expiresAt })
  return { token, expiresAt }
}

async function refuseForeignWorkspace({ cells }: Deps, workspaceId: string): Promise<never> {
  const cell = await cells.find(keysIn(workspaceId))
  if (cell !== null) refuseWrongCell(cell.dashboard)
  return refuseMember('/workspace_id', 'not_found', 'is not a workspace of your organization')
}

/** Whether the text is a token of a session. Does not query the database. */
export function isSessionToken(deps: Deps, text: string): boolean {
  return readSessionToken(deps.sessionKeys, text) !== null
}

/** Finds the person of a token. Their current role is read each time. */
export async function recognizeSessionToken(deps: Deps, text: string): Promise<Identity> {
  const token = readSessionToken(deps.sessionKeys, text)
  if (token === null) return { status: 'unknown' }
  const person = await changeControl(deps, async (db, now) => {
    const session =
      token.expiresAt <= now ? null : await findActiveSession(deps, { db, now }, token.sessionId)
    return session === null ? null : findActive(db, session.personId)
  })
  if (person === null) return { status: 'expired' }
  const { workspaceId } = token
  const workspace = await getWorkspace(deps, systemCaller({ workspaceId, id: workspaceId }))
  if (workspace.organizationId !== person.organizationId) return { status: 'unknown' }
  const { mode, apiVersion } = workspace
  const { id: personId, role: authority } = person
  return { status: 'known', workspaceId, tokenId: null, personId, mode, authority, apiVersion }
}
