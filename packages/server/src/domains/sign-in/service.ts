/**
 * Signing in at the dashboard, with a password or a link. Whoever is refused learns nothing: not whether the person
 * exists, not which part was wrong, and not by how long it took.
 */
import type { Deps } from '../../deps.ts'
import { systemCaller } from '../../kernel/caller.ts'
import { addSeconds } from '../../kernel/clock.ts'
import { refuse } from '../../kernel/errors.ts'
import type { Id } from '../../kernel/id.ts'
import { changeControl } from '../../platform/db/control.ts'
import { type Tx, transact } from '../../platform/db/unit-of-work.ts'
import { recordAct } from '../audit/service.ts'
import { acceptInvitation, findOpenInvitation, type Invitation } from '../invitations/service.ts'
import { homeOf, nameOfOrganization } from '../organizations/service.ts'
import {
  callerFor,
  comparePassword,
  findActive,
  findByEmail,
  hashPassword,
  lockEntrant,
  type Person,
} from '../people/service/credentials.ts'
import { drawSecret, hashSecret, type OpenedSession, openSession } from '../sessions/service.ts'
import {
  countSignIn,
  countVisit,
  forgiveSignIn,
  forgiveVisit,
  turnAway,
  uncountSignIn,
} from './service/counting.ts'
import { checkSecondFactor } from './service/second-factor.ts'
import { insertLink, sweepLinks, takeLink } from './store/links.ts'
import type { Visitor } from './visitor.ts'

/** Somebody who is signed in, and the secret that their browser carries from now on. */
export type Entered = OpenedSession & { readonly person: Person }

export type PasswordInput = { readonly email: string; readonly password: string; readonly code?: string }

const linkSeconds = 15 * 60

export async function signInWithPassword(
  deps: Deps,
  visitor: Visitor,
  input: PasswordInput,
): Promise<Entered> {
  const counted = await countSignIn(deps, input.email, visitor.network)
  const found = await findByEmail(deps, input.email)
  const compared = await comparePassword(input.password, found?.credentials.passwordHash ?? null)
  if (compared === 'busy') return turnAway(deps, counted)
  const tellLock = (person: Person) => counted.locks && deps.later(recordLock(deps, visitor, person))
  if (found === null || compared === 'other' || found.person.status !== 'active') {
    if (found !== null) tellLock(found.person)
    return refuse('sign_in_refused')
  }
  const { person, credentials } = found
  if (credentials.totp?.isConfirmed && input.code === undefined) {
    await uncountSignIn(deps, counted)
    return refuse('second_factor_required')
  }
  const factor = await checkSecondFactor(deps, person.id, credentials, input.code ?? null)
  const entered = await transact(deps, await callerFor(deps, person, visitor.requestId), async (tx) => {
    const entrant = await lockEntrant(tx, person.id, credentials)
    if (entrant === null || !(await factor.take(tx))) return null
    await forgiveSignIn(tx, counted)
    return enter(tx, visitor, entrant, factor.name)
  })
  if (entered !== null) return entered
  tellLock(person)
  return refuse('sign_in_refused')
}

/** Not waited for: it would take longer than for somebody whom nobody knows. */
async function recordLock(deps: Deps, visitor: Visitor, person: Person): Promise<void> {
  await transact(deps, await callerFor(deps, person, visitor.requestId), (tx) =>
    recordAct(tx, 'person.sign_in_locked', { objectId: person.id, details: { address: visitor.address } }),
  )
}

/** Begins the session of somebody who has proven who they are and was taken for it, and writes down how. */
export async function enter(tx: Tx, visitor: Visitor, person: Person, by: string): Promise<Entered> {
  const { address, userAgent, secret: formerSecret } = visitor
  const opened = await openSession(tx, {
    ...{ personId: person.id, role: person.role },
    ...{ address, userAgent, formerSecret },
  })
  await recordAct(tx, 'person.signed_in', { objectId: person.id, details: { by, address } })
  return { ...opened, person }
}

/** The secret of a link by which the person signs in once, within fifteen minutes. For whoever runs the server. */
export async function makeSignInLink(deps: Deps, email: string): Promise<string | null> {
  const found = await findByEmail(deps, email)
  if (found === null || found.person.status !== 'active') return null
  const secret = drawSecret()
  await changeControl(deps, async (db, now) => {
    await sweepLinks(db, now)
    const expiresAt = addSeconds(now, linkSeconds)
    await insertLink(db, { hash: hashSecret(secret), personId: found.person.id, expiresAt })
  })
  return `${deps.dashboardUrl()}/sign-in#link=${secret}`
}

/** Whoever has the link was let in by the operator, so no second factor is asked for. */
export async function signInWithLink(deps: Deps, visitor: Visitor, secret: string): Promise<Entered> {
  const network = await countVisit(deps, visitor.network)
  const person = await changeControl(deps, async (db, now) => {
    const id: Id<'person'> | null = await takeLink(db, hashSecret(secret), now)
    return id === null ? null : findActive(db, id)
  })
  if (person === null) return refuse('sign_in_refused')
  return transact(deps, await callerFor(deps, person, visitor.requestId), async (tx) => {
    const entrant = (await lockEntrant(tx, person.id, null)) ?? refuse('sign_in_refused')
    await forgiveVisit(tx, network)
    return enter(tx, visitor, entrant, 'link')
  })
}

/** What the link of an invitation shows before anything is typed. */
export async function readInvitation(deps: Deps, visitor: Visitor, secret: string) {
  const invitation = await requireInvitation(deps, visitor, secret)
  return { invitation, organization: await nameOfOrganization(deps, invitation.organizationId) }
}

/** Makes the person, and signs them in. It costs work, so whoever is refused is counted, with a right link too. */
export async function join(
  deps: Deps,
  visitor: Visitor,
  input: { readonly secret: string; readonly name: string; readonly password: string },
): Promise<Entered> {
  const { secret, name, password } = input
  const { organizationId } = await requireInvitation(deps, visitor, secret)
  const network = await countVisit(deps, visitor.network)
  const passwordHash = await hashPassword(password)
  const home = await homeOf(deps, organizationId)
  const request = { id: visitor.requestId, idempotencyKey: null, replay: null }
  const caller = { ...systemCaller({ workspaceId: home, id: home }), request }
  return transact(deps, caller, async (tx) => {
    const person = await acceptInvitation(tx, secret, { name, passwordHash })
    await forgiveVisit(tx, network)
    // From here on it is they who act.
    const theirs = { ...tx, caller: { ...caller, personId: person.id, authority: person.role } }
    return enter(theirs, visitor, person, 'invitation')
  })
}

/** Whoever guesses is counted; whoever has one is not. */
async function requireInvitation(deps: Deps, visitor: Visitor, secret: string): Promise<Invitation> {
  const found = await findOpenInvitation(deps, secret)
  if (found !== null) return found
  await countVisit(deps, visitor.network)
  return refuse('not_found', { detail: 'The invitation is not valid any more. Ask for a new one.' })
}
