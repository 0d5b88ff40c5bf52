// Simulates several machines on this one, for drills in which a machine is lost: each is a network namespace
// with its own address, connected by a bridge, so that it can be cut off, frozen or killed as a whole. The
// drill itself runs in namespaces too. They separate its addresses from those of the host, and the kernel
// ends every process when the drill ends. Requires Linux and root.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTied, type TiedProcess } from '../../../../scripts/services/tied-process.ts'

export type Machine = {
  readonly name: string
  readonly address: string
  /** Starts a program that runs as this user. */
  start(user: string, program: MachineProgram): Promise<TiedProcess>
  /** Sends the signal to every process on the machine. */
  signalAll(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void>
  /** Packets to and from the machine are dropped silently. */
  disconnect(): void
  connect(): void
}

export type MachineProgram = {
  readonly binary: string
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly logFile: string
  readonly folder: string
}

const isolated = 'SWITCHYARD_DRILL_ISOLATED'

export const isIsolated = (): boolean => process.env[isolated] !== undefined

/**
 * Runs a script in namespaces and a temporary folder of its own, and returns its exit code. The first process
 * in the namespace is a shell, because it reaps the orphans of killed processes, which Node does not.
 */
export async function runIsolated(script: string, args: readonly string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-isolated-'))
  // Programs on the machines run as other users, and must reach their own folders.
  chmodSync(folder, 0o755)
  const namespaces = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc']
  const child = spawn(
    'unshare',
    [...namespaces, 'sh', '-c', '"$@"; exit $?', 'init', process.execPath, script, ...args],
    { stdio: 'inherit', env: { ...process.env, TMPDIR: folder, [isolated]: 'yes' } },
  )
  // `unshare` ignores other signals.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill('SIGKILL'))
  const [code] = await once(child, 'exit')
  // After an interrupt, the processes inside may take a moment to end.
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
  return code ?? 1
}

const bridge = 'drill'

/** Creates machines with these names and addresses. `own` is the address of the drill in their network. */
export function createMachines(own: string, addresses: Readonly<Record<string, string>>): Machine[] {
  // The names of namespaces are files in this folder. Without the mount they would remain on the host.
  mkdirSync('/run/netns', { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', '/run/netns'])
  ip('link set lo up')
  ip(`link add name ${bridge} type bridge`)
  ip(`addr add ${own}/24 dev ${bridge}`)
  ip(`link set ${bridge} up`)
  return Object.entries(addresses).map(([name, address]) => {
    ip(`netns add ${name}`)
    ip(`link add ${name} type veth peer name eth0 netns ${name}`)
    ip(`link set ${name} master ${bridge} up`)
    ip(`-n ${name} addr add ${address}/24 dev eth0`)
    ip(`-n ${name} link set eth0 up`)
    ip(`-n ${name} link set lo up`)
    return createMachine(name, address)
  })
}

function createMachine(name: string, address: string): Machine {
  return {
    name,
    address,
    start: (user, { binary, args, environment, logFile, folder }) =>
      startTied({
        prefix: [
          'ip',
          'netns',
          'exec',
          name,
          'setpriv',
          `--reuid=${user}`,
          `--regid=${user}`,
          '--init-groups',
          'env',
          ...Object.entries(environment).map(([key, value]) => `${key}=${value}`),
        ],
        binary,
        args: [...args],
        logFile,
        cwd: folder,
        deathSignal: 'SIGTERM',
      }),
    signalAll: (signal) => signalAll(name, signal),
    disconnect: () => void ip(`link set ${name} down`),
    connect: () => void ip(`link set ${name} up`),
  }
}

function ip(command: string): string {
  return execFileSync('ip', command.split(' '), { encoding: 'utf8' })
}

/** Repeats until every process has got the signal, because processes may fork in the meantime. */
async function signalAll(name: string, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void> {
  for (;;) {
    const remaining = listProcesses(name).filter((pid) => needsSignal(stateOf(pid), signal))
    if (remaining.length === 0) return
    for (const pid of remaining) sendSignal(pid, signal)
    await sleep(1)
  }
}

function listProcesses(name: string): number[] {
  return ip(`netns pids ${name}`).split('\n').filter(Boolean).map(Number)
}

/** The state of a process as in /proc: T for stopped, Z for a zombie; null if it has ended. */
function stateOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program, in parentheses, may contain spaces.
    return stat.slice(stat.lastIndexOf(')') + 2)[0] ?? null
  } catch {
    return null
  }
}

function needsSignal(state: string | null, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): boolean {
  if (state === null || state === 'Z' || state === 'X') return false
  if (signal === 'SIGSTOP') return state !== 'T'
  return signal === 'SIGKILL' || state === 'T'
}

/** A process may have ended since it was listed. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
