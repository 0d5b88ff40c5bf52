// A nats-server of one's own with JetStream, on loopback, for development and tests. It asks for no
// credentials: never a way to run production.

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
  /** SIGTERM, unless a test wants to see what survives SIGKILL. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

const readyTimeoutMs = 30_000
const pollMs = 20

/** Settles when clients may connect; a node of a cluster still has to find the others then. */
export async function startNats(options: NatsOptions): Promise<Nats> {
  const found = await findNatsServer()
  if (found.binary === null) throw new Error(found.explanation)
  const storeDir = resolve(options.storeDir)
  mkdirSync(storeDir, { recursive: true })
  const port = options.port ?? (await freePort())
  const server = await startTied({
    binary: found.binary,
    args: natsArguments(options, storeDir, port),
    logFile: join(storeDir, 'nats-server.log'),
    cwd: storeDir,
    deathSignal: 'SIGTERM',
  })
  const url = `nats://127.0.0.1:${port}`
  try {
    await acceptsClients(server, url)
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

/** Settles when JetStream answers; in a cluster that takes an elected leader. */
export async function jetStreamReady(url: string): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs
  for (;;) {
    try {
      return await askJetStream(url)
    } catch (error) {
      if (Date.now() > deadline) throw new Error(`JetStream is not ready at ${url}`, { cause: error })
      await sleep(pollMs)
    }
  }
}

async function askJetStream(url: string): Promise<void> {
  const connection = await connect({ servers: url, reconnect: false, timeout: 2_000 })
  try {
    const manager = await jetstreamManager(connection, { checkAPI: false, timeout: 1_000 })
    await manager.getAccountInfo()
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

async function acceptsClients(server: TiedProcess, url: string): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs
  while (server.running() && Date.now() < deadline) {
    const connection = await connect({ servers: url, reconnect: false, timeout: 2_000 }).catch(() => null)
    if (connection) return await connection.close()
    await sleep(pollMs)
  }
  throw new Error(`nats-server did not start:\n${server.lastWords()}`)
}
