import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '@nats-io/transport-node'
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { type Nats, startNats } from '../../../../scripts/services/nats.ts'
import { idFromUuid, type Ref } from '../../src/kernel/id.ts'
import { countParked, recordFailure, releaseParked } from '../../src/platform/engine/parking.ts'
import { streamName } from '../../src/platform/engine/streams.ts'
import { workSubject } from '../../src/platform/engine/subjects.ts'
import { createJobs, type Jobs, runJobs } from './support/jobs.ts'
import {
  blind,
  consumerInfo,
  consumerReady,
  hasty,
  type Running,
  startRunning,
  withManager,
} from './support/running.ts'
import { until } from './support/wait.ts'

let jobs: Jobs
let nats: Nats
let storeDir: string
const started: Running[] = []

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
  await withManager(nats.url, (manager) => manager.streams.delete(streamName)).catch(() => {})
  await jobs.query('truncate test_jobs, test_attempts, work_failures')
})
afterEach(async () => {
  await Promise.all(started.splice(0).map((running) => running.stop()))
})

type StartOptions = Partial<Parameters<typeof startRunning>[1]>

function start(options: StartOptions = {}): Running {
  const running = startRunning(jobs, { natsUrl: nats.url, ...options })
  started.push(running)
  return running
}

async function oneJob(inSeconds = 0): Promise<Ref> {
  const [ref] = await jobs.add(1, inSeconds)
  return ref as Ref
}

const isHandled = (ref: Ref) => async () => (await jobs.handledOf(ref)) === 1
async function countHandled(): Promise<number> {
  const [row] = await jobs.query<{ count: string }>('select count(*) from test_jobs where handled = 1')
  return Number(row?.count)
}

/** A server that has lost everything it knew, where it was before. */
async function wipeNats(): Promise<void> {
  await nats.stop('SIGKILL')
  rmSync(storeDir, { recursive: true, force: true })
  nats = await startNats({ storeDir, port: nats.port })
}

test('what is published after a commit is handled within a second', async () => {
  const { publish } = start({ settings: blind })
  await consumerReady(nats.url)
  const ref = await oneJob()
  publish([ref])
  expect(await until('it is handled', isHandled(ref))).toBeLessThan(1_000)
})

test('a timer wakes work at its time', async () => {
  const { publish } = start({ settings: blind })
  await consumerReady(nats.url)
  const ref = await oneJob(1.2)
  publish([ref], 1.3)
  const afterMs = await until('it is handled', isHandled(ref))
  expect(afterMs).toBeGreaterThan(1_000)
  expect(afterMs).toBeLessThan(2_500)
})

test('work that nobody told of is handed out by the reconciler', async () => {
  start()
  await consumerReady(nats.url)
  const ref = await oneJob()
  expect(await until('it is handled', isHandled(ref))).toBeLessThan(2_000)
})

test('a store that is wiped in the middle loses nothing, and nothing happens twice', async () => {
  await jobs.add(1_500)
  start()
  await until('some are handled', async () => (await countHandled()) > 200)
  await wipeNats()
  await until('all are handled', async () => (await countHandled()) === 1_500, { withinMs: 15_000 })
  expect(await jobs.query('select from test_jobs where handled <> 1 or due_at is not null')).toHaveLength(0)
})

test.each([
  { what: 'a stream', lose: () => withManager(nats.url, (manager) => manager.streams.delete(streamName)) },
  {
    what: 'a consumer',
    lose: () => withManager(nats.url, (manager) => manager.consumers.delete(streamName, 'test_job-run')),
  },
])('$what deleted under a live worker is made again', async ({ lose }) => {
  const { publish } = start()
  await consumerReady(nats.url)
  for (let time = 0; time < 3; time += 1) {
    await lose()
    const ref = await oneJob()
    publish([ref])
    expect(await until('it is handled', isHandled(ref))).toBeLessThan(5_000)
  }
})

test('a stream and a consumer that differ from the code are changed, and keep what they hold', async () => {
  const ref = await oneJob()
  await withManager(nats.url, async (manager) => {
    const subjects = ['work.>', 'timer.>']
    await manager.streams.add({
      name: streamName,
      subjects,
      retention: 'workqueue',
      max_msgs: 7,
      allow_msg_schedules: true,
    })
    const filter_subject = 'work.test_job.run.>'
    await manager.consumers.add(streamName, {
      durable_name: 'test_job-run',
      ack_policy: 'explicit',
      filter_subject,
    })
    await manager.jetstream().publish(workSubject(runJobs.name, ref))
  })
  start({ settings: blind })
  await until('it is handled', isHandled(ref))
  const streamConfig = async () =>
    (await withManager(nats.url, (manager) => manager.streams.info(streamName))).config
  await until('the stream is changed', async () => (await streamConfig()).max_msgs === 1_000_000)
  expect(await streamConfig()).toMatchObject({ max_msgs_per_subject: 1, allow_msg_schedules: true })
  const maxPending = async () => (await consumerInfo(nats.url))?.config.max_ack_pending
  await until('the consumer is changed', async () => (await maxPending()) === 10_000)
})

