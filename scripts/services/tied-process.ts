// A child process that does not outlive its parent. On Linux the kernel ensures that, even if the parent is killed with
// SIGKILL. On other platforms a normal exit of the parent ends its children, but a killed parent leaves them running.
// Output goes to a file, because a full pipe without a reader would block the child.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync, renameSync } from 'node:fs'

export type TiedProcess = {
  pid: number
  /** Resolves when the process has ended, with `exit code 1` or `SIGKILL`, for example. */
  exited: Promise<string>
  running(): boolean
  /** Sends the signal and waits until the process has ended; does nothing if it already has. */
  end(signal: NodeJS.Signals): Promise<void>
  /** The last lines it wrote, for error messages. */
  lastOutput(): string
}

export type Identity = { uid: number; gid: number }

type TiedOptions = {
  /** Wrapper commands that exec the rest of the command, such as `unshare`. */
  prefix?: string[]
  binary: string
  args: string[]
  logFile: string
  cwd: string
  identity?: Identity | undefined
  /** The signal for a clean shutdown, sent when the parent ends. */
  deathSignal: 'SIGINT' | 'SIGTERM'
}

const endTimeoutMs = 30_000
const liveChildren = new Map<ChildProcess, NodeJS.Signals>()

process.on('exit', () => {
  for (const [child, signal] of liveChildren) child.kill(signal)
})

export async function startTied(options: TiedOptions): Promise<TiedProcess> {
  const child = spawnLogged(options)
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      liveChildren.delete(child)
      resolve(signal ?? `exit code ${code}`)
    })
  })
  await once(child, 'spawn')
  liveChildren.set(child, options.deathSignal)
  const running = () => child.exitCode === null && child.signalCode === null
  return {
    // A process that has spawned has an id.
    pid: child.pid ?? 0,
    exited,
    running,
    async end(signal) {
      if (!running()) return
      child.kill(signal)
      const killTimer = setTimeout(() => child.kill('SIGKILL'), endTimeoutMs)
      await exited
      clearTimeout(killTimer)
    },
    lastOutput: () => readFileSync(options.logFile, 'utf8').trimEnd().split('\n').slice(-15).join('\n'),
  }
}

function spawnLogged(options: TiedOptions): ChildProcess {
  const { prefix = [], binary, args, logFile, cwd, identity, deathSignal } = options
  // Keep the log of the previous run, which is needed after a crash.
  if (existsSync(logFile)) renameSync(logFile, `${logFile}.previous`)
  const log = openSync(logFile, 'w')
  // Set the death signal last: the kernel clears it when a process changes its user.
  const [command = binary, ...rest] = [...prefix, ...dieWithParent(deathSignal), binary, ...args]
  const child = spawn(command, rest, { cwd, stdio: ['ignore', log, log], ...identity })
  closeSync(log)
  return child
}

let canDieWithParent: boolean | undefined

/** A command prefix that makes a process end with its parent, on platforms that support it. */
export function dieWithParent(signal: NodeJS.Signals): string[] {
  // Detected by trying it once, because setpriv of some distributions lacks the option.
  canDieWithParent ??= spawnSync('setpriv', ['--pdeathsig', 'INT', 'true']).status === 0
  return canDieWithParent ? ['setpriv', '--pdeathsig', signal.slice('SIG'.length)] : []
}
