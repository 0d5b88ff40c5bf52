/**
 * Signing in to the dashboard with a password or a link, and joining with an invitation. A rejected sign-in
 * does not reveal whether the person exists or which part was wrong, not even by its response time.
 */
import type { Deps } from '../../../deps.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import { refuse } from '../../../kernel/errors.ts'
import type { Id } from '../../../kernel/id.ts'
import { changeControl } from '../../../platform/db/control.ts'
import { transact } from '../../../platform/db/unit-of-work.ts'
import { type AuditedTx, recordControlAct, transactInControl } from '../audit/service/outbox.ts'
import { recordAuditEntry } from '../audit/service.ts'
import { acceptInvitation, findPendingInvitation, type Invitation } from '../invitations/service.ts'
import { findHomeWorkspace, findOrganizationName } from '../organizations/service.ts'
import {
  callerFor,
  findActive,
  findByEmail,
  lockForSignIn,
  type Person,
  readCredentials,
  runPasswordTask,
} from '../people/service/credentials.ts'
import { generateSecret, hashSecret, type OpenedSession, openSession } from '../sessions/service.ts'
import type { DashboardClient } from './dashboard-client.ts'
import { readDevice, writeDevice } from './device.ts'
import {
  countDeviceAttempt,
  countNetworkAttempt,
  countSignInAttempt,
  uncountAttempt,
} from './service/counting.ts'
import { checkSecondFactor } from './service/second-factor.ts'
import { consumeLink, deleteExpiredLinks, insertLink } from './store/links.ts'

/** A person who has just signed in, and the new values of the two cookies of their browser. */
export type CompletedSignIn = OpenedSession & { readonly person: Person; readonly device: string }

export type PasswordInput = { readonly email: string; readonly password: string; readonly code?: string }

const linkSeconds = 15 * 60

export async function signInWithPassword(
  deps: Deps,
  client: DashboardClient,
  input: PasswordInput,
): Promise<CompletedSignIn> {
  const { found, counted, isCorrect } = await checkPassword(deps, client, input)
  const recordLockIfLocked = (person: Person) =>
    counted.causesLockout && deps.runInBackground(recordLock(deps, client, person))
  if (found === null || !isCorrect || found.person.status !== 'active') {
    if (found !== null) recordLockIfLocked(found.person)
    return refuse('sign_in_refused')
  }
  const { person, credentials } = found
  const factor = await checkSecondFactor(deps, person.id, credentials, input.code ?? null)
  const completed = await transactInControl(
    deps,
    await callerFor(deps, person, client.requestId),
    async (tx) => {
      const lockedPerson = await lockForSignIn(tx, person.id, credentials)
      if (lockedPerson === null || !(await factor.consume(tx))) return null
      await uncountAttempt(tx, counted)
      return completeSignIn(deps, tx, { client, person: lockedPerson, by: factor.name })
    },
  )
  if (completed !== null) return completed
  recordLockIfLocked(person)
  return refuse('sign_in_refused')
}

/**
 * Counts the attempt and compares the password as one task of the queue, so that an attempt that is rejected
 * because the queue is full leaves no row. Browsers that have signed in as this person before are preferred
 * in the queue and have their own counter.
 */
function checkPassword(deps: Deps, client: DashboardClient, { email, password, code }: PasswordInput) {
  const device = readDevice(deps.deviceKeys, client.deviceSecret, email)
  const groups = device === null ? client.networks.toReversed() : [device.id]
  return runPasswordTask({ groups, isPreferred: device !== null }, async (work) => {
    const found = await findByEmail(deps, email)
    const hash = found?.credentials.passwordHash ?? null
    const knownDevice = found !== null && device?.matchesPassword(hash) ? device : null
    // The code is requested before the password is compared, and only from browsers that have signed in
    // before, so that the response reveals neither whether a password is correct nor who has a second factor.
    if (knownDevice !== null && code === undefined && found?.credentials.totp?.isConfirmed)
      refuse('second_factor_required')
    const counted =
      knownDevice === null
        ? await countSignInAttempt(deps, email, client.networks)
        : await countDeviceAttempt(deps, knownDevice.id)
    return { found, counted, isCorrect: await work.verifyPassword(password, hash) }
  })
}

