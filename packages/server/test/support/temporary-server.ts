// A temporary installation for a script: PostgreSQL, NATS and the server in separate processes, with one
// workspace.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startTemporaryPostgres } from '../../../../bench/temporary-postgres.ts'
import { startNats } from '../../../../scripts/services/nats.ts'
import { testMasterKeys } from './master-keys.ts'
import { programPath } from './program-path.ts'
import { startServer } from './server-process.ts'

export type TemporaryServer = {
  /** The address and the token of the test environment. */
  readonly baseUrl: string
  readonly token: string
  stop(): Promise<void>
}

export async function startTemporaryServer(settings: Record<string, string> = {}): Promise<TemporaryServer> {
  const postgres = await startTemporaryPostgres({ fsync: 'off', synchronous_commit: 'off' })
  const nats = await startNats({ storeDir: join(postgres.folder, 'nats') })
  const environment = { DATABASE_URL: postgres.url, MASTER_KEYS: testMasterKeys, ...settings }
  const setup = await promisify(execFile)(
    process.execPath,
    [programPath('server'), 'setup', '--email', 'ada@example.com'],
    {
      env: { PATH: process.env.PATH ?? '', ...environment },
    },
  )
  const server = await startServer('all', { ...environment, NATS_URL: nats.url })
  return {
    baseUrl: server.addresses.test,
    token: JSON.parse(setup.stdout).tokens.test,
    async stop() {
      await server.kill('SIGTERM')
      await nats.stop()
      await postgres.remove()
    },
  }
}
