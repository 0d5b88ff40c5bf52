import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { tablesThatHold } from '../../../test/support/canary.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../kernel/id.ts'
import { operationsOf } from '../../operations.ts'
import { asOwner } from '../../platform/db/owner.ts'
import { settle } from '../../platform/engine/settle.ts'
import { createBuckets } from '../../platform/http/limits.ts'
import { addOperations, createServer } from '../../platform/http/server.ts'
import { createLog } from '../../platform/log.ts'
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

const sweep = () => settle(switchyard.deps, [sweepWebhookEndpoints as never])

/** An endpoint, and what can be asked about its secrets. */
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

const ends = (secrets: readonly { expires_at: string | null }[]) =>
  secrets.map(({ expires_at }) => expires_at)

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
  const stranger = await switchyard.newWorkspace()
  const { path, reveal } = await anEndpoint(workspace)
  const { body } = await reveal()

  for (const role of ['DEVELOPER', 'SUPPORT', 'READ_ONLY', 'publishable'] as const) {
    const answer = await reveal(await workspace.tokenFor(role))
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([403, 'no-store'])
    expect(JSON.stringify(answer.body)).not.toContain(body.secret)
  }
  expect(await stranger.get(`${path}/reveal_secret`)).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  })
  expect((await reveal(await workspace.tokenFor('ADMIN'))).body.secret).toBe(body.secret)
})

test('the text of a secret is in the answer of reveal_secret and nowhere else', async () => {
  const workspace = await switchyard.newWorkspace()
  const input = { url: 'https://shop.example.com/webhooks', event_types: ['*'] }
  const keyed = { headers: { 'idempotency-key': 'one' } }
  const created = await workspace.post('/webhook-endpoints', input, keyed)
  const path = `/webhook-endpoints/${created.body.id}`
  const first = (await workspace.get(`${path}/reveal_secret`)).body.secret
  const rotated = await workspace.post(`${path}/rotate_secret`, {}, keyed)
  const second = (await workspace.get(`${path}/reveal_secret`)).body.secret
  const others = [
    created,
    rotated,
    await workspace.post('/webhook-endpoints', input, keyed),
    await workspace.post(`${path}/rotate_secret`, {}, keyed),
    await workspace.get(path),
    await workspace.get('/webhook-endpoints'),
    await workspace.get('/events'),
    await workspace.get('/audit-entries'),
  ]
  await switchyard.flushRequestLog()
  others.push(await workspace.get('/requests?limit=100'))

  expect(second).not.toBe(first)
  const keys = [first, second].map((text) => text.slice('whsec_'.length))
  for (const answer of others) for (const key of keys) expect(JSON.stringify(answer.body)).not.toContain(key)
  const bytes = keys.map((key) => Buffer.from(key, 'base64').toString('hex'))
  expect(await tablesThatHold(switchyard.databaseUrl, ...keys, ...bytes)).toEqual([])
  expect(logged.length).toBeGreaterThan(10)
  for (const key of keys) expect(logged.join('')).not.toContain(key)
})

test('each reveal and each rotation is in the audit log, with its secret by id', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id, reveal, rotate, secrets } = await anEndpoint(workspace)
  await reveal()
  await rotate(60)
  await reveal()

  const { body } = await workspace.get('/audit-entries')

  const [newest, oldest] = await secrets()
  const act = (name: string, details: object) => ({ act: name, object_id: id, authority: 'ADMIN', details })
  expect(body.data.slice(0, 3)).toMatchObject([
    act('webhook_endpoint.secret_revealed', { webhook_secret_id: newest.id }),
    act('webhook_endpoint.secret_rotated', { webhook_secret_id: newest.id, overlap_seconds: 60 }),
    act('webhook_endpoint.secret_revealed', { webhook_secret_id: oldest.id }),
  ])
})

test('a secret is revealed ten times a minute and token, then not until time has passed', async () => {
  const workspace = await switchyard.newWorkspace()
  const { path } = await anEndpoint(workspace)
  const [token, another] = [workspace.token, await workspace.tokenFor('ADMIN')]
  const developer = await workspace.tokenFor('DEVELOPER')
  let nowMs = 0
  const site = { ...switchyard.siteFor('test'), buckets: createBuckets(() => nowMs) }
  const app = createServer(site)
  addOperations(app, site, operationsOf(switchyard.deps))
  const call = (url: string, bearer: string) =>
    app.inject({ method: 'GET', url, headers: { authorization: `Bearer ${bearer}` } })
  const reveal = (bearer: string) => call(`${path}/reveal_secret`, bearer)

  const first = await reveal(token)
  expect(first.headers).toMatchObject({
    'ratelimit-policy': '"default";q=100000;w=1, "webhook_endpoints.reveal_secret";q=10;w=60',
    ratelimit: expect.stringMatching(/, "webhook_endpoints\.reveal_secret";r=9;t=1$/),
  })
  for (let calls = 1; calls < 10; calls += 1) expect((await reveal(token)).statusCode).toBe(200)

  const refused = await reveal(token)
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '6'])
  expect(refused.json()).toMatchObject({
    code: 'rate_limited',
    detail: 'This operation may be called 10 times a minute with the same token.',
  })
  expect(refused.body).not.toContain('whsec_')
  // The limit is that of one token and one operation; who may not call it is told so, and spends nothing.
  expect((await call(path, token)).statusCode).toBe(200)
  expect((await reveal(another)).statusCode).toBe(200)
  for (let calls = 0; calls < 12; calls += 1) expect((await reveal(developer)).statusCode).toBe(403)
  nowMs += 6_000
  expect([(await reveal(token)).statusCode, (await reveal(token)).statusCode]).toEqual([200, 429])
  await app.close()
  const { body: document } = await switchyard.call('test', 'GET', '/openapi.json')
  const described = document.paths['/webhook-endpoints/{webhook_endpoint_id}/reveal_secret'].get
  expect(described['x-limit']).toEqual({ per_minute: 10 })
  expect(described.description).toContain('10 times a minute')
})

