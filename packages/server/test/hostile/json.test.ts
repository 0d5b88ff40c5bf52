import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { switchyardForThisFile } from '../support/switchyard.ts'
import { ask, type Question } from './support/ask.ts'
import { expectHarmless } from './support/harmless.ts'
import { notUtf8 } from './support/json-corpus.ts'
import { pathOf, placesIn, writes } from './support/targets.ts'

const switchyard = await switchyardForThisFile()
const workspace = await switchyard.newWorkspace()
const places = await placesIn(workspace)

const mebibyte = 1024 * 1024
const tenMebibytes = Buffer.from(`{"name":"${'x'.repeat(10 * mebibyte)}"}`)
const millionKeys = Buffer.from(`{${Array.from({ length: 1_000_000 }, (_, n) => `"k${n}":0`)}}`)
const chunked = { 'transfer-encoding': 'chunked' }
const type = (contentType: string) => ({ 'content-type': contentType })

type Hostile = readonly [name: string, code: string, sent: Partial<Question>]

const hostile: readonly Hostile[] = [
  ['arrays nested 100,000 deep', 'invalid_json', { body: '['.repeat(100_000) + ']'.repeat(100_000) }],
  ['objects nested 40,000 deep', 'invalid_json', { body: `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}` }],
  ['a million keys', 'body_too_large', { body: millionKeys }],
  ['20,000 keys', 'invalid_json', { body: `{${Array.from({ length: 20_000 }, (_, n) => `"k${n}":0`)}}` }],
  ['1,001 entries', 'invalid_json', { body: `{"tax_ids":[${Array(1001).fill('{}')}]}` }],
  ['a member that stands twice', 'invalid_json', { body: '{"name":"a","name":"b"}' }],
  ['a member that stands twice, once escaped', 'invalid_json', { body: '{"name":"a","\\u006eame":"b"}' }],
  ['__proto__', 'invalid_json', { body: '{"__proto__":{"polluted":true}}' }],
  ['__proto__ further in', 'invalid_json', { body: '{"metadata":{"__proto__":{"polluted":"true"}}}' }],
  ['constructor', 'invalid_request', { body: '{"constructor":{"prototype":{"polluted":true}}}' }],
  ['prototype', 'invalid_request', { body: '{"prototype":{"polluted":true}}' }],
  ['1e400', 'invalid_json', { body: '{"overlap_seconds":1e400}' }],
  ['half of a surrogate pair', 'invalid_json', { body: '{"name":"\\ud800"}' }],
  ['NUL', 'invalid_json', { body: '{"name":"a\\u0000b"}' }],
  ['NUL in a name', 'invalid_json', { body: '{"na\\u0000me":"a"}' }],
  ['a byte order mark', 'invalid_json', { body: '\ufeff{}' }],
  ['UTF-16', 'invalid_json', { body: Buffer.from('{"name":"a"}', 'utf16le') }],
  ['something behind the value', 'invalid_json', { body: '{}{}' }],
  ['a comment', 'invalid_json', { body: '{}//' }],
  ['only a space', 'invalid_json', { body: ' ' }],
  ['null', 'invalid_request', { body: 'null' }],
  ['a list', 'invalid_request', { body: '[]' }],
  [
    'a list in an old version',
    'invalid_request',
    { body: '[{}]', headers: { 'switchyard-version': '2026-10-01' } },
  ],
  ['a text', 'invalid_request', { body: '"name"' }],
  ['a number', 'invalid_request', { body: '0' }],
  [
    'the page of a list, in an old version',
    'invalid_request',
    { body: '{"object":"list","data":[null,1,"a",[]]}', headers: { 'switchyard-version': '2026-10-01' } },
  ],
  ['10 MB', 'body_too_large', { body: tenMebibytes }],
  ['10 MB in pieces', 'body_too_large', { body: tenMebibytes, headers: chunked }],
  ['one byte too many', 'body_too_large', { body: ' '.repeat(256 * 1024 + 1) }],
  ['a broken body in pieces', 'invalid_json', { body: '{"name"', headers: chunked }],
  [
    'a form',
    'unsupported_media_type',
    { body: 'name=a', headers: type('application/x-www-form-urlencoded') },
  ],
  [
    'a form with parts',
    'unsupported_media_type',
    { body: '--b', headers: type('multipart/form-data; boundary=b') },
  ],
  ['plain text', 'unsupported_media_type', { body: '{}', headers: type('text/plain') }],
  ['XML', 'unsupported_media_type', { body: '<a/>', headers: type('application/xml') }],
  [
    'a type that begins like JSON',
    'unsupported_media_type',
    { body: '{}', headers: type('application/jsonp') },
  ],
  [
    'a type that ends like JSON',
    'unsupported_media_type',
    { body: '{}', headers: type('application/vnd.a+json') },
  ],
  ['two types', 'unsupported_media_type', { body: '{}', headers: type('application/json, text/plain') }],
  ['a type that is none', 'unsupported_media_type', { body: '{}', headers: type('json') }],
  [
    'a type named __proto__',
    'unsupported_media_type',
    { body: '{}', headers: type('__proto__/constructor') },
  ],
  ['gzip', 'unsupported_media_type', { body: gzipSync('{}'), headers: { 'content-encoding': 'gzip' } }],
  [
    'a bomb in gzip',
    'unsupported_media_type',
    { body: gzipSync(tenMebibytes), headers: { 'content-encoding': 'gzip' } },
  ],
  [
    'JSON that claims to be gzip',
    'unsupported_media_type',
    { body: '{}', headers: { 'content-encoding': 'gzip' } },
  ],
  ...notUtf8.map(([name, body]): Hostile => [name, 'invalid_json', { body }]),
]

