// A PostgreSQL that archives its write-ahead log, a base backup taken while it works, and a second server that is
// restored from both. The way of the manual for those who have no `pg_basebackup`, as the packaged binaries have
// none: `pg_backup_start`, a copy of the files, `pg_backup_stop`.

import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { copyFile, cp, mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Postgres, startPostgres } from '../../../../scripts/services/postgres.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { until } from '../flows/support/wait.ts'

export type Archive = { readonly folder: string; bytes(): Promise<number> }

/** How far the log is followed. `latest`: as far as there is any. */
export type Target =
  | { readonly is: 'instant'; readonly at: Date }
  | { readonly is: 'restore point'; readonly name: string }
  | { readonly is: 'latest' }

type Settings = Record<string, string>

/** Nobody but the drill reads it; the server may run as another user than we do. */
export function makeArchive(folder: string): Archive {
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o777)
  return { folder, bytes: () => bytesIn(folder) }
}

export function startArchiving(dataDir: string, archive: Archive, settings: Settings): Promise<Postgres> {
  const target = join(archive.folder, '%f')
  return startPostgres({
    dataDir,
    settings: {
      ...{ archive_mode: 'on', archive_command: `test ! -f "${target}" && cp "%p" "${target}"` },
      ...settings,
    },
  })
}

/** The log after this moment is in the archive: what was committed before it can be restored from there. */
export async function archivedBeyond(url: string, { folder }: Archive, withinMs: number): Promise<void> {
  const { rows } = await asOwner(url, (client) =>
    client.query('select pg_walfile_name(pg_current_wal_insert_lsn()) as name'),
  )
  // Of the next segment, since the end of this one may hold no commit at which recovery could stop.
  const isThere = () => segmentsIn(folder).some((name) => name > rows[0].name)
  await until('the log is archived', isThere, { withinMs, everyMs: 50 })
}

function segmentsIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => /^[0-9A-F]{24}$/.test(name))
}

/** Files of the running server that a backup must not hold, or that the next start makes anew. */
const leftOut = new Set([
  ...['postmaster.pid', 'postmaster.opts', 'postgres.log', 'postgres.log.previous', 'pg_internal.init'],
  ...['pg_wal', 'pg_replslot', 'pg_dynshmem', 'pg_notify', 'pg_serial', 'pg_snapshots', 'pg_stat_tmp'],
  ...['pg_subtrans', 'pgsql_tmp'],
])

/** Copies the server while it works. Settles when the log that the copy needs is archived. */
export async function backUp(url: string, dataDir: string, target: string): Promise<number> {
  await asOwner(url, async (client) => {
    await client.query(`select pg_backup_start('drill', fast => true)`)
    await copyFolder(dataDir, target)
    const { rows } = await client.query('select labelfile, spcmapfile from pg_backup_stop()')
    writeFileSync(join(target, 'backup_label'), rows[0].labelfile)
    if (rows[0].spcmapfile !== '') writeFileSync(join(target, 'tablespace_map'), rows[0].spcmapfile)
  })
  return bytesIn(target)
}

async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    const isLeftOut = leftOut.has(entry.name)
    if (entry.isDirectory()) await (isLeftOut ? mkdir(target, { mode: 0o700 }) : copyFolder(source, target))
    else if (!isLeftOut) await copyFile(source, target).catch(unlessGone)
  }
}

/** A table may be dropped meanwhile: the log says so, and recovery drops it as well. */
function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

type Restored = {
  readonly backup: string
  readonly archive: Archive
  readonly dataDir: string
  readonly target: Target
  /** What is left of the lost server's own log: with it nothing that was committed is missing. */
  readonly walLeft?: string
}

/** A second server, from the backup and the archive. Settles when it takes writes. */
export async function restore(restored: Restored, settings: Settings): Promise<Postgres> {
  const { backup, archive, dataDir, target, walLeft } = restored
  await cp(backup, dataDir, { recursive: true, mode: 0 })
  chmodSync(dataDir, 0o700)
  if (walLeft !== undefined) await cp(walLeft, join(dataDir, 'pg_wal'), { recursive: true })
  writeFileSync(join(dataDir, 'recovery.signal'), '')
  const postgres = await startPostgres({
    dataDir,
    settings: {
      ...settings,
      ...{ restore_command: `cp "${join(archive.folder, '%f')}" "%p"`, recovery_target_action: 'promote' },
      ...targetSettings(target),
    },
  })
  const isOpen = async () => {
    const { rows } = await asOwner(postgres.url, (client) => client.query('select pg_is_in_recovery() as is'))
    return rows[0].is === false
  }
  await until('it takes writes', isOpen, { withinMs: 60_000 })
  return postgres
}

function targetSettings(target: Target): Settings {
  // An offset in figures: names of time zones, be it Z, are not read here.
  if (target.is === 'instant') return { recovery_target_time: target.at.toISOString().replace('Z', '+00') }
  return target.is === 'latest' ? {} : { recovery_target_name: target.name }
}

export async function bytesIn(folder: string): Promise<number> {
  let sum = 0
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) sum += (await stat(join(entry.parentPath, entry.name))).size
  return sum
}
