/** Reads and changes the credentials of people. Used only for signing in. */
import type { Deps } from '../../../../deps.ts'
import { type Caller, systemCaller } from '../../../../kernel/caller.ts'
import type { Id } from '../../../../kernel/id.ts'
import { readControl } from '../../../../platform/db/control.ts'
import type { ControlTx } from '../../../../platform/db/control-unit.ts'
import type { Db } from '../../../../platform/db/databases.ts'
import { read, transact } from '../../../../platform/db/unit-of-work.ts'
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
export function readCredentials(tx: ControlTx, id: Id<'person'>): Promise<Credentials> {
  return store.readCredentials(tx.db, id)
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
  tx: ControlTx,
  id: Id<'person'>,
  proven: Credentials | null,
): Promise<Person | null> {
  const { person, credentials } = await store.lockWithCredentials(tx.db, id)
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

export function setName(tx: ControlTx, id: Id<'person'>, name: string): Promise<Person> {
  return store.updatePerson(tx.db, id, { name, now: tx.now })
}

export function setPassword(tx: ControlTx, id: Id<'person'>, hash: string): Promise<void> {
  return store.updatePassword(tx.db, id, hash, tx.now)
}

/** Encrypts the secret of an authenticator with the key of the workspace of the caller. */
export function sealTotp(deps: Deps, caller: Caller, id: Id<'person'>, secret: string) {
  const { workspaceId } = caller
  return transact(deps, caller, async (tx) => {
    const sealed = await deps.sealedBox.seal(tx.db, secretLocation(workspaceId, id), secret)
    return { workspaceId, sealed }
  })
}

/**
 * Stores the secret of an authenticator, which has no effect until it is confirmed. Returns false if another
 * secret is already confirmed.
 */
export function storeTotp(
  tx: ControlTx,
  id: Id<'person'>,
  totp: Omit<SealedTotp, 'isConfirmed'>,
): Promise<boolean> {
  return store.storeTotp(tx.db, id, totp)
}

export function openTotp(deps: Deps, id: Id<'person'>, totp: SealedTotp): Promise<string> {
  const { workspaceId, sealed } = totp
  const caller = systemCaller({ workspaceId, id: workspaceId })
  return read(deps, caller, (view) => deps.sealedBox.open(view.db, secretLocation(workspaceId, id), sealed))
}

/** Returns false if this is not the stored secret, or it is already confirmed. */
export function confirmTotp(tx: ControlTx, id: Id<'person'>, { sealed }: SealedTotp): Promise<boolean> {
  return store.confirmTotp(tx.db, id, sealed, tx.now)
}

export function removeTotp(tx: ControlTx, id: Id<'person'>): Promise<void> {
  return store.clearTotp(tx.db, id)
}

/** Returns false if the code of this or a later time step was used before: a code works once. */
export function useTotpStep(tx: ControlTx, id: Id<'person'>, step: number): Promise<boolean> {
  return store.markStepUsed(tx.db, id, step)
}

const secretLocation = (workspaceId: Id<'workspace'>, rowId: Id<'person'>) => ({
  workspaceId,
  rowId,
  table: 'control.people',
  column: 'totp_secret',
})
