/** Passkeys: adding and removing them, and signing in with one. A device that asks its owner is both factors in one. */
import type { Deps } from '../../../deps.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import { parseId } from '../../../kernel/id.ts'
import { bytesOf } from '../../../kernel/proof.ts'
import { changeControl, inControl } from '../../../platform/db/control.ts'
import { transact } from '../../../platform/db/unit-of-work.ts'
import { creationOptions, readCreation, readProof, requestOptions } from '../../../platform/webauthn.ts'
import { recordAct } from '../../audit/service.ts'
import { callerFor, findActive, lockEntrant } from '../../people/service/credentials.ts'
import { hashSecret, keepChallenge } from '../../sessions/service.ts'
import type { Passkey } from '../passkey.ts'
import type { AddPasskey } from '../schema.ts'
import { type Entered, enter } from '../service.ts'
import * as store from '../store/passkeys.ts'
import type { Visitor } from '../visitor.ts'
import { countVisit, forgiveVisit } from './counting.ts'
import { requireFreshProof } from './proof.ts'
import { requireStillSignedIn, type Visit } from './visits.ts'

const challengeSeconds = 300
const most = 20

/** Begins to add one. The challenge stays with the session until it is answered, and not for long. */
export async function beginPasskey(
  deps: Deps,
  visitor: Visitor,
  visit: Visit,
  proof: { readonly password?: string },
) {
  await requireFreshProof(deps, visitor, visit, proof)
  const { person, session } = visit
  const known = await changeControl(deps, (db) => store.listPasskeysOf(db, person.id))
  requireRoom(known)
  const { email, name } = person
  const options = await creationOptions({
    url: deps.dashboardUrl(),
    person: { handle: bytesOf(person.id), email, name: name ?? email },
    known: known.map(({ credentialId }) => credentialId),
  })
  await changeControl(deps, (db, now) => {
    const until = addSeconds(now, challengeSeconds)
    return keepChallenge(db, session.id, { text: options.challenge, until })
  })
  return options
}

function requireRoom(known: readonly Passkey[]): void {
  if (known.length >= most) refuse('limit_reached', { detail: `There are ${most} passkeys already.` })
}

export async function addPasskey(
  deps: Deps,
  visitor: Visitor,
  visit: Visit,
  { name, credential }: AddPasskey,
): Promise<Passkey> {
  const { person, session, now } = visit
  const { challenge } = session
  if (challenge === null || challenge.until <= now)
    return refuse('invalid_state', { detail: 'Ask for options first.' })
  // Whatever comes of it: a challenge is answered once.
  await changeControl(deps, (db) => keepChallenge(db, session.id, null))
  const key = await readCreation(credential, { url: deps.dashboardUrl(), challenge: challenge.text })
  if (key === null) return refuseMember('/credential', 'bad_format', 'does not prove a new passkey')
  return transact(deps, await callerFor(deps, person, visitor.requestId), async (tx) => {
    await requireStillSignedIn(deps, tx, visit)
    // Again, now that the person is held: several may have been begun at once.
    requireRoom(await inControl(tx, (db) => store.listPasskeysOf(db, person.id)))
    const passkey: Passkey = {
      ...key,
      ...{ id: tx.newId('passkey'), personId: person.id, name },
      publicKey: Buffer.from(key.publicKey),
      createdAt: tx.now,
      lastUsedAt: null,
    }
    if (!(await inControl(tx, (db) => store.insertPasskey(db, passkey))))
      refuseMember('/credential', 'not_together', 'is known already')
    await recordAct(tx, 'person.passkey_added', {
      objectId: person.id,
      details: { passkey_id: passkey.id },
    })
    return passkey
  })
}

export async function removePasskey(
  deps: Deps,
  visitor: Visitor,
  visit: Visit,
  { id: text, ...proof }: { readonly id: string; readonly password?: string },
): Promise<void> {
  await requireFreshProof(deps, visitor, visit, proof)
  const { person } = visit
  const id = parseId('passkey', 'live', text) ?? refuse('not_found')
  await transact(deps, await callerFor(deps, person, visitor.requestId), async (tx) => {
    if (!(await inControl(tx, (db) => store.deletePasskey(db, person.id, id)))) refuse('not_found')
    await recordAct(tx, 'person.passkey_removed', { objectId: person.id, details: { passkey_id: id } })
  })
}

/** What a browser needs before anybody has said who they are. */
export async function beginPasskeySignIn(deps: Deps) {
  const options = await requestOptions(deps.dashboardUrl())
  await changeControl(deps, async (db, now) => {
    await store.sweepChallenges(db, now)
    await store.insertChallenge(db, hashSecret(options.challenge), addSeconds(now, challengeSeconds))
  })
  return options
}

export async function signInWithPasskey(
  deps: Deps,
  visitor: Visitor,
  credential: { readonly id: string },
): Promise<Entered> {
  const network = await countVisit(deps, visitor.network)
  const key = await changeControl(deps, (db) => store.findByCredential(db, credential.id))
  if (key === null) return refuse('sign_in_refused')
  const takeChallenge = (challenge: string) =>
    changeControl(deps, (db, now) => store.takeChallenge(db, hashSecret(challenge), now))
  const counter = await readProof(credential, { url: deps.dashboardUrl(), key, takeChallenge })
  const person = counter === null ? null : await changeControl(deps, (db) => findActive(db, key.personId))
  if (counter === null || person === null) return refuse('sign_in_refused')
  return transact(deps, await callerFor(deps, person, visitor.requestId), async (tx) => {
    const entrant = (await lockEntrant(tx, person.id, null)) ?? refuse('sign_in_refused')
    await forgiveVisit(tx, network)
    // It may have been removed while it was proven.
    if (!(await inControl(tx, (db) => store.noteUse(db, key.id, counter, tx.now)))) refuse('sign_in_refused')
    return enter(tx, visitor, entrant, 'passkey')
  })
}
