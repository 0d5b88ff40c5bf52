// A worker in this process, whose metrics and log lines a test can inspect.

import { type ConsumerInfo, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import type { Ref } from '../../../src/kernel/id.ts'
import {
  connectEngine,
  type Engine,
  startWorkers,
  type WorkerSettings,
} from '../../../src/platform/engine/engine.ts'
import { consumerName } from '../../../src/platform/engine/streams.ts'
import { onlyStream } from '../../../src/platform/engine/subjects.ts'
import { createMetrics, type Metrics } from '../../../src/platform/metrics.ts'
import { type JobDeps, type Jobs, runJobs } from './jobs.ts'
import { until } from './wait.ts'

/** Polls more often than in production, so that tests do not wait. */
export const fastPolling = { intervalMs: 500, busyIntervalMs: 200 }
/** Polls only once, so that later work is handled only if it was published. */
export const noPolling = { intervalMs: 3_600_000, busyIntervalMs: 3_600_000 }

export type TestWorker = {
  readonly engine: Engine
  readonly metrics: Metrics
  readonly lines: string[]
  /** Publishes work for these jobs, as happens after a commit. */
  publish(refs: readonly Ref[], inSeconds?: number): void
  stop(): Promise<void>
}

type Options = {
  readonly natsUrl: string | null
  readonly settings?: Partial<WorkerSettings>
  readonly beforeJob?: JobDeps['beforeJob']
}

export function startTestWorker(
  jobs: Jobs,
  { natsUrl, settings = fastPolling, beforeJob }: Options,
): TestWorker {
  const lines: string[] = []
  const writeLine = (message: string, { error }: { error?: unknown } = {}) =>
    lines.push(error === undefined ? message : `${message} ${String(error)}`)
  const log = { debug: writeLine, info: writeLine, warn: writeLine, error: writeLine }
  const metrics = createMetrics()
  const engine = connectEngine({ natsUrl, log, metrics })
  const deps = jobs.deps(engine.publish, beforeJob)
  const workers = startWorkers(engine, {
    deps,
    workTypes: [runJobs],
    ownerUrlOf: () => jobs.url,
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

/** Resolves when the stream and the consumer exist. */
export async function waitForConsumer(natsUrl: string): Promise<void> {
  await until('the consumer exists', async () => (await consumerInfo(natsUrl)) !== null)
}

export function consumerInfo(natsUrl: string): Promise<ConsumerInfo | null> {
  return withManager(natsUrl, (manager) =>
    manager.consumers.info(onlyStream.name, consumerName(runJobs.name)),
  ).catch(() => null)
}

export async function withManager<T>(
  natsUrl: string,
  action: (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<T>,
): Promise<T> {
  const connection = await connect({ servers: natsUrl.split(','), timeout: 2_000 })
  try {
    return await action(await jetstreamManager(connection, { checkAPI: false, timeout: 2_000 }))
  } finally {
    await connection.close()
  }
}
