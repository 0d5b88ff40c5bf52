// `npm run bench`: how much of what the machine can do is left of it, as ratios to bare baselines in the same
// run. `--short` for a quick look, `--only post,get,payments,work,start` for a part, `--profile` to see where the
// server spends its time. The figures lie in .switchyard/bench-latest.json afterwards.

import { mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { measurePayments, paymentsTable } from './payments/measure.ts'
import type { Rounds } from './ratios/compare.ts'
import { measureGetEvent } from './ratios/get-event.ts'
import { fullEffort, shortEffort } from './ratios/measurement.ts'
import { measurePostCustomers } from './ratios/post-customers.ts'
import { loadAverage } from './ratios/processor.ts'
import { describeProfiles } from './ratios/profile.ts'
import { ratesTable, ratiosOf, ratiosTable, startUpTable } from './ratios/report.ts'
import { setStage } from './ratios/stage.ts'
import { measureStartUp } from './ratios/start-up.ts'
import { measureWork } from './ratios/work-handled.ts'

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
const stage = await setStage(profileFolder)
let rounds: Rounds = new Map()
try {
  if (parts.includes('post')) rounds = new Map([...rounds, ...(await measurePostCustomers(stage, effort))])
  if (parts.includes('get')) rounds = new Map([...rounds, ...(await measureGetEvent(stage, effort))])
  const payments = parts.includes('payments') ? await measurePayments(stage, effort) : null
  if (payments !== null) rounds = new Map([...rounds, ...payments.rounds])
  if (parts.includes('work')) rounds = new Map([...rounds, ...(await measureWork(stage, effort))])
  const startUp = parts.includes('start') ? await measureStartUp(stage, effort) : null
  console.log(`\n${ratesTable(rounds)}\n\n${ratiosTable(rounds)}\n`)
  if (payments !== null) console.log(`${paymentsTable(payments)}\n`)
  if (startUp !== null) console.log(`${startUpTable(startUp)}\n`)
  const load = { before: loadBefore, after: loadAverage() }
  console.log(
    `Took ${Math.round((performance.now() - startedMs) / 1000)} s. Load of the machine before: ${load.before}, after: ${load.after}.`,
  )
  const latest = {
    ...{ effort, load, rounds: Object.fromEntries(rounds), ratios: ratiosOf(rounds), startUp },
    payments: payments === null ? null : { latency: payments.latency, commits: payments.commits },
  }
  writeFileSync(`${folder}/bench-latest.json`, `${JSON.stringify(latest, null, 2)}\n`)
} finally {
  await stage.clear()
}
if (profileFolder !== null) console.log(describeProfiles(profileFolder))
