import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '@nats-io/transport-node'
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { type Nats, startNats } from '../../../../scripts/services/nats.ts'
import { idFromUuid, type Ref } from '../../src/kernel/id.ts'
import { countParked, recordFailure, releaseParked } from '../../src/platform/engine/parking.ts'
import { onlyStream, workSubject } from '../../src/platform/engine/subjects.ts'
import { createJobs, type Jobs, runJobs } from './support/jobs.ts'
import {
  consumerInfo,
  fastPolling,
  noPolling,
  startTestWorker,
  type TestWorker,
  waitForConsumer,
  withManager,
} from './support/test-worker.ts'
import { until } from './support/wait.ts'

let jobs: Jobs
let nats: Nats
let storeDir: string
const started: TestWorker[] = []

beforeAll(async () => {
  jobs = await createJobs(inject('postgresUrl'), 20)
  storeDir = mkdtempSync(join(tmpdir(), 'switchyard-test-nats-'))
  nats = await startNats({ storeDir })
})
afterAll(async () => {
  await nats.stop()
  rmSync(storeDir, { recursive: true, force: true })
  await jobs.drop()
})
beforeEach(async () => {
  await withManager(nats.url, (manager) => manager.streams.delete(onlyStream.name)).catch(() => {})
  await jobs.query('truncate test_jobs, test_attempts, work_failures')
})
afterEach(async () => {
  await Promise.all(started.splice(0).map((running) => running.stop()))
})

type StartOptions = Partial<Parameters<typeof startTestWorker>[1]>

function start(options: StartOptions = {}): TestWorker {
  const running = startTestWorker(jobs, { natsUrl: nats.url, ...options })
  started.push(running)
  return running
}

async function addJob(inSeconds = 0): Promise<Ref> {
  const [ref] = await jobs.add(1, inSeconds)
  return ref as Ref
}

const isHandled = (ref: Ref) => async () => (await jobs.countHandled(ref)) === 1
async function countHandled(): Promise<number> {
  const [row] = await jobs.query<{ count: string }>('select count(*) from test_jobs where handled = 1')
  return Number(row?.count)
}

/** Replaces NATS with a server that has an empty store, at the same address. */
async function wipeNats(): Promise<void> {
  await nats.stop('SIGKILL')
  rmSync(storeDir, { recursive: true, force: true })
  nats = await startNats({ storeDir, port: nats.port })
}

test('work that is published after a commit is handled within a second', async () => {
  const { publish } = start({ settings: noPolling })
  await waitForConsumer(nats.url)
  const ref = await addJob()
  publish([ref])
  expect(await until('it is handled', isHandled(ref))).toBeLessThan(1_000)
})

test('a timer dispatches work at its due time', async () => {
  const { publish } = start({ settings: noPolling })
  await waitForConsumer(nats.url)
  const ref = await addJob(1.2)
  publish([ref], 1.3)
  const afterMs = await until('it is handled', isHandled(ref))
  expect(afterMs).toBeGreaterThan(1_000)
  expect(afterMs).toBeLessThan(2_500)
})

test('work that was never published is dispatched by the reconciler', async () => {
  start()
  await waitForConsumer(nats.url)
  const ref = await addJob()
  expect(await until('it is handled', isHandled(ref))).toBeLessThan(2_000)
})

test('when NATS loses its store during work, every job is still handled exactly once', async () => {
  await jobs.add(1_500)
  start()
  await until('some are handled', async () => (await countHandled()) > 200)
  await wipeNats()
  await until('all are handled', async () => (await countHandled()) === 1_500, { withinMs: 15_000 })
  expect(await jobs.query('select from test_jobs where handled <> 1 or due_at is not null')).toHaveLength(0)
})

