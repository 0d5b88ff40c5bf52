import { Writable } from 'node:stream'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operation } from '../../src/platform/http/operation.ts'
import { addOperations, createServer } from '../../src/platform/http/server.ts'
import { createLog } from '../../src/platform/log.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'
import { ask, type Question } from './support/ask.ts'
import { operations, pathOf, placesIn } from './support/targets.ts'

const lines: string[] = []
const collect = new Writable({
  write(chunk, _, done) {
    lines.push(String(chunk))
    done()
  },
})
const switchyard = await switchyardForThisFile({ overrides: { log: createLog('debug', collect) } })
const workspace = await switchyard.newWorkspace()
const places = await placesIn(workspace)

/** What must never be seen: a token, a signing secret, a card number and an address of a person. */
const secrets = {
  token: 'sk_test_PLANTEDplantedPLANTEDplantedPLANTEDabc',
  signing: 'whsec_PLANTEDplantedPLANTEDplanted',
  card: '4242424242424242',
  email: 'planted.person@planted-mail.example',
}
const planted = /planted|4242424242424242/i

/** An operation that fails as a driver or a library would: with the caller's own text in the message. */
const failing = operation({
  id: 'customers.create',
  method: 'POST',
  path: '/failing',
  summary: 'Fail',
  body: Type.Object({}),
  answer: Type.Object({}),
  present: () => ({}),
  verb: ({ body }) =>
    Promise.reject(
      Object.assign(
        new Error(`invalid input syntax: ${JSON.stringify(body)}`, {
          cause: Object.values(body as object)[0],
        }),
        {
          code: '22P02',
          detail: `Failing row contains (${JSON.stringify(body)}).`,
        },
      ),
    ),
})
const site = switchyard.siteFor('test')
const broken = createServer(site)
addOperations(broken, site, [failing])
const brokenAddress = await broken.listen({ host: '127.0.0.1', port: 0 })
afterAll(() => broken.close())

/** The secret wherever a caller of this operation can put a text. */
function plant(secret: string): Partial<Question>[] {
  const tree = {
    [secret]: secret,
    name: secret,
    email: secret,
    api_version: secret,
    kind: secret,
    role: secret,
  }
  const bodies = [
    tree,
    {
      ...tree,
      expires_at: secret,
      overlap_seconds: Number(secret) || secret,
      card: Number(secret) || secret,
    },
    { name: secret.slice(0, 90), metadata: { key: secret }, description: secret, address: { line1: secret } },
    { metadata: { [secret.replaceAll(/[^A-Za-z0-9_]/g, '_').replace(/^\d/, '_')]: secret } },
    {
      tax_ids: [
        { type: 'eu_vat', value: secret },
        { type: secret, [secret]: 1 },
      ],
    },
    [secret],
    secret,
  ]
  return [
    ...bodies.map((body) => ({ body: JSON.stringify(body) })),
    { body: `{"${secret}":1,"${secret}":2}` },
    { body: `{"name":"${secret}` },
    { body: secret, headers: { 'content-type': `text/${secret.replaceAll(/\W/g, '')}` } },
    { headers: { authorization: `Bearer ${secret}` } },
    { headers: { authorization: secret, cookie: secret, 'user-agent': secret, referer: secret } },
    {
      headers: {
        'switchyard-version': secret,
        traceparent: secret,
        'x-forwarded-for': secret,
        'x-request-id': secret,
      },
    },
    { headers: { 'if-match': secret, 'x-api-key': secret, accept: secret } },
  ]
}

beforeAll(async () => {
  for (const secret of Object.values(secrets)) {
    for (const one of operations) {
      const path = pathOf(one, places)
      const ids = Object.fromEntries([...one.path.matchAll(/:([a-z_]+)/g)].map(([, name]) => [name, secret]))
      const common = { method: one.method, path, token: workspace.token }
      const calls = [
        ...plant(secret).filter(({ body }) => body === undefined || one.method !== 'GET'),
        { path: pathOf(one, ids) },
        { path: `${path}?${secret}=${secret}` },
        { path: `${path}?limit=${secret}&starting_after=${secret}&email=${encodeURIComponent(secret)}` },
        { path: `${path}/${secret}` },
        { path: `${path}/%zz${secret}` },
      ]
      for (const call of calls) await ask(workspace.address, { ...common, ...call })
    }
    // A text that is made into a name cannot be told from a name; the log strikes out what can be recognized.
    for (const call of plant(secret).filter(({ body }) => !body?.includes('_planted_'))) {
      const reply = await ask(brokenAddress, {
        method: 'POST',
        path: '/failing',
        token: workspace.token,
        ...call,
      })
      expect(reply.text).not.toMatch(/invalid input|Failing row/)
    }
  }
  await switchyard.flushRequestLog()
}, 60_000)

test('no secret that a caller can send stands in a line of the log', () => {
  expect(lines.length).toBeGreaterThan(500)
  expect(lines.filter((line) => planted.test(line))).toEqual([])
})

test('a request that fails by our fault is told with its id, its error and its place in the code', () => {
  const failures = lines.map((line) => JSON.parse(line)).filter(({ message }) => message === 'request failed')

  expect(failures.length).toBeGreaterThan(4)
  expect(failures[0]).toMatchObject({
    request_id: expect.stringMatching(/^request_test_/),
    error: {
      code: '22P02',
      message: expect.stringMatching(/^invalid input syntax/),
      stack: expect.stringMatching(/at /),
    },
  })
})

test('no secret stands in the log of calls that a workspace reads', async () => {
  const calls: object[] = []
  for (let after = ''; ; after = `&starting_after=${(calls.at(-1) as { id: string }).id}`) {
    const { body } = await workspace.get(`/requests?limit=100${after}`)
    calls.push(...body.data)
    if (!body.has_more) break
  }

  expect(calls.length).toBeGreaterThan(500)
  expect(calls.filter((call) => planted.test(JSON.stringify(call)))).toEqual([])
})

test('an idempotency key is a name that the caller chose: its own log of calls repeats it, ours does not', async () => {
  const key = 'order-4711-of-somebody'
  await workspace.post('/customers', { name: 'Ada' }, { headers: { 'idempotency-key': key } })
  await switchyard.flushRequestLog()

  const { body } = await workspace.get('/requests?limit=5')

  expect(body.data.map((call: { idempotency_key: string | null }) => call.idempotency_key)).toContain(key)
  expect(lines.filter((line) => line.includes(key))).toEqual([])
})
