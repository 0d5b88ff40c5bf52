/**
 * Re-authentication. An attacker with access to an open browser must not gain lasting access: changing
 * credentials requires the password or a new session.
 */
import type { Deps } from '../../../../deps.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import { refuse } from '../../../../kernel/errors.ts'
import { type Credentials, findCredentials, runPasswordTask } from '../../people/service/credentials.ts'
import { countDeviceAttempt, uncountAttemptNow } from './counting.ts'
import type { SignedInSession } from './current-session.ts'

const freshSeconds = 5 * 60

/**
 * Checks the password of a signed-in person. Wrong attempts are counted by session, so that guesses by others
 * have no effect. Returns the checked credentials, so that the following transaction can verify that they are
 * unchanged.
 */
export async function provePassword(
  deps: Deps,
  { person, session }: SignedInSession,
  password: string,
): Promise<Credentials> {
  return runPasswordTask({ groups: [session.id], isPreferred: true }, async (work) => {
    const counted = await countDeviceAttempt(deps, session.id)
    const credentials = await findCredentials(deps, person.id)
    if (!(await work.verifyPassword(password, credentials.passwordHash))) refuse('sign_in_refused')
    await uncountAttemptNow(deps, counted)
    return credentials
  })
}

/**
 * Requires the password or a new session. A password that is sent must be correct even if the session is new.
 */
export async function requireFreshProof(
  deps: Deps,
  current: SignedInSession,
  { password }: { readonly password?: string },
): Promise<void> {
  const { session, now } = current
  if (password !== undefined) await provePassword(deps, current, password)
  else if (addSeconds(session.createdAt, freshSeconds) <= now) refuse('fresh_proof_required')
}
