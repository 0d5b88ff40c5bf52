// The short version of `npm run drill:region`: a region is lost with its last charges.

import { expect, test } from 'vitest'
import { drillRegion } from '../drills/region-drill.ts'

test('after the loss of a region no card is charged twice, and reconcile makes the records equal to the ledger of the provider', {
  timeout: 300_000,
}, async () => {
  // Enough requests are repeated before `reconcile` to open a circuit breaker, if they counted as errors.
  const report = await drillRegion({ charges: 30, settings: { fsync: 'off', archive_timeout: '1' } })
  const [killed, applied, last] = report.runs

  expect(report.violations).toEqual([])
  expect(report.charges.after).toBe(report.charges.before)
  // The charge without an idempotency key.
  expect(report.returned).toBe(1)
  expect(report.dryRun).toMatchObject({ code: 1, out: expect.stringContaining('lost_payment 31') })
  expect(killed?.code).not.toBe(0)
  expect(applied?.out).toContain('lost_payment')
  expect(last).toMatchObject({ code: 0 })
  expect(last?.out).not.toMatch(/lost|rebuilt|differs/)
})
