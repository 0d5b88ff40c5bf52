// What all stages of a process share: the connections, the keys, the recognized tokens. What differs from stage to
// stage (time, providers, faults) is put around it there.

import { Pool } from 'pg'
import { compose, type Switchyard } from '../../src/compose.ts'
import { readConfig } from '../../src/config.ts'
import type { Log } from '../../src/platform/log.ts'
import { testMasterKeys } from '../support/master-keys.ts'

export type House = {
  readonly switchyard: Switchyard
  /** As the owner of the tables, who sees every workspace. */
  readonly owner: Pool
  close(): Promise<void>
}

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

export function openHouse(databaseUrl: string): House {
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
    tokenMemoryMs: 3_600_000,
    isOverloaded: () => false,
  })
  const owner = new Pool({ connectionString: databaseUrl, max: 8 })
  // A lost connection fails its statements; unheard, the event would end the process.
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
