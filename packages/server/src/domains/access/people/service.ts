/**
 * People of an organization. Setup creates the first one, an ADMIN with a generated password; others join by
 * invitation. A change takes effect in every process within five seconds, even for tokens that are cached.
 */
import type { Deps } from '../../../deps.ts'
import type { Caller, Role } from '../../../kernel/caller.ts'
import { refuse } from '../../../kernel/errors.ts'
import { type Id, modeOf, type Ref } from '../../../kernel/id.ts'
import { readControl } from '../../../platform/db/control.ts'
import type { ControlTx } from '../../../platform/db/control-unit.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { type AuditedTx, recordControlAct, transactInControl } from '../audit/service/outbox.ts'
import { findHomeWorkspace, getWorkspace } from '../organizations/service.ts'
import { endSessionsOf } from '../sessions/service.ts'
import type { Person } from './person.ts'
import type { SignOutPerson, UpdatePerson } from './schema.ts'
import { expireTokensOf, removePasskeysOf, revokeInvitationsOf } from './service/person-cleanup.ts'
import * as store from './store.ts'

export type { Person } from './person.ts'
export { findTokenCreator, requireCreator, type TokenCreator } from './service/person-cleanup.ts'

export type NewPerson = {
  readonly organizationId: Id<'organization'>
  readonly email: string
  readonly name: string | null
  readonly role: Role
  readonly passwordHash: string
}

export async function createPerson(tx: AuditedTx, input: NewPerson): Promise<Person> {
  const { passwordHash, ...details } = input
  const person: Person = {
    ...details,
    id: tx.newId('person'),
    email: input.email.toLowerCase(),
    status: 'active',
    hasTotp: false,
    lastSeenAt: null,
    createdAt: tx.now,
    updatedAt: tx.now,
  }
  const isNew = await store.insertPerson(tx.db, person, passwordHash)
  if (!isNew) refuse('email_taken')
  recordControlAct(tx, 'person.created', { objectId: person.id, details: { role: person.role } })
  return person
}

export async function listPeople(deps: Deps, caller: Caller, range: IdRange) {
  const { organizationId } = await getWorkspace(deps, caller)
  return readControl(deps, (db) => store.listPeopleOf(db, organizationId, range))
}

/** Returns null if there is no such person, or they are deactivated. */
export async function findActivePerson(deps: Deps, id: Id<'person'>): Promise<Person | null> {
  const person = await readControl(deps, (db) => store.findPerson(db, id))
  return person?.status === 'active' ? person : null
}

/** Whether this is the email address of an active person of the organization that owns the workspace. */
export async function isColleagueEmail(deps: Deps, caller: Caller, email: string): Promise<boolean> {
  const [{ organizationId }, found] = await Promise.all([
    getWorkspace(deps, caller),
    readControl(deps, (db) => store.findByEmail(db, email.toLowerCase())),
  ])
  return found?.person.status === 'active' && found.person.organizationId === organizationId
}

/**
 * The organization of the caller, for changes to its people. People have access to live workspaces, so a test
 * token, which is often stored less carefully, must not grant it. A signed-in ADMIN has that role in live
 * workspaces as well.
 */
export async function requireOrganization(deps: Deps, caller: Caller): Promise<Id<'organization'>> {
  const { organizationId } = await getWorkspace(deps, caller)
  if (caller.mode === 'test' && caller.personId === null) {
    const home = await findHomeWorkspace(deps, organizationId)
    if (modeOf(home) === 'live') refuse('live_mode_only')
  }
  return organizationId
}

export async function changeRole(
  deps: Deps,
  caller: Caller,
  id: string,
  { role, keep_api_tokens = false }: UpdatePerson,
): Promise<Person> {
  const organizationId = await requireOrganization(deps, caller)
  return transactAndRevoke(deps, caller, async (tx, revokeTokensOf) => {
    const { person: before, isLastAdmin } = await lockPerson(tx, organizationId, id)
    if (before.role === role) return before
    if (isLastAdmin) refuse('last_admin')
    const after = await store.updatePerson(tx.db, before.id, { role, now: tx.now })
    if (before.role === 'ADMIN') await revokeInvitationsOf(tx, after.id)
    const details = { from: before.role, to: role }
    recordControlAct(tx, 'person.updated', { objectId: after.id, details })
    if (before.role === 'ADMIN' && !keep_api_tokens) await revokeTokensOf(after.id)
    return after
  })
}

/** Permanent: a person who returns needs an invitation with another email address. Can be repeated. */
export async function deactivatePerson(deps: Deps, caller: Caller, id: string): Promise<Person> {
  const organizationId = await requireOrganization(deps, caller)
  return transactAndRevoke(deps, caller, async (tx, revokeTokensOf) => {
    const { person: before, isLastAdmin } = await lockPerson(tx, organizationId, id)
    if (before.status === 'deactivated') {
      // If a process stopped before it revoked all tokens, repeating the call revokes the others.
      await revokeTokensOf(before.id)
      return before
    }
    if (isLastAdmin) refuse('last_admin')
    const changes = { status: 'deactivated', now: tx.now } as const
    const after = await store.updatePerson(tx.db, before.id, changes)
    await endSessionsOf(tx, after.id)
    await revokeInvitationsOf(tx, after.id)
    recordControlAct(tx, 'person.deactivated', { objectId: after.id })
    await revokeTokensOf(after.id)
    return after
  })
}

/**
 * The secrets of the tokens expire in the transaction; the status of each token in its workspace is updated
 * afterwards. The transaction returns only the person, because its result is stored as the response to a
 * repeated request.
 */
async function transactAndRevoke(
  deps: Deps,
  caller: Caller,
  body: (tx: AuditedTx, revokeTokensOf: (id: Id<'person'>) => Promise<void>) => Promise<Person>,
): Promise<Person> {
  let tokens: readonly Ref<'api_token'>[] = []
  const person = await transactInControl(deps, caller, (tx) => {
    tokens = []
    return body(tx, async (id) => {
      tokens = await expireTokensOf(tx, id)
    })
  })
  await deps.revokeApiTokens(caller, tokens)
  return person
}

/** Ends every session of the person. */
export async function signOutPerson(
  deps: Deps,
  caller: Caller,
  id: string,
  { remove_passkeys = false }: SignOutPerson,
): Promise<Person> {
  const organizationId = await requireOrganization(deps, caller)
  return transactInControl(deps, caller, async (tx) => {
    const { person } = await lockPerson(tx, organizationId, id)
    await endSessionsOf(tx, person.id)
    if (remove_passkeys) await removePasskeysOf(tx, person.id)
    recordControlAct(tx, 'person.signed_out', { objectId: person.id, details: { everywhere: true } })
    return person
  })
}

/**
 * Requires that the inviting person is still an ADMIN. Locks the person until the commit: otherwise a
 * concurrent deactivation could miss the new invitation and not revoke it.
 */
export async function requireStillAdmin(tx: ControlTx, organizationId: Id<'organization'>): Promise<void> {
  const { personId } = tx.caller
  if (personId === null) return
  const person = await store.lockPerson(tx.db, organizationId, personId)
  if (person?.status !== 'active' || person.role !== 'ADMIN') refuse('role_not_allowed')
}

/** Locks all ADMINs first: otherwise two ADMINs who change each other's roles concurrently would deadlock. */
async function lockPerson(tx: ControlTx, organizationId: Id<'organization'>, id: string) {
  const admins = await store.lockAdmins(tx.db, organizationId)
  const person = (await store.lockPerson(tx.db, organizationId, id)) ?? refuse('not_found')
  return { person, isLastAdmin: admins.length === 1 && admins[0] === person.id }
}
