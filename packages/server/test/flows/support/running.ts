// A worker in this process, with figures and log lines that a test can look at.

import { type ConsumerInfo, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import type { Ref } from '../../../src/kernel/id.ts'
import {
  connectEngine,
  type Engine,
  startWorkers,
  type WorkerSettings,
} from '../../../src/platform/engine/engine.ts'
import { consumerName, streamName } from '../../../src/platform/engine/streams.ts'
import { createMetrics, type Metrics } from '../../../src/platform/metrics.ts'
import { type JobDeps, type Jobs, runJobs } from './jobs.ts'
import { until } from './wait.ts'

/** Looks more often than the product does: a test should not wait for its patience. */
export const hasty = { intervalMs: 500, busyIntervalMs: 200 }
/** Never looks a second time, so that what gets done was told of. */
export const blind = { intervalMs: 3_600_000, busyIntervalMs: 3_600_000 }

export type Running = {
  readonly engine: Engine
  readonly metrics: Metrics
  readonly lines: string[]
  /** Says after a commit that these are due. */
  publish(refs: readonly Ref[], inSeconds?: number): void
  stop(): Promise<void>
}

type Options = {
  readonly natsUrl: string | null
  readonly settings?: Partial<WorkerSettings>
  readonly beforeJob?: JobDeps['beforeJob']
}

export function startRunning(jobs: Jobs, { natsUrl, settings = hasty, beforeJob }: Options): Running {
  const lines: string[] = []
  const note = (message: string, { error }: { error?: unknown } = {}) =>
    lines.push(error === undefined ? message : `${message} ${String(error)}`)
  const log = { debug: note, info: note, warn: note, error: note }
  const metrics = createMetrics()
  const engine = connectEngine({ natsUrl, log, metrics })
  const deps = jobs.deps(engine.publish, beforeJob)
  const workers = startWorkers(engine, {
    deps,
    works: [runJobs],
    databaseUrl: jobs.url,
    log,
    metrics,
    settings,
  })
  return {
    engine,
    metrics,
    lines,
    publish(refs, inSeconds = 0) {
      const now = new Date()
      const at = new Date(now.getTime() + inSeconds * 1000)
      engine.publish(
        refs.map((ref) => ({ work: runJobs.name, ref, at })),
        now,
      )
    },
    async stop() {
      await workers.stop()
      await engine.close()
    },
  }
}

/** Settles when the stream and the consumer are there. */
export async function consumerReady(natsUrl: string): Promise<void> {
  await until('the consumer is there', async () => (await consumerInfo(natsUrl)) !== null)
}

export function consumerInfo(natsUrl: string): Promise<ConsumerInfo | null> {
  return withManager(natsUrl, (manager) =>
    manager.consumers.info(streamName, consumerName(runJobs.name)),
  ).catch(() => null)
}

export async function withManager<T>(
  natsUrl: string,
  body: (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<T>,
): Promise<T> {
  const connection = await connect({ servers: natsUrl.split(','), timeout: 2_000 })
  try {
    return await body(await jetstreamManager(connection, { checkAPI: false, timeout: 2_000 }))
  } finally {
    await connection.close()
  }
}
