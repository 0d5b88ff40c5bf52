// The short version of `npm run drill:upgrade`: an older and a newer version serve callers side by side, with
// migrations between them, and then the older one is started again. In this test both versions are the
// current code, and the migrations are made up, because a bug in an older commit could not be fixed and
// would make the test fail forever. The command takes the older version from the git history.

import { expect, test } from 'vitest'
import { drillUpgrade, type Phase } from '../drills/upgrade-drill.ts'

test('during an upgrade and a rollback no call fails, and nothing is lost or charged twice', {
  timeout: 300_000,
}, async () => {
  const report = await drillUpgrade({
    from: 'made-up',
    processes: 1,
    seconds: 1,
    perSecond: 12,
    subscriptions: 2,
    settings: { fsync: 'off' },
  })

  expect(report.violations, report.description).toEqual([])
  expect(report.phases.flatMap(unexpectedFailures)).toEqual([])
  expect(report.acknowledged).toBeGreaterThan(20)
  // Every phase had calls.
  expect(report.phases.map(({ calls }) => calls > 0)).toEqual(report.phases.map(() => true))
  expect(report.deliveries.received).toBeGreaterThan(report.rows.payments ?? 0)
})

/**
 * A process that drains may respond with 503 or close a connection, and the SDK retries both. Other failures
 * are unexpected.
 */
function unexpectedFailures({ phase, failedAttempts }: Phase) {
  const allowed = phase.startsWith('drain') ? ['0', '503'] : []
  return Object.entries(failedAttempts)
    .filter(([status]) => !allowed.includes(status))
    .map(([status, count]) => ({ phase, status, count }))
}
