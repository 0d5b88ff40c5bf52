/**
 * A process is ready if it can serve a workspace: at least one shard is reachable, and the process knows which workspaces
 * are on it. Without NATS it is slower, but ready.
 */
import type { Switchyard } from './compose.ts'
import { machineTime } from './kernel/clock.ts'
import { allDatabases, type Databases, type Shard } from './platform/db/databases.ts'
import type { ServerStatus } from './platform/db/server-status.ts'
import { withTimeout } from './platform/engine/cancellable-sleep.ts'
import type { Readiness } from './platform/http/ops.ts'
import type { Metrics } from './platform/metrics.ts'
import { type Repetition, repeat } from './platform/repeat.ts'

/** Ids contain the time of this machine: with a larger skew, rows would be stored in the wrong partitions. */
const toleratedSkewMs = 2_000
/** A shard that does not respond must not delay the response longer than a probe waits. */
const maxWaitMs = 2_000

export async function readinessOf(switchyard: Switchyard): Promise<Readiness> {
  const { deps, engine, config } = switchyard
  if (switchyard.isDraining()) return { ready: false, notes: ['The process is shutting down.'] }

  const { ready, notes } = await examineAll(deps.databases)
  if (!ready) return { ready, notes }
  const readOnly = allDatabases(deps.databases)
    .filter((database) => database.isReadOnly())
    .map(
      ({ name }) =>
        `${nameIn(deps.databases, name)}No standby confirms commits: writes are refused, reads work.`,
    )
  return { ready, notes: [...notes, ...readOnly, ...notesOfNats(engine, config)] }
}

async function examineAll(databases: Databases): Promise<Readiness> {
  const all = allDatabases(databases)
  const [first] = all
  if (all.length === 1) {
    const fault = await findFault(first as Shard)
    return { ready: fault === null, notes: fault === null ? [] : [fault] }
  }
  const faults = await Promise.all(
    all.map(async (database) => {
      const fault = await withTimeout(maxWaitMs, findFault(database), doesNotRespond)
      return { database, fault }
    }),
  )
  const isServed = faults.some(({ database, fault }) => fault === null && databases.shards.includes(database))
  const notes = faults.flatMap(({ database: { name }, fault }) =>
    fault === null ? [] : [`${name}: ${fault}`],
  )
  if (databases.hasMap()) return { ready: isServed, notes }
  return { ready: false, notes: [...notes, 'The map of the shards has not been read yet.'] }
}

const nameIn = ({ shards }: Databases, name: string) => (shards.length > 1 ? `${name}: ` : '')

const doesNotRespond = 'Postgres does not respond, or is not migrated. See the log.'

/** Why the database cannot be used; null if it can. */
async function findFault(database: Shard): Promise<string | null> {
  const examined = await examine(database).catch(() => null)
  if (examined === null) return doesNotRespond
  if (examined.isStandby) return 'The database is a standby: its URL must point to the primary.'
  if (Math.abs(examined.skewMs) <= toleratedSkewMs) return null
  return `The clock of this machine differs from the database clock by ${Math.round(examined.skewMs)} ms. Synchronize both with NTP.`
}

function notesOfNats(
  engine: Switchyard['engine'],
  { natsUrl }: Pick<Switchyard['config'], 'natsUrl'>,
): readonly string[] {
  if (natsUrl === null) return ['NATS_URL is not set: one process does all background work.']
  const unavailableMs = engine.unavailableForMs()
  if (unavailableMs === 0) return []
  return [
    `NATS has been unreachable for ${Math.round(unavailableMs / 1000)} s. Work continues, but more slowly.`,
  ]
}

const checkIntervalMs = 10_000

/** Updates the metrics independently of requests, so that they are correct even if /readyz is never called. */
export function watchDatabases({ deps, metrics, log }: Switchyard): Repetition {
  const checks = allDatabases(deps.databases).map((database) =>
    repeat({
      everyMs: checkIntervalMs,
      run: () => checkDatabase(metrics, database),
      onError: (error) =>
        log.warn('Postgres does not respond. The check will be repeated.', { shard: database.name, error }),
    }),
  )
  return {
    stop: async () => {
      await Promise.all(checks.map((check) => check.stop()))
    },
  }
}

async function checkDatabase(metrics: Metrics, database: Shard): Promise<void> {
  const reading = database.status()
  const shard = database.name
  metrics.databaseReachable.set(
    { shard },
    await reading.then(
      () => 1,
      () => 0,
    ),
  )
  recordStatus(metrics, shard, await reading)
}

function recordStatus(metrics: Metrics, shard: string, { standbys, ...status }: ServerStatus): void {
  metrics.databaseIsStandby.set({ shard }, status.isStandby ? 1 : 0)
  metrics.databaseIsSynchronous.set({ shard }, status.isSynchronous ? 1 : 0)
  metrics.databaseCommitsWaiting.set({ shard }, status.waitingCommits)
  metrics.databaseLagBytes.set({ shard }, Math.max(0, ...standbys.map(({ lagBytes }) => lagBytes ?? 0)))
  metrics.databaseLagSeconds.set({ shard }, Math.max(0, ...standbys.map(({ lagSeconds }) => lagSeconds ?? 0)))
  for (const state of ['sync', 'quorum', 'potential', 'async', 'unknown']) {
    const inState = standbys.filter(({ syncState }) => (syncState ?? 'unknown') === state)
    metrics.databaseStandbys.set({ shard, state }, inState.length)
  }
}

async function examine(database: Shard) {
  const before = machineTime().getTime()
  const { now, isStandby } = await database.status()
  const after = machineTime().getTime()
  return { skewMs: (before + after) / 2 - now.getTime(), isStandby }
}
