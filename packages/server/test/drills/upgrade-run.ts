// npm run drill:upgrade -- [--seconds 8] [--rate 15] [--processes 2] [--subscriptions 5] [--from history|made-up]: an
// older and a newer version side by side under load, with a migration between them, and the way back.

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
  from: values.from === 'made-up' ? 'made up' : 'history',
  processes: Number(values.processes),
  seconds: Number(values.seconds),
  perSecond: Number(values.rate),
  subscriptions: Number(values.subscriptions),
  settings: {},
})

const inSeconds = (ms: number) => (ms / 1000).toFixed(1)
const words = (unlucky: Readonly<Record<string, number>>) =>
  Object.entries(unlucky)
    .map(([status, count]) => `${count} × ${status === '0' ? 'no answer' : status}`)
    .join(', ')

console.log(`Between ${report.between}.\n`)
console.log(
  table(
    ['phase', 'seconds', 'tries', 'of them failed', 'slowest ms'],
    report.phases.map(({ phase, ms, calls, unlucky, slowestMs }) => [
      ...[phase, inSeconds(ms), calls, words(unlucky), Math.round(slowestMs)],
    ]),
  ),
)
console.log(`\nFrom SIGTERM to the end: ${report.drainsMs.map(inSeconds).join(', ')} s.`)
console.log(`Callers were told of ${report.acknowledged} successes.`)
console.log(`The receiver took ${report.arrived.received} events, ${report.arrived.repeated} of them again.`)
console.log(`\n${table(['in the end', 'rows'], Object.entries(report.rows))}\n`)
for (const fault of report.faults) console.log(`FAULT  ${fault}`)
if (report.faults.length === 0) console.log('No call failed for good, and nothing is missing.')
process.exitCode = report.faults.length === 0 ? 0 : 1
