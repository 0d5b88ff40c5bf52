/**
 * Exports the backlog metrics of all workspaces: a small query for each kind every half minute, only by the process
 * that runs the reconciler. Other processes export no values, so that outdated values are never mixed with
 * current ones.
 */
import type { Deps } from '../../../../deps.ts'
import { machineTime, monotonicMs } from '../../../../kernel/clock.ts'
import type { Mode } from '../../../../kernel/id.ts'
import type { LeaderTask } from '../../../../platform/engine/engine.ts'
import type { Metrics } from '../../../../platform/metrics.ts'
import { type BacklogKind, backlogKinds, maxCounted } from '../backlog.ts'
import { type BacklogCount, countWaiting } from '../store/backlog.ts'

const intervalMs = 30_000
const modes: readonly Mode[] = ['live', 'test']

type BacklogMetrics = Pick<Metrics, 'backlog' | 'backlogOldestSeconds' | 'backlogLookedAt'>

export function watchBacklog(deps: Deps, metrics: BacklogMetrics): LeaderTask {
  let nextMs = 0
  let running: Promise<void> | null = null
  // Incremented each time the values are reset, so that a query that started before does not set them again.
  let generation = 0

  const count = async () => {
    const startGeneration = generation
    await countBacklog(deps).then(
      (counted) => {
        if (generation === startGeneration) setBacklogMetrics(metrics, counted)
      },
      (error) => deps.log.warn('The backlog could not be counted. It will be retried.', { error }),
    )
    running = null
  }

  return {
    runIfDue() {
      if (running !== null || monotonicMs() < nextMs) return
      nextMs = monotonicMs() + intervalMs
      running = count()
    },
    resetMetrics() {
      nextMs = 0
      generation += 1
      for (const gauge of [metrics.backlog, metrics.backlogOldestSeconds, metrics.backlogLookedAt])
        gauge.reset()
    },
    stop: async () => {
      await running
    },
  }
}

export async function updateBacklogMetrics(deps: Deps, metrics: BacklogMetrics): Promise<void> {
  setBacklogMetrics(metrics, await countBacklog(deps))
}

type CountedBacklog = readonly { readonly kind: BacklogKind; readonly counts: readonly BacklogCount[] }[]

async function countBacklog(deps: Deps): Promise<CountedBacklog> {
  const now = deps.clock.read()
  const counted = []
  for (const kind of backlogKinds) {
    const perShard = await Promise.all(
      deps.databases.shards.map((shard) =>
        shard.as('switchyard_due', (db) => countWaiting(db, kind, now, maxCounted)),
      ),
    )
    counted.push({ kind, counts: perShard.flat() })
  }
  return counted
}

function setBacklogMetrics(metrics: BacklogMetrics, counted: CountedBacklog): void {
  for (const { kind, counts } of counted)
    for (const mode of modes) {
      const ofMode = counts.filter((entry) => entry.mode === mode)
      metrics.backlog.set({ mode, kind }, sumOf(ofMode))
      metrics.backlogOldestSeconds.set(
        { mode, kind },
        Math.max(0, ...ofMode.map((entry) => entry.oldestSeconds)),
      )
    }
  metrics.backlogLookedAt.set(machineTime().getTime() / 1000)
}

const sumOf = (counts: readonly BacklogCount[]) => counts.reduce((sum, { count }) => sum + count, 0)
