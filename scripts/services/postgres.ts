// Starts a PostgreSQL 18 on the loopback interface, for development and tests. It initializes an empty folder, and has a
// database `switchyard` when the promise resolves. Durable unless the caller changes the settings. It trusts every local
// connection: do not use it in production.

import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { freePort } from './ports.ts'
import { type PostgresRunner, postgresRunner } from './postgres-binaries.ts'
import { startTied, type TiedProcess } from './tied-process.ts'

export type PostgresOptions = {
  dataDir: string
  port?: number
  /** Server settings such as `{ fsync: 'off' }`, given as if on the command line. */
  settings?: Record<string, string>
}

export type Postgres = {
  url: string
  port: number
  pid: number
  exited: Promise<string>
  /** `fast` closes connections and writes a checkpoint; `immediate` leaves recovery to the next start. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>
}

const readyTimeoutMs = 60_000
const pollMs = 20

const defaultSettings = {
  shared_preload_libraries: 'pg_stat_statements',
  // Each test file creates a database, and all of them share this memory: statements that run rarely are evicted.
  'pg_stat_statements.max': '50000',
  max_connections: '200',
}

export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const dataDir = resolve(options.dataDir)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const runner = postgresRunner(dataDir)
  try {
    return await startWith(runner, { ...options, dataDir })
  } catch (error) {
    runner.dispose()
    throw error
  }
}

async function startWith(
  runner: PostgresRunner,
  { dataDir, ...options }: PostgresOptions,
): Promise<Postgres> {
  const settings = { ...defaultSettings, ...options.settings }
  if (readdirSync(dataDir).length === 0) await initialize(runner, dataDir, settings)
  const port = options.port ?? (await freePort())
  const server = await startTied({
    prefix: runner.prefix,
    binary: runner.binary('postgres'),
    args: ['-D', dataDir, '-h', '127.0.0.1', '-k', '', '-p', String(port), ...asArguments(settings)],
    logFile: join(dataDir, 'postgres.log'),
    cwd: dataDir,
    identity: runner.identity,
    deathSignal: 'SIGINT',
  })
  const stop = async (mode: 'fast' | 'immediate' = 'fast') => {
    await server.end(mode === 'fast' ? 'SIGINT' : 'SIGQUIT')
    runner.dispose()
  }
  try {
    await createDatabase(await connectWhenReady(server, port))
  } catch (error) {
    await server.end('SIGQUIT')
    throw error
  }
  return { url: urlOf(port, 'switchyard'), port, pid: server.pid, exited: server.exited, stop }
}

async function initialize(
  runner: PostgresRunner,
  dataDir: string,
  settings: Record<string, string>,
): Promise<void> {
  const args = ['-D', dataDir, '-U', 'switchyard', '-A', 'trust', '-E', 'UTF8', '--locale-provider=builtin']
  // The C library of macOS has no C.UTF-8 locale, but the built-in provider, which defines the sort order, does.
  args.push(
    ...(process.platform === 'darwin' ? ['--locale=C', '--builtin-locale=C.UTF-8'] : ['--locale=C.UTF-8']),
  )
  if (settings.fsync === 'off') args.push('--no-sync')
  const [command = '', ...rest] = [...runner.prefix, runner.binary('initdb'), ...args]
  await promisify(execFile)(command, rest, { cwd: dataDir, ...runner.identity })
}

function asArguments(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

function urlOf(port: number, database: string): string {
  return `postgres://switchyard@127.0.0.1:${port}/${database}`
}

/** Recovery after a crash can take a while, and Postgres rejects connections until then. */
async function connectWhenReady(server: TiedProcess, port: number): Promise<Client> {
  const deadline = Date.now() + readyTimeoutMs
  let lastError: unknown
  while (server.running() && Date.now() < deadline) {
    const client = new Client({ connectionString: urlOf(port, 'postgres') })
    try {
      await client.connect()
      return client
    } catch (error) {
      lastError = error
      await sleep(pollMs)
    }
  }
  const problem = server.running() ? `is not ready after ${readyTimeoutMs} ms` : 'did not start'
  throw new Error(`Postgres ${problem}:\n${server.lastOutput()}`, { cause: lastError })
}

async function createDatabase(client: Client): Promise<void> {
  try {
    const { rowCount } = await client.query(`select from pg_database where datname = 'switchyard'`)
    if (rowCount === 0) await client.query('create database switchyard')
  } finally {
    await client.end()
  }
}
