// Finds the programs of a PostgreSQL cluster, which come from Debian packages, and names those that are missing.

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

export type Programs = { readonly etcd: string; readonly patroni: string; readonly haproxy: string }

/** Throws an error that lists everything that the machine lacks. */
export function findPrograms(): Programs {
  const missing: string[] = []
  const find = (name: string, packageName: string) => {
    const path = searchPath(name)
    if (path === null) missing.push(`the program ${name}, of the Debian package ${packageName}`)
    return path ?? ''
  }
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    missing.push('Linux and root, to create network namespaces')
  for (const name of ['unshare', 'setpriv']) find(name, 'util-linux')
  find('mount', 'mount')
  find('ip', 'iproute2')
  const programs = {
    etcd: find('etcd', 'etcd-server'),
    patroni: find('patroni', 'patroni'),
    haproxy: find('haproxy', 'haproxy'),
  }
  for (const name of ['postgres', 'pg_basebackup', 'pg_rewind', 'pg_controldata'])
    if (!existsSync(join(postgresFolder, name)))
      missing.push(`${join(postgresFolder, name)}, of the Debian package postgresql-18`)
  if (programs.patroni !== '' && patroniVersion(programs.patroni) < 4) missing.push('Patroni 4 or newer')
  if (missing.length > 0)
    throw new Error(`This drill needs:\n${missing.map((each) => `- ${each}`).join('\n')}`)
  return programs
}

/** `bin_dir` of patroni.yml. The PostgreSQL of the npm package lacks the programs that Patroni needs. */
const postgresFolder = '/usr/lib/postgresql/18/bin'

function searchPath(name: string): string | null {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/sbin'].filter(Boolean)
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null
}

function patroniVersion(patroni: string): number {
  const version = execFileSync(patroni, ['--version'], { encoding: 'utf8' })
  return Number(/(\d+)\./.exec(version)?.[1] ?? 0)
}

export function systemUser(name: string): { readonly uid: number; readonly gid: number } {
  const idOf = (option: string) => Number(execFileSync('id', [option, name], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}
