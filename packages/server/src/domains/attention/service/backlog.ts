/**
 * Keeps the figures of what waits in all workspaces. Eight small queries every half minute, by the one process that
 * reconciles: the others show nothing, so that an old figure never stands beside a new one.
 */
import type { Deps } from '../../../deps.ts'
import { machineTime, monotonicMs } from '../../../kernel/clock.ts'
import type { Mode } from '../../../kernel/id.ts'
import type { LeaderWatch } from '../../../platform/engine/engine.ts'
import type { Metrics } from '../../../platform/metrics.ts'
import { type BacklogKind, backlogKinds, mostCounted } from '../backlog.ts'
import { findWaiting, type Waiting } from '../store/backlog.ts'

const everyMs = 30_000
const modes: readonly Mode[] = ['live', 'test']

type Figures = Pick<Metrics, 'backlog' | 'backlogOldestSeconds' | 'backlogLookedAt'>

export function watchBacklog(deps: Deps, figures: Figures): LeaderWatch {
  let nextMs = 0
  let looking: Promise<void> | null = null
  // One more each time the figures are given up, so that a look of before does not bring them back.
  let generation = 0

  const look = async () => {
    const begun = generation
    await countBacklog(deps).then(
      (counted) => {
        if (generation === begun) showBacklog(figures, counted)
      },
      (error) => deps.log.warn('The backlog could not be counted. It is tried again soon.', { error }),
    )
    looking = null
  }

  return {
    lookIfDue() {
      if (looking !== null || monotonicMs() < nextMs) return
      nextMs = monotonicMs() + everyMs
      looking = look()
    },
    forget() {
      nextMs = 0
      generation += 1
      for (const gauge of [figures.backlog, figures.backlogOldestSeconds, figures.backlogLookedAt])
        gauge.reset()
    },
    stop: async () => {
      await looking
    },
  }
}

export async function lookAtBacklog(deps: Deps, figures: Figures): Promise<void> {
  showBacklog(figures, await countBacklog(deps))
}

type Counted = readonly { readonly kind: BacklogKind; readonly waiting: readonly Waiting[] }[]

async function countBacklog(deps: Deps): Promise<Counted> {
  const now = deps.clock.read()
  const counted = []
  for (const kind of backlogKinds) {
    const found = await Promise.all(
      deps.databases.shards.map((shard) =>
        shard.as('switchyard_due', (db) => findWaiting(db, kind, now, mostCounted)),
      ),
    )
    counted.push({ kind, waiting: found.flat() })
  }
  return counted
}

function showBacklog(figures: Figures, counted: Counted): void {
  for (const { kind, waiting } of counted)
    for (const mode of modes) {
      const ofMode = waiting.filter((one) => one.mode === mode)
      figures.backlog.set({ mode, kind }, sumOf(ofMode))
      figures.backlogOldestSeconds.set({ mode, kind }, Math.max(0, ...ofMode.map((one) => one.oldestSeconds)))
    }
  figures.backlogLookedAt.set(machineTime().getTime() / 1000)
}

const sumOf = (waiting: readonly Waiting[]) => waiting.reduce((sum, { count }) => sum + count, 0)
