import { expect, test } from 'vitest'
import { oldVersion, withOldVersion } from '../../../test/support/old-version.ts'
import { asOwner } from '../../../test/support/owner.ts'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile({ overrides: { versions: withOldVersion } })

const withKey = (key: string) => ({ headers: { 'idempotency-key': key } })

test('a repeated request gets the response of the first, byte for byte, and has no effect', async () => {
  const { post, get } = await switchyard.newWorkspace()

  const first = await post('/customers', { name: 'Ada', email: 'ada@example.com' }, withKey('signup-1'))
  const second = await post('/customers/', { email: 'ada@example.com', name: 'Ada' }, withKey('"signup-1"'))

  expect(first.status).toBe(201)
  expect(second).toMatchObject({ status: 201, body: first.body })
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  expect(second.headers.get('original-request-id')).toBe(first.headers.get('request-id'))
  expect(second.headers.get('etag')).toBe(first.headers.get('etag'))
  expect((await get('/customers')).body.data).toHaveLength(1)
})

test('fifty concurrent requests with one key create one object and get fifty equal responses', async () => {
  const { post, get } = await switchyard.newWorkspace()

  const responses = await Promise.all(
    Array.from({ length: 50 }, () => post('/customers', { name: 'Ada' }, withKey('once'))),
  )

  const bodies = new Set(responses.map(({ body }) => JSON.stringify(body)))
  expect(responses.map(({ status }) => status)).toEqual(Array(50).fill(201))
  expect(bodies.size).toBe(1)
  expect(responses.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1)
  expect((await get('/customers')).body.data).toHaveLength(1)
})

test('the same key with a different body or version is rejected', async () => {
  const { post } = await switchyard.newWorkspace()
  await post('/customers', { name: 'Ada' }, withKey('k'))

  const otherBody = await post('/customers', { name: 'Grace' }, withKey('k'))
  const otherVersion = await post(
    '/customers',
    { full_name: 'Ada' },
    { headers: { 'idempotency-key': 'k', 'switchyard-version': oldVersion } },
  )

  expect(otherBody).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused', retryable: false } })
  expect(otherVersion).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } })
})

test('a key is scoped to its token, path and workspace', async () => {
  const workspace = await switchyard.newWorkspace()
  const other = await switchyard.newWorkspace()
  const developer = await workspace.tokenFor('DEVELOPER')
  const body = { name: 'Ada' }

  const ids = [
    (await workspace.post('/customers', body, withKey('k'))).body.id,
    (await workspace.post('/customers', body, { ...withKey('k'), token: developer })).body.id,
    (await other.post('/customers', body, withKey('k'))).body.id,
  ]

  expect(new Set(ids).size).toBe(3)
})

test('a key applies to every spelling of the same URL', async () => {
  const { put, aCustomer, eventsOf } = await switchyard.newWorkspace()
  const id = await aCustomer()

  await put(`/customers/${id}`, { name: 'Ada' }, withKey('k'))
  await put(`/customers/${id}`, { name: 'Grace' }, withKey('other'))
  const lower = id.slice(0, -26) + id.slice(-26).toLowerCase()
  for (const spelling of [lower, `${id}/`, `%63${id.slice(1)}`]) {
    const repeat = await put(`/customers/${spelling}`, { name: 'Ada' }, withKey('k'))
    expect(repeat.headers.get('idempotent-replayed')).toBe('true')
  }

  expect(await eventsOf(id)).toHaveLength(3)
})

test('an invalid key is rejected after the role check, counted by the rate limit and logged', async () => {
  const { post, get, tokenFor } = await switchyard.newWorkspace()
  const invalidKey = { headers: { 'idempotency-key': 'a b' } }

  const rejected = await post('/customers', {}, invalidKey)
  const forbidden = await post('/customers', {}, { ...invalidKey, token: await tokenFor('READ_ONLY') })
  await switchyard.flushRequestLog()

  expect(rejected.headers.get('ratelimit')).not.toBeNull()
  expect(forbidden.status).toBe(403)
  expect((await get(`/requests/${rejected.body.request_id}`)).body.error_code).toBe('invalid_idempotency_key')
})

