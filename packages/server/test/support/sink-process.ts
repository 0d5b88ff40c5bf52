// Starts the webhook receiver of sink.ts in a separate process, and controls it.

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../../scripts/services/ports.ts'
import { startTied, type TiedProcess } from '../../../../scripts/services/tied-process.ts'
import type { Arrivals, Missing, Tally } from './sink-ledger.ts'

/** How a path handles a request: accepts it, never responds, responds with 500, or closes the connection. */
export type SinkBehavior = { readonly kind?: 'ok' | 'hang' | 'fail' | 'reset'; readonly delayMs?: number }

export type SinkSummary = {
  readonly paths: Readonly<Record<string, Tally>>
  readonly verified: number
  /** Requests whose signature was rejected. They got a 400. */
  readonly refused: number
  readonly refusals: readonly string[]
}

export type SinkControls = {
  /** Sets the secrets that each path accepts. */
  secrets(byPath: Readonly<Record<string, readonly string[]>>): Promise<void>
  setBehaviors(byPath: Readonly<Record<string, SinkBehavior>>): Promise<void>
  /**
   * By default every signature is verified. Benchmarks set this so that only one in `every` requests is verified, and
   * verification does not affect the results.
   */
  verify(share: { readonly every: number }): Promise<void>
  /** Opens or closes the second port. */
  second(options: { readonly open: boolean }): Promise<void>
  clear(): Promise<void>
  summary(): Promise<SinkSummary>
  missing(expected: {
    readonly paths: readonly string[]
    readonly eventIds: readonly string[]
  }): Promise<Missing>
  arrivals(): Promise<Arrivals>
}

export type Sink = SinkControls & {
  readonly pid: number
  url(path: string): string
  /** The same path on the second port. */
  secondUrl(path: string): string
  stop(): Promise<void>
}

const readyTimeoutMs = 20_000

export async function startSink(folder: string): Promise<Sink> {
  const [port, secondPort] = [await freePort(), await freePort()]
  const child = await startTied({
    binary: process.execPath,
    args: [join(import.meta.dirname, 'sink.ts'), String(port), String(secondPort)],
    logFile: join(folder, 'sink.log'),
    cwd: folder,
    deathSignal: 'SIGTERM',
  })
  await waitUntilListening(child)
  const send = (name: keyof SinkControls) => async (input: object) => {
    const response = await fetch(`http://127.0.0.1:${port}/control/${name}`, {
      method: 'POST',
      body: JSON.stringify(input),
    })
    return (await response.json()) as never
  }
  return {
    pid: child.pid,
    url: (path) => `http://127.0.0.1:${port}${path}`,
    secondUrl: (path) => `http://127.0.0.1:${secondPort}${path}`,
    stop: () => child.end('SIGTERM'),
    secrets: send('secrets'),
    setBehaviors: send('setBehaviors'),
    verify: send('verify'),
    second: send('second'),
    clear: () => send('clear')({}),
    summary: () => send('summary')({}),
    missing: send('missing'),
    arrivals: () => send('arrivals')({}),
  }
}

async function waitUntilListening(child: TiedProcess): Promise<void> {
  const deadlineMs = performance.now() + readyTimeoutMs
  while (child.running() && performance.now() < deadlineMs) {
    if (child.lastOutput().includes('listening')) return
    await sleep(20)
  }
  throw new Error(`The sink is not listening:\n${child.lastOutput()}`)
}
