// npm run drill:restore -- [--seconds 20] [--rate 20] [--subscriptions 10] [--archive-timeout 5]: an installation under
// load is backed up, damaged, lost, and restored to the moment before. It says how long each step took, what is gone,
// and what a person has to settle with the provider.

import { parseArgs } from 'node:util'
import { table } from '../../../../bench/table.ts'
import { drillRestore, type RestoreReport } from './restore-drill.ts'
import { restorePoint } from './restore-stage.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    rate: { type: 'string', default: '20' },
    subscriptions: { type: 'string', default: '10' },
    'archive-timeout': { type: 'string', default: '5' },
  },
})
const seconds = Number(values.seconds)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

const report = await drillRestore({
  seconds: { before: seconds, between: seconds / 2, after: seconds / 2 },
  perSecond: Number(values.rate),
  subscriptions: Number(values.subscriptions),
  otherWays: true,
  settings: { archive_timeout: values['archive-timeout'] },
})
tell(report)
process.exitCode = report.faults.length === 0 ? 0 : 1

function tell({ steps, rows, losses, ...found }: RestoreReport): void {
  const size = (bytes?: number) => (bytes === undefined ? '' : (bytes / 1e6).toFixed(1))
  const inSeconds = (ms: number) => (ms / 1000).toFixed(1)
  console.log(
    table(
      ['step', 'seconds', 'MB'],
      steps.map(({ step, ms, bytes }) => [step, inSeconds(ms), size(bytes)]),
    ),
  )
  console.log(`\n${table(['restored', 'rows'], Object.entries(rows))}`)
  console.log(
    `\nCallers were told of ${found.acknowledged.before} successes before the instant, and of ` +
      `${found.acknowledged.after} after it, which a restore to the instant gives up.`,
  )
  console.log(`\n${tellLosses(losses)}`)
  console.log(
    `\nThe provider did ${found.unknownHere.length} things that the restored database does not know:`,
  )
  for (const { fact, amount, currency, reference, at } of found.unknownHere.slice(0, 10))
    console.log(`  ${at}  ${fact} of ${amount} ${currency}, reference ${reference}`)
  if (found.unknownHere.length > 10) console.log(`  and ${found.unknownHere.length - 10} more`)
  console.log(
    `  ${found.refundsAskedAgain} refunds among them were asked for again, and moved no money a second time.`,
  )
  const { received, repeated } = found.arrived
  console.log(`\nThe receiver took ${received} events, ${repeated} of them again.`)
  console.log(`Afterwards callers were told of ${found.afterwards} successes more.\n\n${found.doctor}`)
  for (const fault of found.faults) console.log(`FAULT  ${fault}`)
  if (found.faults.length === 0) console.log('Nothing that was acknowledged before the instant is missing.')
}

function tellLosses(losses: RestoreReport['losses']): string {
  const lines = losses.map(({ how, ms, lost, lostMs }) => [
    how === 'to the restore point' ? `${how} ${restorePoint}` : how,
    (ms / 1000).toFixed(1),
    lost,
    (lostMs / 1000).toFixed(1),
  ])
  return table(['other ways', 'seconds', 'successes gone', 'of the last seconds'], lines)
}
