/** A process is ready if Postgres is reachable. Without NATS it is slower, but ready. */
import type { Switchyard } from './compose.ts'
import { machineTime } from './kernel/clock.ts'
import type { Readiness } from './platform/http/ops.ts'
import { type Repetition, repeat } from './platform/repeat.ts'

/** Ids contain the time of this machine: with a larger skew they would be stored in the wrong partitions. */
const toleratedSkewMs = 2_000

export async function readinessOf(switchyard: Switchyard): Promise<Readiness> {
  const { deps, engine, config } = switchyard
  if (switchyard.isDraining()) return { ready: false, notes: ['The process is shutting down.'] }

  const skewMs = await measureSkew(deps.databases).catch(() => null)
  if (skewMs === null)
    return { ready: false, notes: ['Postgres does not respond, or is not migrated. See the log.'] }
  if (Math.abs(skewMs) > toleratedSkewMs) {
    return {
      ready: false,
      notes: [
        `The clock of this machine differs from the database clock by ${Math.round(skewMs)} ms. Synchronize both with NTP.`,
      ],
    }
  }
  if (config.natsUrl === null)
    return { ready: true, notes: ['NATS_URL is not set: one process does all background work.'] }
  const unavailableMs = engine.unavailableForMs()
  const notes =
    unavailableMs > 0
      ? [
          `NATS has been unreachable for ${Math.round(unavailableMs / 1000)} s. Work continues, but more slowly.`,
        ]
      : []
  return { ready: true, notes }
}

const checkIntervalMs = 10_000

/** Updates the metric independently of requests, so that it is correct even if /readyz is never called. */
export function watchDatabase({ deps, metrics, log }: Switchyard): Repetition {
  return repeat({
    everyMs: checkIntervalMs,
    run: async () => {
      const response = deps.databases.control.time()
      metrics.databaseReachable.set(
        await response.then(
          () => 1,
          () => 0,
        ),
      )
      await response
    },
    onError: (error) => log.warn('Postgres does not respond. The check will be repeated.', { error }),
  })
}

async function measureSkew(databases: Switchyard['deps']['databases']): Promise<number> {
  const before = machineTime().getTime()
  const now = await databases.control.time()
  const after = machineTime().getTime()
  return (before + after) / 2 - now.getTime()
}
