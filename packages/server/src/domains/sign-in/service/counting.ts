/** Wrong tries, by e-mail address and by network address. */
import type { Deps } from '../../../deps.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import { refuse } from '../../../kernel/errors.ts'
import { changeControl, inControl } from '../../../platform/db/control.ts'
import type { Db } from '../../../platform/db/databases.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import { forgetTries, lockTries, sweepTries, updateTries } from '../store/tries.ts'
import { byAddress, byEmail, countTry, keyOf, type Limit, type Tries, takeBack } from '../tries.ts'

export type Counted = {
  /** Whether this one, if it is wrong, locks the e-mail address. */
  readonly locks: boolean
  readonly email: Buffer
  readonly network: Buffer
}

/** Old enough that nobody is slowed by them any more. */
const keepSeconds = 24 * 60 * 60

/** Counts a try before it is judged. Whoever has tried too often is refused, right or wrong. */
export async function countSignIn(deps: Deps, email: string, network: string): Promise<Counted> {
  const keys = { email: keyOf('email', email), network: keyOf('address', network) }
  const verdict = await changeControl(deps, async (db, now) => {
    // First where it comes from: a flood of invented addresses stops here, and leaves no rows.
    const there = await count(db, keys.network, now, byAddress)
    return there.is === 'blocked' ? there : count(db, keys.email, now, byEmail)
  })
  if (verdict.is === 'blocked') return refuse('sign_in_locked', { retryAfterSeconds: verdict.waitSeconds })
  return { ...keys, locks: verdict.locks }
}

/** The same for what names nobody: a link, an invitation, a passkey. */
export async function countVisit(deps: Deps, network: string): Promise<Buffer> {
  const key = keyOf('address', network)
  const verdict = await changeControl(deps, (db, now) => count(db, key, now, byAddress))
  if (verdict.is === 'blocked') refuse('sign_in_locked', { retryAfterSeconds: verdict.waitSeconds })
  return key
}

async function count(db: Db, key: Buffer, now: Date, limit: Limit) {
  const verdict = countTry(await lockTries(db, key, now), now, limit)
  if (verdict.is === 'counted') await updateTries(db, key, verdict.tries)
  return verdict
}

/** It was right, and all before it is forgiven; the network is only given back this one. */
export async function forgiveSignIn(tx: Tx, counted: Counted): Promise<void> {
  await inControl(tx, (db) => forgive(db, counted, tx.now))
}

/** The same for whoever is signed in already, and has proven it again. */
export async function forgiveProof(deps: Deps, counted: Counted): Promise<void> {
  await changeControl(deps, (db, now) => forgive(db, counted, now))
}

async function forgive(db: Db, counted: Counted, now: Date): Promise<void> {
  await giveBack(db, counted.network, now)
  await forgetTries(db, counted.email)
  await sweepTries(db, addSeconds(now, -keepSeconds))
}

export async function forgiveVisit(tx: Tx, network: Buffer): Promise<void> {
  await inControl(tx, (db) => giveBack(db, network, tx.now))
}

/** It was neither right nor wrong: something is still missing. */
export async function uncountSignIn(deps: Deps, counted: Counted): Promise<void> {
  await changeControl(deps, async (db, now) => {
    await giveBack(db, counted.network, now)
    await giveBack(db, counted.email, now)
  })
}

/** Nobody had the time to judge it, so it was not wrong. */
export async function turnAway(deps: Deps, counted: Counted): Promise<never> {
  await uncountSignIn(deps, counted)
  return refuse('overloaded', { retryAfterSeconds: 1 })
}

async function giveBack(db: Db, key: Buffer, now: Date): Promise<void> {
  const tries: Tries | null = await lockTries(db, key, now)
  if (tries !== null) await updateTries(db, key, takeBack(tries))
}
