// npm run test:vaults -- [--sequences 2500] [--seed 1] [--workers 4]: pays with cards in simulated vaults that fail before,
// during and after they forward a call, four payments per sequence. Fails if a payment is charged twice, if a payment does
// not agree with the ledger of its provider, or if a card number is in the database or in the log. Each worker process has
// its own simulators, so that faults of one sequence do not affect another.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { mapConcurrently } from '../../src/platform/map-concurrently.ts'
import { startTemporaryPostgres } from '../money/temporary-postgres.ts'
import type { SequenceReport } from './faulted-sequences.ts'
import type { Batch } from './worker.ts'

const { values } = parseArgs({
  options: {
    sequences: { type: 'string', default: '250' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    workers: { type: 'string', default: '4' },
  },
})
const sequences = Number(values.sequences)
const seed = Number(values.seed)
const workers = Number(values.workers)
if (!Number.isSafeInteger(sequences) || sequences < 1)
  throw new Error('--sequences must be an integer of at least 1.')

/**
 * The more payments a batch has, the longer it takes to search its database for card numbers and to advance
 * its clock.
 */
const batchSize = Math.min(50, Math.ceil(sequences / workers))
const batches = Array.from({ length: Math.ceil(sequences / batchSize) }, (_, nth) => ({
  seed: seed + nth,
  sequences: Math.min(batchSize, sequences - nth * batchSize),
}))
const temporaryPostgres = await startTemporaryPostgres()
const children = Array.from({ length: workers }, () => fork(join(import.meta.dirname, 'worker.ts')))
const idle = children.map((child) => ({ child, exit: failOnExit(child) }))
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => temporaryPostgres.stop().finally(() => process.exit(130)))
const inReview: string[] = []
const failures: string[] = []
const counts = { payments: 0, succeeded: 0, failed: 0, vaultCalls: 0 }
let finished = 0
const startedMs = performance.now()
try {
  await mapConcurrently(workers, batches, async (batch) => {
    const worker = idle.pop() as Worker
    const report = await runIn(worker, { ...batch, databaseUrl: await temporaryPostgres.newDatabase() })
    idle.push(worker)
    inReview.push(...report.inReview)
    failures.push(...report.failures.map((failure) => `seed ${batch.seed}: ${failure}`))
    for (const name of ['payments', 'succeeded', 'failed', 'vaultCalls'] as const)
      counts[name] += report[name]
    finished += batch.sequences
    const seconds = Math.round((performance.now() - startedMs) / 1000)
    const totals = { ...counts, inReview: inReview.length, failures: failures.length }
    console.log(JSON.stringify({ seed, sequences: finished, ...totals, seconds }))
  })
  for (const [cause, count] of countBy(inReview)) console.log(`  in review ${count}: ${cause}`)
  for (const failure of failures.slice(0, 20)) console.log(`  ${failure}`)
  if (failures.length > 0) process.exitCode = 1
} finally {
  for (const child of children) child.kill()
  await temporaryPostgres.stop()
}

type Worker = { readonly child: ChildProcess; readonly exit: Promise<never> }

function failOnExit(child: ChildProcess): Promise<never> {
  const exit = once(child, 'exit').then(([code]): never => {
    throw new Error(`A worker process ended with ${code}.`)
  })
  // Workers are also killed when the run ends.
  exit.catch(() => {})
  return exit
}

async function runIn({ child, exit }: Worker, batch: Batch): Promise<SequenceReport> {
  child.send(batch)
  const [report] = await Promise.race([once(child, 'message') as Promise<[SequenceReport]>, exit])
  return report
}

/** The plans, reduced to the parts that matter for the cause, most frequent first. */
function countBy(plans: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const plan of plans) {
    const [vault = '', accounts = '', card = '', , faults = ''] = plan.split(', ')
    const cause = `${vault.split(' ')[0]}, first account ${accounts.split(' ')[0]}, card ${card}, first fault ${faults.split(' ')[0] || 'none'}`
    counts.set(cause, (counts.get(cause) ?? 0) + 1)
  }
  return [...counts].toSorted(([, a], [, b]) => b - a)
}
