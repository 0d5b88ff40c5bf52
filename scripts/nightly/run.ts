// Runs one command with a timeout, and writes its output to a file. The command runs in its own process group, so that
// its child processes can be stopped with it.

import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export type CommandOptions = {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly timeoutMs: number
  readonly logFile: string
}

export type CommandResult = {
  readonly seconds: number
  /** `ok`, or how it failed: `exit code 1`, `SIGSEGV`, `timeout`. */
  readonly result: string
  readonly lastLines: readonly string[]
}

/** How long a command has to stop after SIGTERM, and its child processes after SIGKILL. */
const stopMs = 10_000

/** Running process groups. An interrupt from the terminal does not reach them. */
const groups = new Set<ChildProcess>()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const child of groups) killGroup(child, 'SIGKILL')
    process.exit(130)
  })

export async function runWithTimeout({
  command,
  args,
  cwd,
  timeoutMs,
  logFile,
}: CommandOptions): Promise<CommandResult> {
  const startedMs = performance.now()
  const log = openSync(logFile, 'w')
  const child = spawn(command, args, { cwd, detached: true, stdio: ['ignore', log, log] })
  closeSync(log)
  groups.add(child)
  let timedOut = false
  const timers = [
    setTimeout(() => {
      timedOut = true
      killGroup(child, 'SIGTERM')
    }, timeoutMs),
    setTimeout(() => killGroup(child, 'SIGKILL'), timeoutMs + stopMs),
  ]
  const exit = await new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(code === 0 ? 'ok' : (signal ?? `exit code ${code}`)))
  })
  for (const timer of timers) clearTimeout(timer)
  // Stop remaining child processes, which would disturb the next command. A killed process ends a little later.
  killGroup(child, 'SIGKILL')
  for (let waitedMs = 0; hasRunningProcess(child) && waitedMs < stopMs; waitedMs += 20) await sleep(20)
  groups.delete(child)
  return {
    seconds: (performance.now() - startedMs) / 1000,
    result: timedOut ? 'timeout' : exit,
    lastLines: readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-15),
  }
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // The whole group has already ended.
  }
}

/**
 * True while a process of the group runs. A zombie, which ended but was not waited for by its parent, does not run.
 * Always false on systems without `/proc`.
 */
function hasRunningProcess({ pid }: ChildProcess): boolean {
  if (process.platform !== 'linux') return false
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((name) => {
      try {
        // The fields after the name of the program, which is in parentheses: state, parent, process group.
        const [state, , group] = readFileSync(`/proc/${name}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ')
        return Number(group) === pid && state !== 'Z' && state !== 'X'
      } catch {
        return false
      }
    })
}
