// `npm run bench:renewals -- --subscriptions 100000 --workers 3`: subscriptions that all renew at one instant, until
// each has its invoice with its number; how many a second, what they cost, and whether every one is right.
// `--kills` kills a worker every two seconds, restarts Postgres once and wipes JetStream once. `--collected` says
// for how many the money is taken too, with the ledger of the simulator as the judge. `--scan 1000000` counts what
// so many idle subscriptions add to the look for those that are due, and does nothing else. `--profile` shows where
// workers and the database spend their time. The figures lie in .switchyard/bench-renewals-latest.json afterwards.

import { mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { loadAverage } from './ratios/processor.ts'
import { describeProfiles } from './ratios/profile.ts'
import { measureDueScan, scanTable } from './renewals/due-scan.ts'
import { play } from './renewals/play.ts'
import { costsTable, ratesTable, statementsTable } from './renewals/report.ts'
import { setStage } from './renewals/stage.ts'

const { values } = parseArgs({
  options: {
    subscriptions: { type: 'string', default: '100000' },
    workers: { type: 'string', default: '3' },
    kills: { type: 'boolean', default: false },
    collected: { type: 'string' },
    scan: { type: 'string' },
    profile: { type: 'boolean', default: false },
  },
})
const folder = resolve(import.meta.dirname, '../.switchyard')
mkdirSync(folder, { recursive: true })
const loadBefore = loadAverage()
const profileFolder = values.profile ? `${folder}/profile-${process.pid}` : null
const stage = await setStage(profileFolder)
try {
  const measured = values.scan === undefined ? await renew() : await scan(Number(values.scan))
  const load = { before: loadBefore, after: loadAverage() }
  say(`Load of the machine before: ${load.before}, after: ${load.after}.`)
  const latest = { options: values, load, ...measured }
  writeFileSync(`${folder}/bench-renewals-latest.json`, `${JSON.stringify(latest, null, 2)}\n`)
} finally {
  await stage.clear()
}
if (profileFolder !== null) say(describeProfiles(profileFolder))

async function renew() {
  const played = await play(stage, {
    subscriptions: Number(values.subscriptions),
    workers: Number(values.workers),
    kills: values.kills,
    collected: Number(values.collected ?? (values.kills ? 2_000 : 0)),
  })
  say(ratesTable(played))
  if (played.counted !== null) say(costsTable(played.counted, played.cpuMs))
  if (played.counted !== null && values.profile) say(statementsTable(played.counted))
  for (const fault of played.faults) say(`At fault: ${fault}`)
  if (played.faults.length > 0) process.exitCode = 1
  else say('Each has exactly one invoice, numbers have no gap, and all sums are right.')
  return { played }
}

async function scan(idle: number) {
  const scans = await measureDueScan(stage, idle)
  say(scanTable(scans))
  return { scans }
}

function say(text: string): void {
  console.log(`\n${text}`)
}