test.each([
  {
    resource: 'a stream',
    remove: () => withManager(nats.url, (manager) => manager.streams.delete(onlyStream.name)),
  },
  {
    resource: 'a consumer',
    remove: () =>
      withManager(nats.url, (manager) => manager.consumers.delete(onlyStream.name, 'test_job-run')),
  },
])('$resource that is deleted while a worker runs is created again', async ({ remove }) => {
  const { publish } = start()
  await waitForConsumer(nats.url)
  for (let round = 0; round < 3; round += 1) {
    await remove()
    const ref = await addJob()
    publish([ref])
    expect(await until('it is handled', isHandled(ref))).toBeLessThan(5_000)
  }
})

test('a stream and a consumer with outdated settings are updated and keep their messages', async () => {
  const ref = await addJob()
  await withManager(nats.url, async (manager) => {
    const subjects = ['work.>', 'timer.>']
    await manager.streams.add({
      name: onlyStream.name,
      subjects,
      retention: 'workqueue',
      max_msgs: 7,
      allow_msg_schedules: true,
    })
    const filter_subject = 'work.test_job.run.>'
    await manager.consumers.add(onlyStream.name, {
      durable_name: 'test_job-run',
      ack_policy: 'explicit',
      filter_subject,
    })
    await manager.jetstream().publish(workSubject(runJobs.name, ref))
  })
  start({ settings: noPolling })
  await until('it is handled', isHandled(ref))
  const streamConfig = async () =>
    (await withManager(nats.url, (manager) => manager.streams.info(onlyStream.name))).config
  await until('the stream is updated', async () => (await streamConfig()).max_msgs === 1_000_000)
  expect(await streamConfig()).toMatchObject({ max_msgs_per_subject: 1, allow_msg_schedules: true })
  const maxPending = async () => (await consumerInfo(nats.url))?.config.max_ack_pending
  await until('the consumer is updated', async () => (await maxPending()) === 10_000)
})

test('even if more work is due, no more messages are published than the limit of the engine allows', async () => {
  const gate = Promise.withResolvers<void>()
  start({ settings: { ...fastPolling, maxQueued: 100 }, beforeJob: () => gate.promise })
  await jobs.add(1_000)
  await waitForConsumer(nats.url)
  await sleep(1_500)
  const info = await consumerInfo(nats.url)
  expect((info?.num_pending ?? 0) + (info?.num_ack_pending ?? 0)).toBe(100)
  gate.resolve()
  await until('all are handled', async () => (await countHandled()) === 1_000)
  expect(await jobs.query('select from test_jobs where handled <> 1')).toHaveLength(0)
})

test('ten thousand forged, malformed and stale messages change no data and do not block real work', async () => {
  const { publish, lines } = start({ settings: noPolling })
  await waitForConsumer(nats.url)
  const later = await jobs.add(50, 3_600)
  const attacker = await connect({ servers: nats.url })
  for (let number = 0; number < 10_000; number += 1) {
    attacker.publish(
      forgedSubject(number, later[number % later.length] as Ref),
      number % 3 ? 'x'.repeat(number % 500) : '',
    )
  }
  await attacker.flush()
  await attacker.close()
  await until(
    'all messages are consumed',
    async () => {
      const info = await consumerInfo(nats.url)
      return info !== null && info.num_pending + info.num_ack_pending === 0
    },
    { withinMs: 15_000 },
  )
  const real = await addJob()
  publish([real])
  expect(await until('real work is handled', isHandled(real))).toBeLessThan(1_000)
  expect(await jobs.query('select from test_attempts where not stale')).toHaveLength(1)
  expect(await jobs.query('select from test_jobs where handled > 0')).toHaveLength(1)
  expect(await jobs.query('select from work_failures')).toHaveLength(0)
  // One line for many messages: an attacker must not be able to fill the log.
  expect(lines.length).toBeLessThan(100)
})