test('a rotated endpoint signs with the new secret at once, and with the old one for a day', async () => {
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
  const lastMoment = inSeconds(86_400)
  clock.advance({ seconds: 86_399 })
  expect(ends(await secrets())).toEqual([null, lastMoment])
  clock.advance({ seconds: 1 })
  expect(ends(await secrets())).toEqual([null])
})

test('earlier secrets end at the sooner of the overlap and their own end', async () => {
  const workspace = await switchyard.newWorkspace()
  const { rotate } = await anEndpoint(workspace)
  await rotate(600)

  const sooner = await rotate(60)
  const later = await rotate(604_800)

  expect(ends(sooner.body.secrets)).toEqual([null, inSeconds(60), inSeconds(60)])
  expect(ends(later.body.secrets)).toEqual([null, inSeconds(604_800), inSeconds(60), inSeconds(60)])
})

test('a rotation without overlap ends all earlier secrets now, and they are erased', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id, rotate } = await anEndpoint(workspace)
  await rotate(600)

  const { body } = await rotate(0)

  expect(ends(body.secrets)).toEqual([null])
  await sweep()
  expect(await rowsOf(id)).toBe(1)
})

test('a secret is erased when it has ended, not before', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id, rotate } = await anEndpoint(workspace)
  await rotate(600)
  await rotate(60)

  clock.advance({ seconds: 59 })
  await sweep()
  expect(await rowsOf(id)).toBe(3)
  clock.advance({ seconds: 1 })
  await sweep()
  expect(await rowsOf(id)).toBe(1)
})

test('a sixth secret that would sign at the same time is refused, until one has ended', async () => {
  const workspace = await switchyard.newWorkspace()
  const { rotate, secrets } = await anEndpoint(workspace)
  await rotate(60)
  for (let live = 2; live < 5; live += 1) await rotate(3_600)
  const refusal = { status: 409, body: { code: 'too_many_secrets' } }

  expect(await rotate(3_600)).toMatchObject(refusal)
  expect(await rotate(1)).toMatchObject(refusal)
  expect(await secrets()).toHaveLength(5)
  clock.advance({ seconds: 60 })
  expect((await rotate(3_600)).body.secrets).toHaveLength(5)
  expect(await rotate(3_600)).toMatchObject(refusal)
  expect((await rotate(0)).body.secrets).toHaveLength(1)
})

test('of ten rotations at once four succeed, and one secret is the newest', async () => {
  const workspace = await switchyard.newWorkspace()
  const { reveal, rotate, secrets } = await anEndpoint(workspace)

  const answers = await Promise.all(Array.from({ length: 10 }, () => rotate(60)))

  const statuses = answers.map(({ status }) => status).toSorted()
  expect(statuses).toEqual([200, 200, 200, 200, 409, 409, 409, 409, 409, 409])
  expect(ends(await secrets())).toEqual([null, ...Array(4).fill(inSeconds(60))])
  expect((await reveal()).status).toBe(200)
})

test('a deleted endpoint has no secrets left', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id, path, rotate } = await anEndpoint(workspace)
  await rotate(600)

  await workspace.delete(path)

  expect(await rowsOf(id)).toBe(0)
})

test.each([
  [{ overlap_seconds: -1 }, 'too_small'],
  [{ overlap_seconds: 604_801 }, 'too_large'],
  [{ overlap_seconds: 1.5 }, 'wrong_type'],
])('%j is refused as %s', async (body, code) => {
  const workspace = await switchyard.newWorkspace()
  const { path } = await anEndpoint(workspace)

  expect(await workspace.post(`${path}/rotate_secret`, body)).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/overlap_seconds', code }] },
  })
})

/** How many sealed secrets the endpoint has in the database, ended ones included. */
async function rowsOf(id: Id<'webhook_endpoint'>): Promise<number | null> {
  const { rowCount } = await asOwner(switchyard.databaseUrl, (client) =>
    client.query('select from webhook_secrets where webhook_endpoint_id = $1', [uuidOf(id)]),
  )
  return rowCount
}