test('an overload is not multiplied: the engine is given no more than it may hold', async () => {
  const gate = Promise.withResolvers<void>()
  start({ settings: { ...hasty, maxHeld: 100 }, beforeJob: () => gate.promise })
  await jobs.add(1_000)
  await consumerReady(nats.url)
  await sleep(1_500)
  const info = await consumerInfo(nats.url)
  expect((info?.num_pending ?? 0) + (info?.num_ack_pending ?? 0)).toBe(100)
  gate.resolve()
  await until('all are handled', async () => (await countHandled()) === 1_000)
  expect(await jobs.query('select from test_jobs where handled <> 1')).toHaveLength(0)
})

test('ten thousand forged, malformed and stale messages change nothing and stop nothing', async () => {
  const { publish, lines } = start({ settings: blind })
  await consumerReady(nats.url)
  const later = await jobs.add(50, 3_600)
  const stranger = await connect({ servers: nats.url })
  for (let number = 0; number < 10_000; number += 1) {
    stranger.publish(
      forgery(number, later[number % later.length] as Ref),
      number % 3 ? 'x'.repeat(number % 500) : '',
    )
  }
  await stranger.flush()
  await stranger.close()
  await until(
    'they are gone',
    async () => {
      const info = await consumerInfo(nats.url)
      return info !== null && info.num_pending + info.num_ack_pending === 0
    },
    { withinMs: 15_000 },
  )
  const real = await oneJob()
  publish([real])
  expect(await until('real work is handled', isHandled(real))).toBeLessThan(1_000)
  expect(await jobs.query('select from test_attempts where not stale')).toHaveLength(1)
  expect(await jobs.query('select from test_jobs where handled > 0')).toHaveLength(1)
  expect(await jobs.query('select from work_failures')).toHaveLength(0)
  // One line for many: a stranger must not fill the log either.
  expect(lines.length).toBeLessThan(100)
})

function forgery(number: number, later: Ref): string {
  const uuid = `019a0000-0000-7abc-8000-${number.toString(16).padStart(12, '0')}`
  const unknown = { ...later, id: idFromUuid('customer', 'test', uuid) }
  const elsewhere = { id: unknown.id, workspaceId: idFromUuid('workspace', 'test', uuid) }
  const shapes = [
    `work.test_job.run.${number}`,
    `work.test_job.run.0.${later.workspaceId}.${unknown.id}`,
    `work.test_job.run.${number}.a.b.c.d.e.f`,
    workSubject(runJobs.name, { ...later, id: idFromUuid('event', 'test', uuid) as never }),
    workSubject(runJobs.name, unknown),
    workSubject(runJobs.name, elsewhere),
    workSubject(runJobs.name, later),
    `timer.test_job.run.${number}`,
  ]
  return shapes[number % shapes.length] as string
}

test('work that fails is tried again, and its failures are forgotten when it goes well', async () => {
  let left = 2
  const beforeJob = async () => {
    if (left-- > 0) throw new Error('not yet')
  }
  const { publish, metrics } = start({ settings: blind, beforeJob })
  await consumerReady(nats.url)
  const ref = await oneJob()
  publish([ref])
  await until('it failed', async () => (await jobs.query('select from work_failures')).length === 1)
  await until('it is handled', isHandled(ref))
  await until(
    'its failures are gone',
    async () => (await jobs.query('select from work_failures')).length === 0,
  )
  const { values } = await metrics.workHandled.get()
  expect(Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value]))).toEqual({
    failed: 2,
    done: 1,
  })
})

test('what fails for the tenth time is parked until a person releases it', async () => {
  const shard = jobs.databases.control
  let broken = true
  let runs = 0
  const beforeJob = async () => {
    runs += 1
    if (broken) throw new Error('broken')
  }
  const ref = await oneJob()
  for (let time = 0; time < 9; time += 1)
    await recordFailure(shard, {
      work: runJobs.name,
      ref,
      error: new Error('broken'),
      now: { from: 'database' },
    })
  const { publish } = start({ beforeJob })
  await consumerReady(nats.url)
  publish([ref])
  await until('it is parked', async () => (await countParked(shard)) === 1)
  await sleep(1_500)
  expect(runs).toBe(1)
  expect(await consumerInfo(nats.url)).toMatchObject({ num_pending: 0, num_ack_pending: 0 })

  broken = false
  await releaseParked(shard, runJobs.name, ref)
  await until('it is handled', isHandled(ref))
})

