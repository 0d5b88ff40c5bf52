/** A second factor: an authenticator that shows codes, and recovery codes for whoever has lost it. */
import type { Deps } from '../../../deps.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import type { Id } from '../../../kernel/id.ts'
import { inControl } from '../../../platform/db/control.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { recordAct } from '../../audit/service.ts'
import {
  type Credentials,
  callerFor,
  confirmTotp,
  credentialsOf,
  keepTotp,
  lockEntrant,
  openTotp,
  removeTotp,
  takeTotpStep,
} from '../../people/service/credentials.ts'
import { codesAtOnce, drawRecoveryCode, hashRecoveryCode } from '../recovery-code.ts'
import { replaceCodes, takeCode } from '../store/recovery-codes.ts'
import { drawTotpSecret, stepOf, totpAddress } from '../totp.ts'
import type { Visitor } from '../visitor.ts'
import { provePassword, requireFreshProof } from './proof.ts'
import { requireStillSignedIn, type Visit } from './visits.ts'

export type Factor = {
  /** How it is called in the audit log. */
  readonly name: string
  /** Uses it up, in the unit that lets the person in: of two who show the same code one is let in. */
  readonly take: (tx: Tx) => Promise<boolean>
}

/** What stands beside the password. The secret is opened before the unit, which then only takes. */
export async function checkSecondFactor(
  deps: Deps,
  personId: Id<'person'>,
  { totp }: Credentials,
  code: string | null,
): Promise<Factor> {
  if (!totp?.isConfirmed) return { name: 'password', take: async () => true }
  if (code === null) return { name: 'nothing', take: async () => false }
  if (!/^\d{6}$/.test(code)) {
    const take = async (tx: Tx) => takeRecoveryCode(tx, personId, code)
    return { name: 'recovery_code', take }
  }
  const secret = await openTotp(deps, personId, totp)
  return { name: 'totp', take: (tx) => takeStepOf(tx, personId, secret, code) }
}

async function takeStepOf(tx: Tx, personId: Id<'person'>, secret: string, code: string): Promise<boolean> {
  const step = stepOf(secret, code, tx.now)
  return step !== null && takeTotpStep(tx, personId, step)
}

async function takeRecoveryCode(tx: Tx, personId: Id<'person'>, code: string): Promise<boolean> {
  const isTaken = await inControl(tx, (db) => takeCode(db, personId, hashRecoveryCode(code)))
  if (isTaken) await recordAct(tx, 'person.recovery_code_used', { objectId: personId })
  return isTaken
}

/** Hands out a secret, which asks for nothing until the person has shown a code of it. */
export async function beginTotp(
  deps: Deps,
  visitor: Visitor,
  visit: Visit,
  proof: { readonly password?: string },
) {
  await requireFreshProof(deps, visitor, visit, proof)
  const { person } = visit
  const secret = drawTotpSecret()
  await transact(deps, await callerFor(deps, person, visitor.requestId), async (tx) => {
    if (!(await keepTotp(deps, tx, person.id, secret)))
      refuse('invalid_state', { detail: 'There is a second factor already. Remove it first.' })
  })
  return { secret, uri: totpAddress(secret, person.email) }
}

/** From now on a code is asked for. The recovery codes are shown this once. */
export async function confirmSecondFactor(
  deps: Deps,
  visitor: Visitor,
  visit: Visit,
  code: string,
): Promise<readonly string[]> {
  const { person } = visit
  const { totp } = await credentialsOf(deps, person.id)
  if (totp === null || totp.isConfirmed) return refuse('invalid_state', nothingToConfirm)
  const secret = await openTotp(deps, person.id, totp)
  const codes = Array.from({ length: codesAtOnce }, drawRecoveryCode)
  await transact(deps, await callerFor(deps, person, visitor.requestId), async (tx) => {
    await requireStillSignedIn(deps, tx, visit)
    if (!(await takeStepOf(tx, person.id, secret, code)))
      refuseMember('/code', 'bad_format', 'is not the code that the authenticator shows now')
    // Another secret may have been handed out meanwhile: it was not the one that was shown.
    if (!(await confirmTotp(tx, person.id, totp))) refuse('invalid_state', nothingToConfirm)
    await inControl(tx, (db) => replaceCodes(db, person.id, codes.map(hashRecoveryCode)))
    await recordAct(tx, 'person.second_factor_added', { objectId: person.id })
  })
  return codes
}

const nothingToConfirm = { detail: 'There is nothing to confirm.' }

/** Asks for the password again: whoever finds an open browser must not take the second factor away. */
export async function removeSecondFactor(
  deps: Deps,
  visitor: Visitor,
  { person }: Visit,
  password: string,
): Promise<void> {
  const proven = await provePassword(deps, visitor, person, password)
  await transact(deps, await callerFor(deps, person, visitor.requestId), async (tx) => {
    if ((await lockEntrant(tx, person.id, proven)) === null) refuse('sign_in_refused')
    await removeTotp(tx, person.id)
    await inControl(tx, (db) => replaceCodes(db, person.id, []))
    await recordAct(tx, 'person.second_factor_removed', { objectId: person.id })
  })
}
