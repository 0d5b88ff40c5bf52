/** The environment of the webhook bench: Postgres with fsync, NATS, the API, a receiver, and workers on demand. */
import { Client } from 'pg'
import { compose } from '../../packages/server/src/compose.ts'
import { readConfig } from '../../packages/server/src/config.ts'
import { idFromUuid } from '../../packages/server/src/kernel/id.ts'
import { setUpWorkspace } from '../../packages/server/src/setup.ts'
import {
  openWebhookWorkspace,
  type WebhookWorkspace,
} from '../../packages/server/test/flows/support/webhook-workspace.ts'
import { type Sink, startSink } from '../../packages/server/test/support/sink-process.ts'
import { type Nats, startNats } from '../../scripts/services/nats.ts'
import { freePort } from '../../scripts/services/ports.ts'
import { mainScript, type Started, startScript } from '../ratios/processes.ts'
import { processMs, processTreeMs } from '../ratios/processor.ts'
import { startTemporaryPostgres, temporaryMasterKeys } from '../temporary-postgres.ts'

export type WebhookEnvironment = {
  readonly postgres: { readonly url: string; readonly pid: number }
  readonly nats: Nats
  readonly sink: Sink
  readonly folder: string
  /** A connection as the database owner, for checks and clean-up. */
  readonly owner: Client
  startWorker(): Promise<Started>
  newWorkspaces(count: number): Promise<WebhookWorkspace[]>
  /** CPU time of the shared processes, in milliseconds since their start. */
  readonly clocks: Readonly<Record<'api' | 'postgres' | 'nats' | 'sink' | 'generator', () => number>>
  clear(): Promise<void>
}

export async function startEnvironment(profileFolder: string | null): Promise<WebhookEnvironment> {
  // The commit time is needed to measure the latency of webhooks.
  const postgres = await startTemporaryPostgres({ track_commit_timestamp: 'on' })
  const { folder } = postgres
  const nats = await startNats({ storeDir: `${folder}/nats` })
  const sink = await startSink(folder)
  const owner = new Client({ connectionString: postgres.url })
  await owner.connect()
  const start = async (name: 'api' | 'worker') => {
    const environment = await environmentOf(postgres.url, nats.url)
    const nodeArguments = profileFolder === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`]
    const command = {
      script: mainScript,
      args: [name],
      nodeArguments: name === 'worker' ? nodeArguments : [],
    }
    const started = await startScript({ folder, name, environment, ...command })
    await started.waitForOutput('"ready"')
    return { started, address: `http://${environment.TEST_LISTEN}` }
  }
  const { started: api, address } = await start('api')
  const workspaces: WebhookWorkspace[] = []
  return {
    postgres,
    nats,
    sink,
    folder,
    owner,
    startWorker: async () => (await start('worker')).started,
    async newWorkspaces(count) {
      const tokens = await newTokens(postgres.url, count)
      const created = tokens.map((token) => openWebhookWorkspace(address, token, sink))
      workspaces.push(...created)
      return created
    },
    clocks: {
      api: () => processMs(api.pid),
      postgres: () => processTreeMs(postgres.pid),
      nats: () => processMs(nats.pid),
      sink: () => processMs(sink.pid),
      generator: () => processMs(process.pid),
    },
    async clear() {
      await Promise.all(workspaces.map((workspace) => workspace.api.close()))
      await owner.end()
      await api.end('SIGTERM')
      await sink.stop()
      await nats.stop()
      await postgres.remove()
    },
  }
}

async function environmentOf(databaseUrl: string, natsUrl: string) {
  const listen = async () => `127.0.0.1:${await freePort()}`
  return {
    DATABASE_URL: databaseUrl,
    MASTER_KEYS: temporaryMasterKeys,
    NATS_URL: natsUrl,
    LIVE_LISTEN: await listen(),
    TEST_LISTEN: await listen(),
    DASHBOARD_LISTEN: await listen(),
    OPS_LISTEN: await listen(),
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    // High enough that rate limits do not affect the measurement.
    RATE_LIMIT_TEST: '1000000',
    IN_FLIGHT_LIMIT: '1000',
    DRAIN_SECONDS: '0',
  }
}

async function newTokens(databaseUrl: string, count: number): Promise<string[]> {
  const environment = { DATABASE_URL: databaseUrl, MASTER_KEYS: temporaryMasterKeys, LOG_LEVEL: 'error' }
  const switchyard = compose(readConfig(environment))
  const organizationId = idFromUuid('organization', 'test', '0190a5c0-0000-7000-8000-000000000000')
  const tokens: string[] = []
  for (let created = 0; created < count; created += 1) {
    const name = `Measured ${created}`
    tokens.push((await setUpWorkspace(switchyard.deps, { organizationId, mode: 'test', name })).token)
  }
  await switchyard.close()
  return tokens
}
