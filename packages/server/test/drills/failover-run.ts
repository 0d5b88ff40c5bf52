// npm run drill:failover -- [--faults kill,switchover,machine,freeze,cut,double-hang] [--repeat 1] [--seconds 10]
// [--rate 10] [--subscriptions 5] [--unsafe quorum]: the primary of a PostgreSQL cluster with the configuration of
// deploy/high-availability fails under load. `--unsafe quorum` removes the settings that prevent lost writes, to show
// that the drill detects them. docs/operations/high-availability.md describes the drill.

import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { table } from '../../../../bench/table.ts'
import { findNatsServer } from '../../../../scripts/services/nats-binary.ts'
import { findPrograms } from './cluster-programs.ts'
import { type FailoverReport, installOn } from './failover-drill.ts'
import { type FaultName, faults } from './failover-faults.ts'
import { isIsolated, runIsolated } from './machines.ts'
import { startCluster } from './postgres-cluster.ts'

const { values } = parseArgs({
  options: {
    faults: { type: 'string', default: Object.keys(faults).join(',') },
    repeat: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '10' },
    rate: { type: 'string', default: '10' },
    subscriptions: { type: 'string', default: '5' },
    unsafe: { type: 'string' },
  },
})

const maxExamples = 5

const inSeconds = (ms: number) => Number((ms / 1000).toFixed(1))
const isFault = (name: string): name is FaultName => Object.hasOwn(faults, name)
const names = values.faults.split(',')
for (const name of names)
  if (!isFault(name)) exitWith(`Unknown fault "${name}". Faults: ${Object.keys(faults).join(', ')}.`)
if (values.unsafe !== undefined && values.unsafe !== 'quorum')
  exitWith(`Unknown value "${values.unsafe}" of --unsafe. The only one is quorum.`)

if (!isIsolated()) {
  try {
    findPrograms()
  } catch (error) {
    exitWith((error as Error).message)
  }
  // Download the program now if it is missing, because the namespaces have no connection to the outside.
  await findNatsServer()
  process.exit(await runIsolated(import.meta.filename, process.argv.slice(2)))
}

const cluster = await startCluster(values.unsafe === undefined ? 'shipped' : 'quorum')
const installation = await installOn(cluster)
const reports: FailoverReport[] = []
for (const name of names.filter(isFault))
  for (let run = 1; run <= Number(values.repeat); run += 1) {
    const report = await installation.run(name, {
      seconds: Number(values.seconds),
      perSecond: Number(values.rate),
      subscriptions: Number(values.subscriptions),
    })
    reports.push(report)
    printProgress(report)
  }
const failedChecks = await installation.findFailedChecks()
await installation.stop()
await cluster.stop()
printReports()
if (failedChecks !== null) console.log(`FAILED  doctor:\n${failedChecks}`)
process.exit(failedChecks === null && reports.every(({ violations }) => violations.length === 0) ? 0 : 1)

function exitWith(message: string): never {
  console.error(message)
  process.exit(1)
}

/** Also prints what was measured, because a later run may fail before the table is printed. */
function printProgress(report: FailoverReport): void {
  const { fault, violations, failedAttempts, lost, doubleCharges } = report
  const attempts = Object.entries(failedAttempts).map(
    ([status, count]) => `${count} × ${status === '0' ? 'no response' : status}`,
  )
  console.log(
    `${faults[fault].description}: silence ${inSeconds(report.silenceMs)} s, ${lost} lost, ` +
      `${doubleCharges} charged twice, failed attempts: ${attempts.join(', ') || 'none'}`,
  )
  for (const violation of violations.slice(0, maxExamples)) console.log(`FAILED  ${violation}`)
  if (violations.length > maxExamples) console.log(`and ${violations.length - maxExamples} more`)
}

function printReports(): void {
  console.log(
    `\n${table(
      [
        'fault',
        'new primary s',
        'silence s',
        'allowed s',
        'after repair s',
        'acknowledged',
        'lost',
        'charged twice',
        'slowest call s',
        'failed attempts',
        'failed calls',
        'missing events',
        'machine load',
        'result',
      ],
      reports.map((report) => [
        report.fault,
        inSeconds(report.promotedMs),
        inSeconds(report.silenceMs),
        faults[report.fault].maxSilenceSeconds,
        inSeconds(report.recoveryMs),
        report.acknowledged,
        report.lost,
        report.doubleCharges,
        inSeconds(report.slowestCallMs),
        Object.values(report.failedAttempts).reduce((sum, count) => sum + count, 0),
        report.failedCalls,
        report.deliveries.missing.length,
        Number(report.machineLoad.toFixed(1)),
        report.violations.length === 0 ? 'ok' : 'FAILED',
      ]),
    )}`,
  )
  console.log(`\nMachine load: average of the last minute, on ${availableParallelism()} cores.`)
}
