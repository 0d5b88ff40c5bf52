/** Compares the throughput of a worker with a plain JetStream consumer that runs the same statements. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type JetStreamClient, jetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import type { Ref } from '../../packages/server/src/kernel/id.ts'
import { workSubject } from '../../packages/server/src/platform/engine/subjects.ts'
import type { Round, Rounds } from './compare.ts'
import type { Effort } from './effort.ts'
import type { BenchEnvironment } from './environment.ts'
import { benchJobs, type Jobs, openJobs } from './jobs.ts'
import { startScript } from './processes.ts'
import { processMs, processTreeMs } from './processor.ts'

const batchSize = 250
const timeoutMs = 60_000

type RoundContext = {
  readonly bench: BenchEnvironment
  readonly jobs: Jobs
  readonly client: JetStreamClient
}

export async function measureWork(bench: BenchEnvironment, { rounds, jobs: count }: Effort): Promise<Rounds> {
  const jobs = await openJobs(bench.postgres.url, bench.workspaceId)
  const nats = await connect({ servers: bench.nats.url })
  const context = { bench, jobs, client: jetstream(nats) }
  // The first worker creates the stream and the consumer that all others use.
  const first = await startWorker(bench, 'engine-worker')
  await first.waitForOutput('is the reconciler')
  await sleep(1_000)
  await first.end('SIGTERM')

  const results: Record<string, Round[]> = { 'engine-worker': [], 'bare-worker': [] }
  for (let round = 0; round < rounds; round += 1) {
    for (const name of Object.keys(results)) results[name]?.push(await measureRound(context, name, count))
  }
  await nats.close()
  await jobs.close()
  return new Map(Object.entries(results))
}

function startWorker({ folder, postgres, nats }: BenchEnvironment, name: string) {
  return startScript({ folder, name, script: `${name}.ts`, args: [postgres.url, nats.url] })
}

/** Publishes all messages before the consumer starts, because publishing is not measured. */
async function measureRound(
  { bench, jobs, client }: RoundContext,
  name: string,
  count: number,
): Promise<Round> {
  await publish(client, await jobs.replace(count))
  const sharedClocks = {
    postgres: () => processTreeMs(bench.postgres.pid),
    nats: () => processMs(bench.nats.pid),
  }
  const before = Object.entries(sharedClocks).map(([processName, clock]) => ({
    processName,
    clock,
    ms: clock(),
  }))
  const worker = await startWorker(bench, name)
  const deadlineMs = performance.now() + timeoutMs
  while ((await jobs.countRemaining()) > 0) {
    if (performance.now() > deadlineMs)
      throw new Error(`${name} left ${await jobs.countRemaining()} of ${count} jobs.`)
    await sleep(50)
  }
  const cpuPerJob = before.map(({ processName, clock, ms }) => [processName, (clock() - ms) / count])
  const cpuMs = { worker: processMs(worker.pid) / count, ...Object.fromEntries(cpuPerJob) }
  await worker.end('SIGTERM')
  return { perSecond: await jobs.rate(), p50Ms: Number.NaN, p99Ms: Number.NaN, cpuMs }
}

async function publish(client: JetStreamClient, refs: readonly Ref[]): Promise<void> {
  for (let from = 0; from < refs.length; from += batchSize) {
    const part = refs.slice(from, from + batchSize)
    await Promise.all(part.map((ref) => client.publish(workSubject(benchJobs.name, ref))))
  }
}
