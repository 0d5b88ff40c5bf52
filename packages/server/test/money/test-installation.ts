// The parts that all harnesses of a process share: database connections, keys and cached tokens. Each harness
// adds its own clock, providers and faults.

import { Pool } from 'pg'
import { compose, type Switchyard } from '../../src/compose.ts'
import { readConfig } from '../../src/config.ts'
import type { Id } from '../../src/kernel/id.ts'
import { spreadSlots } from '../../src/platform/db/placements.ts'
import type { Log } from '../../src/platform/log.ts'
import { testMasterKeys } from '../support/master-keys.ts'

export type TestInstallation = {
  readonly switchyard: Switchyard
  /** Connections to the shard of the workspace as the owner of the tables, which can read every workspace. */
  ownerOf(workspaceId: Id<'workspace'>): Pool
  /** How many scenarios ran on each shard. */
  readonly scenariosByShard: Map<string, number>
  close(): Promise<void>
}

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

export type TestDatabases = {
  /** The control plane. Without `shardUrls`, it also has all workspaces. */
  readonly databaseUrl: string
  /** The data shards, if there are several. */
  readonly shardUrls?: readonly string[]
}

export async function openTestInstallation({
  databaseUrl,
  shardUrls = [],
}: TestDatabases): Promise<TestInstallation> {
  const shards = shardUrls.map((ownerUrl, index) => ({ name: `shard${index}`, ownerUrl }))
  if (shards.length > 0) await spreadSlots(databaseUrl, shards)
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    ...(shards.length > 0
      ? { SHARDS: shards.map(({ name, ownerUrl }) => `${name}=${ownerUrl}`).join(',') }
      : {}),
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
  const { databases } = switchyard.deps
  await databases.loadMap()
  const owners = new Map(config.shards.map(({ name, ownerUrl }) => [name, openOwnerPool(ownerUrl)]))
  return {
    switchyard,
    ownerOf: (workspaceId) => owners.get(databases.of(workspaceId).name) as Pool,
    scenariosByShard: new Map([...owners.keys()].map((name) => [name, 0])),
    close: async () => {
      await switchyard.close()
      await Promise.all([...owners.values()].map((owner) => owner.end()))
    },
  }
}

function openOwnerPool(url: string): Pool {
  const owner = new Pool({ connectionString: url, max: 8 })
  // Without a listener, the error event of a lost connection would end the process.
  owner.on('error', () => {})
  return owner
}
