// Creates databases for test files, as copies of the migrated template.

import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { asOwner } from '../../src/platform/db/owner.ts'

export function databaseUrl(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href
}

/** Creates a migrated database. The user of the returned URL is the owner of the database. */
export const newDatabase = () => createDatabase('template switchyard_template strategy file_copy')

/** Creates a database without any migration. */
export const emptyDatabase = () => createDatabase('')

async function createDatabase(options: string): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const url = inject('postgresUrl')
  await asOwner(url, (client) => client.query(`create database ${name} ${options}`))
  return databaseUrl(url, name)
}
