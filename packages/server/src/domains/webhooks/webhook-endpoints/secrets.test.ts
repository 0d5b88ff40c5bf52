import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { tablesContaining } from '../../../../test/support/database-search.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { runAllDueWork } from '../../../../test/support/run-all-due-work.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'
import { operationsOf } from '../../../operations.ts'
import { createBuckets } from '../../../platform/http/limits.ts'
import { addOperations, createServer } from '../../../platform/http/server.ts'
import { createLog } from '../../../platform/log.ts'
import { sweepWebhookEndpoints } from './work.ts'

const logged: string[] = []
const destination = new Writable({
  write(chunk, _, done) {
    logged.push(String(chunk))
    done()
  },
})
const switchyard = await switchyardForThisFile({ overrides: { log: createLog('debug', destination) } })
const { clock } = switchyard

const sweep = () => runAllDueWork(switchyard.deps, [sweepWebhookEndpoints as never])

/** Creates an endpoint, and returns functions for its secrets. */
async function anEndpoint(workspace: Workspace) {
  const { body } = await workspace.post('/webhook-endpoints', {
    url: 'https://shop.example.com/webhooks',
    event_types: ['*'],
  })
  const id: Id<'webhook_endpoint'> = body.id
  const path = `/webhook-endpoints/${id}`
  return {
    id,
    path,
    reveal: (token?: string) => workspace.get(`${path}/reveal_secret`, token ? { token } : {}),
    rotate: (overlap_seconds?: number) => workspace.post(`${path}/rotate_secret`, { overlap_seconds }),
    secrets: async () => (await workspace.get(path)).body.secrets,
  }
}

const inSeconds = (count: number) => {
  const reading = clock.read()
  return new Date((reading.from === 'harness' ? reading.at.getTime() : 0) + count * 1000).toISOString()
}

const expiryTimes = (secrets: readonly { expires_at: string | null }[]) =>
  secrets.map(({ expires_at }) => expires_at)

// A title in quotation marks is a sentence of the specification.
test('"Secrets are generated automatically for each webhook endpoint; their form is the prefix `whsec_` followed by characters"', async () => {
  const workspace = await switchyard.newWorkspace()
  const [first, second] = [await anEndpoint(workspace), await anEndpoint(workspace)]

  const texts = [(await first.reveal()).body.secret, (await second.reveal()).body.secret]

  for (const text of texts) expect(text).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(new Set(texts).size).toBe(2)
})

test('"JSON object with `id` (string), `secret` (string), and further fields of the Webhook endpoint"', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id, path, reveal } = await anEndpoint(workspace)

  const { status, headers, body } = await reveal()
  const { secret, ...endpoint } = body

  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(body.id).toBe(id)
  expect(endpoint).toEqual((await workspace.get(path)).body)
  expect((await reveal()).body.secret).toBe(secret)
})

test('"Webhook secrets can only be read with a token of role `ADMIN`; the reveal operation with any other token must not return the secret"', async () => {
  const workspace = await switchyard.newWorkspace()
  const otherWorkspace = await switchyard.newWorkspace()
  const { path, reveal } = await anEndpoint(workspace)
  const { body } = await reveal()

  for (const role of ['DEVELOPER', 'SUPPORT', 'READ_ONLY', 'publishable'] as const) {
    const response = await reveal(await workspace.tokenFor(role))
    expect([response.status, response.headers.get('cache-control')]).toEqual([403, 'no-store'])
    expect(JSON.stringify(response.body)).not.toContain(body.secret)
  }
  expect(await otherWorkspace.get(`${path}/reveal_secret`)).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  })
  expect((await reveal(await workspace.tokenFor('ADMIN'))).body.secret).toBe(body.secret)
})

