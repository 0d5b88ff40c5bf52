// The short version of `npm run drill:restore`: a server is lost under load, and another one is restored to
// the moment before an accidental deletion.

import { expect, test } from 'vitest'
import { drillRestore } from '../drills/restore-drill.ts'

// Without fsync, because the data does not have to survive a power failure.
const fastSettings = { fsync: 'off', archive_timeout: '1' }

test('a restore recovers everything acknowledged before the recovery time, and reports later operations of the provider', {
  timeout: 300_000,
}, async () => {
  const report = await drillRestore({
    seconds: { before: 1, between: 1, after: 1 },
    perSecond: 12,
    subscriptions: 2,
    measureOtherTargets: false,
    settings: fastSettings,
  })

  expect(report.violations).toEqual([])
  expect(report.acknowledged.before).toBeGreaterThan(10)
  expect(report.rows.refunds).toBeGreaterThan(0)
  // The provider has charges that the restored database lacks. Without them the drill would prove nothing.
  expect(report.missingInDatabase.map(({ fact }) => fact)).toContain('charge')
  expect(report.repeatedRefunds).toBeGreaterThan(0)
  expect(report.deliveries.received).toBeGreaterThan(report.rows.payments ?? 0)
  expect(report.acknowledgedAfterRestore).toBeGreaterThan(0)
})
