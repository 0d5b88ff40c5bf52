/** What webhooks are measured on: Postgres that waits for the disk, NATS, the API, a receiver, workers on demand. */
import { Client } from 'pg'
import { compose } from '../../packages/server/src/compose.ts'
import { readConfig } from '../../packages/server/src/config.ts'
import { idFromUuid } from '../../packages/server/src/kernel/id.ts'
import { makeWorkspace } from '../../packages/server/src/setup.ts'
import { type Account, openAccount } from '../../packages/server/test/flows/support/webhook-account.ts'
import { type Sink, startSink } from '../../packages/server/test/support/sink-process.ts'
import { type Nats, startNats } from '../../scripts/services/nats.ts'
import { freePort } from '../../scripts/services/ports.ts'
import { mainScript, type Started, startScript } from '../ratios/processes.ts'
import { familyMs, processMs } from '../ratios/processor.ts'
import { throwawayKeys, throwawayPostgres } from '../throwaway.ts'

export type Stage = {
  readonly postgres: { readonly url: string; readonly pid: number }
  readonly nats: Nats
  readonly sink: Sink
  readonly folder: string
  /** The owner of the database, who looks and cleans up. */
  readonly owner: Client
  startWorker(): Promise<Started>
  newAccounts(count: number): Promise<Account[]>
  /** Processor time of those who serve everybody, in milliseconds since their start. */
  readonly clocks: Readonly<Record<'api' | 'postgres' | 'nats' | 'sink' | 'generator', () => number>>
  clear(): Promise<void>
}

export async function setStage(profileFolder: string | null): Promise<Stage> {
  // With the time of each commit it can be told how long a webhook took from there.
  const postgres = await throwawayPostgres({ track_commit_timestamp: 'on' })
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
    await started.said('"ready"')
    return { started, address: `http://${environment.TEST_LISTEN}` }
  }
  const { started: api, address } = await start('api')
  const accounts: Account[] = []
  return {
    ...{ postgres, nats, sink, folder, owner },
    startWorker: async () => (await start('worker')).started,
    async newAccounts(count) {
      const tokens = await newTokens(postgres.url, count)
      const made = tokens.map((token) => openAccount(address, token, sink))
      accounts.push(...made)
      return made
    },
    clocks: {
      api: () => processMs(api.pid),
      postgres: () => familyMs(postgres.pid),
      nats: () => processMs(nats.pid),
      sink: () => processMs(sink.pid),
      generator: () => processMs(process.pid),
    },
    async clear() {
      await Promise.all(accounts.map((account) => account.api.close()))
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
    MASTER_KEYS: throwawayKeys,
    NATS_URL: natsUrl,
    LIVE_LISTEN: await listen(),
    TEST_LISTEN: await listen(),
    DASHBOARD_LISTEN: await listen(),
    OPS_LISTEN: await listen(),
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    // The limits are not what is measured.
    RATE_LIMIT_TEST: '1000000',
    IN_FLIGHT_LIMIT: '1000',
    DRAIN_SECONDS: '0',
  }
}

async function newTokens(databaseUrl: string, count: number): Promise<string[]> {
  const environment = { DATABASE_URL: databaseUrl, MASTER_KEYS: throwawayKeys, LOG_LEVEL: 'error' }
  const switchyard = compose(readConfig(environment))
  const organizationId = idFromUuid('organization', 'test', '0190a5c0-0000-7000-8000-000000000000')
  const tokens: string[] = []
  for (let made = 0; made < count; made += 1) {
    const name = `Measured ${made}`
    tokens.push((await makeWorkspace(switchyard.deps, { organizationId, mode: 'test', name })).token)
  }
  await switchyard.close()
  return tokens
}