test('only the response of reveal_secret contains a secret', async () => {
  const workspace = await switchyard.newWorkspace()
  const input = { url: 'https://shop.example.com/webhooks', event_types: ['*'] }
  const withKey = { headers: { 'idempotency-key': 'one' } }
  const created = await workspace.post('/webhook-endpoints', input, withKey)
  const path = `/webhook-endpoints/${created.body.id}`
  const first = (await workspace.get(`${path}/reveal_secret`)).body.secret
  const rotated = await workspace.post(`${path}/rotate_secret`, {}, withKey)
  const second = (await workspace.get(`${path}/reveal_secret`)).body.secret
  const otherResponses = [
    created,
    rotated,
    await workspace.post('/webhook-endpoints', input, withKey),
    await workspace.post(`${path}/rotate_secret`, {}, withKey),
    await workspace.get(path),
    await workspace.get('/webhook-endpoints'),
    await workspace.get('/events'),
    await workspace.get('/audit-entries'),
  ]
  await switchyard.flushRequestLog()
  otherResponses.push(await workspace.get('/requests?limit=100'))

  expect(second).not.toBe(first)
  const keys = [first, second].map((text) => text.slice('whsec_'.length))
  for (const { body } of otherResponses)
    for (const key of keys) expect(JSON.stringify(body)).not.toContain(key)
  const bytes = keys.map((key) => Buffer.from(key, 'base64').toString('hex'))
  expect(await tablesContaining(switchyard.databaseUrl, ...keys, ...bytes)).toEqual([])
  expect(logged.length).toBeGreaterThan(10)
  for (const key of keys) expect(logged.join('')).not.toContain(key)
})

test('each reveal and each rotation is recorded in the audit log with the id of the secret', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id, reveal, rotate, secrets } = await anEndpoint(workspace)
  await reveal()
  await rotate(60)
  await reveal()

  const { body } = await workspace.get('/audit-entries')

  const [newest, oldest] = await secrets()
  const auditEntry = (name: string, details: object) => ({
    act: name,
    object_id: id,
    authority: 'ADMIN',
    details,
  })
  expect(body.data.slice(0, 3)).toMatchObject([
    auditEntry('webhook_endpoint.secret_revealed', { webhook_secret_id: newest.id }),
    auditEntry('webhook_endpoint.secret_rotated', { webhook_secret_id: newest.id, overlap_seconds: 60 }),
    auditEntry('webhook_endpoint.secret_revealed', { webhook_secret_id: oldest.id }),
  ])
})

test('a token can reveal a secret ten times per minute, and further calls are rejected until time has passed', async () => {
  const workspace = await switchyard.newWorkspace()
  const { path } = await anEndpoint(workspace)
  const [token, otherToken] = [workspace.token, await workspace.tokenFor('ADMIN')]
  const developer = await workspace.tokenFor('DEVELOPER')
  let nowMs = 0
  const httpContext = { ...switchyard.httpContext('test'), buckets: createBuckets(() => nowMs) }
  const app = createServer(httpContext)
  addOperations(app, httpContext, operationsOf(switchyard.deps))
  const call = (url: string, bearer: string) =>
    app.inject({ method: 'GET', url, headers: { authorization: `Bearer ${bearer}` } })
  const reveal = (bearer: string) => call(`${path}/reveal_secret`, bearer)

  const first = await reveal(token)
  expect(first.headers).toMatchObject({
    'ratelimit-policy': '"default";q=100000;w=1, "webhook_endpoints.reveal_secret";q=10;w=60',
    ratelimit: expect.stringMatching(/, "webhook_endpoints\.reveal_secret";r=9;t=1$/),
  })
  for (let calls = 1; calls < 10; calls += 1) expect((await reveal(token)).statusCode).toBe(200)

  const rejected = await reveal(token)
  expect([rejected.statusCode, rejected.headers['retry-after']]).toEqual([429, '6'])
  expect(rejected.json()).toMatchObject({
    code: 'rate_limited',
    detail: 'This operation is limited to 10 calls per minute per token.',
  })
  expect(rejected.body).not.toContain('whsec_')
  // The limit is per token and operation; a forbidden call does not count.
  expect((await call(path, token)).statusCode).toBe(200)
  expect((await reveal(otherToken)).statusCode).toBe(200)
  for (let calls = 0; calls < 12; calls += 1) expect((await reveal(developer)).statusCode).toBe(403)
  nowMs += 6_000
  expect([(await reveal(token)).statusCode, (await reveal(token)).statusCode]).toEqual([200, 429])
  await app.close()
  const { body: document } = await switchyard.call('test', 'GET', '/openapi.json')
  const operation = document.paths['/webhook-endpoints/{webhook_endpoint_id}/reveal_secret'].get
  expect(operation['x-limit']).toEqual({ per_minute: 10 })
  expect(operation.description).toContain('10 calls per minute')
})

