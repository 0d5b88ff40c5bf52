import { afterEach, expect, test } from 'vitest'
import { crashAt, endCrash } from '../../../../test/support/crash.ts'
import { createTestPerson } from '../../../../test/support/dashboard.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'
import { changeControl } from '../../../platform/db/control.ts'
import { read, transact } from '../../../platform/db/unit-of-work.ts'
import { updateDirectory } from './service/directory.ts'
import { createApiTokenInTx } from './service.ts'
import { claimVersion, readListing } from './store/directory.ts'
import { listApiTokensInDirectory } from './work.ts'

const switchyard = await switchyardForThisFile()
afterEach(endCrash)

const query = (text: string, values: unknown[] = []) =>
  asOwner(switchyard.databaseUrl, async (client) => (await client.query(text, values)).rows)
const listed = (id: string) =>
  query('select hash, expires_at from control.api_token_secrets where api_token_id = $1', [
    uuidOf(id as Id<'api_token'>),
  ])
const dueAt = async (id: string) =>
  (await query('select directory_due_at from api_tokens where id = $1', [uuidOf(id as Id<'api_token'>)]))[0]
    .directory_due_at
const input = { name: 'Shop', role: 'ADMIN' }

/** Creates a token, and stops before the directory is updated, like a process that is killed. */
function createUnlisted(workspaceId: string) {
  const id = workspaceId as Id<'workspace'>
  return transact(switchyard.deps, systemCaller({ workspaceId: id, id }), (tx) =>
    createApiTokenInTx(tx, { name: 'Shop', role: 'ADMIN' }, null),
  )
}

/** Advances the time until the background work is due, and runs it. */
async function settleLater(): Promise<void> {
  switchyard.clock.advance({ seconds: 11 })
  await switchyard.settle()
}

test('a new token works immediately, and needs no background work', async () => {
  const { post, get } = await switchyard.newWorkspace()

  const { body } = await post('/api-tokens', input)

  expect((await get('/me', { token: body.token })).status).toBe(200)
  expect(await dueAt(body.id)).toBeNull()
})

test('if the process is killed after the token was created, background work adds it to the directory', async () => {
  const { get, workspaceId } = await switchyard.newWorkspace()

  const { id, text } = await createUnlisted(workspaceId)

  expect((await get('/me', { token: text })).status).toBe(401)
  await settleLater()
  expect((await get('/me', { token: text })).status).toBe(200)
  expect(await dueAt(id)).toBeNull()
})

test('if the process is killed after the token was added to the directory, background work changes nothing', async () => {
  const { post, get } = await switchyard.newWorkspace()

  crashAt('token.listed')
  const { body } = await post('/api-tokens', input)

  const before = await listed(body.id)
  expect(before).toHaveLength(1)
  expect(await dueAt(body.id)).not.toBeNull()
  await settleLater()
  expect(await listed(body.id)).toEqual(before)
  expect(await dueAt(body.id)).toBeNull()
  expect((await get('/me', { token: body.token })).status).toBe(200)
})

test('a revoked token is rejected immediately, even if the process is killed before it is removed from the directory', async () => {
  const { post, get } = await switchyard.newWorkspace()
  const { body: token } = await post('/api-tokens', input)

  crashAt('token.changed')
  await post(`/api-tokens/${token.id}/revoke`)

  expect(await listed(token.id)).toHaveLength(1)
  expect(await get('/me', { token: token.token })).toMatchObject({
    status: 401,
    body: { code: 'token_invalid' },
  })
  await settleLater()
  expect(await listed(token.id)).toEqual([])
})

test('an earlier secret expires immediately, even if the process is killed before the directory is updated', async () => {
  const { post, get } = await switchyard.newWorkspace()
  const { body: token } = await post('/api-tokens', input)

  crashAt('token.changed')
  await post(`/api-tokens/${token.id}/roll`, { overlap_seconds: 0 })

  expect(await listed(token.id)).toMatchObject([{ expires_at: null }])
  expect(await get('/me', { token: token.token })).toMatchObject({
    status: 401,
    body: { code: 'token_expired' },
  })
  await settleLater()
  expect((await listed(token.id)).map(({ expires_at }) => expires_at !== null).toSorted()).toEqual([
    false,
    true,
  ])
})

test('after two rolls, the first of them interrupted, both secrets are in the directory', async () => {
  const { post, get } = await switchyard.newWorkspace()
  const { body: token } = await post('/api-tokens', input)
  const roll = () => post(`/api-tokens/${token.id}/roll`, { overlap_seconds: 600 })

  crashAt('token.changed')
  await roll()
  const { body: last } = await roll()

  const secrets = await listed(token.id)
  expect(secrets).toHaveLength(3)
  expect(secrets.filter(({ expires_at }) => expires_at === null)).toHaveLength(1)
  for (const { token: text } of [token, last]) expect((await get('/me', { token: text })).status).toBe(200)
  switchyard.clock.advance({ seconds: 601 })
  expect((await get('/me', { token: token.token })).status).toBe(401)
  expect((await get('/me', { token: last.token })).status).toBe(200)
})

