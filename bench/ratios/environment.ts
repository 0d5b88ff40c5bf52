/** The environment of a measurement: Postgres with fsync, NATS, a simulator, the real server, and some rows. */
import { Client } from 'pg'
import { compose } from '../../packages/server/src/compose.ts'
import { readConfig } from '../../packages/server/src/config.ts'
import { type Id, idFromUuid, uuidOf } from '../../packages/server/src/kernel/id.ts'
import { setUpWorkspace } from '../../packages/server/src/setup.ts'
import { type Nats, startNats } from '../../scripts/services/nats.ts'
import { freePort } from '../../scripts/services/ports.ts'
import { fillEvents } from '../fill.ts'
import { disableSimulatorWebhooks } from '../payer.ts'
import { type MeasuredSimulator, startMeasuredSimulator } from '../payments/simulator.ts'
import { startTemporaryPostgres, type TemporaryPostgres, temporaryMasterKeys } from '../temporary-postgres.ts'
import { oneRowTable } from './bare-sql.ts'
import { mainScript, nodeArgumentsOfImage, type Started, startScript } from './processes.ts'

export type BenchEnvironment = {
  readonly postgres: Pick<TemporaryPostgres, 'url' | 'pid' | 'crash'>
  readonly nats: Nats
  readonly simulator: MeasuredSimulator
  readonly folder: string
  readonly workspaceId: Id<'workspace'>
  readonly workspace: string
  readonly token: string
  readonly server: Started
  readonly port: number
  /** Events to read, as uuids. */
  readonly events: readonly string[]
  /** Environment variables for a server on other ports. */
  environment(): Promise<Record<string, string>>
  clear(): Promise<void>
}

const seededEvents = 10_000

/** `script` is the program of the server: its source, or a bundle as in the container image. */
export async function startEnvironment(
  profileFolder: string | null,
  script = mainScript,
): Promise<BenchEnvironment> {
  const postgres = await startTemporaryPostgres({})
  const { folder } = postgres
  const nats = await startNats({ storeDir: `${folder}/nats` })
  const simulator = await startMeasuredSimulator(folder)
  const { workspaceId, token } = await newWorkspace(postgres.url, simulator.url)
  const workspace = uuidOf(workspaceId)
  const events = await prepareRows(postgres.url, workspace)
  await disableSimulatorWebhooks(simulator.url, postgres.url, workspace)
  const environment = () => environmentOf(postgres.url, nats.url, simulator.url)
  const serverEnvironment = await environment()
  const server = await startScript({
    folder,
    name: 'server',
    script,
    args: ['api'],
    environment: serverEnvironment,
    nodeArguments:
      profileFolder === null
        ? nodeArgumentsOfImage()
        : [...nodeArgumentsOfImage(), '--cpu-prof', `--cpu-prof-dir=${profileFolder}`],
  })
  await server.waitForOutput('"ready"')
  const port = Number(serverEnvironment.TEST_LISTEN?.split(':')[1])
  return {
    postgres,
    nats,
    simulator,
    folder,
    workspaceId,
    workspace,
    token,
    server,
    port,
    events,
    environment,
    async clear() {
      await server.end('SIGTERM')
      await simulator.process.end('SIGTERM')
      await nats.stop()
      await postgres.remove()
    },
  }
}

async function environmentOf(
  databaseUrl: string,
  natsUrl: string,
  simulatorUrl: string,
): Promise<Record<string, string>> {
  const listen = async () => `127.0.0.1:${await freePort()}`
  return {
    DATABASE_URL: databaseUrl,
    MASTER_KEYS: temporaryMasterKeys,
    NATS_URL: natsUrl,
    ...simulatorSettings(simulatorUrl),
    LIVE_LISTEN: await listen(),
    TEST_LISTEN: await listen(),
    DASHBOARD_LISTEN: await listen(),
    OPS_LISTEN: await listen(),
    // High enough that rate limits do not affect the measurement.
    RATE_LIMIT_TEST: '1000000',
    IN_FLIGHT_LIMIT: '1000',
    DRAIN_SECONDS: '0',
  }
}

const simulatorSettings = (simulatorUrl: string) => ({
  SIMULATOR_URL: simulatorUrl,
  WEBHOOK_ALLOW_LOOPBACK: 'true',
})

async function newWorkspace(databaseUrl: string, simulatorUrl: string) {
  const environment = { DATABASE_URL: databaseUrl, MASTER_KEYS: temporaryMasterKeys, LOG_LEVEL: 'error' }
  const switchyard = compose(readConfig({ ...environment, ...simulatorSettings(simulatorUrl) }))
  const organizationId = idFromUuid('organization', 'test', '0190a5c0-0000-7000-8000-000000000000')
  const created = await setUpWorkspace(switchyard.deps, { organizationId, mode: 'test', name: 'Measured' })
  await switchyard.close()
  return created
}

async function prepareRows(url: string, workspace: string): Promise<string[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(oneRowTable)
  const to = new Date()
  // In the first hour of a month, the partition covers less than an hour, so the rows are closer together.
  const from = new Date(Math.max(to.getTime() - 3_600_000, Date.UTC(to.getUTCFullYear(), to.getUTCMonth())))
  await fillEvents(client, { rows: seededEvents, from, to, workspaces: [workspace] })
  await client.query('vacuum analyze')
  const { rows } = await client.query('select id from events order by md5(id::text) limit 1000')
  await client.end()
  return rows.map((row) => row.id)
}
