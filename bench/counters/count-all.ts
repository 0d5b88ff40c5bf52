/** Counts every operation and checks every query plan, in a separate database. */
import { setTimeout as sleep } from 'node:timers/promises'
import { asOwner } from '../../packages/server/src/platform/db/owner.ts'
import type { TemporaryPostgres } from '../temporary-postgres.ts'
import { type Counted, type Meter, openMeter } from './meter.ts'
import { countedOperations, type Operation } from './operations.ts'
import { paymentOperations } from './payments.ts'
import { endOfLog, explainEverything, explainSettings, problemsOf, readPlans } from './query-plans.ts'
import { type Seeded, seed } from './seed.ts'

export type Counts = ReadonlyMap<string, Counted>

const repeats = 200
/** Postgres can switch a prepared statement to a generic plan from the sixth execution on, per connection. */
const warmUpRuns = 24
const countedRows = 10_000

/** Postgres settings without background activity and without effects of checkpoints on WAL. */
export const quietSettings = {
  ...explainSettings,
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  checkpoint_timeout: '1h',
  max_wal_size: '4GB',
  shared_buffers: '256MB',
  jit: 'off',
}

export async function countAll({ url }: TemporaryPostgres): Promise<Counts> {
  const seeded = await seed(url, countedRows)
  const meter = await openMeter(url)
  const counts = new Map<string, Counted>()
  try {
    const count = async (operation: Operation) => counts.set(operation.name, await countOne(meter, operation))
    for (const operation of countedOperations(seeded)) await count(operation)
    counts.set('request log, 100 lines', await countRequestLog(meter, seeded))
    for (const operation of paymentOperations(seeded)) await count(operation)
    return counts
  } finally {
    await meter.close()
    await seeded.close()
  }
}

export async function countOne(meter: Meter, { prepare, run }: Operation, times = repeats): Promise<Counted> {
  await prepare?.(warmUpRuns + times)
  for (let nth = 0; nth < warmUpRuns; nth += 1) await run(nth)
  return meter.count(times, async () => {
    for (let nth = warmUpRuns; nth < warmUpRuns + times; nth += 1) await run(nth)
  })
}

/** Two batches of a hundred entries, as a busy server writes them. */
async function countRequestLog(meter: Meter, { api }: Seeded): Promise<Counted> {
  const entries = api.takeLogEntries().slice(-300)
  await api.writeLogEntries(entries.slice(0, 100))
  return meter.count(2, () => api.writeLogEntries(entries.slice(100)))
}

/** Problems in the query plans of each operation, in a workspace with many rows. */
export async function findPlanProblems(
  { url, logFile }: TemporaryPostgres,
  rows: number,
): Promise<ReadonlyMap<string, readonly string[]>> {
  await asOwner(url, (client) => client.query(explainEverything))
  const seeded = await seed(url, rows)
  const problems = new Map<string, readonly string[]>()
  try {
    for (const { name, prepare, run } of [...countedOperations(seeded), ...paymentOperations(seeded)]) {
      await prepare?.(warmUpRuns)
      const from = endOfLog(logFile)
      for (let nth = 0; nth < warmUpRuns; nth += 1) await run(nth)
      // Postgres logs the plan of the last statement after it has sent the result.
      await sleep(100)
      const plans = readPlans(logFile, from)
      problems.set(name, [...new Set(plans.flatMap(problemsOf))])
    }
    return problems
  } finally {
    await seeded.close()
  }
}
