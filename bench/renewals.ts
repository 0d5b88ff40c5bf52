// `npm run bench:renewals -- --subscriptions 100000 --workers 3`: renews subscriptions that are all due at
// the same time, until each has a numbered invoice. Measures the rate and the cost, and verifies every
// invoice. `--kills` kills a worker every two seconds, restarts Postgres once and wipes JetStream once.
// `--collected` sets how many are also charged, verified with the ledger of the simulator. `--scan 1000000`
// only measures what that many idle subscriptions add to the query for due ones. `--tax` adds 19% tax to each
// renewal: compare the result with a run without it. `--profile` shows where workers and the database spend
// their time. The results are written to .switchyard/bench-renewals-latest.json.

import { mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { loadAverage } from './ratios/processor.ts'
import { describeProfiles } from './ratios/profile.ts'
import { measureDueScan, scanTable } from './renewals/due-scan.ts'
import { startEnvironment } from './renewals/environment.ts'
import { costsTable, ratesTable, statementsTable } from './renewals/report.ts'
import { runRenewals } from './renewals/run-renewals.ts'

const { values } = parseArgs({
  options: {
    subscriptions: { type: 'string', default: '100000' },
    workers: { type: 'string', default: '3' },
    kills: { type: 'boolean', default: false },
    collected: { type: 'string' },
    scan: { type: 'string' },
    tax: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
  },
})
const folder = resolve(import.meta.dirname, '../.switchyard')
mkdirSync(folder, { recursive: true })
const loadBefore = loadAverage()
const profileFolder = values.profile ? `${folder}/profile-${process.pid}` : null
const bench = await startEnvironment(profileFolder)
try {
  const measured = values.scan === undefined ? await renew() : await scan(Number(values.scan))
  const load = { before: loadBefore, after: loadAverage() }
  print(`System load before: ${load.before}, after: ${load.after}.`)
  const latest = { options: values, load, ...measured }
  writeFileSync(`${folder}/bench-renewals-latest.json`, `${JSON.stringify(latest, null, 2)}\n`)
} finally {
  await bench.clear()
}
if (profileFolder !== null) print(describeProfiles(profileFolder))

async function renew() {
  const subscriptions = Number(values.subscriptions)
  const defaultCollected = values.kills ? Math.min(2_000, Math.floor(subscriptions / 5)) : 0
  const collected = Number(values.collected ?? defaultCollected)
  if (collected > subscriptions) throw new Error('--collected must not exceed --subscriptions.')
  const { kills, tax } = values
  const run = { subscriptions, workers: Number(values.workers), kills, collected, tax }
  const result = await runRenewals(bench, run)
  print(ratesTable(result))
  if (result.counted !== null) print(costsTable(result.counted, result.cpuMs))
  if (result.counted !== null && values.profile) print(statementsTable(result.counted))
  for (const violation of result.violations) print(`Error: ${violation}`)
  if (result.violations.length > 0) process.exitCode = 1
  else
    print(
      'Each subscription has exactly one new invoice, invoice numbers have no gaps, and all totals are correct.',
    )
  return { result }
}

async function scan(idle: number) {
  const scans = await measureDueScan(bench, idle)
  print(scanTable(scans))
  return { scans }
}

function print(text: string): void {
  console.log(`\n${text}`)
}