test('while NATS is away the reconciler does the work, and hands it out again afterwards', async () => {
  const { metrics } = start({ settings: { ...hasty, inlineAfterMs: 300, inlinePortion: 20 } })
  await consumerReady(nats.url)
  await nats.stop()
  await jobs.add(100)
  await until('all are handled', async () => (await countHandled()) === 100)
  expect((await metrics.engineConnected.get()).values[0]?.value).toBe(0)
  expect((await metrics.engineConfigured.get()).values[0]?.value).toBe(1)
  const lookedAt = (await metrics.reconcilerLookedAt.get()).values[0]?.value ?? 0
  expect(Math.abs(Date.now() / 1000 - lookedAt)).toBeLessThan(120)

  nats = await startNats({ storeDir, port: nats.port })
  await until(
    'it is connected again',
    async () => (await metrics.engineConnected.get()).values[0]?.value === 1,
  )
  const ref = await oneJob()
  await until('it is handled', isHandled(ref))
  expect(await jobs.query('select from test_jobs where handled <> 1')).toHaveLength(0)
})

test('without any NATS all work is done, and what fails waits its time', async () => {
  let left = 1
  const beforeJob = async () => {
    if (left-- > 0) throw new Error('not yet')
  }
  start({ natsUrl: null, beforeJob })
  await jobs.add(30)
  await until('all are handled', async () => (await countHandled()) === 30)
  await until('its failure is gone', async () => (await jobs.query('select from work_failures')).length === 0)
})

test('without any NATS a hint makes the reconciler look sooner', async () => {
  const running = start({ natsUrl: null, settings: { intervalMs: 3_600_000, busyIntervalMs: 100 } })
  await until('it leads', () => running.lines.includes('This process reconciles.'))
  await sleep(200)
  const ref = await oneJob()
  running.publish([ref])
  expect(await until('it is handled', isHandled(ref))).toBeLessThan(1_000)
})

test('when NATS comes only after the start, work goes through it', async () => {
  await nats.stop()
  const { publish } = start({ settings: hasty })
  await sleep(600)
  nats = await startNats({ storeDir, port: nats.port })
  await consumerReady(nats.url)
  const ref = await oneJob()
  publish([ref])
  await until('it is handled', isHandled(ref))
})

test('another process reconciles when the one that did is gone', async () => {
  const first = start()
  await until('the first leads', () => first.lines.includes('This process reconciles.'))
  const second = start()
  await consumerReady(nats.url)
  // As if the process were dead: its connection is cut, and with it goes the lock.
  await jobs.query(`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
    and database = (select oid from pg_database where datname = current_database())`)
  await started.splice(started.indexOf(first), 1)[0]?.stop()
  await until('the second leads', () => second.lines.includes('This process reconciles.'))
  const ref = await oneJob()
  await until('it is handled', isHandled(ref))
})

test('an id that is published again while it is handled runs once more afterwards', async () => {
  const gate = Promise.withResolvers<void>()
  let runs = 0
  const beforeJob = async () => {
    runs += 1
    await gate.promise
  }
  const { publish } = start({ settings: { ...blind, handsPerWork: 1 }, beforeJob })
  await consumerReady(nats.url)
  const ref = await oneJob()
  publish([ref])
  await until('it runs', () => runs === 1)
  publish([ref])
  await until('the second message is there', async () => (await consumerInfo(nats.url))?.num_pending === 1)
  gate.resolve()
  await until('it ran again', () => runs === 2)
  expect(await jobs.handledOf(ref)).toBe(1)
})

test('a handler that takes longer than the engine waits is not doubled', async () => {
  let runs = 0
  const beforeJob = async () => {
    runs += 1
    await sleep(4_000)
  }
  const settings = { ...hasty, ackWaitMs: 1_200 }
  const { publish } = start({ settings, beforeJob })
  start({ settings, beforeJob })
  await consumerReady(nats.url)
  const ref = await oneJob()
  publish([ref])
  await until('it is handled', isHandled(ref))
  expect(runs).toBe(1)
})

test('stopping finishes what runs and gives the rest to others', async () => {
  let runs = 0
  const beforeJob = async () => {
    runs += 1
    await sleep(300)
  }
  const settings = { ...blind, handsPerWork: 4 }
  const first = start({ settings, beforeJob })
  await consumerReady(nats.url)
  const refs = await jobs.add(40)
  first.publish(refs)
  await until('some run', () => runs > 0)
  await started.splice(0)[0]?.stop()
  expect(runs).toBe(await countHandled())
  expect((await consumerInfo(nats.url))?.num_ack_pending).toBe(0)

  start({ settings: { ...settings, handsPerWork: 40 }, beforeJob })
  await until('all are handled', async () => (await countHandled()) === 40, { withinMs: 3_000 })
})

test('what does not finish in time is given to others at once', async () => {
  const never = new Promise<void>(() => {})
  const first = start({ settings: { ...blind, stopPatienceMs: 200 }, beforeJob: () => never })
  await consumerReady(nats.url)
  const ref = await oneJob()
  first.publish([ref])
  await until('it runs', async () => (await consumerInfo(nats.url))?.num_ack_pending === 1)
  await started.splice(0)[0]?.stop()
  start({ settings: blind })
  expect(await until('it is handled', isHandled(ref))).toBeLessThan(1_000)
})
