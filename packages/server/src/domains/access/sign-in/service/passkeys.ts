/**
 * Adds and removes passkeys, and signs in with them. A passkey replaces both the password and the second
 * factor.
 */
import type { Deps } from '../../../../deps.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import { parseId } from '../../../../kernel/id.ts'
import { bytesOf } from '../../../../kernel/signature.ts'
import { changeControl } from '../../../../platform/db/control.ts'
import {
  creationOptions,
  requestOptions,
  verifyAssertion,
  verifyCreation,
} from '../../../../platform/webauthn.ts'
import { recordControlAct, transactInControl } from '../../audit/service/outbox.ts'
import { callerFor, findActive, lockForSignIn } from '../../people/service/credentials.ts'
import { hashSecret, storeChallenge } from '../../sessions/service.ts'
import type { DashboardClient } from '../dashboard-client.ts'
import type { Passkey } from '../passkey.ts'
import type { AddPasskey } from '../schema.ts'
import { type CompletedSignIn, completeSignIn } from '../service.ts'
import * as store from '../store/passkeys.ts'
import { countNetworkAttempt, uncountAttempt } from './counting.ts'
import { requireStillSignedIn, type SignedInSession } from './current-session.ts'
import { requireFreshProof } from './proof.ts'

const challengeSeconds = 300
const maxPasskeys = 20

/** Returns the options for a new passkey. The challenge is stored with the session for five minutes. */
export async function beginPasskey(
  deps: Deps,
  current: SignedInSession,
  proof: { readonly password?: string },
) {
  await requireFreshProof(deps, current, proof)
  const { person, session } = current
  const existing = await changeControl(deps, (db) => store.listPasskeysOf(db, person.id))
  requireBelowLimit(existing)
  const { email, name } = person
  const options = await creationOptions({
    url: deps.dashboardUrl(),
    person: { handle: bytesOf(person.id), email, name: name ?? email },
    existingCredentialIds: existing.map(({ credentialId }) => credentialId),
  })
  await changeControl(deps, (db, now) => {
    const until = addSeconds(now, challengeSeconds)
    return storeChallenge(db, session.id, { text: options.challenge, until })
  })
  return options
}

function requireBelowLimit(existing: readonly Passkey[]): void {
  if (existing.length >= maxPasskeys)
    refuse('limit_reached', { detail: `Limit reached: a person can have at most ${maxPasskeys} passkeys.` })
}

export async function addPasskey(
  deps: Deps,
  client: DashboardClient,
  current: SignedInSession,
  { name, credential }: AddPasskey,
): Promise<Passkey> {
  const { person, session, now } = current
  const { challenge } = session
  if (challenge === null || challenge.until <= now)
    return refuse('invalid_state', { detail: 'Request the passkey options first.' })
  // A challenge can be used only once, even if the response is wrong.
  await changeControl(deps, (db) => storeChallenge(db, session.id, null))
  const key = await verifyCreation(credential, { url: deps.dashboardUrl(), challenge: challenge.text })
  if (key === null)
    return refuseMember('/credential', 'bad_format', 'is not a valid response for a new passkey')
  return transactInControl(deps, await callerFor(deps, person, client.requestId), async (tx) => {
    await requireStillSignedIn(deps, tx, current)
    // Check again while the person is locked: passkeys may have been added concurrently.
    requireBelowLimit(await store.listPasskeysOf(tx.db, person.id))
    const passkey: Passkey = {
      ...key,
      id: tx.newId('passkey'),
      personId: person.id,
      name,
      publicKey: Buffer.from(key.publicKey),
      createdAt: tx.now,
      lastUsedAt: null,
    }
    if (!(await store.insertPasskey(tx.db, passkey)))
      refuseMember('/credential', 'not_together', 'is already registered')
    recordControlAct(tx, 'person.passkey_added', {
      objectId: person.id,
      details: { passkey_id: passkey.id },
    })
    return passkey
  })
}

export async function removePasskey(
  deps: Deps,
  client: DashboardClient,
  current: SignedInSession,
  { id: text, ...proof }: { readonly id: string; readonly password?: string },
): Promise<void> {
  await requireFreshProof(deps, current, proof)
  const { person } = current
  const id = parseId('passkey', 'live', text) ?? refuse('not_found')
  await transactInControl(deps, await callerFor(deps, person, client.requestId), async (tx) => {
    if (!(await store.deletePasskey(tx.db, person.id, id))) refuse('not_found')
    recordControlAct(tx, 'person.passkey_removed', { objectId: person.id, details: { passkey_id: id } })
  })
}

/** The options for a sign-in with a passkey. The person is not known yet. */
export async function beginPasskeySignIn(deps: Deps) {
  const options = await requestOptions(deps.dashboardUrl())
  await changeControl(deps, async (db, now) => {
    await store.deleteExpiredChallenges(db, now)
    await store.insertChallenge(db, hashSecret(options.challenge), addSeconds(now, challengeSeconds))
  })
  return options
}

export async function signInWithPasskey(
  deps: Deps,
  client: DashboardClient,
  credential: { readonly id: string },
): Promise<CompletedSignIn> {
  const counted = await countNetworkAttempt(deps, client.networks)
  const key = await changeControl(deps, (db) => store.findByCredential(db, credential.id))
  if (key === null) return refuse('sign_in_refused')
  const consumeChallenge = (challenge: string) =>
    changeControl(deps, (db, now) => store.consumeChallenge(db, hashSecret(challenge), now))
  const counter = await verifyAssertion(credential, { url: deps.dashboardUrl(), key, consumeChallenge })
  const person = counter === null ? null : await changeControl(deps, (db) => findActive(db, key.personId))
  if (counter === null || person === null) return refuse('sign_in_refused')
  return transactInControl(deps, await callerFor(deps, person, client.requestId), async (tx) => {
    const lockedPerson = (await lockForSignIn(tx, person.id, null)) ?? refuse('sign_in_refused')
    await uncountAttempt(tx, counted)
    // The passkey may have been removed during the verification.
    if (!(await store.recordUse(tx.db, key.id, counter, tx.now))) refuse('sign_in_refused')
    return completeSignIn(deps, tx, { client, person: lockedPerson, by: 'passkey' })
  })
}