test('after a rotation requests are signed with the new secret immediately, and also with the old one for a day', async () => {
  const workspace = await switchyard.newWorkspace()
  const { reveal, rotate, secrets } = await anEndpoint(workspace)
  const old = (await reveal()).body
  clock.advance({ minutes: 1 })

  const rotated = await rotate()

  expect(rotated.status).toBe(200)
  expect(rotated.body).not.toHaveProperty('secret')
  expect(rotated.body.secrets).toEqual([
    { id: expect.any(String), created_at: inSeconds(0), expires_at: null },
    { ...old.secrets[0], expires_at: inSeconds(86_400) },
  ])
  expect((await reveal()).body.secret).not.toBe(old.secret)
  const expiresAt = inSeconds(86_400)
  clock.advance({ seconds: 86_399 })
  expect(expiryTimes(await secrets())).toEqual([null, expiresAt])
  clock.advance({ seconds: 1 })
  expect(expiryTimes(await secrets())).toEqual([null])
})

test('after a rotation an earlier secret expires at the end of the overlap or at its own expiry, whichever is sooner', async () => {
  const workspace = await switchyard.newWorkspace()
  const { rotate } = await anEndpoint(workspace)
  await rotate(600)

  const sooner = await rotate(60)
  const later = await rotate(604_800)

  expect(expiryTimes(sooner.body.secrets)).toEqual([null, inSeconds(60), inSeconds(60)])
  expect(expiryTimes(later.body.secrets)).toEqual([null, inSeconds(604_800), inSeconds(60), inSeconds(60)])
})

test('a rotation without overlap expires all earlier secrets immediately, and they are deleted', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id, rotate } = await anEndpoint(workspace)
  await rotate(600)

  const { body } = await rotate(0)

  expect(expiryTimes(body.secrets)).toEqual([null])
  await sweep()
  expect(await countSecretRows(id)).toBe(1)
})

test('a secret is deleted when it has expired, not before', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id, rotate } = await anEndpoint(workspace)
  await rotate(600)
  await rotate(60)

  clock.advance({ seconds: 59 })
  await sweep()
  expect(await countSecretRows(id)).toBe(3)
  clock.advance({ seconds: 1 })
  await sweep()
  expect(await countSecretRows(id)).toBe(1)
})

test('a sixth active secret is rejected until one has expired', async () => {
  const workspace = await switchyard.newWorkspace()
  const { rotate, secrets } = await anEndpoint(workspace)
  await rotate(60)
  for (let active = 2; active < 5; active += 1) await rotate(3_600)
  const rejection = { status: 409, body: { code: 'too_many_secrets' } }

  expect(await rotate(3_600)).toMatchObject(rejection)
  expect(await rotate(1)).toMatchObject(rejection)
  expect(await secrets()).toHaveLength(5)
  clock.advance({ seconds: 60 })
  expect((await rotate(3_600)).body.secrets).toHaveLength(5)
  expect(await rotate(3_600)).toMatchObject(rejection)
  expect((await rotate(0)).body.secrets).toHaveLength(1)
})

test('four of ten concurrent rotations succeed, and exactly one secret does not expire', async () => {
  const workspace = await switchyard.newWorkspace()
  const { reveal, rotate, secrets } = await anEndpoint(workspace)

  const responses = await Promise.all(Array.from({ length: 10 }, () => rotate(60)))

  const statuses = responses.map(({ status }) => status).toSorted()
  expect(statuses).toEqual([200, 200, 200, 200, 409, 409, 409, 409, 409, 409])
  expect(expiryTimes(await secrets())).toEqual([null, ...Array(4).fill(inSeconds(60))])
  expect((await reveal()).status).toBe(200)
})

test('a deleted endpoint has no secrets left', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id, path, rotate } = await anEndpoint(workspace)
  await rotate(600)

  await workspace.delete(path)

  expect(await countSecretRows(id)).toBe(0)
})

test.each([
  [{ overlap_seconds: -1 }, 'too_small'],
  [{ overlap_seconds: 604_801 }, 'too_large'],
  [{ overlap_seconds: 1.5 }, 'wrong_type'],
])('%j is rejected: %s', async (body, code) => {
  const workspace = await switchyard.newWorkspace()
  const { path } = await anEndpoint(workspace)

  expect(await workspace.post(`${path}/rotate_secret`, body)).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/overlap_seconds', code }] },
  })
})

/** The number of secrets of the endpoint in the database, including expired ones. */
async function countSecretRows(id: Id<'webhook_endpoint'>): Promise<number | null> {
  const { rowCount } = await asOwner(switchyard.databaseUrl, (client) =>
    client.query('select from webhook_secrets where webhook_endpoint_id = $1', [uuidOf(id)]),
  )
  return rowCount
}
