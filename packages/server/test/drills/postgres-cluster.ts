// A PostgreSQL cluster with the configuration of deploy/high-availability: three machines with etcd, Patroni and
// PostgreSQL, and HAProxy, which forwards 127.0.0.1:5000 to the primary. Only the name and address of each node, the
// passwords and the folders are substituted.

import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { startTied, type TiedProcess } from '../../../../scripts/services/tied-process.ts'
import { until } from '../flows/support/wait.ts'
import { findPrograms, type Programs, systemUser } from './cluster-programs.ts'
import { createMachines, type Machine, sendSignal } from './machines.ts'

export type ClusterNode = {
  readonly machine: Machine
  /** The state that Patroni reports; null if it does not answer. */
  state(): Promise<NodeState | null>
  signalPatroni(signal: 'SIGSTOP' | 'SIGCONT'): void
  killPostgres(): void
  /** Starts etcd and Patroni, which starts PostgreSQL. */
  boot(): Promise<void>
}

export type NodeState = {
  readonly role: string
  readonly state: string
  readonly replication_state?: string
  readonly sync_standby?: boolean
  readonly quorum_standby?: boolean
}

export type PostgresCluster = {
  readonly nodes: readonly ClusterNode[]
  /** Resolves when there is a primary, a synchronous standby and a third node that replicates. */
  waitUntilHealthy(): Promise<void>
  findPrimary(): Promise<ClusterNode | null>
  /** The name of the node that holds the lock, read from the etcd of this node. */
  readLockHolder(from: ClusterNode): Promise<string | null>
  /** Requests a planned switchover from Patroni. */
  switchOver(from: ClusterNode): Promise<void>
  /** The address of a database through HAProxy. */
  url(user: string, database: string): string
  stop(): Promise<void>
}

/** `shipped`: the configuration as it is. `quorum`: without the settings that prevent lost writes. */
export type ClusterGuard = 'shipped' | 'quorum'

const shipped = resolve(import.meta.dirname, '../../../../deploy/high-availability')
const read = (name: string) => readFileSync(join(shipped, name), 'utf8')

const addresses = { pg1: '10.0.0.11', pg2: '10.0.0.12', pg3: '10.0.0.13' }
const ownAddress = '10.0.0.1'
export const password = 'drill'

export async function startCluster(guard: ClusterGuard): Promise<PostgresCluster> {
  const programs = findPrograms()
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-cluster-'))
  // The user of PostgreSQL must reach its folder.
  chmodSync(folder, 0o755)
  const nodes = createMachines(ownAddress, addresses).map((machine) =>
    createNode(machine, join(folder, machine.name), guard, programs),
  )
  await Promise.all(nodes.map((node) => node.boot()))
  const haproxy = await startHaproxy(folder, guard, programs)
  const cluster = createCluster(nodes, haproxy)
  await cluster.waitUntilHealthy()
  return cluster
}

function createCluster(nodes: readonly ClusterNode[], haproxy: TiedProcess): PostgresCluster {
  const states = () => Promise.all(nodes.map((node) => node.state()))
  const findPrimary = async () => {
    return nodes[(await states()).findIndex(isPrimary)] ?? null
  }
  const isHealthy = async () => {
    const all = await states()
    const isSynchronous = (found: NodeState | null) => found?.sync_standby || found?.quorum_standby
    const standbys = all.filter((found) => found?.replication_state === 'streaming')
    return all.filter(isPrimary).length === 1 && standbys.length === 2 && standbys.some(isSynchronous)
  }
  return {
    nodes,
    findPrimary,
    waitUntilHealthy: async () => {
      await until('the cluster is healthy', isHealthy, { withinMs: 180_000, everyMs: 200 })
    },
    readLockHolder,
    switchOver,
    url: (user, database) => `postgres://${user}:${password}@127.0.0.1:5000/${database}`,
    stop: async () => {
      await haproxy.end('SIGTERM')
      await Promise.all(nodes.map(({ machine }) => machine.signalAll('SIGKILL')))
    },
  }
}

const isPrimary = (found: NodeState | null) => found?.role === 'primary' && found.state === 'running'

const lockKey = Buffer.from('/service/switchyard/leader').toString('base64')

