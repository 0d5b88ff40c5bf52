/**
 * Hourly maintenance jobs, run by the process that runs the reconciler: create partitions ahead, drop old partitions,
 * report rows in default partitions, destroy expired CVC keys, and delete old work failures, e-mails, counters of
 * failed sign-ins, responses of the control plane, and organizations that were not created completely.
 */
import { machineTime, monotonicMs } from '../../kernel/clock.ts'
import { deleteOldControlKeys } from '../db/control-unit.ts'
import { destroyOldCvcKeys } from '../db/cvc-keys.ts'
import type { Shard } from '../db/databases.ts'
import { partitionFacts } from '../db/inspect.ts'
import { deleteOldMails } from '../db/mail-retention.ts'
import { asOwner } from '../db/owner.ts'
import { dropOldPartitions, ensurePartitions, findStrayRows, partitionedTables } from '../db/partitions.ts'
import { deleteOldSignInAttempts } from '../db/sign-in-tries.ts'
import { deleteUnfinishedOrganizations } from '../db/unfinished-organizations.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { deleteOldFailures } from './parking.ts'

const intervalMs = 60 * 60 * 1000
/** The delay after a failure: a lock may soon be released, and an unavailable database may soon be back. */
const retryDelayMs = 5 * 60 * 1000

type Options = {
  readonly shard: Shard
  /** Partitions belong to the owner of the tables, so these jobs use their own connection. */
  readonly databaseUrl: string
  readonly log: Log
  readonly metrics: Pick<Metrics, 'strayRows' | 'partitionsMissing' | 'maintenanceDoneAt'>
}

export type Maintenance = {
  /** Starts the jobs if they are due. Returns immediately. */
  runIfDue(): void
  /**
   * Call this when another process may take over: otherwise the last values of this process would be exported
   * forever in addition to those of the new leader.
   */
  resetMetrics(): void
  stop(): Promise<void>
}

export function createMaintenance(options: Options): Maintenance {
  let nextMs = 0
  let running: Promise<void> | null = null
  let wasReset = false

  const resetMetrics = () => {
    wasReset = true
    // If this process becomes the leader again soon, it reports immediately and not after an hour.
    nextMs = 0
    const { metrics, shard } = options
    for (const { table } of partitionedTables) metrics.strayRows.remove({ shard: shard.name, table })
    for (const stretch of ['now', 'next']) metrics.partitionsMissing.remove({ shard: shard.name, stretch })
  }
  const run = async () => {
    wasReset = false
    const succeeded = await runMaintenance(options).then(
      () => true,
      (error) => {
        options.log.error('Maintenance failed. It will be retried.', { shard: options.shard.name, error })
        return false
      },
    )
    running = null
    nextMs = monotonicMs() + (succeeded ? intervalMs : retryDelayMs)
    // Another process took over during the run, so the values reported by this run are removed.
    if (wasReset) resetMetrics()
  }

  return {
    runIfDue() {
      if (running === null && monotonicMs() >= nextMs) running = run()
    },
    resetMetrics,
    stop: async () => {
      await running
    },
  }
}

export async function runMaintenance({ shard, databaseUrl, log, metrics }: Options): Promise<void> {
  await asOwner(databaseUrl, async (client) => {
    const statement = (text: string) => client.query(text)
    // This is done first, so that operators are warned even if the rest fails.
    for (const { table, strays } of await findStrayRows(statement)) {
      metrics.strayRows.set({ shard: shard.name, table }, strays ? 1 : 0)
      if (strays)
        log.warn('A default partition contains rows. Check the clocks.', { shard: shard.name, table })
    }
    const { rows } = await client.query<{ now: Date }>('select now() as now')
    const { now } = rows[0] as { now: Date }
    const logNames = (message: string, names: readonly string[]) => {
      if (names.length > 0) log.info(message, { names })
    }
    logNames('CVC encryption keys were destroyed.', await destroyOldCvcKeys(statement, now))
    logNames('Partitions were created.', await ensurePartitions(statement, now))
    logNames('Partitions were dropped.', await dropOldPartitions(statement, now))
    await deleteOldSignInAttempts(statement)
    await deleteOldControlKeys(statement)
    await deleteUnfinishedOrganizations(statement)
    const { missingNow, missingNext } = await partitionFacts(client)
    metrics.partitionsMissing.set({ shard: shard.name, stretch: 'now' }, missingNow.length)
    metrics.partitionsMissing.set({ shard: shard.name, stretch: 'next' }, missingNext.length)
  })
  await deleteOldFailures(shard)
  await deleteOldMails(shard)
  metrics.maintenanceDoneAt.set({ shard: shard.name }, machineTime().getTime() / 1000)
}
