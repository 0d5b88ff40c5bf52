// An installation of its own for tests of webhooks: Postgres that can be restarted, NATS that can be wiped, the
// API and workers as processes that can be killed, and a receiver in a process of its own.

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
import { makeWorkspace } from '../../../src/setup.ts'
import { testMasterKeys } from '../../support/master-keys.ts'
import { type ServerProcess, startServer } from '../../support/server-process.ts'
import { type Sink, startSink } from '../../support/sink-process.ts'
import { type Account, openAccount } from './webhook-account.ts'

export type Scene = {
  readonly sink: Sink
  /** Those that run, the oldest first. */
  readonly workers: readonly ServerProcess[]
  startWorker(): Promise<ServerProcess>
  /** Without a word, as the kernel does it when memory is short. */
  killWorker(): Promise<void>
  /** Starts a worker that dies at a named place, and settles when it is dead and its leases are over. */
  crashWorkerAt(place: string): Promise<void>
  /** An API that is cut off from NATS: nobody hears of what it commits. */
  startMuteApi(): Promise<ServerProcess>
  newAccount(): Promise<Account>
  /** A crash, and recovery from the log. */
  restartPostgres(): Promise<void>
  stopNats(): Promise<void>
  /** Where it was before, but with nothing it knew. */
  startWipedNats(): Promise<void>
  clear(): Promise<void>
}

export async function setScene(workerCount: number): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-test-webhooks-'))
  const dataDir = join(folder, 'postgres')
  const storeDir = join(folder, 'nats')
  let postgres: Postgres = await startPostgres({ dataDir })
  let nats: Nats = await startNats({ storeDir })
  await migrate(postgres.url)
  const sink = await startSink(folder)
  const environment = environmentOf(postgres.url, nats.url)
  const api = await startServer('api', environment)
  const workers: ServerProcess[] = []
  const accounts: Account[] = []
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
    async crashWorkerAt(place) {
      // It may die before it is ready, since work waits for it.
      const doomed = await startServer('worker', { ...environment, CRASHPOINT: place }).catch(() => null)
      await doomed?.exited
      await asOwner(postgres.url, (client) => client.query('update webhook_lanes set lease_until = now()'))
    },
    startMuteApi: () => startServer('api', { ...environment, NATS_URL: '' }),
    async newAccount() {
      const account = openAccount(api.addresses.test, await newToken(environment), sink)
      accounts.push(account)
      return account
    },
    async restartPostgres() {
      await postgres.stop('immediate')
      postgres = await startPostgres({ dataDir, port: postgres.port })
    },
    stopNats: () => nats.stop('SIGKILL'),
    async startWipedNats() {
      rmSync(storeDir, { recursive: true, force: true })
      nats = await startNats({ storeDir, port: nats.port })
    },
    async clear() {
      await Promise.all(accounts.map((account) => account.api.close()))
      await Promise.all([api, ...workers].map((server) => server.kill('SIGKILL')))
      await sink.stop()
      await nats.stop()
      await postgres.stop('immediate')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function environmentOf(databaseUrl: string, natsUrl: string): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    NATS_URL: natsUrl,
    MASTER_KEYS: testMasterKeys,
    RATE_LIMIT_TEST: '1000000',
    IN_FLIGHT_LIMIT: '1000',
    DRAIN_SECONDS: '0',
  }
}

/** The token of an ADMIN of a new workspace in test mode. */
async function newToken(environment: Record<string, string>): Promise<string> {
  const switchyard = compose(readConfig({ ...environment, NATS_URL: '', LOG_LEVEL: 'error' }))
  const organizationId = idFromUuid('organization', 'test', '0190a5c0-0000-7000-8000-000000000000')
  const { token } = await makeWorkspace(switchyard.deps, { organizationId, mode: 'test', name: 'Webhooks' })
  await switchyard.close()
  return token
}
