// Starts the server as an operator does, in a separate process that can be killed.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { inheritedEnvironment } from './inherited-environment.ts'
import { testMasterKeys } from './master-keys.ts'
import { programPath } from './program-path.ts'

const readyTimeoutMs = 60_000

export type ServerProcess = {
  readonly addresses: { readonly live: string; readonly test: string }
  /** The lines of the standard output. */
  readonly lines: readonly string[]
  /** The chunks of the standard error. */
  readonly errors: readonly string[]
  readonly process: ChildProcess
  /** Resolves with the exit code or the signal when the process has ended. */
  readonly exited: Promise<number | NodeJS.Signals>
  kill(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>
}

/**
 * Starts the server on free ports, and waits until it logs that it is ready. `main` may belong to another
 * version.
 */
export async function startServer(
  command: 'api' | 'worker' | 'all',
  environment: Record<string, string>,
  main = programPath('server'),
): Promise<ServerProcess> {
  const names = ['LIVE_LISTEN', 'TEST_LISTEN', 'DASHBOARD_LISTEN', 'OPS_LISTEN']
  const freePorts = Object.fromEntries(names.map((name) => [name, '127.0.0.1:0']))
  const defaults = { MASTER_KEYS: testMasterKeys, WEBHOOK_ALLOW_LOOPBACK: 'true' }
  const child = spawn(process.execPath, [main, command], {
    env: { ...inheritedEnvironment, ...freePorts, ...defaults, ...environment },
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
  exited.then((result) => ready.reject(new Error(`Ended with ${result} before it was ready.`)))
  await ready.promise
    .catch((error) => {
      // The caller cannot kill the process, because it has no handle to it.
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
