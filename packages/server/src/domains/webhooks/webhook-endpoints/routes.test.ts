import { expect, test } from 'vitest'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()

const validBody = { url: 'https://shop.example.com/webhooks', event_types: ['*'] }

async function anEndpoint({ post }: Workspace, members: object = {}): Promise<string> {
  const { status, body } = await post('/webhook-endpoints', { ...validBody, ...members })
  expect(status).toBe(201)
  return body.id
}

test('a created endpoint has all sent values, and reads return the same object', async () => {
  const { post, get } = await switchyard.newWorkspace()
  const sent = {
    url: 'https://shop.example.com:8443/webhooks?source=1',
    name: 'Shop',
    event_types: ['customer.created', 'webhook_endpoint.*'],
    ordering: 'object',
    max_in_flight: 100,
    rate_limit: 1000,
    timeout_seconds: 5,
    metadata: { team: 'billing' },
  }

  const created = await post('/webhook-endpoints/', sent)

  expect(created.status).toBe(201)
  expect(created.headers.get('etag')).toBe('"1"')
  expect(created.body).toEqual({
    ...sent,
    id: expect.stringMatching(/^webhook_endpoint_test_[0-9A-HJKMNP-TV-Z]{26}$/),
    object: 'webhook_endpoint',
    status: 'enabled',
    disabled: null,
    health: { state: 'healthy', failing_since_at: null, last_success_at: null, next_probe_at: null },
    secrets: [
      {
        id: expect.stringMatching(/^webhook_secret_test_/),
        created_at: '2026-11-14T12:00:00.000Z',
        expires_at: null,
      },
    ],
    created_at: '2026-11-14T12:00:00.000Z',
    updated_at: '2026-11-14T12:00:00.000Z',
  })
  expect((await get(`/webhook-endpoints/${created.body.id}`)).body).toEqual(created.body)
  expect((await get('/webhook-endpoints')).body.data).toEqual([created.body])
})

test('omitted members have defaults', async () => {
  const { post } = await switchyard.newWorkspace()

  const { body } = await post('/webhook-endpoints', validBody)

  expect(body).toMatchObject({
    name: null,
    ordering: 'none',
    max_in_flight: 10,
    rate_limit: null,
    timeout_seconds: 15,
    metadata: {},
  })
})

test('an update keeps omitted members, clears members that are null, replaces event types and merges metadata', async () => {
  const workspace = await switchyard.newWorkspace()
  const nonDefaults = { ordering: 'object', max_in_flight: 3, timeout_seconds: 7 }
  const members = { ...nonDefaults, name: 'Shop', rate_limit: 5, metadata: { a: '1', b: '2' } }
  const id = await anEndpoint(workspace, members)

  const changed = await workspace.put(`/webhook-endpoints/${id}`, {
    name: null,
    rate_limit: null,
    event_types: ['customer.created', 'customer.*', 'customer.created'],
    metadata: { b: null, c: '3' },
  })

  expect(changed).toMatchObject({
    status: 200,
    body: { ...nonDefaults, url: validBody.url, name: null, rate_limit: null, metadata: { a: '1', c: '3' } },
  })
  expect(changed.body.event_types).toEqual(['customer.created', 'customer.*'])
  expect(changed.headers.get('etag')).toBe('"2"')
})

test('with If-Match only the given version is updated or deleted', async () => {
  const workspace = await switchyard.newWorkspace()
  const path = `/webhook-endpoints/${await anEndpoint(workspace)}`
  const ifFirstVersion = { headers: { 'if-match': '"1"' } }

  expect((await workspace.put(path, { name: 'A' }, ifFirstVersion)).status).toBe(200)

  const mismatch = { status: 412, body: { code: 'version_mismatch' } }
  expect(await workspace.put(path, { name: 'B' }, ifFirstVersion)).toMatchObject(mismatch)
  expect(await workspace.delete(path, ifFirstVersion)).toMatchObject(mismatch)
})

test('each change emits one event with the next sequence, and a request that changes nothing emits none', async () => {
  const workspace = await switchyard.newWorkspace()
  const { post, put, delete: remove, eventsOf } = workspace
  const id = await anEndpoint(workspace)
  const path = `/webhook-endpoints/${id}`
  await put(path, { name: 'Shop' })
  await put(path, { name: 'Shop', event_types: ['*', '*'] })
  await post(`${path}/enable`)
  await post(`${path}/disable`)
  await post(`${path}/disable`)
  await post(`${path}/enable`, { recover: 'none' })
  await post(`${path}/rotate_secret`)
  await remove(path)
  await remove(path)

  const events = await eventsOf(id)

  expect(events).toMatchObject([
    { type: 'webhook_endpoint.created', sequence: 1, object: { id, name: null, status: 'enabled' } },
    { type: 'webhook_endpoint.updated', sequence: 2, object: { name: 'Shop' }, previous: { name: null } },
    {
      type: 'webhook_endpoint.disabled',
      sequence: 3,
      object: { status: 'disabled', disabled: { reason: 'requested', at: '2026-11-14T12:00:00.000Z' } },
      previous: { status: 'enabled', disabled: null },
    },
    { type: 'webhook_endpoint.enabled', sequence: 4, object: { status: 'enabled', disabled: null } },
    { type: 'webhook_endpoint.secret_rotated', sequence: 5 },
    { type: 'webhook_endpoint.deleted', sequence: 6, object: { id, secrets: [] } },
  ])
  expect(events).toHaveLength(6)
  expect(events[4].object.secrets).toHaveLength(2)
  expect(Object.keys(events[4].previous)).toEqual(['secrets'])
})

