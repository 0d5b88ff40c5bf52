import { expect, test } from 'vitest'
import { tablesContaining } from '../../../../test/support/database-search.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'
import type { Id } from '../../../kernel/id.ts'
import { expireApiTokens } from './work.ts'

const switchyard = await switchyardForThisFile()

test('the secret of a token is shown once, authenticates, and is not stored', async () => {
  const { post, get } = await switchyard.newWorkspace()

  const { status, body } = await post('/api-tokens', { name: 'Shop', role: 'DEVELOPER' })

  expect(status).toBe(201)
  expect(await get('/me', { token: body.token })).toMatchObject({
    status: 200,
    body: { api_token_id: body.id, authority: 'DEVELOPER' },
  })
  const { body: read } = await get(`/api-tokens/${body.id}`)
  expect(read).toMatchObject({
    id: body.id,
    status: 'active',
    hint: `${body.token.slice(0, 8)}…${body.token.slice(-4)}`,
  })
  expect(JSON.stringify(read)).not.toContain(body.token)
  await switchyard.flushRequestLog()
  expect(await tablesContaining(switchyard.databaseUrl, body.token)).toEqual([])
})

test('after a roll both secrets are valid during the overlap, and then only the new one', async () => {
  const { post, get } = await switchyard.newWorkspace()
  const { body: old } = await post('/api-tokens', { name: 'Shop', role: 'DEVELOPER' })

  const { body: rolled } = await post(`/api-tokens/${old.id}/roll`, { overlap_seconds: 60 })
  expect(rolled.token).not.toBe(old.token)
  expect((await get('/me', { token: old.token })).status).toBe(200)
  expect((await get('/me', { token: rolled.token })).status).toBe(200)

  switchyard.clock.advance({ seconds: 61 })
  // An expired secret is rejected immediately; the work only deletes it, a month later.
  const callWithOldSecret = () => get('/me', { token: old.token })
  expect(await callWithOldSecret()).toMatchObject({ status: 401, body: { code: 'token_expired' } })
  await switchyard.settle()
  expect(await callWithOldSecret()).toMatchObject({ status: 401, body: { code: 'token_expired' } })
  switchyard.clock.advance({ days: 30 })
  await switchyard.settle()
  expect(await callWithOldSecret()).toMatchObject({ status: 401, body: { code: 'token_invalid' } })
  expect((await get('/me', { token: rolled.token })).status).toBe(200)
})

test('after two rolls each earlier secret expires at the end of the shorter overlap', async () => {
  const { post, get } = await switchyard.newWorkspace()
  const { body: first } = await post('/api-tokens', { name: 'Shop', role: 'DEVELOPER' })
  const { body: second } = await post(`/api-tokens/${first.id}/roll`, { overlap_seconds: 600 })
  const { body: third } = await post(`/api-tokens/${first.id}/roll`, { overlap_seconds: 60 })

  switchyard.clock.advance({ seconds: 61 })
  await switchyard.settle()

  const statuses = await Promise.all([first, second, third].map(({ token }) => get('/me', { token })))
  expect(statuses.map(({ status }) => status)).toEqual([401, 401, 200])
})

test('a revoked token is rejected, and revoking it again returns the same response', async () => {
  const { post, get } = await switchyard.newWorkspace()
  const { body: token } = await post('/api-tokens', { name: 'Shop', role: 'DEVELOPER' })

  const first = await post(`/api-tokens/${token.id}/revoke`)
  const second = await post(`/api-tokens/${token.id}/revoke`)

  expect(first).toMatchObject({ status: 200, body: { status: 'revoked' } })
  expect(second.body).toEqual(first.body)
  expect(await get('/me', { token: token.token })).toMatchObject({
    status: 401,
    body: { code: 'token_invalid' },
  })
  expect(await post(`/api-tokens/${token.id}/roll`)).toMatchObject({
    status: 409,
    body: { code: 'invalid_state', current_status: 'revoked', allowed_actions: [] },
  })
})

