// `npm run bench:usage -- --seconds 30 --rate 10000`: sends usage events in calls of 500, 5% of which are duplicates,
// and measures accepted events per second, the duration of calls, how long the sums lag behind, and what 1,000 events
// cost. Fails if an event is lost or counted twice. `--kills` kills the worker after a third of the time, and PostgreSQL
// after two thirds; calls without a response are repeated. Goal: 10,000 events per second, p99 of a call below 50 ms, lag
// below 5 s.

import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { bundleIn, bundlePrograms } from '../scripts/bundle.ts'
import { openMeter } from './counters/meter.ts'
import { startEnvironment } from './ratios/environment.ts'
import { startScript } from './ratios/processes.ts'
import { loadAverage, processMs, processTreeMs } from './ratios/processor.ts'
import { table } from './table.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    rate: { type: 'string', default: '10000' },
    kills: { type: 'boolean', default: false },
  },
})
const perCall = 500
const calls = Math.ceil((Number(values.seconds) * Number(values.rate)) / perCall)
const callEveryMs = (1000 * perCall) / Number(values.rate)
/** One in this many events repeats an event of an earlier call. */
const repeatEvery = 20
const hourMs = 3_600_000
const repeatAfterMs = 200

// The server runs from its bundle, as in the container image.
const bundles = resolve(import.meta.dirname, `../.switchyard/bundles/${process.pid}`)
await bundlePrograms(bundles)
const script = bundleIn(bundles, 'server')
const bench = await startEnvironment(null, script)
const startWorker = async () =>
  startScript({
    folder: bench.folder,
    name: 'worker',
    script,
    args: ['worker'],
    environment: await bench.environment(),
  })
let worker = await startWorker()
try {
  await worker.waitForOutput('"ready"')
  const meter = await createMeter()
  const customer = await call('POST', '/customers', {})
  if (values.kills) await measure(meter.id, customer.id)
  else await count(() => measure(meter.id, customer.id))
  console.log(`System load: ${loadAverage()}.`)
} finally {
  await worker.end('SIGTERM')
  await bench.clear()
  rmSync(bundles, { recursive: true, force: true })
}

function createMeter() {
  return call('POST', '/meters', { event_name: 'request', aggregation: 'count' })
}

/** The cost of 1,000 events. Not measured with `--kills`, because a restart of Postgres resets the statistics. */
async function count(body: () => Promise<void>): Promise<void> {
  const clocks = {
    server: () => processMs(bench.server.pid),
    worker: () => processMs(worker.pid),
    postgres: () => processTreeMs(bench.postgres.pid),
  }
  const before = Object.entries(clocks).map(([name, clock]) => ({ name, clock, ms: clock() }))
  const thousands = (calls * perCall) / 1000
  const statistics = await openMeter(bench.postgres.url)
  const counted = await statistics.count(thousands, body).finally(() => statistics.close())
  const round = (value: number) => Math.round(value * 10) / 10
  const costs = [
    ['statements, without frames', round(counted.statements)],
    ['commits that write', round(counted.commits)],
    ['pages', Math.round(counted.pages)],
    ['WAL bytes', Math.round(counted.walBytes)],
    ...before.map(({ name, clock, ms }) => [`CPU time, ms, ${name}`, round((clock() - ms) / thousands)]),
  ]
  console.log(`${table(['per 1,000 events', 'measured'], costs)}\n`)
}

/** Kills the worker, and later Postgres, and starts each again. */
async function killOnce(): Promise<void> {
  const thirdMs = (calls * callEveryMs) / 3
  await pause(thirdMs)
  await worker.end('SIGKILL')
  worker = await startWorker()
  await pause(thirdMs)
  await bench.postgres.crash()
}

async function measure(meterId: string, customerId: string): Promise<void> {
  const durations: number[] = []
  const pending: Promise<void>[] = []
  let accepted = 0
  let [sent, repeated] = [0, 0]
  let unanswered = 0
  const startedAt = performance.now()
  const killed = values.kills ? killOnce() : null
  for (let index = 0; index < calls; index += 1) {
    const wait = startedAt + index * callEveryMs - performance.now()
    if (wait > 0) await pause(wait)
    const events = Array.from({ length: perCall }, () => {
      const isRepeated = sent % repeatEvery === 0 && sent > perCall
      if (isRepeated) repeated += 1
      sent += 1
      return {
        // Repeat the previous event, which is not itself a duplicate.
        id: isRepeated ? `event ${sent - perCall - 1}` : `event ${sent}`,
        event_name: 'request',
        customer_id: customerId,
      }
    })
    pending.push(send(events))
  }
  await Promise.all(pending)
  await killed
  const seconds = (performance.now() - startedAt) / 1000
  const lagSeconds = await waitUntilCurrent(meterId, customerId)
  const counted = Number((await usage(meterId, customerId)).value)

  const sorted = durations.toSorted((a, b) => a - b)
  const percentile = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0)
  const row = [sent, Math.round(sent / seconds), percentile(0.5), percentile(0.99), lagSeconds.toFixed(1)]
  console.log(`\n${table(['events', 'events per second', 'p50 ms', 'p99 ms', 'lag s'], [row])}\n`)
  const expected = sent - repeated
  console.log(`${accepted} accepted, ${counted} counted, ${expected} expected, ${unanswered} calls repeated.`)
  // If the response of a call was lost, its events count as duplicates in the next call.
  const isAccepted = values.kills ? accepted <= expected : accepted === expected
  if (!isAccepted || counted !== expected) process.exitCode = 1

  async function send(events: readonly object[]): Promise<void> {
    const begunAt = performance.now()
    const result = await call('POST', '/meter-events', { events }).catch((error) => {
      if (!values.kills) throw error
      unanswered += 1
      return null
    })
    if (result === null) return pause(repeatAfterMs).then(() => send(events))
    durations.push(performance.now() - begunAt)
    accepted += result.accepted
  }
}

/** Waits until the sums include all events, and returns the time since the last call. */
async function waitUntilCurrent(meterId: string, customerId: string): Promise<number> {
  const begunAt = performance.now()
  // After the kills, the server may be overloaded for a moment.
  const isCurrent = () =>
    usage(meterId, customerId).then(
      ({ current }) => current === true,
      (error) => {
        if (!values.kills) throw error
        return false
      },
    )
  while (!(await isCurrent())) await pause(100)
  return (performance.now() - begunAt) / 1000
}

function usage(meterId: string, customerId: string) {
  const end = Math.ceil(Date.now() / hourMs) * hourMs
  const [from, to] = [end - 24 * hourMs, end + hourMs].map((at) => new Date(at).toISOString())
  return call('GET', `/meters/${meterId}/usage?customer_id=${customerId}&from=${from}&to=${to}`)
}

async function call(method: string, path: string, body?: object) {
  const response = await fetch(`http://127.0.0.1:${bench.port}${path}`, {
    method,
    headers: { authorization: `Bearer ${bench.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: each caller knows the type of the body.
  const result = (await response.json()) as any
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(result)}`)
  return result
}
