// A temporary PostgreSQL server. It does not sync to disk, because its data need not survive a crash. It uses
// generic plans, because planning would cost more than most statements.

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../../../../scripts/services/postgres.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import type { TestDatabases } from './test-installation.ts'

export type TemporaryPostgres = {
  /** Creates a migrated database, executes the statements, and returns the URL. */
  newDatabase(statements?: readonly string[]): Promise<string>
  /** Creates databases for a control plane and this number of shards, or one database for both. */
  newDatabases(shards: number): Promise<TestDatabases>
  stop(): Promise<void>
}

const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '4GB',
  checkpoint_timeout: '1h',
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
  track_activities: 'off',
  update_process_title: 'off',
}

export async function startTemporaryPostgres(): Promise<TemporaryPostgres> {
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-money-'))
  const postgres = await startPostgres({
    dataDir,
    // A Unix socket is faster than TCP.
    settings: { ...settings, unix_socket_directories: dataDir },
  })
  const urlOf = (name: string) =>
    `postgres://switchyard@localhost:${postgres.port}/${name}?host=${encodeURIComponent(dataDir)}`
  const template = 'money_template'
  await asOwner(urlOf('postgres'), (client) => client.query(`create database ${template}`))
  await migrate(urlOf(template))

  const newDatabase = async (statements: readonly string[] = []) => {
    const name = `money_${randomBytes(6).toString('hex')}`
    await asOwner(urlOf('postgres'), (client) =>
      client.query(`create database ${name} template ${template} strategy file_copy`),
    )
    if (statements.length > 0) await asOwner(urlOf(name), (client) => client.query(statements.join(';\n')))
    return urlOf(name)
  }

  return {
    newDatabase,
    async newDatabases(shards) {
      const databaseUrl = await newDatabase()
      if (shards === 1) return { databaseUrl }
      const shardUrls: string[] = []
      for (let count = 0; count < shards; count += 1) shardUrls.push(await newDatabase())
      return { databaseUrl, shardUrls }
    },
    async stop() {
      await postgres.stop('immediate')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
