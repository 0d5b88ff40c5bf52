// The server as an operator runs it: the command of the image, in a process of its own that can be killed.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { inherited } from './inherited.ts'
import { testMasterKeys } from './master-keys.ts'

const ownMain = resolve(import.meta.dirname, '../../src/main.ts')
const readyTimeoutMs = 60_000

export type ServerProcess = {
  readonly addresses: { readonly live: string; readonly test: string }
  /** What it said on its standard output, and on the other one. */
  readonly lines: readonly string[]
  readonly errors: readonly string[]
  readonly process: ChildProcess
  /** Waits until the process is gone, however it ends. */
  readonly exited: Promise<number | NodeJS.Signals>
  kill(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>
}

/** Starts `main.ts`, of this version or another, with free ports and waits until it says that it is ready. */
export async function startServer(
  command: 'api' | 'worker' | 'all',
  environment: Record<string, string>,
  main = ownMain,
): Promise<ServerProcess> {
  const names = ['LIVE_LISTEN', 'TEST_LISTEN', 'DASHBOARD_LISTEN', 'OPS_LISTEN']
  const free = Object.fromEntries(names.map((name) => [name, '127.0.0.1:0']))
  const ours = { MASTER_KEYS: testMasterKeys, WEBHOOK_ALLOW_LOOPBACK: 'true' }
  const child = spawn(process.execPath, [main, command], {
    env: { ...inherited, ...free, ...ours, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit').then(([code, signal]) => signal ?? code)
  const lines: string[] = []
  const errors: string[] = []
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors.push(text)
    if (environment.NODE_DEBUG === undefined) process.stderr.write(text)
  })
  const addresses = { live: '', test: '' }
  const ready = Promise.withResolvers<void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    const { message, mode, address } = JSON.parse(line)
    if (message === 'listening') addresses[mode as 'live' | 'test'] = address
    if (message === 'ready') ready.resolve()
  })
  const timer = setTimeout(() => ready.reject(new Error(`Not ready: ${lines.join('\n')}`)), readyTimeoutMs)
  exited.then((how) => ready.reject(new Error(`Ended with ${how} before it was ready.`)))
  await ready.promise
    .catch((error) => {
      // Nobody else knows of it, so nobody else could end it.
      child.kill('SIGKILL')
      throw error
    })
    .finally(() => clearTimeout(timer))

  return {
    addresses,
    lines,
    errors,
    process: child,
    exited,
    kill: (signal) => {
      child.kill(signal)
      return exited
    },
  }
}
