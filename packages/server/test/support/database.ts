// Creates databases for test files, as copies of the migrated template, and drops them when the file has ended.

import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { asOwner } from '../../src/platform/db/owner.ts'

export function databaseUrl(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href
}

/**
 * The URL with a connection over the Unix socket, which costs less CPU time than TCP. Apps in the test process use it;
 * processes that tests start use TCP, as in production.
 */
export function overSocket(url: string): string {
  const address = new URL(url)
  address.searchParams.set('host', inject('postgresSocketDir'))
  return address.href
}

/** The databases that this process has created and not dropped yet. */
const databaseNames = new Set<string>()

/** Creates a migrated database. The user of the returned URL is the owner of the database. */
export const newDatabase = () => createDatabase('template switchyard_template strategy file_copy')

/** Creates a database without any migration. */
export const emptyDatabase = () => createDatabase('')

async function createDatabase(options: string): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const url = inject('postgresUrl')
  await asOwner(url, (client) => client.query(`create database ${name} ${options}`))
  databaseNames.add(name)
  return databaseUrl(url, name)
}

/**
 * Drops the databases of files that have ended. A database that is still in use, such as one whose connections are
 * just being closed, is dropped after the next file.
 */
export async function dropDatabases(): Promise<void> {
  if (databaseNames.size === 0) return
  await asOwner(inject('postgresUrl'), async (client) => {
    const { rows } = await client.query('select distinct datname from pg_stat_activity')
    const inUse = new Set(rows.map(({ datname }) => datname))
    for (const name of databaseNames) {
      if (inUse.has(name)) continue
      const dropping = client.query(`drop database ${name}`)
      await dropping.then(
        () => databaseNames.delete(name),
        () => {},
      )
    }
  })
}
