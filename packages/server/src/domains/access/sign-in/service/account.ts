/** Changes that people make to their own account: sessions, password and name. */
import type { Deps } from '../../../../deps.ts'
import { refuse } from '../../../../kernel/errors.ts'
import { type Id, parseId } from '../../../../kernel/id.ts'
import { type AuditedTx, recordControlAct, transactInControl } from '../../audit/service/outbox.ts'
import {
  callerFor,
  lockForSignIn,
  type Person,
  removePasskeysOf,
  runPasswordTask,
  setName,
  setPassword,
} from '../../people/service/credentials.ts'
import { endSession, endSessionsOf, replaceSecret } from '../../sessions/service.ts'
import type { DashboardClient } from '../dashboard-client.ts'
import { writeDevice } from '../device.ts'
import type { SignedInSession } from './current-session.ts'
import { provePassword } from './proof.ts'

export { listSessions } from '../../sessions/service.ts'

export function signOut(deps: Deps, client: DashboardClient, current: SignedInSession): Promise<void> {
  return endSessionById(deps, client, current, current.session.id)
}

export async function signOutOf(
  deps: Deps,
  client: DashboardClient,
  current: SignedInSession,
  id: string,
): Promise<void> {
  await endSessionById(deps, client, current, parseId('session', 'live', id) ?? refuse('not_found'))
}

async function endSessionById(
  deps: Deps,
  client: DashboardClient,
  { person }: SignedInSession,
  id: Id<'session'>,
): Promise<void> {
  await asPerson(deps, client, person, async (tx) => {
    if (!(await endSession(tx, person.id, id))) refuse('not_found')
    recordControlAct(tx, 'person.signed_out', { objectId: person.id, details: { everywhere: false } })
  })
}

export async function signOutEverywhere(
  deps: Deps,
  client: DashboardClient,
  { person }: SignedInSession,
): Promise<void> {
  await asPerson(deps, client, person, async (tx) => {
    await endSessionsOf(tx, person.id)
    recordControlAct(tx, 'person.signed_out', { objectId: person.id, details: { everywhere: true } })
  })
}

/**
 * Changes the password. Ends all other sessions, invalidates device cookies and removes the passkeys,
 * because an attacker may have added one of them. Returns the new values of the two cookies of this browser.
 */
export async function changePassword(
  deps: Deps,
  client: DashboardClient,
  current: SignedInSession,
  input: { readonly current: string; readonly password: string },
): Promise<{ readonly secret: string; readonly device: string }> {
  const { person, session } = current
  const proven = await provePassword(deps, current, input.current)
  const queueEntry = { groups: [session.id], isPreferred: true }
  const hash = await runPasswordTask(queueEntry, (work) => work.hash(input.password))
  return asPerson(deps, client, person, async (tx) => {
    if ((await lockForSignIn(tx, person.id, proven)) === null) refuse('sign_in_refused')
    await setPassword(tx, person.id, hash)
    await endSessionsOf(tx, person.id, session.id)
    await removePasskeysOf(tx, person.id)
    recordControlAct(tx, 'person.password_changed', { objectId: person.id })
    const secret = (await replaceSecret(tx, session.id)) ?? refuse('session_required')
    return { secret, device: writeDevice(deps.deviceKeys, person.email, hash) }
  })
}

export function changeName(
  deps: Deps,
  client: DashboardClient,
  { person }: SignedInSession,
  name: string,
): Promise<Person> {
  return asPerson(deps, client, person, (tx) => setName(tx, person.id, name))
}

async function asPerson<T>(
  deps: Deps,
  client: DashboardClient,
  person: Person,
  body: (tx: AuditedTx) => Promise<T>,
): Promise<T> {
  return transactInControl(deps, await callerFor(deps, person, client.requestId), body)
}
