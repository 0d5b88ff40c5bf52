/** What people change about themselves: their sessions, their password, their name. */
import type { Deps } from '../../../deps.ts'
import { refuse } from '../../../kernel/errors.ts'
import { type Id, parseId } from '../../../kernel/id.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { recordAct } from '../../audit/service.ts'
import {
  callerFor,
  hashPassword,
  lockEntrant,
  type Person,
  removePasskeysOf,
  setName,
  setPassword,
} from '../../people/service/credentials.ts'
import { endSession, endSessionsOf, replaceSecret } from '../../sessions/service.ts'
import type { Visitor } from '../visitor.ts'
import { provePassword } from './proof.ts'
import type { Visit } from './visits.ts'

export { listSessions } from '../../sessions/service.ts'

export function signOut(deps: Deps, visitor: Visitor, visit: Visit): Promise<void> {
  return endOne(deps, visitor, visit, visit.session.id)
}

export async function signOutOf(deps: Deps, visitor: Visitor, visit: Visit, id: string): Promise<void> {
  await endOne(deps, visitor, visit, parseId('session', 'live', id) ?? refuse('not_found'))
}

async function endOne(deps: Deps, visitor: Visitor, { person }: Visit, id: Id<'session'>): Promise<void> {
  await asPerson(deps, visitor, person, async (tx) => {
    if (!(await endSession(tx, person.id, id))) refuse('not_found')
    await recordAct(tx, 'person.signed_out', { objectId: person.id, details: { everywhere: false } })
  })
}

export async function signOutEverywhere(deps: Deps, visitor: Visitor, { person }: Visit): Promise<void> {
  await asPerson(deps, visitor, person, async (tx) => {
    await endSessionsOf(tx, person.id)
    await recordAct(tx, 'person.signed_out', { objectId: person.id, details: { everywhere: true } })
  })
}

/**
 * Whoever else was signed in as this person is out, with the passkeys and with a copy of the cookie: that may be why the
 * password is changed. Returns the new secret of this session.
 */
export async function changePassword(
  deps: Deps,
  visitor: Visitor,
  { person, session }: Visit,
  input: { readonly current: string; readonly password: string },
): Promise<string> {
  const proven = await provePassword(deps, visitor, person, input.current)
  const hash = await hashPassword(input.password)
  return asPerson(deps, visitor, person, async (tx) => {
    if ((await lockEntrant(tx, person.id, proven)) === null) refuse('sign_in_refused')
    await setPassword(tx, person.id, hash)
    await endSessionsOf(tx, person.id, session.id)
    await removePasskeysOf(tx, person.id)
    await recordAct(tx, 'person.password_changed', { objectId: person.id })
    return (await replaceSecret(tx, session.id)) ?? refuse('session_required')
  })
}

export function changeName(deps: Deps, visitor: Visitor, { person }: Visit, name: string): Promise<Person> {
  return asPerson(deps, visitor, person, (tx) => setName(tx, person.id, name))
}

async function asPerson<T>(
  deps: Deps,
  visitor: Visitor,
  person: Person,
  body: (tx: Tx) => Promise<T>,
): Promise<T> {
  return transact(deps, await callerFor(deps, person, visitor.requestId), body)
}
