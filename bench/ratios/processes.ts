/** The processes of a measurement. They end with it, and their words lie in its folder. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTied, type TiedProcess } from '../../scripts/services/tied-process.ts'

export type Started = TiedProcess & {
  /** Settles when it has said this; gives all that it said until then. */
  said(text: string): Promise<string>
}

export type Start = {
  readonly folder: string
  readonly name: string
  readonly script: string
  readonly args?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** For node itself, such as `--cpu-prof`. */
  readonly nodeArguments?: readonly string[]
}

const patienceMs = 30_000

export async function startScript(start: Start): Promise<Started> {
  const { folder, name, script, args = [], environment = {}, nodeArguments = [] } = start
  const logFile = join(folder, `${name}.log`)
  const started = await startTied({
    // `env` replaces itself with the program it starts, so the id is that of node.
    prefix: ['env', ...Object.entries(environment).map(([variable, value]) => `${variable}=${value}`)],
    binary: process.execPath,
    args: [...nodeArguments, resolve(import.meta.dirname, script), ...args],
    logFile,
    cwd: folder,
    deathSignal: 'SIGTERM',
  })
  const said = async (text: string) => {
    const untilMs = performance.now() + patienceMs
    while (started.running() && performance.now() < untilMs) {
      const words = readFileSync(logFile, 'utf8')
      if (words.includes(text)) return words
      await sleep(5)
    }
    throw new Error(`${name} did not say "${text}":\n${started.lastWords()}`)
  }
  return { ...started, said }
}

export const mainScript = '../../packages/server/src/main.ts'
