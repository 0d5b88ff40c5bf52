import { randomBytes } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { databaseUrl } from '../../../test/support/database.ts'
import { type Migration, migrate, planFor, planMigrations, readMigrations } from './migrate.ts'
import { asOwner } from './owner.ts'

async function emptyDatabase(): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await asOwner(inject('postgresUrl'), (client) => client.query(`create database ${name}`))
  return databaseUrl(inject('postgresUrl'), name)
}

test('processes that start together migrate once', async () => {
  const url = await emptyDatabase()
  const files = (await readMigrations()).map(({ name }) => name)

  const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(url)))

  expect(applied.flat().toSorted()).toEqual(files)
  expect(await migrate(url)).toEqual([])
})

test('the plan names what is missing and changes nothing', async () => {
  const url = await emptyDatabase()

  const plan = await planFor(url)

  expect(plan).toEqual((await readMigrations()).map(({ name }) => name))
  const { rows } = await asOwner(url, (client) => client.query("select to_regclass('workspaces') as found"))
  expect(rows).toEqual([{ found: null }])
  await migrate(url)
  expect(await planFor(url)).toEqual([])
})

const file = (name: string, checksum = name): Migration => ({ name, checksum, sql: '' })

test('an edited migration and a newer database are told apart and refused', () => {
  const files = [file('0001.sql'), file('0002.sql')]

  expect(planMigrations(files, [file('0001.sql')])).toEqual([file('0002.sql')])
  expect(() => planMigrations(files, [file('0001.sql', 'other')])).toThrow('0001.sql was edited')
  expect(() => planMigrations(files, [file('0001.sql'), file('0002.sql'), file('0003.sql')])).toThrow(
    'Deploy a newer version',
  )
})
