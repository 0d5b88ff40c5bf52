// One Postgres for the whole run, in a temporary folder, gone afterwards. Nothing it holds has to survive a
// power cut, so it does not wait for the disk; commits stay synchronous, since tests rely on their order.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startPostgres } from '../../../../scripts/services/postgres.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { databaseUrl } from './database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The run's server, as its superuser. */
    postgresUrl: string
  }
}

export default async function startServices(project: TestProject): Promise<() => Promise<void>> {
  requireNode24()
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-test-postgres-'))
  const postgres = await startPostgres({ dataDir, settings: { fsync: 'off', full_page_writes: 'off' } })
  keepWhatIsCompiled(dataDir)
  project.provide('postgresUrl', postgres.url)
  await makeTemplate(postgres.url)
  return async () => {
    await postgres.stop('immediate')
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Dozens of processes start in a run: what one has read of the code, the next need not read again. */
function keepWhatIsCompiled(folder: string): void {
  const own = join(folder, 'compiled')
  process.env.NODE_COMPILE_CACHE = own
  // It is kept by a process that ends in peace, which those that tests kill do not.
  const main = resolve(import.meta.dirname, '../../src/main.ts')
  execFileSync(process.execPath, [main, '--help'], { stdio: 'ignore' })
}

/** Migrated once; every file of tests gets a copy, which takes a moment where migrating takes long. */
async function makeTemplate(url: string): Promise<void> {
  await asOwner(url, (client) => client.query('create database switchyard_template'))
  await migrate(databaseUrl(url, 'switchyard_template'))
}

function requireNode24(): void {
  const [major] = process.versions.node.split('.')
  if (Number(major) >= 24) return
  throw new Error(
    `Tests need Node 24, this is ${process.version}. \`npm test\` uses the one \`npm ci\` brought.`,
  )
}
