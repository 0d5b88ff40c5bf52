// The short version of `npm run test:outage`: a provider fails for some seconds. Only counts are checked, not
// durations, since the machine may be busy.

import { expect, test } from 'vitest'
import { newDatabase } from '../support/database.ts'
import { type Phase, runOutage } from './support/outage-scenario.ts'

const short = {
  manner: 'plain',
  ratePerSecond: 8,
  beforeSeconds: 2,
  outageSeconds: 8,
  probeImmediately: true,
} as const

/** Payments that were not rejected because the machine was too busy. */
const countAccepted = ({ payments, overloaded }: Phase) => payments - overloaded

const run = async (hasBreaker: boolean) =>
  runOutage({ databaseUrl: await newDatabase(), ...short, hasBreaker })

// Both runs spend most of their time waiting, so they run concurrently.
const [withBreaker, withoutBreaker] = await Promise.all([run(true), run(false)])

test('while a provider fails, other accounts approve payments, and the failing account gets few requests', () => {
  const { before, during, after, openedAfterMs, recoveredAfterMs } = withBreaker

  expect(before.triedFailing).toBe(countAccepted(before))
  expect(countAccepted(during)).toBeGreaterThan(20)
  expect(during.rate).toBeGreaterThanOrEqual(0.95 * before.rate)
  expect(openedAfterMs).not.toBeNull()
  expect(during.triedFailing).toBeLessThan(during.payments / 2)
  expect(recoveredAfterMs).not.toBeNull()
  expect(after.triedFailing).toBe(countAccepted(after))
})

test('without a circuit breaker each payment is tried first on the failing account', () => {
  const { during, openedAfterMs } = withoutBreaker

  expect(openedAfterMs).toBeNull()
  expect(during.triedFailing).toBe(countAccepted(during))
})
