/** Work handled by a worker beside JetStream's own consumer with the same statements. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type JetStreamClient, jetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import type { Ref } from '../../packages/server/src/kernel/id.ts'
import { workSubject } from '../../packages/server/src/platform/engine/subjects.ts'
import type { Round, Rounds } from './compare.ts'
import { benchJobs, type Jobs, openJobs } from './jobs.ts'
import type { Effort } from './measurement.ts'
import { startScript } from './processes.ts'
import { familyMs, processMs } from './processor.ts'
import type { Stage } from './stage.ts'

const batch = 250
const patienceMs = 60_000

type Scene = { readonly stage: Stage; readonly jobs: Jobs; readonly engine: JetStreamClient }

export async function measureWork(stage: Stage, { rounds, jobs: count }: Effort): Promise<Rounds> {
  const jobs = await openJobs(stage.postgres.url, stage.workspaceId)
  const nats = await connect({ servers: stage.nats.url })
  const scene = { stage, jobs, engine: jetstream(nats) }
  // The first worker makes the stream and the consumer that all others use.
  const first = await startWorker(stage, 'engine-worker')
  await first.said('reconciles')
  await sleep(1_000)
  await first.end('SIGTERM')

  const results: Record<string, Round[]> = { 'engine-worker': [], 'bare-worker': [] }
  for (let round = 0; round < rounds; round += 1) {
    for (const name of Object.keys(results)) results[name]?.push(await playRound(scene, name, count))
  }
  await nats.close()
  await jobs.close()
  return new Map(Object.entries(results))
}

function startWorker({ folder, postgres, nats }: Stage, name: string) {
  return startScript({ folder, name, script: `${name}.ts`, args: [postgres.url, nats.url] })
}

/** Puts the messages first, then starts who takes them: publishing is not what is measured. */
async function playRound({ stage, jobs, engine }: Scene, name: string, count: number): Promise<Round> {
  await publish(engine, await jobs.renew(count))
  const others = { postgres: () => familyMs(stage.postgres.pid), nats: () => processMs(stage.nats.pid) }
  const before = Object.entries(others).map(([who, clock]) => ({ who, clock, ms: clock() }))
  const worker = await startWorker(stage, name)
  const untilMs = performance.now() + patienceMs
  while ((await jobs.left()) > 0) {
    if (performance.now() > untilMs) throw new Error(`${name} left ${await jobs.left()} of ${count} jobs.`)
    await sleep(50)
  }
  const spent = before.map(({ who, clock, ms }) => [who, (clock() - ms) / count])
  const cpuMs = { worker: processMs(worker.pid) / count, ...Object.fromEntries(spent) }
  await worker.end('SIGTERM')
  return { perSecond: await jobs.rate(), p50Ms: Number.NaN, p99Ms: Number.NaN, cpuMs }
}

async function publish(engine: JetStreamClient, refs: readonly Ref[]): Promise<void> {
  for (let from = 0; from < refs.length; from += batch) {
    const part = refs.slice(from, from + batch)
    await Promise.all(part.map((ref) => engine.publish(workSubject(benchJobs.name, ref))))
  }
}
