import { expect, test } from 'vitest'
import { newDatabase } from '../../../test/support/database.ts'
import { mergeOptions } from './connection-options.ts'
import { openDatabases } from './databases.ts'
import { asOwner } from './owner.ts'

test('options in the URL are kept, and come before ours', () => {
  const { connectionString, options } = mergeOptions(
    'postgres://u@h/db?sslmode=require&options=-c%20search_path%3Dpublic',
    ['role=switchyard_app'],
  )

  expect(connectionString).toBe('postgres://u@h/db?sslmode=require')
  expect(options).toMatch(/^-c search_path=public -c role=switchyard_app /)
})

test('a URL with its own options overrides neither the role nor the limits', async () => {
  const url = `${await newDatabase()}?options=-c%20role%3Dnone%20-c%20statement_timeout%3D0`
  const databases = openDatabases({ url, poolSize: 1, onError: () => {} })

  const { client, release } = await databases.control.connect()
  const { rows } = await client.query(
    "select current_user as name, current_setting('statement_timeout') as timeout",
  )
  release()
  await databases.close()

  expect(rows).toEqual([{ name: 'switchyard_app', timeout: '25s' }])
})

test('a connection that Postgres terminates during a job fails the job, not the process', async () => {
  const url = await newDatabase()

  const job = asOwner(url, async (client) => {
    await asOwner(url, (other) =>
      other.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      ),
    )
    await client.query('select 1')
  })

  await expect(job).rejects.toThrow()
})
