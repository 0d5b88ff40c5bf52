// The short version of `npm run test:outage`: a provider fails for some seconds. What was counted decides, not how
// long anything took: the machine may be busy.

import { expect, test } from 'vitest'
import { newDatabase } from '../support/database.ts'
import { type Phase, tellOutage } from './support/outage-story.ts'

const short = {
  manner: 'plain',
  ratePerSecond: 8,
  beforeSeconds: 2,
  outageSeconds: 8,
  probesAtOnce: true,
} as const

/** All but those that a machine that is very busy has turned away. */
const takenIn = ({ payments, turnedAway }: Phase) => payments - turnedAway

const tell = async (hasBreaker: boolean) =>
  tellOutage({ databaseUrl: await newDatabase(), ...short, hasBreaker })

// Most of a story is waiting, so both are told at once.
const [guarded, bare] = await Promise.all([tell(true), tell(false)])

test('while a provider refuses, payments are approved elsewhere, and it is hardly asked any more', () => {
  const { before, during, after, openedAfterMs, recoveredAfterMs } = guarded

  expect(before.askedFailing).toBe(takenIn(before))
  expect(takenIn(during)).toBeGreaterThan(20)
  expect(during.rate).toBeGreaterThanOrEqual(0.95 * before.rate)
  expect(openedAfterMs).not.toBeNull()
  expect(during.askedFailing).toBeLessThan(during.payments / 2)
  expect(recoveredAfterMs).not.toBeNull()
  expect(after.askedFailing).toBe(takenIn(after))
})

test('without a breaker each payment asks the provider that refuses first', () => {
  const { during, openedAfterMs } = bare

  expect(openedAfterMs).toBeNull()
  expect(during.askedFailing).toBe(takenIn(during))
})
