// Starts the receiver of sink.ts and speaks to it.

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../../scripts/services/ports.ts'
import { startTied, type TiedProcess } from '../../../../scripts/services/tied-process.ts'
import type { Arrivals, Missing, Tally } from './sink-ledger.ts'

/** What a path does with a request: takes it, never answers, answers 500, or cuts the connection. */
export type SinkManner = { readonly is?: 'ok' | 'hang' | 'fail' | 'reset'; readonly delayMs?: number }

export type SinkSummary = {
  readonly paths: Readonly<Record<string, Tally>>
  readonly verified: number
  /** Requests whose signature was not accepted. They were answered with 400. */
  readonly refused: number
  readonly refusals: readonly string[]
}

export type SinkControls = {
  /** The secrets that a path accepts, any of them. */
  secrets(byPath: Readonly<Record<string, readonly string[]>>): Promise<void>
  manners(byPath: Readonly<Record<string, SinkManner>>): Promise<void>
  /** Every request by default; in measurements one of so many, since the SDK's work would be measured too. */
  verify(share: { readonly every: number }): Promise<void>
  /** Whether connections to the second port are accepted. */
  second(door: { readonly open: boolean }): Promise<void>
  clear(): Promise<void>
  summary(): Promise<SinkSummary>
  missing(wanted: {
    readonly paths: readonly string[]
    readonly eventIds: readonly string[]
  }): Promise<Missing>
  arrivals(): Promise<Arrivals>
}

export type Sink = SinkControls & {
  readonly pid: number
  url(path: string): string
  /** The same path behind the second port. */
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
  await listening(child)
  const ask = (name: keyof SinkControls) => async (asked: object) => {
    const answer = await fetch(`http://127.0.0.1:${port}/control/${name}`, {
      method: 'POST',
      body: JSON.stringify(asked),
    })
    return (await answer.json()) as never
  }
  return {
    pid: child.pid,
    url: (path) => `http://127.0.0.1:${port}${path}`,
    secondUrl: (path) => `http://127.0.0.1:${secondPort}${path}`,
    stop: () => child.end('SIGTERM'),
    secrets: ask('secrets'),
    manners: ask('manners'),
    verify: ask('verify'),
    second: ask('second'),
    clear: () => ask('clear')({}),
    summary: () => ask('summary')({}),
    missing: ask('missing'),
    arrivals: () => ask('arrivals')({}),
  }
}

async function listening(child: TiedProcess): Promise<void> {
  const untilMs = performance.now() + readyTimeoutMs
  while (child.running() && performance.now() < untilMs) {
    if (child.lastWords().includes('listening')) return
    await sleep(20)
  }
  throw new Error(`The sink does not listen:\n${child.lastWords()}`)
}
