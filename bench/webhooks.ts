// `npm run bench:webhooks`: how fast webhooks leave, as ratios to bare baselines in the same run; how soon after
// the commit; what ill receivers cost healthy ones; and whether all of them arrive. `--short` for a quick look,
// `--only throughput,statements,latency,isolation,volume` for a part, `--events` for the volume, `--profile` to see
// where workers spend their time. The figures lie in .switchyard/bench-webhooks-latest.json afterwards.

import { mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { loadAverage } from './ratios/processor.ts'
import { describeProfiles } from './ratios/profile.ts'
import { ratesTable } from './ratios/report.ts'
import { fullEffort, shortEffort } from './webhooks/effort.ts'
import { measureIsolation } from './webhooks/isolation.ts'
import { measureLatency } from './webhooks/latency.ts'
import {
  isolationTable,
  latencyTable,
  ratiosOf,
  ratiosTable,
  statementsTable,
  volumeTable,
} from './webhooks/report.ts'
import { setStage } from './webhooks/stage.ts'
import { countOneAtATime } from './webhooks/statements.ts'
import { measureThroughput } from './webhooks/throughput.ts'
import { measureVolume } from './webhooks/volume.ts'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', default: 'throughput,statements,latency,isolation,volume' },
    events: { type: 'string' },
    profile: { type: 'boolean', default: false },
  },
})
const usual = values.short ? shortEffort : fullEffort
const effort = { ...usual, volumeEvents: Number(values.events ?? usual.volumeEvents) }
const parts = values.only.split(',')
const folder = resolve(import.meta.dirname, '../.switchyard')
mkdirSync(folder, { recursive: true })

const loadBefore = loadAverage()
const startedMs = performance.now()
const profileFolder = values.profile ? `${folder}/profile-${process.pid}` : null
const stage = await setStage(profileFolder)
try {
  const throughput = parts.includes('throughput') ? await measureThroughput(stage, effort) : null
  if (throughput !== null) say(`${ratesTable(throughput.rounds)}\n\n${ratiosTable(throughput.rounds)}`)
  const counting = parts.includes('statements') ? await countOneAtATime(stage, effort) : null
  const underLoad = throughput?.statements ?? null
  if (counting !== null || underLoad !== null) say(statementsTable(counting, underLoad))
  const latency = parts.includes('latency') ? await measureLatency(stage, effort) : null
  if (latency !== null) say(latencyTable(latency))
  const isolation = parts.includes('isolation') ? await measureIsolation(stage, effort) : null
  if (isolation !== null) say(isolationTable(isolation))
  const volume = parts.includes('volume') ? await measureVolume(stage, effort) : null
  if (volume !== null) say(volumeTable(volume))

  const load = { before: loadBefore, after: loadAverage() }
  const seconds = Math.round((performance.now() - startedMs) / 1000)
  say(`Took ${seconds} s. Load of the machine before: ${load.before}, after: ${load.after}.`)
  const rounds = throughput === null ? null : Object.fromEntries(throughput.rounds)
  const ratios = throughput === null ? null : ratiosOf(throughput.rounds)
  const latest = { effort, load, rounds, ratios, underLoad, counting, latency, isolation, volume }
  writeFileSync(`${folder}/bench-webhooks-latest.json`, `${JSON.stringify(latest, null, 2)}\n`)
} finally {
  await stage.clear()
}
if (profileFolder !== null) say(describeProfiles(profileFolder))

function say(text: string): void {
  console.log(`\n${text}`)
}
