// A whole installation for a script: Postgres, NATS and the server in processes of their own, with one workspace.
// All of it is gone when the script ends, however it ends.

import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { throwawayPostgres } from '../../../../bench/throwaway.ts'
import { startNats } from '../../../../scripts/services/nats.ts'
import { testMasterKeys } from './master-keys.ts'
import { startServer } from './server-process.ts'

const main = resolve(import.meta.dirname, '../../src/main.ts')

export type ThrowawayServer = {
  /** The address and the token of the test environment. */
  readonly baseUrl: string
  readonly token: string
  stop(): Promise<void>
}

export async function startThrowawayServer(settings: Record<string, string> = {}): Promise<ThrowawayServer> {
  const postgres = await throwawayPostgres({ fsync: 'off', synchronous_commit: 'off' })
  const nats = await startNats({ storeDir: join(postgres.folder, 'nats') })
  const environment = { DATABASE_URL: postgres.url, MASTER_KEYS: testMasterKeys, ...settings }
  const made = await promisify(execFile)(process.execPath, [main, 'setup', '--email', 'ada@example.com'], {
    env: { PATH: process.env.PATH ?? '', ...environment },
  })
  const server = await startServer('all', { ...environment, NATS_URL: nats.url })
  return {
    baseUrl: server.addresses.test,
    token: JSON.parse(made.stdout).tokens.test,
    async stop() {
      await server.kill('SIGTERM')
      await nats.stop()
      await postgres.remove()
    },
  }
}
