// The short version of `npm run test:outage`: a provider fails for some seconds. Only counts are checked, not
// durations, since the machine may be busy.

import { expect, test } from 'vitest'
import { newDatabase } from '../support/database.ts'
import { type Outage, type Phase, runOutage } from './support/outage-scenario.ts'

const short = {
  manner: 'plain',
  ratePerSecond: 8,
  beforeSeconds: 2,
  outageSeconds: 8,
  probeImmediately: true,
} as const

/** Payments that were not rejected because the machine was too busy. */
const countAccepted = ({ payments, overloaded }: Phase) => payments - overloaded

const run = async (options: Pick<Outage, 'providers' | 'hasBreaker'> & Partial<Outage>) =>
  runOutage({ databaseUrl: await newDatabase(), ...short, ...options })

// Both runs spend most of their time waiting, so they run concurrently.
const [withBreaker, withoutBreaker] = await Promise.all([
  run({ providers: 'simulator', hasBreaker: true }),
  run({ providers: 'simulator', hasBreaker: false }),
])
// Stripe declines payments at random: with this number of payments, each phase has some declines.
const stripeAndAdyen = await run({
  providers: 'stripe_adyen',
  hasBreaker: true,
  ratePerSecond: 12,
  beforeSeconds: 4,
})

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

test('Stripe and Adyen: payments that Stripe declines with a soft decline are approved by Adyen', () => {
  const { before, after } = stripeAndAdyen

  for (const phase of [before, after]) {
    expect(phase.triedFailing).toBe(countAccepted(phase))
    expect(phase.failedOver).toBeGreaterThan(0)
    expect(phase.failedOver).toBeLessThan(countAccepted(phase))
    // The last payments before the outage may be in progress when it begins.
    expect(phase.approved).toBe(countAccepted(phase) - phase.unresolved)
    expect(phase.unresolved).toBeLessThan(phase.approved)
  }
})

test('Stripe and Adyen: only the payments that open the circuit breaker have an unknown outcome, and Adyen approves the others', () => {
  const { during, openedAfterMs, recoveredAfterMs } = stripeAndAdyen

  expect(openedAfterMs).not.toBeNull()
  expect(recoveredAfterMs).not.toBeNull()
  // An error of Stripe does not prove that nothing was charged, so these payments do not fail over.
  expect(during.unresolved).toBeGreaterThan(0)
  expect(during.unresolved).toBeLessThan(during.payments / 2)
  expect(during.approved).toBe(countAccepted(during) - during.unresolved)
})

test('Stripe and Adyen: a hard decline calls one account, and a soft decline that permits a failover calls two of three', () => {
  const { counts, violations } = stripeAndAdyen.declines
  const duringOutage = counts.filter(({ phase }) => phase === 'during')
  const sumOf = (decline: string, count: 'payments' | 'unresolved' | 'oneAccount' | 'twoAccounts') =>
    duringOutage.filter((row) => row.decline === decline).reduce((sum, row) => sum + row[count], 0)

  expect(violations).toEqual([])
  for (const decline of ['stolen_card', 'insufficient_funds']) {
    expect(sumOf(decline, 'payments'), decline).toBeGreaterThan(2)
    expect(sumOf(decline, 'oneAccount'), decline).toBe(sumOf(decline, 'payments'))
  }
  // The first of them may be unresolved, because Stripe was called before its circuit breaker opened.
  expect(sumOf('do_not_honor', 'twoAccounts')).toBeGreaterThan(0)
})

test('after the outage every outcome is known, and the ledgers of both providers have each payment once', () => {
  for (const { doubleCharges, mismatches } of [withBreaker, withoutBreaker, stripeAndAdyen])
    expect({ doubleCharges, mismatches }).toEqual({ doubleCharges: 0, mismatches: [] })
})
