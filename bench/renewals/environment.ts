/** The environment of the renewal bench: Postgres with fsync, NATS, the simulator, and workers that can be killed. */
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Client } from 'pg'
import { compose } from '../../packages/server/src/compose.ts'
import { readConfig } from '../../packages/server/src/config.ts'
import { type Id, idFromUuid, type Mode } from '../../packages/server/src/kernel/id.ts'
import { migrate } from '../../packages/server/src/platform/db/migrate.ts'
import { asOwner } from '../../packages/server/src/platform/db/owner.ts'
import { setUpWorkspace } from '../../packages/server/src/setup.ts'
import { type Nats, startNats } from '../../scripts/services/nats.ts'
import { freePort } from '../../scripts/services/ports.ts'
import { type Postgres, startPostgres } from '../../scripts/services/postgres.ts'
import { type MeasuredSimulator, startMeasuredSimulator } from '../payments/simulator.ts'
import { mainScript, type Started, startScript } from '../ratios/processes.ts'
import { temporaryMasterKeys } from '../temporary-postgres.ts'

export type RenewalEnvironment = {
  readonly url: string
  readonly folder: string
  readonly simulator: MeasuredSimulator
  /** Changes after a restart. */
  postgres(): Postgres
  nats(): Nats
  /** Opens a connection as the database owner. It does not survive a restart. */
  asOwner<T>(body: (client: Client) => Promise<T>): Promise<T>
  newWorkspace(mode: Mode, name: string): Promise<{ workspaceId: Id<'workspace'>; token: string }>
  startWorker(): Promise<Started>
  restartPostgres(): Promise<void>
  /** Deletes everything in JetStream, as with a new disk. */
  wipeNats(): Promise<void>
  clear(): Promise<void>
}

/** Settings of a large installation. Everything else is the default, including fsync. */
const settings = {
  max_wal_size: '8GB',
  checkpoint_timeout: '30min',
  shared_buffers: '512MB',
}

export async function startEnvironment(profileFolder: string | null): Promise<RenewalEnvironment> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-measure-'))
  // Clean up after errors too.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const dataDir = join(folder, 'postgres')
  const storeDir = join(folder, 'nats')
  let postgres = await startPostgres({ dataDir, settings })
  const { url, port } = postgres
  await migrate(url)
  let nats = await startNats({ storeDir })
  const simulator = await startMeasuredSimulator(folder)
  const compiled = join(folder, 'compiled')
  let workers = 0
  return {
    url,
    folder,
    simulator,
    postgres: () => postgres,
    nats: () => nats,
    asOwner: (body) => asOwner(url, body),
    newWorkspace: (mode, name) => newWorkspace({ url, simulatorUrl: simulator.url, mode, name }),
    async startWorker() {
      workers += 1
      const environment = await environmentOf({
        url,
        natsUrl: nats.url,
        simulatorUrl: simulator.url,
        compiled,
      })
      const nodeArguments = profileFolder === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`]
      const script = resolve(import.meta.dirname, '../ratios', mainScript)
      const name = `worker-${workers}`
      return startScript({ folder, name, script, args: ['worker'], environment, nodeArguments })
    },
    async restartPostgres() {
      await postgres.stop('fast')
      postgres = await startPostgres({ dataDir, settings, port })
    },
    async wipeNats() {
      await nats.stop('SIGKILL')
      rmSync(storeDir, { recursive: true, force: true })
      nats = await startNats({ storeDir, port: nats.port })
    },
    async clear() {
      await simulator.process.end('SIGTERM')
      await nats.stop()
      await postgres.stop('immediate')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type WorkerSettings = {
  readonly url: string
  readonly natsUrl: string
  readonly simulatorUrl: string
  readonly compiled: string
}

async function environmentOf({
  url,
  natsUrl,
  simulatorUrl,
  compiled,
}: WorkerSettings): Promise<Record<string, string>> {
  const listen = async () => `127.0.0.1:${await freePort()}`
  return {
    DATABASE_URL: url,
    MASTER_KEYS: temporaryMasterKeys,
    NATS_URL: natsUrl,
    SIMULATOR_URL: simulatorUrl,
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    OPS_LISTEN: await listen(),
    DRAIN_SECONDS: '0',
    // Many workers are started, so cache their compiled code.
    NODE_COMPILE_CACHE: compiled,
  }
}

type NewWorkspace = {
  readonly url: string
  readonly simulatorUrl: string
  readonly mode: Mode
  readonly name: string
}

async function newWorkspace({ url, simulatorUrl, mode, name }: NewWorkspace) {
  const environment = { DATABASE_URL: url, MASTER_KEYS: temporaryMasterKeys, LOG_LEVEL: 'error' }
  const simulatorSettings = { SIMULATOR_URL: simulatorUrl, WEBHOOK_ALLOW_LOOPBACK: 'true' }
  const switchyard = compose(readConfig({ ...environment, ...simulatorSettings }))
  const organizationId = idFromUuid('organization', mode, '0190a5c0-0000-7000-8000-000000000000')
  const workspace = await setUpWorkspace(switchyard.deps, { organizationId, mode, name })
  await switchyard.close()
  return workspace
}
