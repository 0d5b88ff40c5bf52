/** Ready means Postgres. NATS away is slower, not down. */
import type { Switchyard } from './compose.ts'
import { machineTime } from './kernel/clock.ts'
import type { Readiness } from './platform/http/ops.ts'
import { type Repetition, repeat } from './platform/repeat.ts'

/** Ids carry our time: beyond this they would land in partitions that are not theirs. */
const toleratedSkewMs = 2_000

export async function readinessOf(switchyard: Switchyard): Promise<Readiness> {
  const { deps, engine, config } = switchyard
  if (switchyard.isDraining()) return { ready: false, notes: ['The process is about to stop.'] }

  const skewMs = await measureSkew(deps.databases).catch(() => null)
  if (skewMs === null)
    return { ready: false, notes: ['Postgres does not answer, or is not migrated. See the log.'] }
  if (Math.abs(skewMs) > toleratedSkewMs) {
    return {
      ready: false,
      notes: [`The clock of this machine is ${Math.round(skewMs)} ms off the database's. Set it right.`],
    }
  }
  if (config.natsUrl === null)
    return { ready: true, notes: ['NATS_URL is not set: work is done by one process alone.'] }
  const awayMs = engine.awayForMs()
  const notes =
    awayMs > 0 ? [`NATS has been away for ${Math.round(awayMs / 1000)} s. Work goes on, more slowly.`] : []
  return { ready: true, notes }
}

const lookEveryMs = 10_000

/** A look of its own: where nobody asks for /readyz, or no request arrives because of it, the figure is as true. */
export function watchDatabase({ deps, metrics, log }: Switchyard): Repetition {
  return repeat({
    everyMs: lookEveryMs,
    run: async () => {
      const answered = deps.databases.control.time()
      metrics.databaseReachable.set(
        await answered.then(
          () => 1,
          () => 0,
        ),
      )
      await answered
    },
    onError: (error) => log.warn('Postgres does not answer. It is asked again soon.', { error }),
  })
}

async function measureSkew(databases: Switchyard['deps']['databases']): Promise<number> {
  const before = machineTime().getTime()
  const now = await databases.control.time()
  const after = machineTime().getTime()
  return (before + after) / 2 - now.getTime()
}
