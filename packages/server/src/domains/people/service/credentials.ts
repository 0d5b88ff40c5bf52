/** What a person signs in with. For the verbs of signing in, and nobody else. */
import type { Deps } from '../../../deps.ts'
import { type Caller, systemCaller } from '../../../kernel/caller.ts'
import type { Id } from '../../../kernel/id.ts'
import { inControl, readControl } from '../../../platform/db/control.ts'
import type { Db } from '../../../platform/db/databases.ts'
import { read, type Tx } from '../../../platform/db/unit-of-work.ts'
import { homeOf } from '../../organizations/service.ts'
import { areSame, type Credentials, type Person, type SealedTotp } from '../person.ts'
import * as store from '../store.ts'

export { comparePassword, hashPassword } from '../password.ts'
export type { Credentials, Person, SealedTotp } from '../person.ts'
export { removePasskeysOf } from './belongings.ts'

export function findByEmail(deps: Deps, email: string): Promise<store.PersonWithCredentials | null> {
  return readControl(deps, (db) => store.findByEmail(db, email.toLowerCase()))
}

/** Null if there is no such person, or they are no longer active. */
export async function findActive(db: Db, id: Id<'person'>): Promise<Person | null> {
  const person = await store.findPerson(db, id)
  return person?.status === 'active' ? person : null
}

export function credentialsOf(deps: Deps, id: Id<'person'>): Promise<Credentials> {
  return readControl(deps, (db) => store.readCredentials(db, id))
}

/**
 * Takes the person for the unit that lets them in. Null if they may not come in any more, or if what they have proven
 * was changed meanwhile: a session must not outlive the password that opened it.
 */
export async function lockEntrant(
  tx: Tx,
  id: Id<'person'>,
  proven: Credentials | null,
): Promise<Person | null> {
  const { person, credentials } = await inControl(tx, (db) => store.lockWithCredentials(db, id))
  const isUnchanged = proven === null || areSame(proven, credentials)
  return person.status === 'active' && isUnchanged ? person : null
}

/** Acts of people about themselves are written down where the organization is at home. */
export async function callerFor(
  deps: Deps,
  person: Person,
  requestId: Id<'request'> | null,
): Promise<Caller> {
  const home = await homeOf(deps, person.organizationId)
  const request = requestId === null ? null : { id: requestId, idempotencyKey: null, replay: null }
  const system = systemCaller({ workspaceId: home, id: home })
  return { ...system, authority: person.role, personId: person.id, request }
}

export function noteSeen(db: Db, id: Id<'person'>, now: Date): Promise<void> {
  return store.noteSeen(db, id, now)
}

export function setName(tx: Tx, id: Id<'person'>, name: string): Promise<Person> {
  return inControl(tx, (db) => store.updatePerson(db, id, { name, now: tx.now }))
}

export function setPassword(tx: Tx, id: Id<'person'>, hash: string): Promise<void> {
  return inControl(tx, (db) => store.updatePassword(db, id, hash, tx.now))
}

/** Keeps the secret of an authenticator, which asks for nothing until it is proven. False if another one was. */
export async function keepTotp(deps: Deps, tx: Tx, id: Id<'person'>, secret: string): Promise<boolean> {
  const { workspaceId } = tx.caller
  const sealed = await deps.sealedBox.seal(tx.db, placeOf(workspaceId, id), secret)
  return inControl(tx, (db) => store.keepTotp(db, id, { sealed, workspaceId }))
}

export function openTotp(deps: Deps, id: Id<'person'>, totp: SealedTotp): Promise<string> {
  const { workspaceId, sealed } = totp
  const caller = systemCaller({ workspaceId, id: workspaceId })
  return read(deps, caller, (view) => deps.sealedBox.open(view.db, placeOf(workspaceId, id), sealed))
}

/** False if it is not the one that is kept, or is confirmed already. */
export function confirmTotp(tx: Tx, id: Id<'person'>, { sealed }: SealedTotp): Promise<boolean> {
  return inControl(tx, (db) => store.confirmTotp(db, id, sealed, tx.now))
}

export function removeTotp(tx: Tx, id: Id<'person'>): Promise<void> {
  return inControl(tx, (db) => store.clearTotp(db, id))
}

/** False if the step, or a later one, was taken before: a code opens once. */
export function takeTotpStep(tx: Tx, id: Id<'person'>, step: number): Promise<boolean> {
  return inControl(tx, (db) => store.takeStep(db, id, step))
}

const placeOf = (workspaceId: Id<'workspace'>, rowId: Id<'person'>) => ({
  ...{ workspaceId, rowId },
  ...{ table: 'control.people', column: 'totp_secret' },
})