/** Runs in the background: otherwise the response would take longer than for an unknown email address. */
async function recordLock(deps: Deps, client: DashboardClient, person: Person): Promise<void> {
  await transact(deps, await callerFor(deps, person, client.requestId), (tx) =>
    recordAuditEntry(tx, 'person.sign_in_locked', {
      objectId: person.id,
      details: { address: client.address },
    }),
  )
}

/** Starts the session of an authenticated person, and records the method in the audit log. */
export async function completeSignIn(
  deps: Deps,
  tx: AuditedTx,
  { client, person, by }: { readonly client: DashboardClient; readonly person: Person; readonly by: string },
): Promise<CompletedSignIn> {
  const { address, userAgent, sessionSecret: formerSecret } = client
  const { passwordHash } = await readCredentials(tx, person.id)
  const opened = await openSession(tx, {
    personId: person.id,
    role: person.role,
    address,
    userAgent,
    formerSecret,
  })
  recordControlAct(tx, 'person.signed_in', { objectId: person.id, details: { by, address } })
  return { ...opened, person, device: writeDevice(deps.deviceKeys, person.email, passwordHash) }
}

/** Creates a link with which the person can sign in once, within fifteen minutes. Used by operators. */
export async function createSignInLink(deps: Deps, email: string): Promise<string | null> {
  const found = await findByEmail(deps, email)
  if (found === null || found.person.status !== 'active') return null
  const secret = generateSecret()
  await changeControl(deps, async (db, now) => {
    await deleteExpiredLinks(db, now)
    const expiresAt = addSeconds(now, linkSeconds)
    await insertLink(db, { hash: hashSecret(secret), personId: found.person.id, expiresAt })
  })
  return `${deps.dashboardUrl()}/sign-in#link=${secret}`
}

/** The operator issued the link, so no second factor is required. */
export async function signInWithLink(
  deps: Deps,
  client: DashboardClient,
  secret: string,
): Promise<CompletedSignIn> {
  const counted = await countNetworkAttempt(deps, client.networks)
  const person = await changeControl(deps, async (db, now) => {
    const id: Id<'person'> | null = await consumeLink(db, hashSecret(secret), now)
    return id === null ? null : findActive(db, id)
  })
  if (person === null) return refuse('sign_in_refused')
  return transactInControl(deps, await callerFor(deps, person, client.requestId), async (tx) => {
    const lockedPerson = (await lockForSignIn(tx, person.id, null)) ?? refuse('sign_in_refused')
    await uncountAttempt(tx, counted)
    return completeSignIn(deps, tx, { client, person: lockedPerson, by: 'link' })
  })
}

/** The invitation and the name of its organization, for the page on which it is accepted. */
export async function readInvitation(deps: Deps, client: DashboardClient, secret: string) {
  const invitation = await requireInvitation(deps, client, secret)
  return { invitation, organization: await findOrganizationName(deps, invitation.organizationId) }
}

/**
 * Creates the invited person and signs them in. Hashing is expensive, so attempts are counted even with a
 * valid link.
 */
export async function joinOrganization(
  deps: Deps,
  client: DashboardClient,
  input: { readonly secret: string; readonly name: string; readonly password: string },
): Promise<CompletedSignIn> {
  const { secret, name, password } = input
  const { organizationId } = await requireInvitation(deps, client, secret)
  const counted = await countNetworkAttempt(deps, client.networks)
  const groups = client.networks.toReversed()
  const passwordHash = await runPasswordTask({ groups }, (work) => work.hash(password))
  const home = await findHomeWorkspace(deps, organizationId)
  const request = { id: client.requestId, idempotencyKey: null, replay: null }
  const caller = { ...systemCaller({ workspaceId: home, id: home }), request }
  return transactInControl(deps, caller, async (tx) => {
    const person = await acceptInvitation(tx, secret, { name, passwordHash })
    await uncountAttempt(tx, counted)
    // The following audit entries name the new person.
    const personTx = { ...tx, caller: { ...caller, personId: person.id, authority: person.role } }
    return completeSignIn(deps, personTx, { client, person, by: 'invitation' })
  })
}

/** Attempts with an invalid secret are counted; those with a valid one are not. */
async function requireInvitation(deps: Deps, client: DashboardClient, secret: string): Promise<Invitation> {
  const found = await findPendingInvitation(deps, secret)
  if (found !== null) return found
  await countNetworkAttempt(deps, client.networks)
  return refuse('not_found', { detail: 'The invitation is no longer valid. Ask for a new one.' })
}
