/** Starts the processes of a measurement. They end with the measurement, and their output is in its folder. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTied, type TiedProcess } from '../../scripts/services/tied-process.ts'

export type Started = TiedProcess & {
  /** Resolves when the output contains the text, with all output so far. */
  waitForOutput(text: string): Promise<string>
}

export type Start = {
  readonly folder: string
  readonly name: string
  readonly script: string
  readonly args?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** Options of Node, such as `--cpu-prof`. */
  readonly nodeArguments?: readonly string[]
}

const timeoutMs = 120_000

export async function startScript(start: Start): Promise<Started> {
  const { folder, name, script, args = [], environment = {}, nodeArguments = [] } = start
  const logFile = join(folder, `${name}.log`)
  const started = await startTied({
    // `env` execs the program, so Node has the same process id.
    prefix: ['env', ...Object.entries(environment).map(([variable, value]) => `${variable}=${value}`)],
    binary: process.execPath,
    args: [...nodeArguments, resolve(import.meta.dirname, script), ...args],
    logFile,
    cwd: folder,
    deathSignal: 'SIGTERM',
  })
  const waitForOutput = async (text: string) => {
    const deadlineMs = performance.now() + timeoutMs
    while (started.running() && performance.now() < deadlineMs) {
      const output = readFileSync(logFile, 'utf8')
      if (output.includes(text)) return output
      await sleep(5)
    }
    throw new Error(`${name} did not print "${text}":\n${started.lastOutput()}`)
  }
  return { ...started, waitForOutput }
}

export const mainScript = '../../packages/server/src/main.ts'

/** The options of Node in the container image. */
export function nodeArgumentsOfImage(): readonly string[] {
  const dockerfile = readFileSync(resolve(import.meta.dirname, '../../Dockerfile'), 'utf8')
  return /NODE_OPTIONS=(\S+)/.exec(dockerfile)?.slice(1) ?? []
}
