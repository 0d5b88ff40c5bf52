import { Writable } from 'node:stream'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operation } from '../../src/platform/http/operation.ts'
import { addOperations, createServer } from '../../src/platform/http/server.ts'
import { createLog } from '../../src/platform/log.ts'
import { choose, isComplete, printSelection } from '../support/selection.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'
import { type RawRequest, sendRawRequest } from './support/raw-request.ts'
import { createPathParameters, operations, pathOf } from './support/targets.ts'

const lines: string[] = []
const collect = new Writable({
  write(chunk, _, done) {
    lines.push(String(chunk))
    done()
  },
})
const switchyard = await switchyardForThisFile({ overrides: { log: createLog('debug', collect) } })
const workspace = await switchyard.newWorkspace()
const pathParameters = await createPathParameters(workspace)

/** Values that must never be logged: a token, a signing secret, a card number and an email address. */
const secrets = {
  token: 'sk_test_PLANTEDplantedPLANTEDplantedPLANTEDabc',
  signing: 'whsec_PLANTEDplantedPLANTEDplanted',
  card: '4242424242424242',
  email: 'planted.person@planted-mail.example',
}
const secretPattern = /planted|4242424242424242/i

/** An operation that throws an error with caller-supplied text in its message, as database drivers do. */
const failing = operation({
  id: 'customers.create',
  method: 'POST',
  path: '/failing',
  summary: 'Fail',
  body: Type.Object({}),
  response: Type.Object({}),
  present: () => ({}),
  handle: ({ body }) =>
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
const context = switchyard.httpContext('test')
const broken = createServer(context)
addOperations(broken, context, [failing])
const brokenAddress = await broken.listen({ host: '127.0.0.1', port: 0 })
afterAll(() => broken.close())

/** Requests with the secret in every place where a caller can put text. */
function createRequests(secret: string): Partial<RawRequest>[] {
  const members = {
    [secret]: secret,
    name: secret,
    email: secret,
    api_version: secret,
    kind: secret,
    role: secret,
  }
  const bodies = [
    members,
    {
      ...members,
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

/** The operations that receive a secret. In the short version, each operation receives one of the secrets. */
function operationsFor(secret: string) {
  if (isComplete) return operations
  const values = Object.values(secrets)
  const first = choose('secrets', values.length)
  return operations.filter((_, index) => values[(index + first) % values.length] === secret)
}

beforeAll(async () => {
  printSelection()
  for (const secret of Object.values(secrets)) {
    for (const target of operationsFor(secret)) {
      const path = pathOf(target, pathParameters)
      const ids = Object.fromEntries(
        [...target.path.matchAll(/:([a-z_]+)/g)].map(([, name]) => [name, secret]),
      )
      const common = { method: target.method, path, token: workspace.token }
      const calls = [
        ...createRequests(secret).filter(({ body }) => body === undefined || target.method !== 'GET'),
        { path: pathOf(target, ids) },
        { path: `${path}?${secret}=${secret}` },
        { path: `${path}?limit=${secret}&starting_after=${secret}&email=${encodeURIComponent(secret)}` },
        { path: `${path}/${secret}` },
        { path: `${path}/%zz${secret}` },
      ]
      await Promise.all(calls.map((call) => sendRawRequest(workspace.address, { ...common, ...call })))
    }
    // A secret that is used as a metadata key is not redacted, because it looks like any other key.
    for (const call of createRequests(secret).filter(({ body }) => !body?.includes('_planted_'))) {
      const response = await sendRawRequest(brokenAddress, {
        method: 'POST',
        path: '/failing',
        token: workspace.token,
        ...call,
      })
      expect(response.text).not.toMatch(/invalid input|Failing row/)
    }
  }
  await switchyard.flushRequestLog()
}, 120_000)

test('no line of the log contains a secret that a caller sent', () => {
  expect(lines.length).toBeGreaterThan(500)
  expect(lines.filter((line) => secretPattern.test(line))).toEqual([])
})

test('an internal error is logged with the request id, the error and its stack', () => {
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

test('the request log of a workspace contains no secret', async () => {
  const calls: object[] = []
  for (let after = ''; ; after = `&starting_after=${(calls.at(-1) as { id: string }).id}`) {
    const { body } = await workspace.get(`/requests?limit=100${after}`)
    calls.push(...body.data)
    if (!body.has_more) break
  }

  expect(calls.length).toBeGreaterThan(500)
  expect(calls.filter((call) => secretPattern.test(JSON.stringify(call)))).toEqual([])
})

test('the request log of a workspace contains idempotency keys, but the log of the server does not', async () => {
  const key = 'order-4711-of-a-customer'
  await workspace.post('/customers', { name: 'Ada' }, { headers: { 'idempotency-key': key } })
  await switchyard.flushRequestLog()

  const { body } = await workspace.get('/requests?limit=5')

  expect(body.data.map((call: { idempotency_key: string | null }) => call.idempotency_key)).toContain(key)
  expect(lines.filter((line) => line.includes(key))).toEqual([])
})
