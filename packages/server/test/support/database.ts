// A database for one file of tests: a copy of the migrated template, dropped with the server at the end.

import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { asOwner } from '../../src/platform/db/owner.ts'

export function databaseUrl(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href
}

/** A migrated database of its own, as the user that owns it. */
export async function newDatabase(): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const url = inject('postgresUrl')
  await asOwner(url, (client) =>
    client.query(`create database ${name} template switchyard_template strategy file_copy`),
  )
  return databaseUrl(url, name)
}
