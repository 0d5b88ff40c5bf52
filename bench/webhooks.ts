// `npm run bench:webhooks`: measures the throughput of webhooks as ratios to bare baselines in the same run, the latency
// after the commit, the effect of failing receivers on healthy ones, and that all webhooks arrive. `--short` for a short
// run, `--only throughput,statements,latency,isolation,volume` for a part, `--events` for the volume, `--profile` to see
// where workers spend their time. The results are written to .switchyard/bench-webhooks-latest.json.

import { mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { loadAverage } from './ratios/processor.ts'
import { describeProfiles } from './ratios/profile.ts'
import { ratesTable } from './ratios/report.ts'
import { fullEffort, shortEffort } from './webhooks/effort.ts'
import { startEnvironment } from './webhooks/environment.ts'
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
const defaultEffort = values.short ? shortEffort : fullEffort
const effort = { ...defaultEffort, volumeEvents: Number(values.events ?? defaultEffort.volumeEvents) }
const parts = values.only.split(',')
const folder = resolve(import.meta.dirname, '../.switchyard')
mkdirSync(folder, { recursive: true })

const loadBefore = loadAverage()
const startedMs = performance.now()
const profileFolder = values.profile ? `${folder}/profile-${process.pid}` : null
const bench = await startEnvironment(profileFolder)
try {
  const throughput = parts.includes('throughput') ? await measureThroughput(bench, effort) : null
  if (throughput !== null) print(`${ratesTable(throughput.rounds)}\n\n${ratiosTable(throughput.rounds)}`)
  const oneAtATime = parts.includes('statements') ? await countOneAtATime(bench, effort) : null
  const underLoad = throughput?.statements ?? null
  if (oneAtATime !== null || underLoad !== null) print(statementsTable(oneAtATime, underLoad))
  const latency = parts.includes('latency') ? await measureLatency(bench, effort) : null
  if (latency !== null) print(latencyTable(latency))
  const isolation = parts.includes('isolation') ? await measureIsolation(bench, effort) : null
  if (isolation !== null) print(isolationTable(isolation))
  const volume = parts.includes('volume') ? await measureVolume(bench, effort) : null
  if (volume !== null) print(volumeTable(volume))

  const load = { before: loadBefore, after: loadAverage() }
  const seconds = Math.round((performance.now() - startedMs) / 1000)
  print(`Took ${seconds} s. System load before: ${load.before}, after: ${load.after}.`)
  const rounds = throughput === null ? null : Object.fromEntries(throughput.rounds)
  const ratios = throughput === null ? null : ratiosOf(throughput.rounds)
  const latest = { effort, load, rounds, ratios, underLoad, oneAtATime, latency, isolation, volume }
  writeFileSync(`${folder}/bench-webhooks-latest.json`, `${JSON.stringify(latest, null, 2)}\n`)
} finally {
  await bench.clear()
}
if (profileFolder !== null) print(describeProfiles(profileFolder))

function print(text: string): void {
  console.log(`\n${text}`)
}