test('a deleted endpoint is gone from reads and lists, and deleting it again returns the same response', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await anEndpoint(workspace)
  const path = `/webhook-endpoints/${id}`

  const first = await workspace.delete(path)
  const second = await workspace.delete(path)

  expect(first).toMatchObject({ status: 200, body: { id, object: 'webhook_endpoint', deleted: true } })
  expect(second.body).toEqual(first.body)
  const requests = [
    workspace.get(path),
    workspace.put(path, { name: 'x' }),
    workspace.post(`${path}/enable`),
    workspace.post(`${path}/disable`),
    workspace.post(`${path}/rotate_secret`),
    workspace.get(`${path}/reveal_secret`),
  ]
  for (const response of await Promise.all(requests)) {
    expect(response).toMatchObject({ status: 404, body: { code: 'not_found' } })
  }
  expect((await workspace.get('/webhook-endpoints')).body.data).toEqual([])
})

test('exactly 20 of 50 concurrent creations succeed, and after deleting an endpoint another one can be created', async () => {
  const workspace = await switchyard.newWorkspace()
  const otherWorkspace = await switchyard.newWorkspace()

  const responses = await Promise.all(
    Array.from({ length: 50 }, () => workspace.post('/webhook-endpoints', validBody)),
  )

  const created = responses.filter(({ status }) => status === 201)
  const rejected = responses.filter(({ status }) => status !== 201)
  expect(created).toHaveLength(20)
  for (const response of rejected) {
    expect(response).toMatchObject({
      status: 409,
      body: { code: 'limit_reached', detail: 'Limit reached: at most 20 webhook endpoints.' },
    })
  }
  expect((await workspace.get('/webhook-endpoints?limit=100')).body.data).toHaveLength(20)
  await anEndpoint(otherWorkspace)
  await workspace.delete(`/webhook-endpoints/${created[0]?.body.id}`)
  await anEndpoint(workspace)
  expect((await workspace.post('/webhook-endpoints', validBody)).status).toBe(409)
})

test.each([
  ['http://shop.example.com/webhooks'],
  ['https://user:password@shop.example.com/'],
  ['https://shop.example.com:22/'],
  ['https://10.0.0.1/'],
  ['https://localhost/'],
  ['not an address'],
])('the URL %s is rejected at creation and in an update', async (url) => {
  const workspace = await switchyard.newWorkspace('live')
  const id = await anEndpoint(workspace)
  const rejection = { status: 422, body: { code: 'url_not_allowed', errors: [{ pointer: '/url' }] } }

  expect(await workspace.post('/webhook-endpoints', { ...validBody, url })).toMatchObject(rejection)
  expect(await workspace.put(`/webhook-endpoints/${id}`, { url })).toMatchObject(rejection)

  expect((await workspace.get('/webhook-endpoints')).body.data).toMatchObject([{ id, url: validBody.url }])
})

test.each([
  [{ event_types: undefined }, '/event_types', 'required', 'is required'],
  [{ url: undefined }, '/url', 'required', 'is required'],
  [{ event_types: [] }, '/event_types', 'too_short', 'must have at least 1 entry'],
  [{ event_types: Array(201).fill('*') }, '/event_types', 'too_many', 'must have at most 200 entries'],
  [
    { event_types: ['*', 'customer.craeted'] },
    '/event_types/1',
    'not_in_list',
    'is not valid: did you mean `customer.created`?',
  ],
  [
    { event_types: ['customers.*'] },
    '/event_types/0',
    'not_in_list',
    'is not valid: did you mean `customer.*`?',
  ],
  [
    { event_types: ['parcel.lost'] },
    '/event_types/0',
    'not_in_list',
    'must be an event type listed by GET /event-types, <object>.* or *',
  ],
  [{ ordering: 'time' }, '/ordering', 'not_in_list', 'must be one of none, object'],
  [{ max_in_flight: 0 }, '/max_in_flight', 'too_small', 'must be 1 or more'],
  [{ max_in_flight: 101 }, '/max_in_flight', 'too_large', 'must be 100 or less'],
  [{ rate_limit: 1001 }, '/rate_limit', 'too_large', 'must be 1000 or less'],
  [{ timeout_seconds: 4 }, '/timeout_seconds', 'too_small', 'must be 5 or more'],
  [{ timeout_seconds: 31 }, '/timeout_seconds', 'too_large', 'must be 30 or less'],
  [{ name: '' }, '/name', 'too_short', 'must have at least 1 character'],
  [{ url: `https://a.example/${'x'.repeat(2048)}` }, '/url', 'too_long', 'must have at most 2048 characters'],
  [{ secret: 'whsec_mine' }, '/secret', 'unknown_member', 'is not a known member'],
])('%j is rejected with an error at %s: %s', async (members, pointer, code, detail) => {
  const { post } = await switchyard.newWorkspace()

  expect(await post('/webhook-endpoints', { ...validBody, ...members })).toMatchObject({
    status: 400,
    body: { code: 'invalid_request', errors: [{ pointer, code, detail }] },
  })
})

test('an endpoint can subscribe to every event type, to all types of an object, and to all types', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body } = await workspace.get('/event-types')
  const types = body.data.map(({ type }: { type: string }) => type)
  const objects = types.map((type: string) => `${type.split('.')[0]}.*`)

  const { status } = await workspace.post('/webhook-endpoints', {
    ...validBody,
    event_types: [...types, ...new Set(objects), '*'],
  })

  expect(status).toBe(201)
})