test('a token expires at its expiry time', async () => {
  const { post, get } = await switchyard.newWorkspace()
  const expires_at = new Date(nowMs() + 3_600_000).toISOString()
  const { body: token } = await post('/api-tokens', { name: 'Visitor', role: 'READ_ONLY', expires_at })

  switchyard.clock.advance({ hours: 1 })
  expect(await get('/me', { token: token.token })).toMatchObject({
    status: 401,
    body: { code: 'token_expired' },
  })
  await switchyard.settle()

  expect((await get(`/api-tokens/${token.id}`)).body.status).toBe('expired')
  expect(await get('/me', { token: token.token })).toMatchObject({ body: { code: 'token_expired' } })
})

test('concurrent runs of the expiry work record one audit entry', async () => {
  const { post, get, workspaceId } = await switchyard.newWorkspace()
  const expires_at = new Date(nowMs() + 60_000).toISOString()
  const { body: token } = await post('/api-tokens', { name: 'Visitor', role: 'READ_ONLY', expires_at })
  switchyard.clock.advance({ minutes: 1 })

  const ref = { workspaceId: workspaceId as Id<'workspace'>, id: token.id as Id<'api_token'> }
  await Promise.all(Array.from({ length: 10 }, () => expireApiTokens.handle(switchyard.deps, ref)))

  const { body } = await get('/audit-entries')
  const expiries = body.data.filter((entry: { act: string }) => entry.act === 'api_token.expired')
  expect(expiries).toHaveLength(1)
})

function nowMs(): number {
  const reading = switchyard.clock.read()
  return reading.from === 'harness' ? reading.at.getTime() : 0
}

test.each([
  [{ name: 'Shop' }, '/role', 'required'],
  [{ name: 'Shop', kind: 'publishable', role: 'ADMIN' }, '/role', 'not_together'],
  [{ name: 'Shop', role: 'OWNER' }, '/role', 'not_in_list'],
  [{ name: 'Shop', role: 'ADMIN', expires_at: '2020-01-01T00:00:00Z' }, '/expires_at', 'too_small'],
  [{ role: 'ADMIN' }, '/name', 'required'],
])('%j is rejected with an error at %s: %s', async (body, pointer, code) => {
  const { post } = await switchyard.newWorkspace()

  expect(await post('/api-tokens', body)).toMatchObject({
    status: 400,
    body: { errors: [{ pointer, code }] },
  })
})

test('the last use of a token is recorded', async () => {
  const { post, get } = await switchyard.newWorkspace()
  const { body: token } = await post('/api-tokens', { name: 'Shop', role: 'DEVELOPER' })
  expect(token.last_used_at).toBeNull()

  await get('/me', { token: token.token })

  await expect
    .poll(async () => (await get(`/api-tokens/${token.id}`)).body.last_used_at)
    .toBe(new Date(nowMs()).toISOString())
})

test('every change of a token is recorded in one audit log entry, without its secret', async () => {
  const { post, get } = await switchyard.newWorkspace()
  const { body: token } = await post('/api-tokens', { name: 'Shop', role: 'DEVELOPER' })
  await post(`/api-tokens/${token.id}/roll`)
  await post(`/api-tokens/${token.id}/revoke`)
  await post(`/api-tokens/${token.id}/revoke`)

  const { body } = await get('/audit-entries')

  const entries = body.data.filter((entry: { object_id: string }) => entry.object_id === token.id)
  expect(entries.map((entry: { act: string }) => entry.act)).toEqual([
    'api_token.revoked',
    'api_token.rolled',
    'api_token.created',
  ])
  expect(entries[0]).toMatchObject({
    authority: 'ADMIN',
    request_id: expect.stringMatching(/^request_test_/),
  })
  expect(JSON.stringify(body)).not.toContain(token.token)
})
