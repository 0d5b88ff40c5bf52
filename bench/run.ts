// `npm run bench`: measures the throughput of the server as ratios to bare baselines in the same run. `--short` for a
// short run, `--only post,get,payments,work,start` for a part, `--profile` to see where the server spends its time. The
// results are written to .switchyard/bench-latest.json.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { bundleIn, bundlePrograms } from '../scripts/bundle.ts'
import { measurePayments, paymentsTable } from './payments/measure.ts'
import type { Rounds } from './ratios/compare.ts'
import { fullEffort, shortEffort } from './ratios/effort.ts'
import { startEnvironment } from './ratios/environment.ts'
import { measureGetEvent } from './ratios/get-event.ts'
import { measurePostCustomers } from './ratios/post-customers.ts'
import { loadAverage } from './ratios/processor.ts'
import { describeProfiles } from './ratios/profile.ts'
import { ratesTable, ratiosOf, ratiosTable, startUpTable } from './ratios/report.ts'
import { measureStartUp } from './ratios/start-up.ts'
import { measureWork } from './ratios/work-throughput.ts'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
    only: { type: 'string', default: 'post,get,payments,work,start' },
  },
})
const effort = values.short ? shortEffort : fullEffort
const parts = values.only.split(',')
const folder = resolve(import.meta.dirname, '../.switchyard')
mkdirSync(folder, { recursive: true })

const loadBefore = loadAverage()
const startedMs = performance.now()
const profileFolder = values.profile ? `${folder}/profile-${process.pid}` : null
const bench = await startEnvironment(profileFolder)
let rounds: Rounds = new Map()
try {
  if (parts.includes('post')) rounds = new Map([...rounds, ...(await measurePostCustomers(bench, effort))])
  if (parts.includes('get')) rounds = new Map([...rounds, ...(await measureGetEvent(bench, effort))])
  const payments = parts.includes('payments') ? await measurePayments(bench, effort) : null
  if (payments !== null) rounds = new Map([...rounds, ...payments.rounds])
  if (parts.includes('work')) rounds = new Map([...rounds, ...(await measureWork(bench, effort))])
  const startUp = parts.includes('start') ? await measureStartUp(bench, await bundleServer(), effort) : null
  console.log(`\n${ratesTable(rounds)}\n\n${ratiosTable(rounds)}\n`)
  if (payments !== null) console.log(`${paymentsTable(payments)}\n`)
  if (startUp !== null) console.log(`${startUpTable(startUp)}\n`)
  const load = { before: loadBefore, after: loadAverage() }
  console.log(
    `Took ${Math.round((performance.now() - startedMs) / 1000)} s. System load before: ${load.before}, after: ${load.after}.`,
  )
  const latest = {
    effort,
    load,
    rounds: Object.fromEntries(rounds),
    ratios: ratiosOf(rounds),
    startUp,
    payments: payments === null ? null : { latency: payments.latency, commits: payments.commits },
  }
  writeFileSync(`${folder}/bench-latest.json`, `${JSON.stringify(latest, null, 2)}\n`)
} catch (error) {
  // Printed before the services are stopped, because open connections then report errors too.
  console.error(error)
  process.exitCode = 1
} finally {
  await bench.clear()
}

/** The folder is inside the repository, because a bundle finds migrations and fonts there. */
async function bundleServer(): Promise<string> {
  const bundles = `${folder}/bundles/${process.pid}`
  process.once('exit', () => rmSync(bundles, { recursive: true, force: true }))
  await bundlePrograms(bundles)
  return bundleIn(bundles, 'server')
}

if (profileFolder !== null) console.log(describeProfiles(profileFolder))
