// The short version of `npm run drill:restore`: a server is lost under load, and another one begins at the moment
// before somebody deleted what must not be deleted.

import { expect, test } from 'vitest'
import { drillRestore } from '../drills/restore-drill.ts'

// Nothing here has to survive a power cut.
const hasty = { fsync: 'off', archive_timeout: '1' }

test('a restore to an instant brings back all that was acknowledged before it, and names what the provider did after it', {
  timeout: 300_000,
}, async () => {
  const report = await drillRestore({
    seconds: { before: 1, between: 1, after: 1 },
    ...{ perSecond: 12, subscriptions: 2, otherWays: false, settings: hasty },
  })

  expect(report.faults).toEqual([])
  expect(report.acknowledged.before).toBeGreaterThan(10)
  expect(report.rows.refunds).toBeGreaterThan(0)
  // Charges that the restored books do not have. Without them the drill would have shown nothing.
  expect(report.unknownHere.map(({ fact }) => fact)).toContain('charge')
  expect(report.refundsAskedAgain).toBeGreaterThan(0)
  expect(report.arrived.received).toBeGreaterThan(report.rows.payments ?? 0)
  expect(report.afterwards).toBeGreaterThan(0)
})
