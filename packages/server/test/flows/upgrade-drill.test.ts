// The short version of `npm run drill:upgrade`: an older and a newer version serve callers side by side, with a
// migrations between them, and the older one comes back. Here both are this code, and the migrations are made up: what an
// older commit does wrong cannot be mended any more, and would fail here for ever. The command takes it from history.

import { expect, test } from 'vitest'
import { drillUpgrade, type Phase } from '../drills/upgrade-drill.ts'

test('callers notice nothing of an upgrade, nor of the way back: no call fails, and nothing is lost or charged twice', {
  timeout: 300_000,
}, async () => {
  const report = await drillUpgrade({
    ...{ from: 'made up', processes: 1, seconds: 1, perSecond: 12, subscriptions: 2 },
    settings: { fsync: 'off' },
  })

  expect(report.faults, report.between).toEqual([])
  expect(report.phases.flatMap(notOfADrain)).toEqual([])
  expect(report.acknowledged).toBeGreaterThan(20)
  // Each phase was lived through by somebody.
  expect(report.phases.map(({ calls }) => calls > 0)).toEqual(report.phases.map(() => true))
  expect(report.arrived.received).toBeGreaterThan(report.rows.payments ?? 0)
})

/** A process that leaves may refuse with 503, or close a connection: both are tried again. Nothing else may fail. */
function notOfADrain({ phase, unlucky }: Phase) {
  const allowed = phase.startsWith('drain') ? ['0', '503'] : []
  return Object.entries(unlucky)
    .filter(([status]) => !allowed.includes(status))
    .map(([status, count]) => ({ phase, status, count }))
}
