import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { jetStreamReady, startNats } from './nats.ts'
import { findNatsServer } from './nats-binary.ts'
import { startNatsCluster } from './nats-cluster.ts'
import { startPostgres } from './postgres.ts'
import { startSimulatorProcess } from './simulator.ts'

/** If the killed node was the leader of the cluster or of the stream, a new leader must be elected first. */
const electionTimeoutMs = 30_000

let dir: string

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'switchyard-services-'))
})

afterAll(() => rmSync(dir, { recursive: true, force: true }))

async function query(url: string, sql: string): Promise<unknown> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query({ text: sql, rowMode: 'array' })
  await client.end()
  return rows[0]?.[0]
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('The simulator', () => {
  test('responds after the start, rejects callers without a valid signature, and stops on request', async () => {
    const simulator = await startSimulatorProcess({ ledgerFile: join(dir, 'simulator/ledger.jsonl') })

    const unsigned = await fetch(`${simulator.url}/nobody/health`)
    expect(unsigned.status).toBe(401)
    expect((await fetch(`${simulator.url}/control/nobody/ledger`)).status).toBe(200)

    await simulator.stop()
    expect(isAlive(simulator.pid)).toBe(false)
  })
})

describe('Postgres', () => {
  test('keeps committed data after an immediate stop and a restart', async () => {
    const dataDir = join(dir, 'durable')
    const first = await startPostgres({ dataDir })
    await query(first.url, 'create table durable as select 42 as answer')
    await first.stop('immediate')

    const second = await startPostgres({ dataDir, settings: { work_mem: '8MB' } })
    expect(await query(second.url, 'select answer from durable')).toBe(42)
    expect(await query(second.url, 'show work_mem')).toBe('8MB')
    expect(await query(second.url, 'show fsync')).toBe('on')
    expect(await query(second.url, 'show shared_preload_libraries')).toBe('pg_stat_statements')

    await expect(startPostgres({ dataDir })).rejects.toThrow('postmaster.pid')
    await second.stop()
    expect(isAlive(second.pid)).toBe(false)
  })
})

describe('NATS', () => {
  test('has JetStream, and its streams survive SIGKILL', async () => {
    const storeDir = join(dir, 'alone')
    const first = await startNats({ storeDir, name: 'alone' })
    await withJetStream(first.url, (manager) => manager.streams.add({ name: 'kept', subjects: ['kept'] }))
    await first.stop('SIGKILL')

    const second = await startNats({ storeDir, port: first.port })
    expect(second.url).toBe(first.url)
    await withJetStream(second.url, async (manager) => {
      expect((await manager.streams.info('kept')).config.subjects).toEqual(['kept'])
    })
    await second.stop()
    expect(isAlive(second.pid)).toBe(false)
  })

  test('in a cluster, keeps responding while a node is down, and lets the node rejoin', async () => {
    const cluster = await startNatsCluster({ dir: join(dir, 'cluster'), size: 3 })
    const [killedNode, otherNode] = cluster.nodes
    if (!killedNode || !otherNode) throw new Error('The cluster must have at least two nodes.')
    await withJetStream(otherNode.url, (manager) =>
      manager.streams.add({ name: 'copied', subjects: ['copied'], num_replicas: 3 }),
    )
    const formerPid = killedNode.pid
    await killedNode.kill()
    expect(isAlive(formerPid)).toBe(false)
    await jetStreamReady(otherNode.url)

    await killedNode.start()
    await jetStreamReady(killedNode.url)
    expect(killedNode.pid).not.toBe(formerPid)
    await vi.waitFor(() => withJetStream(killedNode.url, (manager) => manager.streams.info('copied')), {
      timeout: electionTimeoutMs,
    })
    await cluster.stop()
  }, 60_000)

  test('reports a missing NATS_SERVER_BIN instead of using another one', async () => {
    vi.stubEnv('NATS_SERVER_BIN', '/nowhere/nats-server')
    const result = await findNatsServer()
    vi.unstubAllEnvs()
    expect(result).toEqual({ binary: null, explanation: expect.stringContaining('/nowhere/nats-server') })
  })
})

// The kernel of macOS does not support this.
test.runIf(process.platform === 'linux')('Postgres and NATS end when their parent is killed', async () => {
  const parent = spawn(process.execPath, [join(import.meta.dirname, 'orphans.ts'), join(dir, 'orphans')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface({ input: parent.stdout }), 'line')
  const pids: number[] = JSON.parse(line)
  expect(pids.map(isAlive)).toEqual([true, true])

  parent.kill('SIGKILL')
  await vi.waitFor(() => expect(pids.map(isAlive)).toEqual([false, false]), { timeout: 5_000 })
})

type Manager = Awaited<ReturnType<typeof jetstreamManager>>

async function withJetStream(url: string, operation: (manager: Manager) => Promise<unknown>): Promise<void> {
  const connection = await connect({ servers: url })
  try {
    await operation(await jetstreamManager(connection, { checkAPI: false }))
  } finally {
    await connection.close()
  }
}
