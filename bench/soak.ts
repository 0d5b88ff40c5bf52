// `npm run soak`: real processes take payments at a fixed rate for half an hour, with refunds, renewals and
// webhooks. `--seconds 1800`, `--rate 50` payments per second, `--p99 500` is the limit in ms for
// `POST /payments`. It fails if the rate is not sustained, if memory or backlog grow, if a payment, event or
// delivery is lost or duplicated, or if the provider's ledger differs. docs/guides/performance.md describes
// the rules. The results are written to .switchyard/soak-latest.json and soak-latest.svg.

import { mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { loadAverage } from './ratios/processor.ts'
import { drawSoak } from './soak/graph.ts'
import { startSoakInstallation } from './soak/installation.ts'
import { findSoakViolations } from './soak/judge.ts'
import { startSoakLoad } from './soak/load.ts'
import { addArrivals, takeSamples } from './soak/measure.ts'
import { soakTable } from './soak/report.ts'
import { verifyRun } from './soak/verify.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '1800' },
    rate: { type: 'string', default: '50' },
    p99: { type: 'string', default: '500' },
  },
})
const [seconds, rate, p99Ms] = [Number(values.seconds), Number(values.rate), Number(values.p99)]
for (const [name, value] of Object.entries({ seconds, rate, p99: p99Ms }))
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0.`)

/** About 60 intervals: enough to compare the first and the last third, and few enough to draw in a graph. */
const intervalSeconds = Math.max(2, Math.round(seconds / 60))
/** The time for opening connections, preparing statements and compiling hot code. It is not measured. */
const warmUpSeconds = Math.min(60, seconds / 6)
/** The simulator and the receiver record every request, so their memory grows. */
const steadyProcesses = ['api', 'worker', 'nats', 'postgres']

const folder = resolve(import.meta.dirname, '../.switchyard')
mkdirSync(folder, { recursive: true })
const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())

const loadBefore = loadAverage()
const installation = await startSoakInstallation()
try {
  process.exitCode = (await run()) ? 0 : 1
} catch (error) {
  // Printed before the services are stopped, because open connections then report errors too.
  console.error(error)
  process.exitCode = 1
} finally {
  await installation.clear()
}

async function run(): Promise<boolean> {
  const load = await startSoakLoad(installation, rate)
  await sleep(warmUpSeconds * 1000, undefined, { signal: interrupted.signal }).catch(() => {})
  const samples = await takeSamples(installation, load, {
    intervals: Math.ceil(seconds / intervalSeconds),
    intervalMs: intervalSeconds * 1000,
    signal: interrupted.signal,
  })
  await load.stop()
  const { totals, violations: differences } = await verifyRun(installation, load)
  const intervals = addArrivals(samples, await installation.sink.arrivals())
  const latenciesMs = samples.flatMap((sample) => sample.latenciesMs)
  const requests = { due: load.due(), answered: load.answered(), latenciesMs, failures: load.failures }
  const limits = { p99Ms, ratePerSecond: rate, steadyProcesses }
  const violations = [
    ...(interrupted.signal.aborted ? ['The run was interrupted.'] : []),
    ...findSoakViolations(intervals, requests, limits),
    ...differences,
  ]
  const machineLoad = { before: loadBefore, after: loadAverage() }
  const title = `${rate} payments per second for ${seconds} s`
  const latest = { options: { seconds, rate, p99Ms }, machineLoad, totals, violations, intervals }
  writeFileSync(`${folder}/soak-latest.json`, `${JSON.stringify(latest, null, 2)}\n`)
  writeFileSync(`${folder}/soak-latest.svg`, drawSoak(intervals, title))
  console.log(`${soakTable(intervals, totals, latenciesMs)}\n`)
  for (const violation of violations) console.log(`FAILED  ${violation}`)
  console.log(`System load before: ${machineLoad.before}, after: ${machineLoad.after}.`)
  console.log(`Figures and graph: ${folder}/soak-latest.json, soak-latest.svg`)
  return violations.length === 0
}
