import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()

test('a request can be read by its id, with redacted values', async () => {
  const { post, get } = await switchyard.newWorkspace()
  const sent = { name: 'Ada Lovelace', email: 'ada@example.com', metadata: { secret_key: 'hunter2' } }
  const created = await post('/customers', sent, { headers: { 'idempotency-key': 'k' } })
  await switchyard.flushRequestLog()

  const { status, body } = await get(`/requests/${created.headers.get('request-id')}`)

  expect(status).toBe(200)
  expect(body).toMatchObject({
    method: 'POST',
    path: '/customers',
    operation: 'customers.create',
    status: 201,
    idempotency_key: 'k',
    replayed: false,
    error_code: null,
  })
  expect(JSON.parse(body.request_body)).toEqual({
    name: '[redacted]',
    email: '[redacted]',
    metadata: '[redacted]',
  })
  expect(JSON.parse(body.response_body)).toMatchObject({
    id: created.body.id,
    object: 'customer',
    name: '[redacted]',
    created_at: created.body.created_at,
  })
})

test('a rejected request shows its error code and the pointers of its errors', async () => {
  const { post, get } = await switchyard.newWorkspace()
  const rejected = await post('/customers', { email: 'not an address' })
  await switchyard.flushRequestLog()

  const { body } = await get(`/requests/${rejected.body.request_id}`)

  expect(body).toMatchObject({ status: 400, error_code: 'invalid_request' })
  expect(JSON.parse(body.response_body)).toMatchObject({
    code: 'invalid_request',
    errors: [{ pointer: '/email', code: 'bad_format' }],
  })
  expect(body.request_body).not.toContain('not an address')
})

test('the secret of a new API token is not in the request log', async () => {
  const { post, get } = await switchyard.newWorkspace()
  const { body: token, headers } = await post('/api-tokens', { name: 'Shop', role: 'SUPPORT' })
  await switchyard.flushRequestLog()

  const { body } = await get(`/requests/${headers.get('request-id')}`)

  expect(body.response_body).not.toContain(token.token)
  expect(JSON.parse(body.request_body)).toMatchObject({ role: 'SUPPORT' })
})

test("the payer's browser is not in the request log", async () => {
  const { post, get } = await switchyard.newWorkspace()
  const device = { ip: '203.0.113.7', screen_width: 1923, time_zone_offset_minutes: -61, language: 'de-AT' }
  const { headers } = await post('/payments', { amount: 100, currency: 'eur', token: 'none', device })
  await switchyard.flushRequestLog()

  const { body } = await get(`/requests/${headers.get('request-id')}`)

  expect(JSON.parse(body.request_body)).toMatchObject({ amount: 100, device: '[redacted]' })
})

test('requests are listed newest first, and bodies of reads are not stored', async () => {
  const { get } = await switchyard.newWorkspace()
  await get('/me')
  await get('/workspace')
  await switchyard.flushRequestLog()

  const { body } = await get('/requests?limit=2')

  expect(body.data).toMatchObject([
    { operation: 'workspace.get', request_body: null, response_body: null },
    { operation: 'me.get' },
  ])
})

test('requests without a token belong to no workspace and are not listed', async () => {
  const { get } = await switchyard.newWorkspace()
  await get('/customers', { token: null })
  await switchyard.flushRequestLog()

  expect((await get('/requests')).body.data).toEqual([])
})

test('failed requests can be listed by status class or by error code, not by both', async () => {
  const { get, post } = await switchyard.newWorkspace()
  await post('/customers', { name: 'Ada' })
  await post('/customers', { email: 'not an address' })
  await get('/customers/nobody')
  await get('/me')
  await switchyard.flushRequestLog()
  const statusesOf = async (query: string) =>
    (await get(`/requests?${query}`)).body.data.map(({ status }: { status: number }) => status)

  expect(await statusesOf('status_class=4xx')).toEqual([404, 400])
  expect(await statusesOf('status_class=5xx')).toEqual([])
  expect(await statusesOf('error_code=not_found')).toEqual([404])
  expect(await get('/requests?status_class=4xx&error_code=not_found')).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/error_code', code: 'not_together' }] },
  })
})