test('a secret that is only in the directory expires at the next roll', async () => {
  const { post, get } = await switchyard.newWorkspace()
  const { body: token } = await post('/api-tokens', input)
  // As a process of the previous release would have stored it.
  await query('delete from api_token_hashes where api_token_id = $1', [uuidOf(token.id)])
  expect((await get('/me', { token: token.token })).status).toBe(200)

  const { body: rolled } = await post(`/api-tokens/${token.id}/roll`, { overlap_seconds: 60 })

  expect((await get('/me', { token: token.token })).status).toBe(200)
  switchyard.clock.advance({ seconds: 61 })
  expect((await get('/me', { token: token.token })).status).toBe(401)
  expect((await get('/me', { token: rolled.token })).status).toBe(200)
})

test('a change that arrives late does not replace a newer one', async () => {
  const { post, workspaceId } = await switchyard.newWorkspace()
  const { id } = await createUnlisted(workspaceId)
  const ref = { workspaceId: workspaceId as Id<'workspace'>, id }
  const late = await read(switchyard.deps, systemCaller(ref), (view) => readListing(view, ref.id))
  await post(`/api-tokens/${id}/revoke`)

  expect(late?.version).toBe(1)
  expect(await changeControl(switchyard.deps, (db) => claimVersion(db, ref, 1))).toBe(false)
  await Promise.all([updateDirectory(switchyard.deps, ref), updateDirectory(switchyard.deps, ref)])
  expect(await listed(id)).toEqual([])
})

test.each(['deactivate', 'demote'])(
  'a token is revoked instead of being listed if its creator can no longer create tokens: %s',
  async (how) => {
    const { live, ...organization } = await switchyard.newOrganization()
    const ids = { organizationId: organization.organizationId, workspaceId: live.workspaceId }
    const leaver = await createTestPerson(switchyard.deps, ids, { role: 'ADMIN' })
    const token = await (await switchyard.signIn(leaver)).tokenFor(live.workspaceId)
    const call = (method: string, path: string, body?: unknown, options: object = {}) =>
      switchyard.call('live', method, path, body, { token: live.token, ...options })

    crashAt('token.changed')
    const created = await call('POST', '/api-tokens', input, { token })
    expect(created.status).toBe(500)
    if (how === 'deactivate') await call('POST', `/people/${leaver.id}/deactivate`)
    else await call('PUT', `/people/${leaver.id}`, { role: 'SUPPORT' })
    await settleLater()

    const { body } = await call('GET', '/api-tokens?limit=1')
    expect(body.data).toMatchObject([{ name: 'Shop', status: 'revoked', created_by_person_id: leaver.id }])
    expect(await listed(body.data[0].id)).toEqual([])
    const { body: log } = await call('GET', `/audit-entries?object_id=${body.data[0].id}`)
    expect(log.data.map(({ act }: { act: string }) => act)).toEqual([
      'api_token.revoked',
      'api_token.created',
    ])
  },
)

test('tokens that a demoted person keeps can still be rolled', async () => {
  const { live, ...organization } = await switchyard.newOrganization()
  const ids = { organizationId: organization.organizationId, workspaceId: live.workspaceId }
  const person = await createTestPerson(switchyard.deps, ids, { role: 'ADMIN' })
  const token = await (await switchyard.signIn(person)).tokenFor(live.workspaceId)
  const call = (method: string, path: string, body: unknown, options: object = {}) =>
    switchyard.call('live', method, path, body, { token: live.token, ...options })
  const { body: created } = await call('POST', '/api-tokens', input, { token })
  await call('PUT', `/people/${person.id}`, { role: 'SUPPORT', keep_api_tokens: true })

  const { body: rolled } = await call('POST', `/api-tokens/${created.id}/roll`, {})

  expect((await switchyard.call('live', 'GET', '/me', undefined, { token: rolled.token })).status).toBe(200)
})

test('the work can run twice and concurrently', async () => {
  const { get, workspaceId } = await switchyard.newWorkspace()
  const { id, text } = await createUnlisted(workspaceId)
  const ref = { workspaceId: workspaceId as Id<'workspace'>, id }

  await Promise.all([1, 2, 3].map(() => listApiTokensInDirectory.handle(switchyard.deps, ref)))

  expect(await listed(id)).toHaveLength(1)
  expect((await get('/me', { token: text })).status).toBe(200)
})
