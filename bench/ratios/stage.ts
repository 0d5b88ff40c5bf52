/** Everything a measurement plays on: Postgres that waits for the disk, NATS, a simulator, the real server, some rows. */
import { Client } from 'pg'
import { compose } from '../../packages/server/src/compose.ts'
import { readConfig } from '../../packages/server/src/config.ts'
import { type Id, idFromUuid, uuidOf } from '../../packages/server/src/kernel/id.ts'
import { makeWorkspace } from '../../packages/server/src/setup.ts'
import { type Nats, startNats } from '../../scripts/services/nats.ts'
import { freePort } from '../../scripts/services/ports.ts'
import { fillEvents } from '../fill.ts'
import { silence } from '../payer.ts'
import { type MeasuredSimulator, startMeasuredSimulator } from '../payments/simulator.ts'
import { throwawayKeys, throwawayPostgres } from '../throwaway.ts'
import { oneRowTable } from './bare-sql.ts'
import { mainScript, type Started, startScript } from './processes.ts'

export type Stage = {
  readonly postgres: { readonly url: string; readonly pid: number }
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
  /** The environment of a server on other ports. */
  environment(): Promise<Record<string, string>>
  clear(): Promise<void>
}

const seededEvents = 10_000

export async function setStage(profileFolder: string | null): Promise<Stage> {
  const postgres = await throwawayPostgres({})
  const { folder } = postgres
  const nats = await startNats({ storeDir: `${folder}/nats` })
  const simulator = await startMeasuredSimulator(folder)
  const { workspaceId, token } = await newWorkspace(postgres.url, simulator.url)
  const workspace = uuidOf(workspaceId)
  const events = await prepare(postgres.url, workspace)
  await silence(simulator.url, postgres.url, workspace)
  const environment = () => environmentOf(postgres.url, nats.url, simulator.url)
  const own = await environment()
  const server = await startScript({
    folder,
    name: 'server',
    script: mainScript,
    args: ['api'],
    environment: own,
    nodeArguments: profileFolder === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`],
  })
  await server.said('"ready"')
  const port = Number(own.TEST_LISTEN?.split(':')[1])
  return {
    ...{
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
    },
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
    MASTER_KEYS: throwawayKeys,
    NATS_URL: natsUrl,
    ...reachable(simulatorUrl),
    LIVE_LISTEN: await listen(),
    TEST_LISTEN: await listen(),
    DASHBOARD_LISTEN: await listen(),
    OPS_LISTEN: await listen(),
    // The limits are not what is measured.
    RATE_LIMIT_TEST: '1000000',
    IN_FLIGHT_LIMIT: '1000',
    DRAIN_SECONDS: '0',
  }
}

const reachable = (simulatorUrl: string) => ({
  SIMULATOR_URL: simulatorUrl,
  WEBHOOK_ALLOW_LOOPBACK: 'true',
})

async function newWorkspace(databaseUrl: string, simulatorUrl: string) {
  const environment = { DATABASE_URL: databaseUrl, MASTER_KEYS: throwawayKeys, LOG_LEVEL: 'error' }
  const switchyard = compose(readConfig({ ...environment, ...reachable(simulatorUrl) }))
  const organizationId = idFromUuid('organization', 'test', '0190a5c0-0000-7000-8000-000000000000')
  const made = await makeWorkspace(switchyard.deps, { organizationId, mode: 'test', name: 'Measured' })
  await switchyard.close()
  return made
}

async function prepare(url: string, workspace: string): Promise<string[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(oneRowTable)
  const to = new Date()
  // The first of a month has no hour behind it in its partition; then the rows stand closer together.
  const from = new Date(Math.max(to.getTime() - 3_600_000, Date.UTC(to.getUTCFullYear(), to.getUTCMonth())))
  await fillEvents(client, { rows: seededEvents, from, to, workspaces: [workspace] })
  await client.query('vacuum analyze')
  const { rows } = await client.query('select id from events order by md5(id::text) limit 1000')
  await client.end()
  return rows.map((row) => row.id)
}
