/** The second factor: an authenticator app that shows codes, and recovery codes in case it is lost. */
import type { Deps } from '../../../../deps.ts'
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import type { Id } from '../../../../kernel/id.ts'
import type { ControlTx } from '../../../../platform/db/control-unit.ts'
import { type AuditedTx, recordControlAct, transactInControl } from '../../audit/service/outbox.ts'
import {
  type Credentials,
  callerFor,
  confirmTotp,
  findCredentials,
  lockForSignIn,
  openTotp,
  removeTotp,
  sealTotp,
  storeTotp,
  useTotpStep,
} from '../../people/service/credentials.ts'
import type { DashboardClient } from '../dashboard-client.ts'
import { generateRecoveryCode, hashRecoveryCode, recoveryCodeCount } from '../recovery-code.ts'
import { consumeCode, replaceCodes } from '../store/recovery-codes.ts'
import { generateTotpSecret, totpStep, totpUri } from '../totp.ts'
import { requireStillSignedIn, type SignedInSession } from './current-session.ts'
import { provePassword, requireFreshProof } from './proof.ts'

export type Factor = {
  /** The name of the sign-in method in the audit log. */
  readonly name: string
  /** Uses up the code in the transaction that signs the person in, so that it works only once. */
  readonly consume: (tx: AuditedTx) => Promise<boolean>
}

/**
 * Prepares the check of the second factor: the secret is decrypted before the transaction that uses up the
 * code.
 */
export async function checkSecondFactor(
  deps: Deps,
  personId: Id<'person'>,
  { totp }: Credentials,
  code: string | null,
): Promise<Factor> {
  if (!totp?.isConfirmed) return { name: 'password', consume: async () => true }
  if (code === null) return { name: 'nothing', consume: async () => false }
  if (!/^\d{6}$/.test(code)) {
    const consume = async (tx: AuditedTx) => consumeRecoveryCode(tx, personId, code)
    return { name: 'recovery_code', consume }
  }
  const secret = await openTotp(deps, personId, totp)
  return { name: 'totp', consume: (tx) => consumeTotpCode(tx, personId, secret, code) }
}

async function consumeTotpCode(
  tx: ControlTx,
  personId: Id<'person'>,
  secret: string,
  code: string,
): Promise<boolean> {
  const step = totpStep(secret, code, tx.now)
  return step !== null && useTotpStep(tx, personId, step)
}

async function consumeRecoveryCode(tx: AuditedTx, personId: Id<'person'>, code: string): Promise<boolean> {
  const isValid = await consumeCode(tx.db, personId, hashRecoveryCode(code))
  if (isValid) recordControlAct(tx, 'person.recovery_code_used', { objectId: personId })
  return isValid
}

/** Issues a secret. It has no effect until the person confirms it with a code. */
export async function beginTotp(
  deps: Deps,
  client: DashboardClient,
  current: SignedInSession,
  proof: { readonly password?: string },
) {
  await requireFreshProof(deps, current, proof)
  const { person } = current
  const secret = generateTotpSecret()
  const caller = await callerFor(deps, person, client.requestId)
  const sealed = await sealTotp(deps, caller, person.id, secret)
  await transactInControl(deps, caller, async (tx) => {
    if (!(await storeTotp(tx, person.id, sealed)))
      refuse('invalid_state', { detail: 'A second factor is already set up. Remove it first.' })
  })
  return { secret, uri: totpUri(secret, person.email) }
}

/** After the confirmation a code is required to sign in. The recovery codes are returned only here. */
export async function confirmSecondFactor(
  deps: Deps,
  client: DashboardClient,
  current: SignedInSession,
  code: string,
): Promise<readonly string[]> {
  const { person } = current
  const { totp } = await findCredentials(deps, person.id)
  if (totp === null || totp.isConfirmed) return refuse('invalid_state', nothingToConfirm)
  const secret = await openTotp(deps, person.id, totp)
  const codes = Array.from({ length: recoveryCodeCount }, generateRecoveryCode)
  await transactInControl(deps, await callerFor(deps, person, client.requestId), async (tx) => {
    await requireStillSignedIn(deps, tx, current)
    if (!(await consumeTotpCode(tx, person.id, secret, code)))
      refuseMember('/code', 'bad_format', 'is not the current code of the authenticator')
    // If another secret was issued in the meantime, the code does not confirm it.
    if (!(await confirmTotp(tx, person.id, totp))) refuse('invalid_state', nothingToConfirm)
    await replaceCodes(tx.db, person.id, codes.map(hashRecoveryCode))
    recordControlAct(tx, 'person.second_factor_added', { objectId: person.id })
  })
  return codes
}

const nothingToConfirm = { detail: 'No second factor is waiting for confirmation.' }

/** Requires the password again, so that an unattended browser cannot be used to remove the second factor. */
export async function removeSecondFactor(
  deps: Deps,
  client: DashboardClient,
  current: SignedInSession,
  password: string,
): Promise<void> {
  const { person } = current
  const proven = await provePassword(deps, current, password)
  await transactInControl(deps, await callerFor(deps, person, client.requestId), async (tx) => {
    if ((await lockForSignIn(tx, person.id, proven)) === null) refuse('sign_in_refused')
    await removeTotp(tx, person.id)
    await replaceCodes(tx.db, person.id, [])
    recordControlAct(tx, 'person.second_factor_removed', { objectId: person.id })
  })
}
