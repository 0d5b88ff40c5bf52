/** Reads and changes the credentials of people. Used only for signing in. */
import type { Deps } from '../../../../deps.ts'
import { type Caller, systemCaller } from '../../../../kernel/caller.ts'
import type { Id } from '../../../../kernel/id.ts'
import { inControl, readControl } from '../../../../platform/db/control.ts'
import type { Db } from '../../../../platform/db/databases.ts'
import { read, type Tx } from '../../../../platform/db/unit-of-work.ts'
import { findHomeWorkspace } from '../../organizations/service.ts'
import { type Credentials, haveSameCredentials, type Person, type SealedTotp } from '../person.ts'
import * as store from '../store.ts'

export type { Credentials, Person, SealedTotp } from '../person.ts'
export { runPasswordTask } from './password-queue.ts'
export { removePasskeysOf } from './person-cleanup.ts'

export function findByEmail(deps: Deps, email: string): Promise<store.PersonWithCredentials | null> {
  return readControl(deps, (db) => store.findByEmail(db, email.toLowerCase()))
}

/** Returns null if there is no such person, or they are deactivated. */
export async function findActive(db: Db, id: Id<'person'>): Promise<Person | null> {
  const person = await store.findPerson(db, id)
  return person?.status === 'active' ? person : null
}

/** Like `findCredentials`, in a transaction. */
export function readCredentials(tx: Tx, id: Id<'person'>): Promise<Credentials> {
  return inControl(tx, (db) => store.readCredentials(db, id))
}

export function findCredentials(deps: Deps, id: Id<'person'>): Promise<Credentials> {
  return readControl(deps, (db) => store.readCredentials(db, id))
}

/**
 * Locks a person for the transaction that signs them in. Returns null if they are deactivated, or if their
 * credentials have changed since those in `proven` were verified: a session must not start with a password
 * that was just replaced.
 */
export async function lockForSignIn(
  tx: Tx,
  id: Id<'person'>,
  proven: Credentials | null,
): Promise<Person | null> {
  const { person, credentials } = await inControl(tx, (db) => store.lockWithCredentials(db, id))
  const isUnchanged = proven === null || haveSameCredentials(proven, credentials)
  return person.status === 'active' && isUnchanged ? person : null
}

/**
 * The caller for changes that people make to their own account: recorded in the home workspace of the
 * organization.
 */
export async function callerFor(
  deps: Deps,
  person: Person,
  requestId: Id<'request'> | null,
): Promise<Caller> {
  const home = await findHomeWorkspace(deps, person.organizationId)
  const request = requestId === null ? null : { id: requestId, idempotencyKey: null, replay: null }
  const system = systemCaller({ workspaceId: home, id: home })
  return { ...system, authority: person.role, personId: person.id, request }
}

export function recordLastSeen(db: Db, id: Id<'person'>, now: Date): Promise<void> {
  return store.recordLastSeen(db, id, now)
}

export function setName(tx: Tx, id: Id<'person'>, name: string): Promise<Person> {
  return inControl(tx, (db) => store.updatePerson(db, id, { name, now: tx.now }))
}

export function setPassword(tx: Tx, id: Id<'person'>, hash: string): Promise<void> {
  return inControl(tx, (db) => store.updatePassword(db, id, hash, tx.now))
}

/**
 * Stores the secret of an authenticator, which has no effect until it is confirmed. Returns false if another
 * secret is already confirmed.
 */
export async function storeTotp(deps: Deps, tx: Tx, id: Id<'person'>, secret: string): Promise<boolean> {
  const { workspaceId } = tx.caller
  const sealed = await deps.sealedBox.seal(tx.db, secretLocation(workspaceId, id), secret)
  return inControl(tx, (db) => store.storeTotp(db, id, { sealed, workspaceId }))
}

export function openTotp(deps: Deps, id: Id<'person'>, totp: SealedTotp): Promise<string> {
  const { workspaceId, sealed } = totp
  const caller = systemCaller({ workspaceId, id: workspaceId })
  return read(deps, caller, (view) => deps.sealedBox.open(view.db, secretLocation(workspaceId, id), sealed))
}

/** Returns false if this is not the stored secret, or it is already confirmed. */
export function confirmTotp(tx: Tx, id: Id<'person'>, { sealed }: SealedTotp): Promise<boolean> {
  return inControl(tx, (db) => store.confirmTotp(db, id, sealed, tx.now))
}

export function removeTotp(tx: Tx, id: Id<'person'>): Promise<void> {
  return inControl(tx, (db) => store.clearTotp(db, id))
}

/** Returns false if the code of this or a later time step was used before: a code works once. */
export function useTotpStep(tx: Tx, id: Id<'person'>, step: number): Promise<boolean> {
  return inControl(tx, (db) => store.markStepUsed(db, id, step))
}

const secretLocation = (workspaceId: Id<'workspace'>, rowId: Id<'person'>) => ({
  workspaceId,
  rowId,
  table: 'control.people',
  column: 'totp_secret',
})
