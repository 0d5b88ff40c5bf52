// The parts that all harnesses of a process share: database connections, keys and cached tokens. Each harness
// adds its own clock, providers and faults.

import { Pool } from 'pg'
import { compose, type Switchyard } from '../../src/compose.ts'
import { readConfig } from '../../src/config.ts'
import type { Log } from '../../src/platform/log.ts'
import { testMasterKeys } from '../support/master-keys.ts'

export type TestInstallation = {
  readonly switchyard: Switchyard
  /** Connections as the owner of the tables, which can read every workspace. */
  readonly owner: Pool
  close(): Promise<void>
}

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

export function openTestInstallation(databaseUrl: string): TestInstallation {
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    MASTER_KEYS: testMasterKeys,
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    LOG_LEVEL: 'silent',
    DATABASE_POOL: '16',
    RATE_LIMIT_LIVE: '100000',
    RATE_LIMIT_TEST: '100000',
  })
  const switchyard = compose(config, {
    log: silent,
    publish: () => {},
    tokenCacheMs: 3_600_000,
    isOverloaded: () => false,
  })
  const owner = new Pool({ connectionString: databaseUrl, max: 8 })
  // Without a listener, the error event of a lost connection would end the process.
  owner.on('error', () => {})
  return {
    switchyard,
    owner,
    close: async () => {
      await switchyard.close()
      await owner.end()
    },
  }
}
