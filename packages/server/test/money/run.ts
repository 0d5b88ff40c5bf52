// npm run test:money -- [--kind payments|billing] [--sequences 2000] [--seed 7] [--workers 2] [--concurrency 8]
// [--shards 1] [--only INDEX] [--mutants [--mutant NAME] [--keep-constraints]]: runs random scenarios, or checks that
// they detect removed guards. With --keep-constraints only code is removed, and the database must refuse the commit. With
// --shards 2, the workspaces are on two shards, and the control plane is a third database.

import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { failureReport, reproduceCommand } from './failure-report.ts'
import { openHarness } from './harness.ts'
import { addCounts, formatCounts } from './kind-counts.ts'
import { runMutants } from './mutants/run.ts'
import type { BatchResult, ScenarioBatch } from './scenario-batch.ts'
import { runBatch } from './scenario-batch.ts'
import { generateScenario, type Kind, kinds, runScenario } from './scenario-kinds.ts'
import { startTemporaryPostgres, type TemporaryPostgres } from './temporary-postgres.ts'
import { openTestInstallation } from './test-installation.ts'
import { startWorkers } from './worker-pool.ts'

const { values } = parseArgs({
  options: {
    kind: { type: 'string' },
    sequences: { type: 'string', default: '2000' },
    seed: { type: 'string' },
    workers: { type: 'string', default: String(Math.min(2, availableParallelism())) },
    concurrency: { type: 'string', default: '8' },
    shards: { type: 'string', default: '1' },
    only: { type: 'string' },
    mutants: { type: 'boolean', default: false },
    mutant: { type: 'string' },
    'keep-constraints': { type: 'boolean', default: false },
  },
})
const seed = values.seed === undefined ? Math.floor(Math.random() * 1e9) : Number(values.seed)
/** Without --kind, all kinds run one after another, each with the number of sequences in --sequences. */
const selectedKinds = kinds.filter((kind) => values.kind === undefined || values.kind === kind)
if (selectedKinds.length === 0) throw new Error(`--kind must be one of ${kinds.join(', ')}.`)
const sequences = Number(values.sequences)
const harnesses = Number(values.concurrency)
const shards = Number(values.shards)

async function runMany(temporaryPostgres: TemporaryPostgres, kind: Kind): Promise<boolean> {
  const workers = Number(values.workers)
  console.log(
    `${sequences} sequences about ${kind} of seed ${seed}, ${workers} processes with ${harnesses} harnesses each`,
  )
  const batches: ScenarioBatch[] = []
  for (let from = 0; from < workers; from += 1)
    batches.push({
      ...(await temporaryPostgres.newDatabases(shards)),
      kind,
      seed,
      from,
      harnesses,
      shrinks: true,
      step: workers,
      until: sequences,
    })
  const startedMs = performance.now()
  const pool = startWorkers(batches)
  const rate = () => {
    const seconds = (performance.now() - startedMs) / 1000
    return `${pool.finished()} finished in ${seconds.toFixed(0)} s, ${(pool.finished() / seconds).toFixed(1)} per second`
  }
  const timer = setInterval(() => console.log(rate()), 10_000)
  const results = await pool.results
  clearInterval(timer)
  console.log(rate())
  const failure = results.find((result) => result.failure !== null)?.failure ?? null
  if (failure === null) {
    console.log(formatCounts(results.map(({ counts }) => counts).reduce(addCounts, {})))
    if (shards > 1) console.log(formatShards(results))
    console.log('No violations found.')
    return true
  }
  console.log(
    `\n${failureReport(failure)}\n\nReproduce with: ${reproduceCommand({ kind, seed, index: failure.index, shards })}`,
  )
  return false
}

function formatShards(results: readonly BatchResult[]): string {
  const counts = new Map<string, number>()
  for (const { scenariosByShard } of results)
    for (const [shard, count] of Object.entries(scenariosByShard))
      counts.set(shard, (counts.get(shard) ?? 0) + count)
  return [...counts].map(([shard, count]) => `${shard}: ${count} sequences`).join(', ')
}

/** Runs and prints one scenario, and shrinks it if it fails. */
async function runOne(temporaryPostgres: TemporaryPostgres, kind: Kind, index: number): Promise<boolean> {
  const databases = await temporaryPostgres.newDatabases(shards)
  const installation = await openTestInstallation(databases)
  const harness = await openHarness(installation)
  const scenario = generateScenario(kind, seed, index)
  const result = await runScenario(harness, scenario)
  await harness.close()
  await installation.close()
  console.log(failureReport({ scenario, result, failsEachTime: true }))
  if (result.violations.length === 0) {
    console.log('No violations found.')
    return true
  }
  const only = { from: index, step: 1, until: index + 1 }
  const { failure } = await runBatch({ ...databases, kind, seed, ...only, harnesses: 1, shrinks: true })
  if (failure !== null) console.log(`\nShrunk:\n${failureReport(failure)}`)
  return false
}

async function runSelected(temporaryPostgres: TemporaryPostgres): Promise<boolean> {
  for (const kind of selectedKinds) {
    const hasPassed =
      values.only === undefined
        ? await runMany(temporaryPostgres, kind)
        : await runOne(temporaryPostgres, kind, Number(values.only))
    if (!hasPassed) return false
  }
  return true
}

const temporaryPostgres = await startTemporaryPostgres()
// Clean up when the run is interrupted.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => temporaryPostgres.stop().finally(() => process.exit(130)))
try {
  const hasPassed = values.mutants
    ? await runMutants(temporaryPostgres, {
        kinds: selectedKinds,
        seed,
        sequences,
        harnesses,
        only: values.mutant ?? null,
        keepsConstraints: values['keep-constraints'],
      })
    : await runSelected(temporaryPostgres)
  process.exitCode = hasPassed ? 0 : 1
} finally {
  await temporaryPostgres.stop()
}
