/**
 * Proving again who one is. Whoever finds an open browser must not be able to stay: what opens the account later is
 * changed with the password, or by somebody who has just signed in.
 */
import type { Deps } from '../../../deps.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import { refuse } from '../../../kernel/errors.ts'
import {
  type Credentials,
  comparePassword,
  credentialsOf,
  type Person,
} from '../../people/service/credentials.ts'
import type { Visitor } from '../visitor.ts'
import { countSignIn, forgiveProof, turnAway } from './counting.ts'
import type { Visit } from './visits.ts'

const freshSeconds = 5 * 60

/** The password, counted like one at the door. Returns what it was compared with, for the unit that acts on it. */
export async function provePassword(
  deps: Deps,
  visitor: Visitor,
  person: Person,
  password: string,
): Promise<Credentials> {
  const counted = await countSignIn(deps, person.email, visitor.network)
  const credentials = await credentialsOf(deps, person.id)
  const compared = await comparePassword(password, credentials.passwordHash)
  if (compared === 'busy') return turnAway(deps, counted)
  if (compared === 'other') refuse('sign_in_refused')
  await forgiveProof(deps, counted)
  return credentials
}

/** A password that is given has to be right, also of somebody who has just signed in. */
export async function requireFreshProof(
  deps: Deps,
  visitor: Visitor,
  { person, session, now }: Visit,
  { password }: { readonly password?: string },
): Promise<void> {
  if (password !== undefined) await provePassword(deps, visitor, person, password)
  else if (addSeconds(session.createdAt, freshSeconds) <= now) refuse('fresh_proof_required')
}
