import { expect, test } from 'vitest'
import { newDatabase } from '../../../test/support/database.ts'
import { withOurOptions } from './connection-options.ts'
import { openDatabases } from './databases.ts'
import { asOwner } from './owner.ts'

test('options of the address are kept, and ours come after them', () => {
  const { connectionString, options } = withOurOptions(
    'postgres://u@h/db?sslmode=require&options=-c%20search_path%3Dpublic',
    ['role=switchyard_app'],
  )

  expect(connectionString).toBe('postgres://u@h/db?sslmode=require')
  expect(options).toMatch(/^-c search_path=public -c role=switchyard_app /)
})

test('an address with options of its own does not lift the role, nor the limits', async () => {
  const url = `${await newDatabase()}?options=-c%20role%3Dnone%20-c%20statement_timeout%3D0`
  const databases = openDatabases({ url, poolSize: 1, onError: () => {} })

  const { client, release } = await databases.control.connect()
  const { rows } = await client.query(
    "select current_user as name, current_setting('statement_timeout') as most",
  )
  release()
  await databases.close()

  expect(rows).toEqual([{ name: 'switchyard_app', most: '25s' }])
})

test('a connection that Postgres ends during a chore fails it, and not the process', async () => {
  const url = await newDatabase()

  const chore = asOwner(url, async (client) => {
    await asOwner(url, (other) =>
      other.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      ),
    )
    await client.query('select 1')
  })

  await expect(chore).rejects.toThrow()
})
