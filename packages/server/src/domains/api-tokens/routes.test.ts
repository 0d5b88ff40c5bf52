import { expect, test } from 'vitest'
import { tablesThatHold } from '../../../test/support/canary.ts'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'
import type { Id } from '../../kernel/id.ts'
import { expireApiTokens } from './work.ts'

const switchyard = await switchyardForThisFile()

test('the text of a token is shown once, works, and is stored nowhere', async () => {
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
  expect(await tablesThatHold(switchyard.databaseUrl, body.token)).toEqual([])
})

test('a rolled token has two texts for the overlap, and one afterwards', async () => {
  const { post, get } = await switchyard.newWorkspace()
  const { body: old } = await post('/api-tokens', { name: 'Shop', role: 'DEVELOPER' })

  const { body: rolled } = await post(`/api-tokens/${old.id}/roll`, { overlap_seconds: 60 })
  expect(rolled.token).not.toBe(old.token)
  expect((await get('/me', { token: old.token })).status).toBe(200)
  expect((await get('/me', { token: rolled.token })).status).toBe(200)

  switchyard.clock.advance({ seconds: 61 })
  // Correct at once by its end time; the work only cleans up, a month later.
  const oldText = () => get('/me', { token: old.token })
  expect(await oldText()).toMatchObject({ status: 401, body: { code: 'token_expired' } })
  await switchyard.settle()
  expect(await oldText()).toMatchObject({ status: 401, body: { code: 'token_expired' } })
  switchyard.clock.advance({ days: 30 })
  await switchyard.settle()
  expect(await oldText()).toMatchObject({ status: 401, body: { code: 'token_invalid' } })
  expect((await get('/me', { token: rolled.token })).status).toBe(200)
})

test('a token rolled twice keeps each overlap', async () => {
  const { post, get } = await switchyard.newWorkspace()
  const { body: first } = await post('/api-tokens', { name: 'Shop', role: 'DEVELOPER' })
  const { body: second } = await post(`/api-tokens/${first.id}/roll`, { overlap_seconds: 600 })
  const { body: third } = await post(`/api-tokens/${first.id}/roll`, { overlap_seconds: 60 })

  switchyard.clock.advance({ seconds: 61 })
  await switchyard.settle()

  const statuses = await Promise.all([first, second, third].map(({ token }) => get('/me', { token })))
  expect(statuses.map(({ status }) => status)).toEqual([401, 401, 200])
})

test('a revoked token ends, and revoking again answers the same', async () => {
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

test('a token with an end expires by itself', async () => {
  const { post, get } = await switchyard.newWorkspace()
  const expires_at = new Date(switchyardNow() + 3_600_000).toISOString()
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

test('work that is handed out many times at once has its effect once', async () => {
  const { post, get, workspaceId } = await switchyard.newWorkspace()
  const expires_at = new Date(switchyardNow() + 60_000).toISOString()
  const { body: token } = await post('/api-tokens', { name: 'Visitor', role: 'READ_ONLY', expires_at })
  switchyard.clock.advance({ minutes: 1 })

  const ref = { workspaceId: workspaceId as Id<'workspace'>, id: token.id as Id<'api_token'> }
  await Promise.all(Array.from({ length: 10 }, () => expireApiTokens.handle(switchyard.deps, ref)))

  const { body } = await get('/audit-entries')
  const ends = body.data.filter((entry: { act: string }) => entry.act === 'api_token.expired')
  expect(ends).toHaveLength(1)
})

function switchyardNow(): number {
  const reading = switchyard.clock.read()
  return reading.from === 'harness' ? reading.at.getTime() : 0
}

test.each([
  [{ name: 'Shop' }, '/role', 'required'],
  [{ name: 'Shop', kind: 'publishable', role: 'ADMIN' }, '/role', 'not_together'],
  [{ name: 'Shop', role: 'OWNER' }, '/role', 'not_in_list'],
  [{ name: 'Shop', role: 'ADMIN', expires_at: '2020-01-01T00:00:00Z' }, '/expires_at', 'too_small'],
  [{ role: 'ADMIN' }, '/name', 'required'],
])('%j is refused at %s as %s', async (body, pointer, code) => {
  const { post } = await switchyard.newWorkspace()

  expect(await post('/api-tokens', body)).toMatchObject({
    status: 400,
    body: { errors: [{ pointer, code }] },
  })
})

test('the use of a token is noted', async () => {
  const { post, get } = await switchyard.newWorkspace()
  const { body: token } = await post('/api-tokens', { name: 'Shop', role: 'DEVELOPER' })
  expect(token.last_used_at).toBeNull()

  await get('/me', { token: token.token })

  await expect
    .poll(async () => (await get(`/api-tokens/${token.id}`)).body.last_used_at)
    .toBe(new Date(switchyardNow()).toISOString())
})

test('every act on a token is one entry of the audit log, without its text', async () => {
  const { post, get } = await switchyard.newWorkspace()
  const { body: token } = await post('/api-tokens', { name: 'Shop', role: 'DEVELOPER' })
  await post(`/api-tokens/${token.id}/roll`)
  await post(`/api-tokens/${token.id}/revoke`)
  await post(`/api-tokens/${token.id}/revoke`)

  const { body } = await get('/audit-entries')

  const acts = body.data.filter((entry: { object_id: string }) => entry.object_id === token.id)
  expect(acts.map((entry: { act: string }) => entry.act)).toEqual([
    'api_token.revoked',
    'api_token.rolled',
    'api_token.created',
  ])
  expect(acts[0]).toMatchObject({ authority: 'ADMIN', request_id: expect.stringMatching(/^request_test_/) })
  expect(JSON.stringify(body)).not.toContain(token.token)
})
