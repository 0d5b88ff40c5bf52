// An installation for webhook tests: Postgres that can be restarted, NATS that can be wiped, the API and
// workers as processes that can be killed, and a receiver in a separate process.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Nats, startNats } from '../../../../../scripts/services/nats.ts'
import { type Postgres, startPostgres } from '../../../../../scripts/services/postgres.ts'
import { compose } from '../../../src/compose.ts'
import { readConfig } from '../../../src/config.ts'
import { idFromUuid } from '../../../src/kernel/id.ts'
import { migrate } from '../../../src/platform/db/migrate.ts'
import { asOwner } from '../../../src/platform/db/owner.ts'
import { setUpWorkspace } from '../../../src/setup.ts'
import { testMasterKeys } from '../../support/master-keys.ts'
import { type ServerProcess, startServer } from '../../support/server-process.ts'
import { type Sink, startSink } from '../../support/sink-process.ts'
import { openWebhookWorkspace, type WebhookWorkspace } from './webhook-workspace.ts'

export type WebhookInstallation = {
  readonly sink: Sink
  /** The running workers, the oldest first. */
  readonly workers: readonly ServerProcess[]
  startWorker(): Promise<ServerProcess>
  /** Kills a worker with SIGKILL, like the out-of-memory killer. */
  killWorker(): Promise<void>
  /**
   * Starts a worker that crashes at this crash point. Resolves when it has ended and its leases have expired.
   */
  crashWorkerAt(crashpoint: string): Promise<void>
  /** Starts an API without NATS, so that workers are not notified of its commits. */
  startApiWithoutNats(): Promise<ServerProcess>
  newWorkspace(): Promise<WebhookWorkspace>
  /** Crashes Postgres, which then recovers from its write-ahead log. */
  restartPostgres(): Promise<void>
  stopNats(): Promise<void>
  /** Starts NATS at the same port with an empty store. */
  startWipedNats(): Promise<void>
  clear(): Promise<void>
}

/** The tests kill processes but not the machine, so the data survives without fsync too. */
const settings = { fsync: 'off' }

export async function startWebhookInstallation(workerCount: number): Promise<WebhookInstallation> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-test-webhooks-'))
  const dataDir = join(folder, 'postgres')
  const storeDir = join(folder, 'nats')
  let postgres: Postgres = await startPostgres({ dataDir, settings })
  let nats: Nats = await startNats({ storeDir })
  await migrate(postgres.url)
  const sink = await startSink(folder)
  const environment = createEnvironment(postgres.url, nats.url)
  const api = await startServer('api', environment)
  const workers: ServerProcess[] = []
  const workspaces: WebhookWorkspace[] = []
  const startWorker = async () => {
    const worker = await startServer('worker', environment)
    workers.push(worker)
    return worker
  }
  for (let started = 0; started < workerCount; started += 1) await startWorker()

  return {
    sink,
    workers,
    startWorker,
    async killWorker() {
      await workers.shift()?.kill('SIGKILL')
    },
    async crashWorkerAt(crashpoint) {
      // It may crash before it is ready, since work is already due.
      const crashing = await startServer('worker', { ...environment, CRASHPOINT: crashpoint }).catch(
        () => null,
      )
      await crashing?.exited
      await asOwner(postgres.url, (client) => client.query('update webhook_lanes set lease_until = now()'))
    },
    startApiWithoutNats: () => startServer('api', { ...environment, NATS_URL: '' }),
    async newWorkspace() {
      const workspace = openWebhookWorkspace(api.addresses.test, await createToken(environment), sink)
      workspaces.push(workspace)
      return workspace
    },
    async restartPostgres() {
      await postgres.stop('immediate')
      postgres = await startPostgres({ dataDir, port: postgres.port, settings })
    },
    stopNats: () => nats.stop('SIGKILL'),
    async startWipedNats() {
      rmSync(storeDir, { recursive: true, force: true })
      nats = await startNats({ storeDir, port: nats.port })
    },
    async clear() {
      await Promise.all(workspaces.map((workspace) => workspace.api.close()))
      await Promise.all([api, ...workers].map((server) => server.kill('SIGKILL')))
      await sink.stop()
      await nats.stop()
      await postgres.stop('immediate')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function createEnvironment(databaseUrl: string, natsUrl: string): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    NATS_URL: natsUrl,
    MASTER_KEYS: testMasterKeys,
    RATE_LIMIT_TEST: '1000000',
    IN_FLIGHT_LIMIT: '1000',
    DRAIN_SECONDS: '0',
  }
}

/** Creates a test workspace and returns an ADMIN token. */
async function createToken(environment: Record<string, string>): Promise<string> {
  const switchyard = compose(readConfig({ ...environment, NATS_URL: '', LOG_LEVEL: 'error' }))
  const organizationId = idFromUuid('organization', 'test', '0190a5c0-0000-7000-8000-000000000000')
  const { token } = await setUpWorkspace(switchyard.deps, { organizationId, mode: 'test', name: 'Webhooks' })
  await switchyard.close()
  return token
}
