/**
 * Tasks of the process that runs the reconciler of a shard: they measure moves of workspaces at every pass. They do not depend
 * on the task that ends old fences, so that its failure is noticed.
 */
import type { Databases, Shard } from '../db/databases.ts'
import { measureMoves, oldestFenceSeconds } from '../db/moves/measure.ts'
import { moveStates } from '../db/moves/move.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { LeaderTask } from './engine.ts'

type MoveMetrics = Pick<
  Metrics,
  'moves' | 'moveUnchangedSeconds' | 'moveOldestSeconds' | 'fenceOldestSeconds'
>
type Tools = { readonly log: Log; readonly metrics: MoveMetrics }

/** The fences of one shard. */
export function watchFenceAges(shard: Shard, { log, metrics }: Tools): LeaderTask {
  return measureRepeatedly({
    run: async () => {
      const seconds = await oldestFenceSeconds(shard)
      return () => metrics.fenceOldestSeconds.set({ shard: shard.name }, seconds)
    },
    reset: () => metrics.fenceOldestSeconds.remove({ shard: shard.name }),
    onError: (error) => log.warn('The fences of moves could not be measured.', { shard: shard.name, error }),
  })
}

/** All moves, which the control plane records. */
export function watchMoves(databases: Pick<Databases, 'control'>, { log, metrics }: Tools): LeaderTask {
  return measureRepeatedly({
    run: async () => {
      const { byState, oldestSeconds } = await measureMoves(databases)
      return () => {
        metrics.moveOldestSeconds.set(oldestSeconds)
        for (const state of moveStates) {
          const { count = 0, unchangedSeconds = 0 } = byState.get(state) ?? {}
          metrics.moves.set({ state }, count)
          metrics.moveUnchangedSeconds.set({ state }, unchangedSeconds)
        }
      }
    },
    reset: () => {
      for (const gauge of [metrics.moves, metrics.moveUnchangedSeconds, metrics.moveOldestSeconds])
        gauge.reset()
    },
    onError: (error) => log.warn('The moves of workspaces could not be measured.', { error }),
  })
}

type Measurement = {
  /** Returns a function that records what was measured. */
  readonly run: () => Promise<() => void>
  readonly reset: () => void
  readonly onError: (error: unknown) => void
}

function measureRepeatedly({ run, reset, onError }: Measurement): LeaderTask {
  let running: Promise<void> | null = null
  let resets = 0
  return {
    runIfDue() {
      const begunAfter = resets
      running ??= run()
        .then((record) => {
          // Another process may have taken over in the meantime.
          if (begunAfter === resets) record()
        })
        .catch(onError)
        .finally(() => {
          running = null
        })
    },
    resetMetrics() {
      resets += 1
      reset()
    },
    stop: async () => {
      await running
    },
  }
}
