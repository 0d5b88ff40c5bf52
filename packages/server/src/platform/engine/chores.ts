/**
 * What has to be done by the hour, by the process that reconciles: partitions are made ahead and dropped when
 * they are old, rows that found none are reported, keys of security codes are destroyed, and failures nobody
 * cares about any more are forgotten.
 */
import { machineTime, monotonicMs } from '../../kernel/clock.ts'
import { destroyOldCodeKeys } from '../db/code-keys.ts'
import type { Shard } from '../db/databases.ts'
import { partitionFacts } from '../db/inspect.ts'
import { asOwner } from '../db/owner.ts'
import { countStrays, dropOldPartitions, ensurePartitions } from '../db/partitions.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { forgetOldFailures } from './parking.ts'

const everyMs = 60 * 60 * 1000
/** After a failure: a lock that was taken or a database that was away may be free again soon. */
const againMs = 5 * 60 * 1000

type Options = {
  readonly shard: Shard
  /** Partitions belong to the owner of the tables, so chores log in by themselves. */
  readonly databaseUrl: string
  readonly log: Log
  readonly metrics: Pick<Metrics, 'strayRows' | 'partitionsMissing' | 'choresDoneAt'>
}

export type Chores = {
  /** Starts them if it is time. Returns at once. */
  runIfDue(): void
  /** Another process may do them from now on: what was found here would stand beside what it finds, for ever. */
  forget(): void
  stop(): Promise<void>
}

export function createChores(options: Options): Chores {
  let nextMs = 0
  let running: Promise<void> | null = null
  let isForgotten = false

  const forget = () => {
    isForgotten = true
    // Whoever leads again soon tells of them at once, not in an hour.
    nextMs = 0
    options.metrics.strayRows.reset()
    options.metrics.partitionsMissing.reset()
  }
  const run = async () => {
    isForgotten = false
    const done = await runChores(options).then(
      () => true,
      (error) => {
        options.log.error('Chores failed. They run again soon.', { shard: options.shard.name, error })
        return false
      },
    )
    running = null
    nextMs = monotonicMs() + (done ? everyMs : againMs)
    // Somebody else took over while they ran, and what they found has been told meanwhile.
    if (isForgotten) forget()
  }

  return {
    runIfDue() {
      if (running === null && monotonicMs() >= nextMs) running = run()
    },
    forget,
    stop: async () => {
      await running
    },
  }
}

export async function runChores({ shard, databaseUrl, log, metrics }: Options): Promise<void> {
  await asOwner(databaseUrl, async (client) => {
    const statement = (text: string) => client.query(text)
    // First, so that an operator hears of it also when the rest fails.
    for (const { table, strays } of await countStrays(statement)) {
      metrics.strayRows.set({ table }, strays ? 1 : 0)
      if (strays) log.warn('Rows lie outside of every partition. Is a clock wrong?', { table })
    }
    const { rows } = await client.query<{ now: Date }>('select now() as now')
    const { now } = rows[0] as { now: Date }
    const note = (message: string, names: readonly string[]) => {
      if (names.length > 0) log.info(message, { names })
    }
    note('Keys of security codes were destroyed.', await destroyOldCodeKeys(statement, now))
    note('Partitions were made.', await ensurePartitions(statement, now))
    note('Partitions were dropped.', await dropOldPartitions(statement, now))
    const { missingNow, missingNext } = await partitionFacts(client)
    metrics.partitionsMissing.set({ stretch: 'now' }, missingNow.length)
    metrics.partitionsMissing.set({ stretch: 'next' }, missingNext.length)
  })
  await forgetOldFailures(shard)
  metrics.choresDoneAt.set(machineTime().getTime() / 1000)
}