async function send(sent: Partial<Question>, operation = writes[0] as (typeof writes)[number]) {
  const { method } = operation
  // The server hangs up on what it does not want to read, so no connection is used twice.
  const headers = { connection: 'close', ...sent.headers }
  // An operation with a limit of its own counts by token: one that is new has called nothing yet.
  const token = operation.limit === undefined ? workspace.token : await workspace.tokenFor('ADMIN')
  return ask(workspace.address, {
    method,
    path: pathOf(operation, places),
    token,
    ...sent,
    headers,
  })
}

describe('every operation that takes a body', () => {
  test.each(hostile)('refuses %s as %s', async (name, code, sent) => {
    for (const operation of writes) {
      const reply = await send(sent, operation)
      expectHarmless(reply, `${operation.id}: ${name}`)
      expect(reply.body.code, `${operation.id}: ${reply.text}`).toBe(code)
    }
  })

  test('takes no body as an empty object', async () => {
    for (const operation of writes) {
      const [without, empty] = [await send({}, operation), await send({ body: '{}' }, operation)]
      expectHarmless(without, operation.id)
      // What has ended for good cannot end again, and says so.
      const expected = operation.id === 'subscriptions.cancel' ? [200, 409] : [empty.status, empty.status]
      expect([without.status, empty.status], operation.id).toEqual(expected)
    }
  })

  test.each([
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json ; charset="utf-8"',
    'APPLICATION/JSON',
  ])('takes %s for JSON', async (contentType) => {
    for (const operation of writes) {
      const reply = await send({ body: '{"no_such_member":1}', headers: type(contentType) }, operation)
      expect(reply.body, operation.id).toMatchObject({ code: 'invalid_request' })
    }
  })
})

test('a body in pieces is read as a whole', async () => {
  const reply = await ask(workspace.address, {
    method: 'POST',
    path: '/customers',
    token: workspace.token,
    body: '{"name":"Ada 漢字"}',
    headers: chunked,
  })

  expect(reply).toMatchObject({ status: 201, body: { name: 'Ada 漢字' } })
})

test.each([
  ['0', 200],
  ['-0', 200],
  ['1.0', 200],
  ['1e2', 200],
  ['604800', 200],
  ['604801', 400],
  ['1.5', 400],
  ['1e-5', 400],
  ['-1', 400],
  ['9007199254740993', 400],
  ['18446744073709551616', 400],
  ['1e308', 400],
  ['"1"', 400],
  ['true', 400],
  ['null', 400],
  ['[1]', 400],
])('the number %s for an integer is answered with %i', async (number, status) => {
  const { body: token } = await workspace.post('/api-tokens', { name: 'a token', role: 'READ_ONLY' })

  const reply = await ask(workspace.address, {
    method: 'POST',
    path: `/api-tokens/${token.id}/roll`,
    token: workspace.token,
    body: `{"overlap_seconds":${number}}`,
  })

  expectHarmless(reply)
  expect(reply.status).toBe(status)
})

test('hundreds of hostile bodies leave no prototype touched and no memory behind', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const inherited = Reflect.ownKeys(Object.prototype)
  const round = async () => {
    for (const [, , sent] of hostile) await send(sent)
    collect()
    return process.memoryUsage.rss() / mebibyte
  }
  await round()

  const before = await round()
  const after = Math.max(await round(), await round(), await round())

  expect(after - before).toBeLessThan(50)
  expect(Reflect.ownKeys(Object.prototype)).toEqual(inherited)
  expect({}).not.toHaveProperty('polluted')
})
