import { randomBytes } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { databaseUrl, newDatabase } from '../../../test/support/database.ts'
import { testMasterKeys } from '../../../test/support/master-keys.ts'
import { compose } from '../../compose.ts'
import { readConfig } from '../../config.ts'
import { idFromUuid, idMaker } from '../../kernel/id.ts'
import { setUp } from '../../setup.ts'
import { migrate } from './migrate.ts'
import { asOwner } from './owner.ts'

/** All roles that the service uses. */
const roles =
  'switchyard_app, switchyard_due, switchyard_log, switchyard_control, switchyard_delivery, switchyard_vault'

test('a user who cannot create roles can migrate if the roles exist and are granted', async () => {
  const name = `plain_${randomBytes(4).toString('hex')}`
  await asOwner(inject('postgresUrl'), async (client) => {
    await client.query(`create role ${name} login`)
    await client.query(`create database ${name} owner ${name}`)
    await client.query(`grant ${roles} to ${name}`)
  })

  const url = Object.assign(new URL(databaseUrl(inject('postgresUrl'), name)), { username: name }).href

  expect(await migrate(url)).toContain('0001_roles_and_control_plane.sql')
})

test('a user who owns nothing can serve requests, and cannot alter a table', async () => {
  const url = await newDatabase()
  const name = `login_${randomBytes(4).toString('hex')}`
  await asOwner(url, async (client) => {
    await client.query(`create role ${name} login`)
    await client.query(`grant ${roles} to ${name}`)
  })
  const loginUrl = Object.assign(new URL(url), { username: name }).href
  const environment = { DATABASE_URL: loginUrl, MASTER_KEYS: testMasterKeys, LOG_LEVEL: 'silent' }
  const switchyard = compose(readConfig(environment))

  const installation = await setUp(switchyard.deps, { organization: 'Shop', email: 'ada@example.com' })
  const drop = asOwner(loginUrl, (client) => client.query('drop table customers'))

  expect(installation?.tokens.test).toMatch(/^sk_test_/)
  await expect(drop).rejects.toThrow('must be owner of table customers')
  await switchyard.close()
})

test('the vault can have a separate user, so that the user who serves requests cannot read cards', async () => {
  const url = await newDatabase()
  const [server, vaultUser] = ['server', 'vault'].map((name) => `${name}_${randomBytes(4).toString('hex')}`)
  await asOwner(url, async (client) => {
    await client.query(`create role ${server} login; create role ${vaultUser} login`)
    await client.query(`grant ${roles.replace(', switchyard_vault', '')} to ${server}`)
    await client.query(`grant switchyard_vault to ${vaultUser}`)
  })
  const urlOf = (name = '') => Object.assign(new URL(url), { username: name }).href
  const environment = { MASTER_KEYS: testMasterKeys, LOG_LEVEL: 'silent', DATABASE_URL: urlOf(server) }
  const withVaultUser = compose(readConfig({ ...environment, VAULT_DATABASE_URL: urlOf(vaultUser) }))
  const withoutVaultUser = compose(readConfig(environment))
  const workspaceId = idFromUuid('workspace', 'test', idMaker(new Date(), 0)())
  const readVault = ({ deps }: Pick<typeof withVaultUser, 'deps'>) =>
    deps.databases
      .of(workspaceId)
      .inVault(workspaceId, (db) => db.selectFrom('vault.cards').select('id').execute())

  expect(await readVault(withVaultUser)).toEqual([])
  await expect(readVault(withoutVaultUser)).rejects.toThrow(
    /permission denied to set role "switchyard_vault"/,
  )
  await Promise.all([withVaultUser.close(), withoutVaultUser.close()])
})
