// npm run drill:restore -- [--seconds 20] [--rate 20] [--subscriptions 10] [--archive-timeout 5]: an
// installation under load is backed up, damaged, lost, and restored to the moment before the damage. Reports
// how long each step took, which data is lost, and which operations must be reconciled with the provider.

import { parseArgs } from 'node:util'
import { table } from '../../../../bench/table.ts'
import { restorePoint } from './restore-context.ts'
import { drillRestore, type RestoreReport } from './restore-drill.ts'

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
  measureOtherTargets: true,
  settings: { archive_timeout: values['archive-timeout'] },
})
printReport(report)
process.exitCode = report.violations.length === 0 ? 0 : 1

function printReport({ steps, rows, losses, ...results }: RestoreReport): void {
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
    `\n${results.acknowledged.before} successful responses were sent before the recovery time, and ` +
      `${results.acknowledged.after} after it, which the restore loses.`,
  )
  console.log(`\n${formatLosses(losses)}`)
  console.log(
    `\nThe provider ran ${results.missingInDatabase.length} operations that are missing in the restored database:`,
  )
  for (const { fact, amount, currency, reference, at } of results.missingInDatabase.slice(0, 10))
    console.log(`  ${at}  ${fact} of ${amount} ${currency}, reference ${reference}`)
  if (results.missingInDatabase.length > 10)
    console.log(`  and ${results.missingInDatabase.length - 10} more`)
  console.log(
    `  ${results.repeatedRefunds} of them are refunds that were repeated without moving money again.`,
  )
  const { received, repeated } = results.deliveries
  console.log(`\nThe receiver accepted ${received} events, ${repeated} of them more than once.`)
  console.log(
    `The restored server sent ${results.acknowledgedAfterRestore} successful responses.\n\n${results.doctor}`,
  )
  for (const violation of results.violations) console.log(`FAILED  ${violation}`)
  if (results.violations.length === 0)
    console.log('Nothing that was acknowledged before the recovery time is missing.')
}

function formatLosses(losses: RestoreReport['losses']): string {
  const lines = losses.map(({ label, ms, lost, lostMs }) => [
    label === 'to the restore point' ? `${label} ${restorePoint}` : label,
    (ms / 1000).toFixed(1),
    lost,
    (lostMs / 1000).toFixed(1),
  ])
  return table(['other recovery targets', 'restore seconds', 'lost objects', 'lost seconds'], lines)
}