function forgedSubject(number: number, later: Ref): string {
  const uuid = `019a0000-0000-7abc-8000-${number.toString(16).padStart(12, '0')}`
  const unknown = { ...later, id: idFromUuid('customer', 'test', uuid) }
  const otherWorkspace = { id: unknown.id, workspaceId: idFromUuid('workspace', 'test', uuid) }
  const shapes = [
    `work.test_job.run.${number}`,
    `work.test_job.run.0.${later.workspaceId}.${unknown.id}`,
    `work.test_job.run.${number}.a.b.c.d.e.f`,
    workSubject(runJobs.name, { ...later, id: idFromUuid('event', 'test', uuid) as never }),
    workSubject(runJobs.name, unknown),
    workSubject(runJobs.name, otherWorkspace),
    workSubject(runJobs.name, later),
    `timer.test_job.run.${number}`,
  ]
  return shapes[number % shapes.length] as string
}

test('work that fails is retried, and its failure count is reset when it succeeds', async () => {
  let failuresLeft = 2
  const beforeJob = async () => {
    if (failuresLeft-- > 0) throw new Error('not yet')
  }
  const { publish, metrics } = start({ settings: noPolling, beforeJob })
  await waitForConsumer(nats.url)
  const ref = await addJob()
  publish([ref])
  await until('it failed', async () => (await jobs.query('select from work_failures')).length === 1)
  await until('it is handled', isHandled(ref))
  await until(
    'its failures are deleted',
    async () => (await jobs.query('select from work_failures')).length === 0,
  )
  const { values } = await metrics.workHandled.get()
  expect(Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value]))).toEqual({
    failed: 2,
    done: 1,
  })
})

test('work that fails for the tenth time is parked until it is released manually', async () => {
  const shard = jobs.databases.control
  let broken = true
  let runs = 0
  const beforeJob = async () => {
    runs += 1
    if (broken) throw new Error('broken')
  }
  const ref = await addJob()
  for (let round = 0; round < 9; round += 1)
    await recordFailure(shard, {
      work: runJobs.name,
      ref,
      error: new Error('broken'),
      now: { from: 'database' },
    })
  const { publish } = start({ beforeJob })
  await waitForConsumer(nats.url)
  publish([ref])
  await until('it is parked', async () => (await countParked(shard)) === 1)
  await sleep(1_500)
  expect(runs).toBe(1)
  expect(await consumerInfo(nats.url)).toMatchObject({ num_pending: 0, num_ack_pending: 0 })

  broken = false
  await releaseParked(shard, runJobs.name, ref)
  await until('it is handled', isHandled(ref))
})

test('while NATS is unavailable the reconciler handles work itself, and afterwards publishes to NATS again', async () => {
  const { metrics } = start({ settings: { ...fastPolling, inlineAfterMs: 300, inlineBatchSize: 20 } })
  await waitForConsumer(nats.url)
  await nats.stop()
  await jobs.add(100)
  await until('all are handled', async () => (await countHandled()) === 100)
  expect((await metrics.engineConnected.get()).values[0]?.value).toBe(0)
  expect((await metrics.engineConfigured.get()).values[0]?.value).toBe(1)
  const polledAtSeconds = (await metrics.reconcilerLookedAt.get()).values[0]?.value ?? 0
  expect(Math.abs(Date.now() / 1000 - polledAtSeconds)).toBeLessThan(120)

  nats = await startNats({ storeDir, port: nats.port })
  await until(
    'it is connected again',
    async () => (await metrics.engineConnected.get()).values[0]?.value === 1,
  )
  const ref = await addJob()
  await until('it is handled', isHandled(ref))
  expect(await jobs.query('select from test_jobs where handled <> 1')).toHaveLength(0)
})

test('without NATS all work is handled, and failed work is retried', async () => {
  let failuresLeft = 1
  const beforeJob = async () => {
    if (failuresLeft-- > 0) throw new Error('not yet')
  }
  start({ natsUrl: null, beforeJob })
  await jobs.add(30)
  await until('all are handled', async () => (await countHandled()) === 30)
  await until(
    'its failure is deleted',
    async () => (await jobs.query('select from work_failures')).length === 0,
  )
})