test('a rolled token keeps its idempotency keys', async () => {
  const { post, tokenFor, get } = await switchyard.newWorkspace()
  const old = await tokenFor('ADMIN')
  const first = await post('/customers', { name: 'Ada' }, { ...withKey('k'), token: old })
  const { body: me } = await get('/me', { token: old })
  const { body: rolled } = await post(`/api-tokens/${me.api_token_id}/roll`, {})

  const repeat = await post('/customers', { name: 'Ada' }, { ...withKey('k'), token: rolled.token })

  expect(repeat.body).toEqual(first.body)
})

test('a rejected request is not stored: the corrected request may use the key', async () => {
  const { post, put, aCustomer } = await switchyard.newWorkspace()
  const id = await aCustomer()

  expect((await post('/customers', { email: 'no address' }, withKey('k'))).status).toBe(400)
  expect((await post('/customers', { email: 'ada@example.com' }, withKey('k'))).status).toBe(201)
  expect((await put('/customers/customer_test_00000000000000000000000000', {}, withKey('p'))).status).toBe(
    404,
  )
  expect(
    (
      await put(
        `/customers/${id}`,
        { name: 'A' },
        { headers: { 'idempotency-key': 'p2', 'if-match': '"9"' } },
      )
    ).status,
  ).toBe(412)
  expect((await put(`/customers/${id}`, { name: 'A' }, withKey('p2'))).status).toBe(200)
})

test('a secret that is shown once is not stored with the response', async () => {
  const { post } = await switchyard.newWorkspace()

  const first = await post('/api-tokens', { name: 'Shop', role: 'DEVELOPER' }, withKey('t'))
  const second = await post('/api-tokens', { name: 'Shop', role: 'DEVELOPER' }, withKey('t'))

  expect(first.body.token).toMatch(/^sk_test_[0-9A-Za-z]{38}$/)
  expect(second.body).toEqual({ ...first.body, token: null })
  const { rows } = await asOwner(switchyard.databaseUrl, (client) =>
    client.query('select from idempotency_keys where body like $1', [`%${first.body.token}%`]),
  )
  expect(rows).toHaveLength(0)
})

test('a repeated request waits while the first is running, and then gets Retry-After', {
  timeout: 30_000,
}, async () => {
  const { put, aCustomer } = await switchyard.newWorkspace()
  const id = await aCustomer()
  const change = () => put(`/customers/${id}`, { name: 'Grace' }, withKey('slow'))

  // Another transaction holds the row, so the first request cannot finish.
  const [first, repeated, rejectedRepeat] = await asOwner(switchyard.databaseUrl, async (client) => {
    await client.query('begin')
    await client.query('select from customers for update')
    const running = change()
    await new Promise((resolve) => setTimeout(resolve, 200))
    const rejected = await change()
    const waiting = change()
    await client.query('rollback')
    return [await running, await waiting, rejected]
  })

  expect(rejectedRepeat).toMatchObject({
    status: 409,
    body: { code: 'idempotency_key_in_use', retryable: true },
  })
  expect(rejectedRepeat?.headers.get('retry-after')).toBe('1')
  expect(first).toMatchObject({ status: 200, body: { name: 'Grace' } })
  expect(repeated?.body).toEqual(first?.body)
  expect((await change()).body).toEqual(first?.body)
})

test.each(['', ' ', 'x'.repeat(256), 'schlüssel'])('the key "%s" is invalid', async (key) => {
  const { address, token } = await switchyard.newWorkspace()
  const headers = new Headers({ authorization: `Bearer ${token}`, 'content-type': 'application/json' })
  headers.set('idempotency-key', Buffer.from(key).toString('latin1'))

  const response = await fetch(`${address}/customers`, { method: 'POST', headers, body: '{}' })

  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ code: 'invalid_idempotency_key' })
})
