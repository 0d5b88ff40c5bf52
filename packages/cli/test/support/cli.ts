// Runs the CLI as a child process, with an empty home folder.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll } from 'vitest'
import { inheritedEnvironment } from '../../../server/test/support/inherited-environment.ts'
import { programPath } from '../../../server/test/support/program-path.ts'

export type CliResult = {
  readonly code: number | NodeJS.Signals
  readonly out: string
  readonly err: string
  /** Standard output as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests assert the shape of the body.
  readonly json: any
}

export type RunningCli = {
  readonly process: ChildProcess
  /** The lines of standard output so far. */
  readonly lines: readonly string[]
  readonly ended: Promise<CliResult>
  kill(signal: NodeJS.Signals): Promise<CliResult>
}

type RunOptions = { readonly env?: Record<string, string>; readonly input?: string }

/** Creates a home folder for the test file. `login` saves a token for later commands. */
export function homeForThisFile() {
  const home = mkdtempSync(join(tmpdir(), 'switchyard-cli-'))
  const children: ChildProcess[] = []
  afterAll(() => {
    // A failed test can leave its process running.
    for (const child of children) child.kill('SIGKILL')
    rmSync(home, { recursive: true, force: true })
  })

  const start = (args: readonly string[], { env = {}, input }: RunOptions = {}): RunningCli => {
    const child = spawn(process.execPath, [programPath('cli'), ...args], {
      env: { ...inheritedEnvironment, HOME: home, ...env },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
    children.push(child)
    child.stdin?.end(input)
    const lines: string[] = []
    let [out, err] = ['', '']
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text
    })
    if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      err += text
    })
    const ended = once(child, 'close').then(([code, signal]) => ({
      code: signal ?? code,
      out,
      err,
      get json() {
        return JSON.parse(out)
      },
    }))
    const kill = (signal: NodeJS.Signals) => {
      child.kill(signal)
      return ended
    }
    return { process: child, lines, ended, kill }
  }
  const run = (args: readonly string[], options: RunOptions = {}): Promise<CliResult> =>
    start(args, options).ended

  return {
    home,
    start,
    run,
    /** Saves the token of a workspace as a profile. */
    login: ({ token, address }: { token: string; address: string }, profile = 'default') =>
      run(['login', '--base-url', address, '--profile', profile], { input: `${token}\n` }),
  }
}
