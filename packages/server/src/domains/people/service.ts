/**
 * People of an organization. The first, an ADMIN, is made by setup with a password drawn for them; the others come by
 * invitation. What is changed here holds in every process within five seconds, for tokens too.
 */
import type { Deps } from '../../deps.ts'
import type { Caller, Role } from '../../kernel/caller.ts'
import { refuse } from '../../kernel/errors.ts'
import { type Id, modeOf } from '../../kernel/id.ts'
import { inControl, readControl } from '../../platform/db/control.ts'
import type { IdRange } from '../../platform/db/keyset.ts'
import { type Tx, transact } from '../../platform/db/unit-of-work.ts'
import { recordAct } from '../audit/service.ts'
import { getWorkspace, homeOf } from '../organizations/service.ts'
import { endSessionsOf } from '../sessions/service.ts'
import type { Person } from './person.ts'
import type { SignOutPerson, UpdatePerson } from './schema.ts'
import { removePasskeysOf, revokeInvitationsOf } from './service/belongings.ts'
import * as store from './store.ts'

export type { Person } from './person.ts'

export type NewPerson = {
  readonly organizationId: Id<'organization'>
  readonly email: string
  readonly name: string | null
  readonly role: Role
  readonly passwordHash: string
}

export async function createPerson(tx: Tx, input: NewPerson): Promise<Person> {
  const { passwordHash, ...known } = input
  const person: Person = {
    ...known,
    id: tx.newId('person'),
    email: input.email.toLowerCase(),
    status: 'active',
    hasTotp: false,
    lastSeenAt: null,
    createdAt: tx.now,
    updatedAt: tx.now,
  }
  const isNew = await inControl(tx, (db) => store.insertPerson(db, person, passwordHash))
  if (!isNew) refuse('email_taken')
  await recordAct(tx, 'person.created', { objectId: person.id, details: { role: person.role } })
  return person
}

export async function listPeople(deps: Deps, caller: Caller, range: IdRange) {
  const { organizationId } = await getWorkspace(deps, caller)
  return readControl(deps, (db) => store.listPeopleOf(db, organizationId, range))
}

/** Null if there is no such person, or they are no longer active. */
export async function findActivePerson(deps: Deps, id: Id<'person'>): Promise<Person | null> {
  const person = await readControl(deps, (db) => store.findPerson(db, id))
  return person?.status === 'active' ? person : null
}

/**
 * The organization of the caller, for changing who belongs to it. People reach into production, so a test token, which
 * lies about on many machines, must not be a way to get there. Whoever is signed in is an ADMIN there as well.
 */
export async function requireOrganization(deps: Deps, caller: Caller): Promise<Id<'organization'>> {
  const { organizationId } = await getWorkspace(deps, caller)
  if (caller.mode === 'test' && caller.personId === null) {
    const home = await homeOf(deps, organizationId)
    if (modeOf(home) === 'live') refuse('live_mode_only')
  }
  return organizationId
}

export async function changeRole(
  deps: Deps,
  caller: Caller,
  id: string,
  { role }: UpdatePerson,
): Promise<Person> {
  const organizationId = await requireOrganization(deps, caller)
  return transact(deps, caller, async (tx) => {
    const { person: before, isLastAdmin } = await lockPerson(tx, organizationId, id)
    if (before.role === role) return before
    if (isLastAdmin) refuse('last_admin')
    const after = await inControl(tx, (db) => store.updatePerson(db, before.id, { role, now: tx.now }))
    if (before.role === 'ADMIN') await revokeInvitationsOf(tx, after.id)
    const details = { from: before.role, to: role }
    await recordAct(tx, 'person.updated', { objectId: after.id, details })
    return after
  })
}

/** For good: whoever comes back is invited again under another address. Repeating it answers the same. */
export async function deactivatePerson(deps: Deps, caller: Caller, id: string): Promise<Person> {
  const organizationId = await requireOrganization(deps, caller)
  return transact(deps, caller, async (tx) => {
    const { person: before, isLastAdmin } = await lockPerson(tx, organizationId, id)
    if (before.status === 'deactivated') return before
    if (isLastAdmin) refuse('last_admin')
    const changes = { status: 'deactivated', now: tx.now } as const
    const after = await inControl(tx, (db) => store.updatePerson(db, before.id, changes))
    await endSessionsOf(tx, after.id)
    await revokeInvitationsOf(tx, after.id)
    await recordAct(tx, 'person.deactivated', { objectId: after.id })
    return after
  })
}

/** Ends every session of the person. */
export async function signOutPerson(
  deps: Deps,
  caller: Caller,
  id: string,
  { remove_passkeys = false }: SignOutPerson,
): Promise<Person> {
  const organizationId = await requireOrganization(deps, caller)
  return transact(deps, caller, async (tx) => {
    const { person } = await lockPerson(tx, organizationId, id)
    await endSessionsOf(tx, person.id)
    if (remove_passkeys) await removePasskeysOf(tx, person.id)
    await recordAct(tx, 'person.signed_out', { objectId: person.id, details: { everywhere: true } })
    return person
  })
}

/** Whoever invites has to be an ADMIN until it is done, or the invitation would outlive their removal. */
export async function requireAdminStill(tx: Tx, organizationId: Id<'organization'>): Promise<void> {
  const { personId } = tx.caller
  if (personId === null) return
  const person = await inControl(tx, (db) => store.lockPerson(db, organizationId, personId))
  if (person?.status !== 'active' || person.role !== 'ADMIN') refuse('role_not_allowed')
}

/** Behind all who are ADMIN: two who took one another first would wait for each other. */
async function lockPerson(tx: Tx, organizationId: Id<'organization'>, id: string) {
  return inControl(tx, async (db) => {
    const admins = await store.lockAdmins(db, organizationId)
    const person = (await store.lockPerson(db, organizationId, id)) ?? refuse('not_found')
    return { person, isLastAdmin: admins.length === 1 && admins[0] === person.id }
  })
}
