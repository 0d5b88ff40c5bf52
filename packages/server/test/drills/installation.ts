// The installation of a drill, except for its database: NATS that can be replaced with an empty instance, a
// simulator with its own ledger, a webhook receiver, and servers that are started as an operator would start them.

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve as resolvePath } from 'node:path'
import { type Nats, startNats } from '../../../../scripts/services/nats.ts'
import { freePort } from '../../../../scripts/services/ports.ts'
import { startSimulatorProcess } from '../../../../scripts/services/simulator.ts'
import { compose } from '../../src/compose.ts'
import { readConfig } from '../../src/config.ts'
import { idFromUuid, idMaker } from '../../src/kernel/id.ts'
import { setUpWorkspace } from '../../src/setup.ts'
import { testMasterKeys } from '../support/master-keys.ts'
import { type ServerProcess, startServer } from '../support/server-process.ts'
import { type Sink, startSink } from '../support/sink-process.ts'

export type DrillInstallation = {
  readonly folder: string
  readonly sink: Sink
  readonly simulatorUrl: string
  /** The address of the test environment for callers and the simulator. */
  readonly address: string
  readonly port: number
  environment(databaseUrl: string): Record<string, string>
  /** Starts a server of this version, or of the version with this `main.ts`. */
  start(
    command: 'api' | 'worker' | 'all',
    environment: Record<string, string>,
    main?: string,
  ): Promise<ServerProcess>
  /** Replaces NATS with an empty instance on the same port. */
  replaceNats(): Promise<void>
  clear(): Promise<void>
}

export async function startInstallation(): Promise<DrillInstallation> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-drill-'))
  const servers: ServerProcess[] = []
  // Kill the servers and delete the folder even if an error prevents `clear`.
  const cleanUp = () => {
    for (const server of servers) server.process.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', cleanUp)
  let generation = 1
  let nats: Nats = await startNats({ storeDir: join(folder, 'nats-1') })
  const simulator = await startSimulatorProcess({ ledgerFile: join(folder, 'ledger.jsonl') })
  const sink = await startSink(folder)
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`

  return {
    folder,
    sink,
    simulatorUrl: simulator.url,
    address,
    port,
    environment: (databaseUrl) => ({
      DATABASE_URL: databaseUrl,
      NATS_URL: nats.url,
      SIMULATOR_URL: simulator.url,
      TEST_BASE_URL: address,
      MASTER_KEYS: testMasterKeys,
      WEBHOOK_ALLOW_LOOPBACK: 'true',
      RATE_LIMIT_TEST: '1000000',
      IN_FLIGHT_LIMIT: '1000',
      DATABASE_POOL: '8',
      DRAIN_SECONDS: '1',
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
      LOG_LEVEL: 'info',
    }),
    async start(command, environment, main) {
      const server = await startServer(command, environment, main)
      servers.push(server)
      return server
    },
    async replaceNats() {
      await nats.stop('SIGKILL')
      generation += 1
      nats = await startNats({ storeDir: join(folder, `nats-${generation}`), port: nats.port })
    },
    async clear() {
      await Promise.all(servers.map((server) => server.kill('SIGKILL')))
      await Promise.all([sink.stop(), simulator.stop(), nats.stop('SIGKILL')])
      cleanUp()
      process.removeListener('exit', cleanUp)
    },
  }
}

/** Creates a test workspace with two simulator accounts and returns an ADMIN token. */
export async function newWorkspace(environment: Record<string, string>): Promise<string> {
  const switchyard = compose(readConfig({ ...environment, NATS_URL: '', LOG_LEVEL: 'error' }))
  const organizationId = idFromUuid('organization', 'test', idMaker(new Date(), 0)())
  const { token } = await setUpWorkspace(switchyard.deps, { organizationId, mode: 'test', name: 'A drill' })
  await switchyard.close()
  return token
}

const errorLevel = 50

/** What a server logged as an error. */
export function findLoggedErrors({ lines }: ServerProcess): string[] {
  return lines.filter((line) => JSON.parse(line).level >= errorLevel)
}

/** How often each request got a 503, by error code and route, most frequent first. */
export function countUnavailable({ lines }: ServerProcess): string[] {
  const unavailable = lines.map((line) => JSON.parse(line)).filter(({ status }) => status === 503)
  const counts = Map.groupBy(unavailable, ({ code, method, route }) => `${code} at ${method} ${route}`)
  return [...counts]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([request, found]) => `${found.length} × ${request}`)
}

const currentMain = resolvePath(import.meta.dirname, '../../src/main.ts')

export type CommandResult = { readonly code: number; readonly out: string }

/** Runs a command of the server, by default of the current version. */
export function runCommand(
  args: readonly string[],
  environment: Record<string, string>,
  main = currentMain,
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH ?? '', ...environment }
    execFile(process.execPath, [main, ...args], { env }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), out: out + err }),
    )
  })
}
