// Starts one PostgreSQL server for the test run, in a temporary folder, in memory if possible. It does not sync to
// disk, because its data need not survive a power failure. Commits stay synchronous, because tests rely on their order.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { TestProject } from 'vitest/node'
import { bundleIn, bundlePrograms } from '../../../../scripts/bundle.ts'
import { startPostgres } from '../../../../scripts/services/postgres.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { databaseUrl } from './database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of the PostgreSQL server of the run, with its superuser. */
    postgresUrl: string
    /** The folder of its Unix socket. */
    postgresSocketDir: string
  }
}

const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  // Keep the write-ahead log, because a test searches it. Each test file creates and drops a database, and
  // both run a checkpoint, which would remove old segments.
  wal_keep_size: '256MB',
}

export default async function startServices(project: TestProject): Promise<() => Promise<void>> {
  requireNode24()
  const dataDir = mkdtempSync(join(fastestFolder(), 'switchyard-test-postgres-'))
  const socket = { unix_socket_directories: dataDir }
  const postgres = await startPostgres({ dataDir, settings: { ...settings, ...socket } })
  const bundles = resolve(import.meta.dirname, `../../../../.switchyard/bundles/${process.pid}`)
  await bundleForTests(bundles, dataDir)
  project.provide('postgresUrl', postgres.url)
  project.provide('postgresSocketDir', dataDir)
  await createTemplate(postgres.url)
  return async () => {
    await postgres.stop('immediate')
    for (const folder of [dataDir, bundles]) rmSync(folder, { recursive: true, force: true })
  }
}

const memoryFolder = '/dev/shm'
const gibibyte = 1024 ** 3

/**
 * The folder for the data of PostgreSQL. A new database has 1,200 files, and copying them takes several times as
 * long on a disk as in memory. At most a few databases exist at a time, which together are smaller than 1 GiB.
 */
function fastestFolder(): string {
  if (!existsSync(memoryFolder) || process.availableMemory() < 6 * gibibyte) return tmpdir()
  const { bavail, bsize } = statfsSync(memoryFolder)
  return bavail * bsize < 3 * gibibyte ? tmpdir() : memoryFolder
}

/**
 * Bundles the programs and fills the compile cache of Node.js, because a run starts hundreds of processes.
 */
async function bundleForTests(bundles: string, folder: string): Promise<void> {
  await bundlePrograms(bundles)
  process.env.SWITCHYARD_TEST_BUNDLES = bundles
  process.env.NODE_COMPILE_CACHE = join(folder, 'compiled')
  // Node.js writes the cache only when a process exits normally, but tests kill their processes.
  for (const program of ['server', 'cli'] as const)
    execFileSync(process.execPath, [bundleIn(bundles, program), '--help'], { stdio: 'ignore' })
}

/** Creates the database that every test file gets a copy of, because a copy is much faster than migrating. */
async function createTemplate(url: string): Promise<void> {
  await asOwner(url, (client) => client.query('create database switchyard_template'))
  await migrate(databaseUrl(url, 'switchyard_template'))
}

function requireNode24(): void {
  const [major] = process.versions.node.split('.')
  if (Number(major) >= 24) return
  throw new Error(
    `Tests need Node.js 24, but this is ${process.version}. \`npm test\` uses the version that \`npm ci\` installed.`,
  )
}
