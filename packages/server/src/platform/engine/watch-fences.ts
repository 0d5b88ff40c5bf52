/**
 * A task of the process that runs the reconciler of a shard: at every pass, it ends the fences of moves that have
 * stopped.
 */
import { type FenceWatchOptions, resolveOldFences } from '../db/moves/watch.ts'
import type { LeaderTask } from './engine.ts'

export function watchFences(options: FenceWatchOptions): LeaderTask {
  let running: Promise<void> | null = null
  const run = async () => {
    await resolveOldFences(options).catch((error) =>
      options.log.warn('A fence of a workspace could not be ended. It will be retried.', {
        shard: options.shard.name,
        error,
      }),
    )
    running = null
  }
  return {
    runIfDue() {
      running ??= run()
    },
    resetMetrics: () => {},
    stop: async () => {
      await running
    },
  }
}
