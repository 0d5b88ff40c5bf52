// The command as somebody types it: the real launcher in a process of its own, with a home that is nobody's.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll } from 'vitest'
import { inherited } from '../../../server/test/support/inherited.ts'

const launcher = resolve(import.meta.dirname, '../../bin/switchyard.js')

export type Ended = {
  readonly code: number | NodeJS.Signals
  readonly out: string
  readonly err: string
  /** Standard output as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a body is what the test says it is.
  readonly json: any
}

export type Running = {
  readonly process: ChildProcess
  /** What it has printed, line by line. */
  readonly lines: readonly string[]
  readonly ended: Promise<Ended>
  kill(signal: NodeJS.Signals): Promise<Ended>
}

type RunOptions = { readonly env?: Record<string, string>; readonly input?: string }

/** A home of its own, with `login` for the commands that follow. */
export function homeForThisFile() {
  const home = mkdtempSync(join(tmpdir(), 'switchyard-cli-'))
  const children: ChildProcess[] = []
  afterAll(() => {
    // A test that fails in the middle leaves its process behind.
    for (const child of children) child.kill('SIGKILL')
    rmSync(home, { recursive: true, force: true })
  })

  const start = (args: readonly string[], { env = {}, input }: RunOptions = {}): Running => {
    const child = spawn(process.execPath, [launcher, ...args], {
      env: { ...inherited, HOME: home, ...env },
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
  const run = (args: readonly string[], options: RunOptions = {}): Promise<Ended> =>
    start(args, options).ended

  return {
    home,
    start,
    run,
    /** Keeps the token of a workspace under a name. */
    login: ({ token, address }: { token: string; address: string }, profile = 'default') =>
      run(['login', '--base-url', address, '--profile', profile], { input: `${token}\n` }),
  }
}
