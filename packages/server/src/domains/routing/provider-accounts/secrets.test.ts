import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { tablesContaining } from '../../../../test/support/database-search.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'
import { createLog } from '../../../platform/log.ts'
import { activeSecretsAt, parseSecrets, serializeSecrets } from './secret.ts'
import { openAccount } from './service/open.ts'

const logged: string[] = []
const destination = new Writable({
  write(chunk, _, done) {
    logged.push(String(chunk))
    done()
  },
})
const switchyard = await switchyardForThisFile({ overrides: { log: createLog('debug', destination) } })
const { clock, deps } = switchyard

const input = {
  provider: 'custom',
  display_name: 'Our acquirer',
  // No server is running at this address, so a check fails quickly.
  config: { base_url: 'http://127.0.0.1:1024' },
}

async function anAccount(workspace: Workspace) {
  const { body } = await workspace.post('/provider-accounts', input)
  const id: Id<'provider_account'> = body.id
  return {
    id,
    path: `/provider-accounts/${id}`,
    secret: body.secret as string,
    rotate: (overlap_seconds?: number) =>
      workspace.post(`/provider-accounts/${id}/rotate_secret`, { overlap_seconds }),
    /** The secrets that sign requests now. */
    activeSecrets: async () => {
      const { config } = await openAccount(deps, workspace.workspaceId as Id<'workspace'>, id)
      return (config as { secrets: string[] }).secrets
    },
  }
}

test('a secret is only in the response that created it', async () => {
  const workspace = await switchyard.newWorkspace()
  const withKey = { headers: { 'idempotency-key': 'one' } }
  const created = await workspace.post('/provider-accounts', input, withKey)
  const path = `/provider-accounts/${created.body.id}`
  const rotated = await workspace.post(`${path}/rotate_secret`, {}, withKey)
  await workspace.put(path, { position: 3 })
  const checked = await workspace.post(`${path}/check`)

  const repeats = [
    await workspace.post('/provider-accounts', input, withKey),
    await workspace.post(`${path}/rotate_secret`, {}, withKey),
  ]
  expect(repeats.map(({ body }) => body)).toEqual([
    { ...created.body, secret: null },
    { ...rotated.body, secret: null },
  ])
  const others = [
    ...repeats,
    checked,
    await workspace.get(path),
    await workspace.get('/provider-accounts'),
    await workspace.get('/events'),
    await workspace.get('/audit-entries'),
  ]
  await switchyard.flushRequestLog()
  others.push(await workspace.get('/requests?limit=100'))

  const texts: string[] = [created.body.secret, rotated.body.secret]
  for (const text of texts) expect(text).toMatch(/^psec_[A-Za-z0-9_-]{43}$/)
  expect(new Set(texts).size).toBe(2)
  const keys = texts.map((text) => text.slice('psec_'.length))
  for (const response of others)
    for (const key of keys) expect(JSON.stringify(response.body)).not.toContain(key)
  const bytes = texts.map((text) => Buffer.from(text).toString('hex'))
  expect(await tablesContaining(switchyard.databaseUrl, ...keys, ...bytes)).toEqual([])
  expect(logged.length).toBeGreaterThan(5)
  for (const key of keys) expect(logged.join('')).not.toContain(key)
})

test('a secret can only be decrypted in its own row', async () => {
  const workspace = await switchyard.newWorkspace()
  const [firstAccount, secondAccount] = [await anAccount(workspace), await anAccount(workspace)]
  await asOwner(switchyard.databaseUrl, (client) =>
    client.query(
      `alter table provider_accounts disable trigger all;
       update provider_accounts set credentials = (select credentials from provider_accounts where id = '${uuidOf(firstAccount.id)}')
         where id = '${uuidOf(secondAccount.id)}';
       alter table provider_accounts enable trigger all`,
    ),
  )

  expect(await firstAccount.activeSecrets()).toEqual([firstAccount.secret])
  await expect(secondAccount.activeSecrets()).rejects.toThrow('sealed for another location')
})

test('after a rotation both secrets are active, newest first, and the earlier one expires after a day', async () => {
  const workspace = await switchyard.newWorkspace()
  const account = await anAccount(workspace)
  clock.advance({ minutes: 1 })

  const { status, body } = await account.rotate()

  expect(status).toBe(200)
  expect(body.credentials).toEqual({ set: true, rotated_at: body.updated_at, names: [] })
  expect(await account.activeSecrets()).toEqual([body.secret, account.secret])
  clock.advance({ hours: 23, minutes: 59 })
  await workspace.put(account.path, { position: 2 })
  expect(await account.activeSecrets()).toEqual([body.secret, account.secret])
  clock.advance({ minutes: 1 })
  await workspace.put(account.path, { position: 3 })
  expect(await account.activeSecrets()).toEqual([body.secret])
})

test('a rotation without overlap ends the earlier secrets immediately', async () => {
  const workspace = await switchyard.newWorkspace()
  const account = await anAccount(workspace)
  await account.rotate()

  const { body } = await account.rotate(0)

  expect(await account.activeSecrets()).toEqual([body.secret])
})

test('a third secret is rejected until one of the two has expired', async () => {
  const workspace = await switchyard.newWorkspace()
  const account = await anAccount(workspace)
  await account.rotate(60)

  expect(await account.rotate(60)).toMatchObject({
    status: 409,
    body: { code: 'too_many_secrets', detail: 'A provider account can have at most 2 active secrets.' },
  })
  clock.advance({ seconds: 60 })
  expect((await account.rotate(60)).status).toBe(200)
})

test('one of five concurrent rotations succeeds', async () => {
  const workspace = await switchyard.newWorkspace()
  const account = await anAccount(workspace)

  const responses = await Promise.all(Array.from({ length: 5 }, () => account.rotate(60)))

  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409])
  const successful = responses.find(({ status }) => status === 200)
  expect(await account.activeSecrets()).toEqual([successful?.body.secret, account.secret])
})

test('each rotation is in the audit log', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id, rotate } = await anAccount(workspace)
  await rotate(60)

  const { body } = await workspace.get('/audit-entries?limit=1')

  expect(body.data).toMatchObject([
    { act: 'provider_account.secret_rotated', object_id: id, details: { overlap_seconds: 60 } },
  ])
})

test.each([
  [{ overlap_seconds: -1 }, 'too_small'],
  [{ overlap_seconds: 604_801 }, 'too_large'],
])('%j is rejected as %s', async (body, code) => {
  const workspace = await switchyard.newWorkspace()
  const { path } = await anAccount(workspace)

  expect((await workspace.post(`${path}/rotate_secret`, body)).body.errors).toMatchObject([
    { pointer: '/overlap_seconds', code },
  ])
})

test('secrets survive a round trip through their sealed format, and are active until their end', () => {
  const endsAt = new Date('2026-11-14T12:00:00.000Z')
  const secrets = [
    { text: 'psec_new', endsAt: null },
    { text: 'psec_old', endsAt },
  ]

  expect(parseSecrets(serializeSecrets(secrets))).toEqual(secrets)
  expect(activeSecretsAt(secrets, new Date(endsAt.getTime() - 1))).toEqual(secrets)
  expect(activeSecretsAt(secrets, endsAt)).toEqual([secrets[0]])
})
