// `npm run test:listen -- [--minutes 10] [--rate 25]`: `listen` is killed with SIGKILL in the middle of its work, is
// away for so long while events go on, and is started again. Then the log of the receiver is compared with the log of
// events: none missing, none out of order within an object, none twice but what was on its way at the kill.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Switchyard } from '@switchyard/sdk'
import { startThrowawayServer } from '../../../server/test/support/throwaway-server.ts'
import { startLoad } from './load.ts'
import { startReceiver } from './receiver.ts'
import { isSound, verdictOf } from './verdict.ts'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, rate: { type: 'string', default: '25' } },
})
const [awayMs, rate, inFlight, besideMs] = [Number(values.minutes) * 60_000, Number(values.rate), 10, 10_000]
const launcher = resolve(import.meta.dirname, '../../bin/switchyard.js')

const server = await startThrowawayServer({ RATE_LIMIT_TEST: '10000' })
const receiver = await startReceiver()
const home = mkdtempSync(join(tmpdir(), 'switchyard-soak-'))
let listener: ChildProcess | undefined
try {
  const client = new Switchyard(server)
  listener = await listen()
  const load = startLoad(client, rate)
  await sleep(besideMs)
  const [before, atMs] = [receiver.received.length, performance.now()]
  await end(listener, 'SIGKILL')
  say(`Killed after ${load.made()} events, of which ${before} had arrived. Away for ${values.minutes} min.`)
  await sleep(awayMs)
  const awayEvents = load.made() - receiver.received.length
  const backMs = performance.now()
  listener = await listen()
  await until(() => receiver.received.length >= before + awayEvents)
  say(
    `Back. ${awayEvents} events had waited; they came in ${seconds(performance.now() - backMs)} s, under load.`,
  )
  await sleep(besideMs)
  await load.stop()
  await until(() => new Set(receiver.received.map(({ id }) => id)).size >= load.made())
  await end(listener, 'SIGTERM')
  const verdict = await verdictOf(client, receiver.received, { atMs, inFlight })
  say(JSON.stringify({ ...verdict, made: load.made() }, null, 2))
  process.exitCode = isSound(verdict) && verdict.events === load.made() ? 0 : 1
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
      ...{ SWITCHYARD_TOKEN: server.token, SWITCHYARD_BASE_URL: server.baseUrl },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // Its first line says that it listens.
  await once(child.stdout, 'data')
  child.stdout.resume()
  return child
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

/** Whatever is late by five minutes does not come. */
async function until(isSo: () => boolean): Promise<void> {
  for (const deadline = performance.now() + 300_000; !isSo() && performance.now() < deadline; )
    await sleep(100)
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10
}

function say(words: string): void {
  console.log(words)
}