test('without NATS, publishing work makes the reconciler poll sooner', async () => {
  const running = start({ natsUrl: null, settings: { intervalMs: 3_600_000, busyIntervalMs: 100 } })
  await until('it is the reconciler', () => running.lines.includes('This process is the reconciler.'))
  await sleep(200)
  const ref = await addJob()
  running.publish([ref])
  expect(await until('it is handled', isHandled(ref))).toBeLessThan(1_000)
})

test('when NATS becomes available only after the start, work is dispatched through it', async () => {
  await nats.stop()
  const { publish } = start({ settings: fastPolling })
  await sleep(600)
  nats = await startNats({ storeDir, port: nats.port })
  await waitForConsumer(nats.url)
  const ref = await addJob()
  publish([ref])
  await until('it is handled', isHandled(ref))
})

test('another process becomes the reconciler when the first one ends', async () => {
  const first = start()
  await until('the first is the reconciler', () => first.lines.includes('This process is the reconciler.'))
  const second = start()
  await waitForConsumer(nats.url)
  // Terminate its connection, as a crash would, so that PostgreSQL releases the lock.
  await jobs.query(`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
    and database = (select oid from pg_database where datname = current_database())`)
  await started.splice(started.indexOf(first), 1)[0]?.stop()
  await until('the second is the reconciler', () => second.lines.includes('This process is the reconciler.'))
  const ref = await addJob()
  await until('it is handled', isHandled(ref))
})

test('work that is published again while it is handled runs once more afterwards', async () => {
  const gate = Promise.withResolvers<void>()
  let runs = 0
  const beforeJob = async () => {
    runs += 1
    await gate.promise
  }
  const { publish } = start({ settings: { ...noPolling, concurrencyPerWork: 1 }, beforeJob })
  await waitForConsumer(nats.url)
  const ref = await addJob()
  publish([ref])
  await until('it runs', () => runs === 1)
  publish([ref])
  await until('the second message is pending', async () => (await consumerInfo(nats.url))?.num_pending === 1)
  gate.resolve()
  await until('it ran again', () => runs === 2)
  expect(await jobs.countHandled(ref)).toBe(1)
})

test('a handler that takes longer than the acknowledgement timeout is not run twice', async () => {
  let runs = 0
  const beforeJob = async () => {
    runs += 1
    await sleep(4_000)
  }
  const settings = { ...fastPolling, ackWaitMs: 1_200 }
  const { publish } = start({ settings, beforeJob })
  start({ settings, beforeJob })
  await waitForConsumer(nats.url)
  const ref = await addJob()
  publish([ref])
  await until('it is handled', isHandled(ref))
  expect(runs).toBe(1)
})

test('a stopping worker finishes the work it has started and returns the rest for other workers', async () => {
  let runs = 0
  const beforeJob = async () => {
    runs += 1
    await sleep(300)
  }
  const settings = { ...noPolling, concurrencyPerWork: 4 }
  const first = start({ settings, beforeJob })
  await waitForConsumer(nats.url)
  const refs = await jobs.add(40)
  first.publish(refs)
  await until('some run', () => runs > 0)
  await started.splice(0)[0]?.stop()
  expect(runs).toBe(await countHandled())
  expect((await consumerInfo(nats.url))?.num_ack_pending).toBe(0)

  start({ settings: { ...settings, concurrencyPerWork: 40 }, beforeJob })
  await until('all are handled', async () => (await countHandled()) === 40, { withinMs: 3_000 })
})

test('work that does not finish before the stop timeout is redelivered to other workers immediately', async () => {
  const never = new Promise<void>(() => {})
  const first = start({ settings: { ...noPolling, stopTimeoutMs: 200 }, beforeJob: () => never })
  await waitForConsumer(nats.url)
  const ref = await addJob()
  first.publish([ref])
  await until('it runs', async () => (await consumerInfo(nats.url))?.num_ack_pending === 1)
  await started.splice(0)[0]?.stop()
  start({ settings: noPolling })
  expect(await until('it is handled', isHandled(ref))).toBeLessThan(1_000)
})
