// npm run drill:upgrade -- [--seconds 8] [--rate 15] [--processes 2] [--subscriptions 5]
// [--from history|made-up]: runs an older and a newer version side by side under load, with a migration between
// them, and rolls back.

import { parseArgs } from 'node:util'
import { table } from '../../../../bench/table.ts'
import { drillUpgrade } from './upgrade-drill.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    rate: { type: 'string', default: '15' },
    processes: { type: 'string', default: '2' },
    subscriptions: { type: 'string', default: '5' },
    from: { type: 'string', default: 'history' },
  },
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

const report = await drillUpgrade({
  from: values.from === 'made-up' ? 'made-up' : 'history',
  processes: Number(values.processes),
  seconds: Number(values.seconds),
  perSecond: Number(values.rate),
  subscriptions: Number(values.subscriptions),
  settings: {},
})

const inSeconds = (ms: number) => (ms / 1000).toFixed(1)
const formatFailures = (failedAttempts: Readonly<Record<string, number>>) =>
  Object.entries(failedAttempts)
    .map(([status, count]) => `${count} × ${status === '0' ? 'no response' : status}`)
    .join(', ')

console.log(`Versions: ${report.description}.\n`)
console.log(
  table(
    ['phase', 'seconds', 'attempts', 'failed attempts', 'slowest ms'],
    report.phases.map(({ phase, ms, calls, failedAttempts, slowestMs }) => [
      phase,
      inSeconds(ms),
      calls,
      formatFailures(failedAttempts),
      Math.round(slowestMs),
    ]),
  ),
)
console.log(`\nFrom SIGTERM to exit: ${report.drainsMs.map(inSeconds).join(', ')} s.`)
console.log(`The API sent ${report.acknowledged} successful responses.`)
console.log(
  `The receiver accepted ${report.deliveries.received} events, ${report.deliveries.repeated} more than once.`,
)
console.log(`\n${table(['table', 'rows'], Object.entries(report.rows))}\n`)
for (const violation of report.violations) console.log(`FAILED  ${violation}`)
if (report.violations.length === 0)
  console.log('Every call succeeded, if necessary after retries, and nothing is missing.')
process.exitCode = report.violations.length === 0 ? 0 : 1
