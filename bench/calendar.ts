// `npm run bench:calendar`: what a boundary of a period costs, by zone. The limit is 25 microseconds: a renewal needs
// two of them.

import { anchorAt, boundary, type Interval, periodAt } from '../packages/server/src/kernel/calendar.ts'

const monthly: Interval = { unit: 'month', count: 1 }
const rounds = 20_000

for (const zone of ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe']) {
  const anchor = anchorAt(new Date('2027-01-31T02:30:00.000Z'), zone, 0)
  const one = measure((round) => boundary(anchor, monthly, round % 200))
  const found = measure((round) => periodAt(anchor, monthly, new Date(Date.UTC(2027, round % 200, 5))))
  console.log(`${zone.padEnd(20)} boundary ${one} us   lookup ${found} us`)
}

/** Microseconds for each, after a warm-up. */
function measure(act: (round: number) => unknown): string {
  for (let round = 0; round < rounds / 10; round += 1) act(round)
  // Of this process alone: others on the machine do not count.
  const started = process.cpuUsage()
  for (let round = 0; round < rounds; round += 1) act(round)
  const { user, system } = process.cpuUsage(started)
  return ((user + system) / rounds).toFixed(1)
}
