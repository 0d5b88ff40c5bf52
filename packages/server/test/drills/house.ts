// What stands around the database in a drill: NATS that can be replaced by an empty one, a simulator that keeps its
// own books, a receiver of webhooks, and servers as an operator starts them.

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Nats, startNats } from '../../../../scripts/services/nats.ts'
import { freePort } from '../../../../scripts/services/ports.ts'
import { startSimulatorProcess } from '../../../../scripts/services/simulator.ts'
import { compose } from '../../src/compose.ts'
import { readConfig } from '../../src/config.ts'
import { idFromUuid, idMaker } from '../../src/kernel/id.ts'
import { makeWorkspace } from '../../src/setup.ts'
import { testMasterKeys } from '../support/master-keys.ts'
import { type ServerProcess, startServer } from '../support/server-process.ts'
import { type Sink, startSink } from '../support/sink-process.ts'

export type House = {
  readonly folder: string
  readonly sink: Sink
  readonly simulatorUrl: string
  /** Where callers and the simulator find the test environment, whoever listens there. */
  readonly address: string
  readonly port: number
  environment(databaseUrl: string): Record<string, string>
  /** Of this version, unless another one's `main.ts` is named. */
  start(
    command: 'api' | 'worker' | 'all',
    environment: Record<string, string>,
    main?: string,
  ): Promise<ServerProcess>
  /** A NATS that knows nothing, in the place of the one before. */
  replaceNats(): Promise<void>
  clear(): Promise<void>
}

export async function openHouse(): Promise<House> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-drill-'))
  const servers: ServerProcess[] = []
  // Whoever ends without clearing, after an error, leaves neither processes nor files behind.
  const forget = () => {
    for (const server of servers) server.process.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', forget)
  let generation = 1
  let nats: Nats = await startNats({ storeDir: join(folder, 'nats-1') })
  const simulator = await startSimulatorProcess({ ledgerFile: join(folder, 'ledger.jsonl') })
  const sink = await startSink(folder)
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`

  return {
    ...{ folder, sink, simulatorUrl: simulator.url, address, port },
    environment: (databaseUrl) => ({
      ...{ DATABASE_URL: databaseUrl, NATS_URL: nats.url, SIMULATOR_URL: simulator.url },
      ...{ TEST_BASE_URL: address, MASTER_KEYS: testMasterKeys, WEBHOOK_ALLOW_LOOPBACK: 'true' },
      ...{ RATE_LIMIT_TEST: '1000000', IN_FLIGHT_LIMIT: '1000', DATABASE_POOL: '8', DRAIN_SECONDS: '1' },
      ...{ NODE_COMPILE_CACHE: join(folder, 'compiled'), LOG_LEVEL: 'info' },
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
      forget()
      process.removeListener('exit', forget)
    },
  }
}

/** The token of an ADMIN of a new workspace for tests, which has two accounts at the simulator. */
export async function newWorkspace(environment: Record<string, string>): Promise<string> {
  const switchyard = compose(readConfig({ ...environment, NATS_URL: '', LOG_LEVEL: 'error' }))
  const organizationId = idFromUuid('organization', 'test', idMaker(new Date(), 0)())
  const { token } = await makeWorkspace(switchyard.deps, { organizationId, mode: 'test', name: 'A drill' })
  await switchyard.close()
  return token
}

const ownMain = resolve(import.meta.dirname, '../../src/main.ts')

export type Said = { readonly code: number; readonly out: string }

/** A command of the server, as an operator types it. */
export function runCommand(
  args: readonly string[],
  environment: Record<string, string>,
  main = ownMain,
): Promise<Said> {
  return new Promise((done) => {
    const env = { PATH: process.env.PATH ?? '', ...environment }
    execFile(process.execPath, [main, ...args], { env }, (error, out, err) =>
      done({ code: error === null ? 0 : Number(error.code), out: out + err }),
    )
  })
}
