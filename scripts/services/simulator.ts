// Starts the simulator, a payment provider that moves no money, in a process that ends with its parent. Its ledger is in
// a file, so that it can be read after the process has ended.

import { mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './ports.ts'
import { startTied, type TiedProcess } from './tied-process.ts'

export type SimulatorOptions = { ledgerFile: string; port?: number }

export type SimulatorProcess = {
  url: string
  pid: number
  exited: Promise<string>
  stop(signal?: NodeJS.Signals): Promise<void>
}

const main = resolve(import.meta.dirname, '../../packages/simulator/src/main.ts')
const readyTimeoutMs = 30_000
const pollMs = 20

/** Resolves when it responds. */
export async function startSimulatorProcess(options: SimulatorOptions): Promise<SimulatorProcess> {
  const ledger = resolve(options.ledgerFile)
  const cwd = dirname(ledger)
  mkdirSync(cwd, { recursive: true })
  const listen = `127.0.0.1:${options.port ?? (await freePort())}`
  const server = await startTied({
    binary: process.execPath,
    args: [main, '--listen', listen, '--ledger', ledger],
    logFile: `${ledger}.log`,
    cwd,
    deathSignal: 'SIGTERM',
  })
  const url = `http://${listen}`
  try {
    await waitUntilReady(server, url)
  } catch (error) {
    await server.end('SIGKILL')
    throw error
  }
  return {
    url,
    pid: server.pid,
    exited: server.exited,
    stop: (signal = 'SIGTERM') => server.end(signal),
  }
}

async function waitUntilReady(server: TiedProcess, url: string): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs
  while (server.running() && Date.now() < deadline) {
    const response = await fetch(`${url}/control/sums?payment_id=none`).catch(() => null)
    await response?.body?.cancel()
    if (response?.ok) return
    await sleep(pollMs)
  }
  throw new Error(`The simulator did not start:\n${server.lastOutput()}`)
}
