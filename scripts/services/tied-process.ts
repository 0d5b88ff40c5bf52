// A child process that does not outlive its parent. On Linux the kernel sees to that, even when the
// parent is killed with SIGKILL; elsewhere an ordinary exit of the parent ends its children, and only a
// killed parent leaves them behind. Output goes to a file: a pipe that nobody reads would stop the child.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync, renameSync } from 'node:fs'

export type TiedProcess = {
  pid: number
  /** Settles when the process is gone, with how it went: `exit code 1`, `SIGKILL`. */
  exited: Promise<string>
  running(): boolean
  /** Sends the signal and waits until the process is gone; does nothing if it already is. */
  end(signal: NodeJS.Signals): Promise<void>
  /** The last lines it wrote, for error messages. */
  lastWords(): string
}

export type Identity = { uid: number; gid: number }

type TiedOptions = {
  /** Programs that replace themselves with the next word of the command, such as `unshare`. */
  prefix?: string[]
  binary: string
  args: string[]
  logFile: string
  cwd: string
  identity?: Identity | undefined
  /** What a well-behaved end is for this program, sent when the parent is gone. */
  deathSignal: 'SIGINT' | 'SIGTERM'
}

const endTimeoutMs = 30_000
const alive = new Map<ChildProcess, NodeJS.Signals>()

process.on('exit', () => {
  for (const [child, signal] of alive) child.kill(signal)
})

export async function startTied(options: TiedOptions): Promise<TiedProcess> {
  const child = spawnLogged(options)
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      alive.delete(child)
      resolve(signal ?? `exit code ${code}`)
    })
  })
  await once(child, 'spawn')
  alive.set(child, options.deathSignal)
  const running = () => child.exitCode === null && child.signalCode === null
  return {
    // A process that has spawned has an id.
    pid: child.pid ?? 0,
    exited,
    running,
    async end(signal) {
      if (!running()) return
      child.kill(signal)
      const impatience = setTimeout(() => child.kill('SIGKILL'), endTimeoutMs)
      await exited
      clearTimeout(impatience)
    },
    lastWords: () => readFileSync(options.logFile, 'utf8').trimEnd().split('\n').slice(-15).join('\n'),
  }
}

function spawnLogged(options: TiedOptions): ChildProcess {
  const { prefix = [], binary, args, logFile, cwd, identity, deathSignal } = options
  // The former run's log is what one wants to read after a crash, so it is kept, once.
  if (existsSync(logFile)) renameSync(logFile, `${logFile}.previous`)
  const log = openSync(logFile, 'w')
  // The death signal is set last: the kernel forgets it when a process changes who it is.
  const [command = binary, ...rest] = [...prefix, ...dieWithParent(deathSignal), binary, ...args]
  const child = spawn(command, rest, { cwd, stdio: ['ignore', log, log], ...identity })
  closeSync(log)
  return child
}

let canDieWithParent: boolean | undefined

/** Words before a command that make it end with whoever started it, where the platform knows a way. */
export function dieWithParent(signal: NodeJS.Signals): string[] {
  // Asked once, by trying: the setpriv of some distributions does not know the option.
  canDieWithParent ??= spawnSync('setpriv', ['--pdeathsig', 'INT', 'true']).status === 0
  return canDieWithParent ? ['setpriv', '--pdeathsig', signal.slice('SIG'.length)] : []
}
