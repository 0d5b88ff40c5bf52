// A PostgreSQL that archives its write-ahead log, a base backup taken while it runs, and a second server that
// is restored from both. Uses the low-level backup API, since the packaged binaries have no `pg_basebackup`:
// `pg_backup_start`, a copy of the files, `pg_backup_stop`.

import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { copyFile, cp, mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Postgres, startPostgres } from '../../../../scripts/services/postgres.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { until } from '../flows/support/wait.ts'

export type Archive = { readonly folder: string; bytes(): Promise<number> }

/** The recovery target. `latest`: the end of the available log. */
export type RecoveryTarget =
  | { readonly kind: 'time'; readonly at: Date }
  | { readonly kind: 'restore point'; readonly name: string }
  | { readonly kind: 'latest' }

type Settings = Record<string, string>

/**
 * The folder is world-writable because PostgreSQL may run as a different user. Only the drill reads the
 * archive.
 */
export function createArchive(folder: string): Archive {
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o777)
  return { folder, bytes: () => countBytes(folder) }
}

export function startArchiving(dataDir: string, archive: Archive, settings: Settings): Promise<Postgres> {
  const target = join(archive.folder, '%f')
  return startPostgres({
    dataDir,
    settings: {
      archive_mode: 'on',
      archive_command: `test ! -f "${target}" && cp "%p" "${target}"`,
      ...settings,
    },
  })
}

/** Resolves when everything that was committed before now can be restored from the archive. */
export async function waitUntilArchived(url: string, { folder }: Archive, withinMs: number): Promise<void> {
  const { rows } = await asOwner(url, (client) =>
    client.query('select pg_walfile_name(pg_current_wal_insert_lsn()) as name'),
  )
  // Wait for a later segment, since the end of the current one may contain no commit at which recovery could
  // stop.
  const hasLaterSegment = () => listSegments(folder).some((name) => name > rows[0].name)
  await until('the log is archived', hasLaterSegment, { withinMs, everyMs: 50 })
}

function listSegments(folder: string): string[] {
  return readdirSync(folder).filter((name) => /^[0-9A-F]{24}$/.test(name))
}

/** Files and folders that a backup must not contain, or that PostgreSQL creates again when it starts. */
const excludedFromBackup = new Set([
  'postmaster.pid',
  'postmaster.opts',
  'postgres.log',
  'postgres.log.previous',
  'pg_internal.init',
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pgsql_tmp',
])

/** Copies the data files while the server runs. Resolves when the log that the copy needs is archived. */
export async function backUp(url: string, dataDir: string, target: string): Promise<number> {
  await asOwner(url, async (client) => {
    await client.query(`select pg_backup_start('drill', fast => true)`)
    await copyFolder(dataDir, target)
    const { rows } = await client.query('select labelfile, spcmapfile from pg_backup_stop()')
    writeFileSync(join(target, 'backup_label'), rows[0].labelfile)
    if (rows[0].spcmapfile !== '') writeFileSync(join(target, 'tablespace_map'), rows[0].spcmapfile)
  })
  return countBytes(target)
}

async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    const isExcluded = excludedFromBackup.has(entry.name)
    if (entry.isDirectory()) await (isExcluded ? mkdir(target, { mode: 0o700 }) : copyFolder(source, target))
    else if (!isExcluded) await copyFile(source, target).catch(ignoreMissingFile)
  }
}

/** A table may be dropped during the copy. The WAL contains the drop, and recovery repeats it. */
function ignoreMissingFile(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

type RestoreOptions = {
  readonly backup: string
  readonly archive: Archive
  readonly dataDir: string
  readonly target: RecoveryTarget
  /** The `pg_wal` folder of the lost server. With it, no commit is lost. */
  readonly remainingWal?: string
}

/** Starts a second server from the backup and the archive. Resolves when it accepts writes. */
export async function restore(options: RestoreOptions, settings: Settings): Promise<Postgres> {
  const { backup, archive, dataDir, target, remainingWal } = options
  await cp(backup, dataDir, { recursive: true, mode: 0 })
  chmodSync(dataDir, 0o700)
  if (remainingWal !== undefined) await cp(remainingWal, join(dataDir, 'pg_wal'), { recursive: true })
  writeFileSync(join(dataDir, 'recovery.signal'), '')
  const postgres = await startPostgres({
    dataDir,
    settings: {
      ...settings,
      restore_command: `cp "${join(archive.folder, '%f')}" "%p"`,
      recovery_target_action: 'promote',
      ...targetSettings(target),
    },
  })
  const acceptsWrites = async () => {
    const { rows } = await asOwner(postgres.url, (client) => client.query('select pg_is_in_recovery()'))
    return rows[0].pg_is_in_recovery === false
  }
  await until('it accepts writes', acceptsWrites, { withinMs: 60_000 })
  return postgres
}

function targetSettings(target: RecoveryTarget): Settings {
  // The setting accepts only a numeric offset, not the name of a time zone or Z.
  if (target.kind === 'time') return { recovery_target_time: target.at.toISOString().replace('Z', '+00') }
  return target.kind === 'latest' ? {} : { recovery_target_name: target.name }
}

export async function countBytes(folder: string): Promise<number> {
  let sum = 0
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) sum += (await stat(join(entry.parentPath, entry.name))).size
  return sum
}