async function readLockHolder({ machine }: ClusterNode): Promise<string | null> {
  const response = await fetch(`http://${machine.address}:2379/v3/kv/range`, {
    method: 'POST',
    body: JSON.stringify({ key: lockKey }),
  })
  const { kvs } = (await response.json()) as { kvs?: readonly { value: string }[] }
  const [entry] = kvs ?? []
  return entry === undefined ? null : Buffer.from(entry.value, 'base64').toString()
}

async function switchOver({ machine }: ClusterNode): Promise<void> {
  const response = await fetch(`http://${machine.address}:8008/switchover`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`patroni:${password}`).toString('base64')}` },
    body: JSON.stringify({ leader: machine.name }),
  })
  if (!response.ok) throw new Error(`Patroni rejected the switchover: ${await response.text()}`)
}

function createNode(
  machine: Machine,
  folder: string,
  guard: ClusterGuard,
  { etcd, patroni }: Programs,
): ClusterNode {
  const user = 'postgres'
  const { uid, gid } = systemUser(user)
  mkdirSync(folder, { mode: 0o700 })
  chownSync(folder, uid, gid)
  const local = (text: string) =>
    text
      .replaceAll('/var/lib/postgresql', folder)
      .replaceAll('/run/postgresql', folder)
      .replaceAll('/var/lib/etcd', folder)
  const environment = (name: string) =>
    parseEnv(local(forNode(read(name), machine))) as Record<string, string>
  const configuration = join(folder, 'patroni.yml')
  writeFileSync(configuration, withGuard(local(read('patroni.yml')), guard, patroniGuards))
  let running: TiedProcess | null = null

  return {
    machine,
    state: () => readState(machine),
    signalPatroni: (signal) => sendSignal(running?.pid ?? 0, signal),
    killPostgres() {
      const [pid = ''] = readFileSync(join(folder, '18/switchyard/postmaster.pid'), 'utf8').split('\n')
      sendSignal(Number(pid), 'SIGKILL')
    },
    async boot() {
      await machine.start(user, {
        binary: etcd,
        args: ['--log-level', 'warn'],
        environment: environment('etcd.env'),
        logFile: join(folder, 'etcd.log'),
        folder,
      })
      running = await machine.start(user, {
        binary: patroni,
        args: [configuration],
        environment: environment('patroni.env'),
        logFile: join(folder, 'patroni.log'),
        folder,
      })
    },
  }
}

/** The environment files contain the values for node 1. The list of all members is the same on every node. */
function forNode(text: string, { name, address }: Machine): string {
  return text
    .split('\n')
    .map((line) =>
      line.startsWith('ETCD_INITIAL_CLUSTER=')
        ? line
        : line.replaceAll('pg1', name).replaceAll(addresses.pg1, address),
    )
    .join('\n')
    .replaceAll('=replace', `=${password}`)
}

async function readState({ address }: Machine): Promise<NodeState | null> {
  try {
    const response = await fetch(`http://${address}:8008/patroni`, { signal: AbortSignal.timeout(500) })
    return (await response.json()) as NodeState
  } catch {
    return null
  }
}

type Substitution = readonly [shipped: string, unsafe: string]

const patroniGuards: readonly Substitution[] = [['synchronous_mode: on\n', 'synchronous_mode: quorum\n']]
const haproxyGuards: readonly Substitution[] = [[' on-marked-down shutdown-sessions', '']]

function withGuard(text: string, guard: ClusterGuard, substitutions: readonly Substitution[]): string {
  if (guard === 'shipped') return text
  return substitutions.reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`The configuration no longer contains "${from.trim()}".`)
    return before.replace(from, to)
  }, text)
}

async function startHaproxy(
  folder: string,
  guard: ClusterGuard,
  { haproxy }: Programs,
): Promise<TiedProcess> {
  const configuration = join(folder, 'haproxy.cfg')
  writeFileSync(configuration, withGuard(read('haproxy.cfg'), guard, haproxyGuards))
  return await startTied({
    binary: haproxy,
    args: ['-db', '-f', configuration],
    logFile: join(folder, 'haproxy.log'),
    cwd: folder,
    deathSignal: 'SIGTERM',
  })
}
