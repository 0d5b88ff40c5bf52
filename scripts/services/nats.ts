// Starts a nats-server with JetStream on the loopback interface, for development and tests. It has no authentication:
// do not use it in production.

import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { findNatsServer } from './nats-binary.ts'
import { freePort } from './ports.ts'
import { startTied, type TiedProcess } from './tied-process.ts'

export type NatsOptions = {
  storeDir: string
  port?: number
  name?: string
  cluster?: { name: string; port: number; routePorts: number[] }
}

export type Nats = {
  url: string
  port: number
  pid: number
  exited: Promise<string>
  /** Default: SIGTERM. Tests of crashes use SIGKILL. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

const readyTimeoutMs = 30_000
const pollMs = 20

/** Resolves when clients can connect. A cluster node may not have joined the others yet. */
export async function startNats(options: NatsOptions): Promise<Nats> {
  const natsServer = await findNatsServer()
  if (natsServer.binary === null) throw new Error(natsServer.explanation)
  const storeDir = resolve(options.storeDir)
  mkdirSync(storeDir, { recursive: true })
  const port = options.port ?? (await freePort())
  const server = await startTied({
    binary: natsServer.binary,
    args: natsArguments(options, storeDir, port),
    logFile: join(storeDir, 'nats-server.log'),
    cwd: storeDir,
    deathSignal: 'SIGTERM',
  })
  const url = `nats://127.0.0.1:${port}`
  try {
    await waitForClients(server, url)
    if (!options.cluster) await jetStreamReady(url)
  } catch (error) {
    await server.end('SIGKILL')
    throw error
  }
  return {
    url,
    port,
    pid: server.pid,
    exited: server.exited,
    stop: (signal = 'SIGTERM') => server.end(signal),
  }
}

/** Resolves when JetStream responds. In a cluster, this requires an elected leader. */
export function jetStreamReady(url: string): Promise<void> {
  return waitUntilReady(url, (manager) => manager.getAccountInfo())
}

/** Resolves when a stream can have this number of replicas. The leader rejects it until enough nodes have joined. */
export function replicasReady(url: string, replicas: number): Promise<void> {
  return waitUntilReady(url, async ({ streams }) => {
    await streams.add({ name: 'readiness', subjects: ['readiness'], num_replicas: replicas })
    await streams.delete('readiness')
  })
}

type Manager = Awaited<ReturnType<typeof jetstreamManager>>

async function waitUntilReady(url: string, operation: (manager: Manager) => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs
  for (;;) {
    try {
      return await withJetStreamManager(url, operation)
    } catch (error) {
      if (Date.now() > deadline) throw new Error(`JetStream is not ready at ${url}`, { cause: error })
      await sleep(pollMs)
    }
  }
}

async function withJetStreamManager(
  url: string,
  operation: (manager: Manager) => Promise<unknown>,
): Promise<void> {
  const connection = await connect({ servers: url.split(','), reconnect: false, timeout: 2_000 })
  try {
    await operation(await jetstreamManager(connection, { checkAPI: false, timeout: 1_000 }))
  } finally {
    await connection.close()
  }
}

function natsArguments({ name, cluster }: NatsOptions, storeDir: string, port: number): string[] {
  const args = ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', storeDir]
  if (name) args.push('--name', name)
  if (cluster) {
    const routes = cluster.routePorts.map((routePort) => `nats://127.0.0.1:${routePort}`)
    args.push('--cluster_name', cluster.name, '--cluster', `nats://127.0.0.1:${cluster.port}`)
    args.push('--routes', routes.join(','))
  }
  return args
}

async function waitForClients(server: TiedProcess, url: string): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs
  while (server.running() && Date.now() < deadline) {
    const connection = await connect({ servers: url, reconnect: false, timeout: 2_000 }).catch(() => null)
    if (connection) return await connection.close()
    await sleep(pollMs)
  }
  throw new Error(`nats-server did not start:\n${server.lastOutput()}`)
}
