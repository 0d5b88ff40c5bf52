import { randomBytes } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { databaseUrl } from '../../../test/support/database.ts'
import { migrate } from './migrate.ts'
import { asOwner } from './owner.ts'

test('a user without rights to make roles can migrate when the roles are there and granted', async () => {
  const name = `plain_${randomBytes(4).toString('hex')}`
  await asOwner(inject('postgresUrl'), async (client) => {
    await client.query(`create role ${name} login`)
    await client.query(`create database ${name} owner ${name}`)
    await client.query(`grant switchyard_app, switchyard_due, switchyard_log, switchyard_control to ${name}`)
  })

  const url = Object.assign(new URL(databaseUrl(inject('postgresUrl'), name)), { username: name }).href

  expect(await migrate(url)).toContain('0001_roles_and_control_plane.sql')
})
