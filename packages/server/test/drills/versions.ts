// Two versions of the server with a migration between them. The older one is the newest commit whose migrations are
// the first of ours, so that the step between them is the one an operator takes. Where the history is not at hand, as
// in a shallow clone, the newer one is this code with migrations that were made up.

import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export type Version = {
  readonly main: string
  /** What its callers use. */
  readonly sdk: string
  readonly migrations: readonly string[]
}

export type Versions = {
  readonly older: Version
  readonly newer: Version
  /** Which two they are, for people. */
  readonly between: string
}

const root = resolve(import.meta.dirname, '../../../..')
const migrations = 'packages/server/migrations'
const lookedAt = 300

export function findVersions(folder: string, wish: 'history' | 'made up'): Versions {
  const commit = wish === 'history' ? commitBefore() : null
  if (commit === null)
    return { ...makeUp(folder), between: 'this code, and this code with made-up migrations' }
  const home = join(folder, 'older')
  mkdirSync(home)
  const archive = execFileSync(
    'git',
    ['archive', commit, 'packages/server', 'packages/sdk', 'package.json'],
    {
      cwd: root,
      maxBuffer: 1e9,
    },
  )
  execFileSync('tar', ['-x', '-C', home], { input: archive })
  borrowModules(home)
  const versions = { older: versionAt(home), newer: versionAt(root) }
  const [first, last] = [versions.newer.migrations[versions.older.migrations.length], newest(versions.newer)]
  const step = first === last ? first : `${first} to ${last}`
  return { ...versions, between: `commit ${commit.slice(0, 12)} and this code, with ${step} between them` }
}

const newest = ({ migrations: names }: Version) => names.at(-1)

/** The newest commit whose migrations are the first of ours, unchanged, and not all of them. */
function commitBefore(): string | null {
  const ours = readdirSync(join(root, migrations))
    .toSorted()
    .map((name) => `${git('hash-object', join(migrations, name))} ${name}`)
  const commits = git('log', '--format=%H', '-n', String(lookedAt)).split('\n')
  for (const commit of commits.filter(Boolean)) {
    const theirs = git('ls-tree', commit, `${migrations}/`).split('\n').filter(Boolean).map(hashAndName)
    const isFirstOfOurs = theirs.every((line, place) => line === ours[place])
    if (isFirstOfOurs && theirs.length > 0 && theirs.length < ours.length) return commit
  }
  return null
}

/** Of a line such as `100644 blob <hash>\t<path>`. */
function hashAndName(line: string): string {
  const [, , hash, path = ''] = line.split(/\s+/)
  return `${hash} ${path.slice(migrations.length + 1)}`
}

/** Empty where there is no git, or not what was asked for. */
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

function versionAt(home: string): Version {
  const names = readdirSync(join(home, migrations)).toSorted()
  return {
    main: join(home, 'packages/server/src/main.ts'),
    sdk: join(home, 'packages/sdk/src/index.ts'),
    migrations: names,
  }
}

/** Dependencies are ours: they are not what is tried here. Packages of our own are found by relative paths only. */
function borrowModules(home: string): void {
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'))
  symlinkSync(join(root, 'packages/server/node_modules'), join(home, 'packages/server/node_modules'))
}

/** As a release would: what is added has a default or may be null, and tables that are in use get it too. */
const madeUp = `-- Made up for a drill.
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

/** One that is built while callers write. */
const madeUpIndex = `-- Outside a transaction. Made up for a drill.
create index concurrently if not exists customers_of_drill on customers (workspace_id, drill_rank, id);
`

function makeUp(folder: string): Pick<Versions, 'older' | 'newer'> {
  const home = join(folder, 'newer')
  for (const part of ['package.json', 'packages/server/package.json', 'packages/server/src', migrations])
    cpSync(join(root, part), join(home, part), { recursive: true })
  cpSync(join(root, 'packages/sdk'), join(home, 'packages/sdk'), { recursive: true })
  borrowModules(home)
  writeFileSync(join(home, migrations, '9998_made_up_for_a_drill.sql'), madeUp)
  writeFileSync(join(home, migrations, '9999_made_up_index.sql'), madeUpIndex)
  return { older: versionAt(root), newer: versionAt(home) }
}
