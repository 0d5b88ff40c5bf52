/** Counts every operation, and looks at every plan, in a database that nobody else uses. */
import { asOwner } from '../../packages/server/src/platform/db/owner.ts'
import type { Throwaway } from '../throwaway.ts'
import { type Counted, type Meter, openMeter } from './meter.ts'
import { countedOperations, type Operation } from './operations.ts'
import { paymentOperations } from './payments.ts'
import { explainEverything, explainSettings, faultsOf, readPlans } from './plans.ts'
import { type Seeded, seed } from './seed.ts'

export type Counts = ReadonlyMap<string, Counted>

const repeats = 200
/** Postgres decides about the plan of a prepared statement with its sixth execution, on each connection. */
const warmUps = 24
const countedRows = 10_000

/** Nothing happens by itself, and what happens does not depend on when the last checkpoint was. */
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

export async function countAll({ url }: Throwaway): Promise<Counts> {
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
  await prepare?.(warmUps + times)
  for (let turn = 0; turn < warmUps; turn += 1) await run(turn)
  return meter.count(times, async () => {
    for (let turn = warmUps; turn < warmUps + times; turn += 1) await run(turn)
  })
}

/** Two batches of a hundred lines, as the server writes them when it is busy. */
async function countRequestLog(meter: Meter, { door }: Seeded): Promise<Counted> {
  const lines = door.takeLines().slice(-300)
  await door.writeLines(lines.slice(0, 100))
  return meter.count(2, () => door.writeLines(lines.slice(100)))
}

/** What is wrong with the plans of each operation, in a workspace with so many rows. */
export async function findFaults(
  { url, logFile }: Throwaway,
  rows: number,
): Promise<ReadonlyMap<string, readonly string[]>> {
  await asOwner(url, (client) => client.query(explainEverything))
  const seeded = await seed(url, rows)
  const faults = new Map<string, readonly string[]>()
  try {
    for (const { name, prepare, run } of [...countedOperations(seeded), ...paymentOperations(seeded)]) {
      await prepare?.(warmUps)
      const seen = readPlans(logFile).length
      for (let turn = 0; turn < warmUps; turn += 1) await run(turn)
      const plans = readPlans(logFile).slice(seen)
      faults.set(name, [...new Set(plans.flatMap(faultsOf))])
    }
    return faults
  } finally {
    await seeded.close()
  }
}
