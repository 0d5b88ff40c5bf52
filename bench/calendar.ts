// `npm run bench:calendar`: the cost of computing a period boundary, by time zone. The limit is 25 microseconds; a
// renewal computes two boundaries.

import { anchorAt, boundary, type Interval, periodAt } from '../packages/server/src/kernel/calendar.ts'

const monthly: Interval = { unit: 'month', count: 1 }
const rounds = 20_000

for (const zone of ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe']) {
  const anchor = anchorAt(new Date('2027-01-31T02:30:00.000Z'), zone, 0)
  const boundaryUs = measure((round) => boundary(anchor, monthly, round % 200))
  const lookupUs = measure((round) => periodAt(anchor, monthly, new Date(Date.UTC(2027, round % 200, 5))))
  console.log(`${zone.padEnd(20)} boundary ${boundaryUs} us   lookup ${lookupUs} us`)
}

/** Microseconds per call, after a warm-up. */
function measure(run: (round: number) => unknown): string {
  for (let round = 0; round < rounds / 10; round += 1) run(round)
  // CPU time of this process, so that other processes on the machine do not matter.
  const started = process.cpuUsage()
  for (let round = 0; round < rounds; round += 1) run(round)
  const { user, system } = process.cpuUsage(started)
  return ((user + system) / rounds).toFixed(1)
}
