// Two versions of the server with a migration between them. The older one is the newest commit whose
// migrations are a strict prefix of the current ones, so that the drill applies the same migrations as an
// operator who upgrades. Without a git history, as in a shallow clone, the newer version is this code with
// made-up migrations.

import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export type Version = {
  readonly main: string
  /** The SDK that callers of this version use. */
  readonly sdk: string
  readonly migrations: readonly string[]
}

export type Versions = {
  readonly older: Version
  readonly newer: Version
  /** A description of the two versions. */
  readonly description: string
}

const root = resolve(import.meta.dirname, '../../../..')
const migrations = 'packages/server/migrations'
const maxCommits = 300

export function findVersions(folder: string, source: 'history' | 'made-up'): Versions {
  const commit = source === 'history' ? findOlderCommit() : null
  if (commit === null)
    return {
      ...createNewerVersion(folder),
      description: 'this code, and this code with made-up migrations',
    }
  const olderRoot = join(folder, 'older')
  mkdirSync(olderRoot)
  const archive = execFileSync(
    'git',
    ['archive', commit, 'packages/server', 'packages/sdk', 'package.json'],
    {
      cwd: root,
      maxBuffer: 1e9,
    },
  )
  execFileSync('tar', ['-x', '-C', olderRoot], { input: archive })
  linkModules(olderRoot)
  const versions = { older: versionAt(olderRoot), newer: versionAt(root) }
  const [first, last] = [versions.newer.migrations[versions.older.migrations.length], newest(versions.newer)]
  const step = first === last ? first : `${first} to ${last}`
  return {
    ...versions,
    description: `commit ${commit.slice(0, 12)} and this code, with ${step} between them`,
  }
}

const newest = ({ migrations: names }: Version) => names.at(-1)

/** The newest commit whose migrations are an unchanged, strict prefix of the current ones. */
function findOlderCommit(): string | null {
  const currentLines = readdirSync(join(root, migrations))
    .toSorted()
    .map((name) => `${git('hash-object', join(migrations, name))} ${name}`)
  const commits = git('log', '--format=%H', '-n', String(maxCommits)).split('\n')
  for (const commit of commits.filter(Boolean)) {
    const commitLines = git('ls-tree', commit, `${migrations}/`).split('\n').filter(Boolean).map(hashAndName)
    const isPrefix = commitLines.every((line, index) => line === currentLines[index])
    if (isPrefix && commitLines.length > 0 && commitLines.length < currentLines.length) return commit
  }
  return null
}

/** Extracts hash and file name from a line such as `100644 blob <hash>\t<path>`. */
function hashAndName(line: string): string {
  const [, , hash, path = ''] = line.split(/\s+/)
  return `${hash} ${path.slice(migrations.length + 1)}`
}

/** Empty if git is not installed or the command fails. */
function git(...args: string[]): string {
  try {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return ''
  }
}

function versionAt(versionRoot: string): Version {
  const names = readdirSync(join(versionRoot, migrations)).toSorted()
  return {
    main: join(versionRoot, 'packages/server/src/main.ts'),
    sdk: join(versionRoot, 'packages/sdk/src/index.ts'),
    migrations: names,
  }
}

/**
 * Both versions use the current dependencies, which are not under test. Packages of this repository are
 * imported by relative paths only.
 */
function linkModules(versionRoot: string): void {
  symlinkSync(join(root, 'node_modules'), join(versionRoot, 'node_modules'))
  symlinkSync(join(root, 'packages/server/node_modules'), join(versionRoot, 'packages/server/node_modules'))
}

/** Similar to the migrations of a release: every new column has a default or is nullable. */
const madeUpMigration = `-- Made up for a drill.
alter table payments add column drill_note text;
alter table customers add column drill_rank int not null default 0;
alter table subscriptions add column drill_note text;
alter table events add column drill_note text;
create table drill_notes (workspace_id uuid not null, id uuid not null, note text not null, primary key (workspace_id, id));
alter table drill_notes enable row level security;
alter table drill_notes force row level security;
create policy own_workspace on drill_notes to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
grant select, insert on drill_notes to switchyard_app;
`

/** An index that is built while callers write. */
const madeUpIndex = `-- Outside a transaction. Made up for a drill.
create index concurrently if not exists customers_of_drill on customers (workspace_id, drill_rank, id);
`

function createNewerVersion(folder: string): Pick<Versions, 'older' | 'newer'> {
  const newerRoot = join(folder, 'newer')
  for (const part of ['package.json', 'packages/server/package.json', 'packages/server/src', migrations])
    cpSync(join(root, part), join(newerRoot, part), { recursive: true })
  cpSync(join(root, 'packages/sdk'), join(newerRoot, 'packages/sdk'), { recursive: true })
  linkModules(newerRoot)
  writeFileSync(join(newerRoot, migrations, '9998_made_up_for_a_drill.sql'), madeUpMigration)
  writeFileSync(join(newerRoot, migrations, '9999_made_up_index.sql'), madeUpIndex)
  return { older: versionAt(root), newer: versionAt(newerRoot) }
}
