// `npm run test:listen -- [--minutes 10] [--rate 25]`: kills `listen` with SIGKILL under load, waits the given
// minutes while events continue, and starts it again. Then it compares the requests that the receiver got
// with the event log: no event is missing or out of order within its object, and only events in flight at the
// kill are repeated.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Switchyard } from '@switchyard/sdk'
import { startTemporaryServer } from '../../../server/test/support/temporary-server.ts'
import { startLoad } from './load.ts'
import { startReceiver } from './receiver.ts'
import { hasPassed, soakResultOf } from './result.ts'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, rate: { type: 'string', default: '25' } },
})
const [downtimeMs, rate, inFlight, runningMs] = [
  Number(values.minutes) * 60_000,
  Number(values.rate),
  10,
  10_000,
]
const launcher = resolve(import.meta.dirname, '../../bin/switchyard.js')

const server = await startTemporaryServer({ RATE_LIMIT_TEST: '10000' })
const receiver = await startReceiver()
const home = mkdtempSync(join(tmpdir(), 'switchyard-soak-'))
let listener: ChildProcess | undefined
try {
  const client = new Switchyard(server)
  listener = await listen()
  const load = startLoad(client, rate)
  await sleep(runningMs)
  const [before, atMs] = [receiver.received.length, performance.now()]
  await stopProcess(listener, 'SIGKILL')
  print(
    `Killed after ${load.eventCount()} events, ${before} of which had arrived. Down for ${values.minutes} min.`,
  )
  await sleep(downtimeMs)
  const missedEvents = load.eventCount() - receiver.received.length
  const restartedMs = performance.now()
  listener = await listen()
  await waitUntil(() => receiver.received.length >= before + missedEvents)
  print(
    `Restarted. ${missedEvents} pending events arrived in ${seconds(performance.now() - restartedMs)} s, under load.`,
  )
  await sleep(runningMs)
  await load.stop()
  await waitUntil(() => new Set(receiver.received.map(({ id }) => id)).size >= load.eventCount())
  await stopProcess(listener, 'SIGTERM')
  const result = await soakResultOf(client, receiver.received, { atMs, inFlight })
  print(JSON.stringify({ ...result, created: load.eventCount() }, null, 2))
  process.exitCode = hasPassed(result) && result.events === load.eventCount() ? 0 : 1
} finally {
  listener?.kill('SIGKILL')
  receiver.stop()
  await server.stop()
  rmSync(home, { recursive: true, force: true })
}

async function listen(): Promise<ChildProcess> {
  const args = ['listen', '--json', '--forward-to', receiver.url, '--concurrency', String(inFlight)]
  const child = spawn(process.execPath, [launcher, ...args], {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home,
      SWITCHYARD_TOKEN: server.token,
      SWITCHYARD_BASE_URL: server.baseUrl,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // The first line of output says that it is ready.
  await once(child.stdout, 'data')
  child.stdout.resume()
  return child
}

async function stopProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exit = once(child, 'exit')
  child.kill(signal)
  await exit
}

/** Waits for at most five minutes. */
async function waitUntil(condition: () => boolean): Promise<void> {
  for (const deadline = performance.now() + 300_000; !condition() && performance.now() < deadline; )
    await sleep(100)
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10
}

function print(text: string): void {
  console.log(text)
}
