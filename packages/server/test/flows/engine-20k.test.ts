// The engine under load: three processes handle twenty thousand jobs. One process is killed, and NATS is
// killed and loses its store. Every job is handled exactly once, although some are dispatched twice.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Nats, startNats } from '../../../../scripts/services/nats.ts'
import { createJobs, type Jobs } from './support/jobs.ts'
import { until } from './support/wait.ts'
import { startWorkerProcess, type WorkerProcess } from './support/worker-process.ts'

const total = 20_000
/** The production settings, so that the measured times match a real installation. */
const settings = {}

let dir: string
let jobs: Jobs
let nats: Nats
const workers: WorkerProcess[] = []

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'switchyard-test-20k-'))
  jobs = await createJobs(inject('postgresUrl'))
  nats = await startNats({ storeDir: join(dir, 'nats') })
})
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.end('SIGTERM')))
  await nats.stop()
  await jobs.drop()
  rmSync(dir, { recursive: true, force: true })
})

async function start(name: string): Promise<WorkerProcess> {
  const options = { databaseUrl: jobs.url, natsUrl: nats.url, poolSize: 8, settings }
  const worker = await startWorkerProcess(dir, name, options)
  workers.push(worker)
  return worker
}

async function countHandled(): Promise<number> {
  const [row] = await jobs.query<{ count: string }>('select count(*) from test_jobs where due_at is null')
  return Number(row?.count)
}
const waitUntilHandled = (count: number, withinMs: number) =>
  until(`${count} are handled`, async () => (await countHandled()) >= count, { withinMs, everyMs: 100 })

test('20,000 jobs are each handled exactly once, although a worker is killed and NATS loses its store', {
  timeout: 90_000,
}, async () => {
  await jobs.add(total)
  const startedMs = performance.now()
  const leader = await start('leader')
  await leader.waitForLine('This process is the reconciler.')
  await Promise.all([start('second'), start('third')])

  await waitUntilHandled(total / 4, 30_000)
  // This process is the reconciler, so another process must take over that role.
  await leader.end('SIGKILL')
  await waitUntilHandled(total / 2, 30_000)
  await nats.stop('SIGKILL')
  rmSync(join(dir, 'nats'), { recursive: true, force: true })
  const wipedMs = performance.now()
  nats = await startNats({ storeDir: join(dir, 'nats'), port: nats.port })
  const atWipe = await countHandled()
  const recoveredMs = await waitUntilHandled(atWipe + 100, 60_000)
  await waitUntilHandled(total, 60_000)
  const doneMs = performance.now()

  const [repeated] = await jobs.query<{ fenced: string; stale: string }>(`
    select count(*) filter (where not stale) - ${total} as fenced, count(*) filter (where stale) as stale
    from test_attempts`)
  const seconds = (ms: number) => (ms / 1000).toFixed(1)
  console.log(
    `20k: all ${total} handled in ${seconds(doneMs - startedMs)} s, after the wipe ${seconds(doneMs - wipedMs)} s`,
  )
  console.log(`20k: 100 more jobs handled ${seconds(recoveredMs)} s after NATS was back (${atWipe} before)`)
  console.log(
    `20k: repeated runs: ${repeated?.fenced} were rejected by the version check, ${repeated?.stale} found nothing to do`,
  )

  expect(await jobs.query('select from test_jobs where handled <> 1')).toHaveLength(0)
  expect(await jobs.query('select from test_jobs')).toHaveLength(total)
  expect(await jobs.query('select from work_failures')).toHaveLength(0)
  expect(doneMs - wipedMs).toBeLessThan(60_000)
})
