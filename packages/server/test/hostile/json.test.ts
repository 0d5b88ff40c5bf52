import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { oldVersion, withOldVersion } from '../support/old-version.ts'
import { printSelection, selectPart } from '../support/selection.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'
import { notUtf8 } from './support/json-corpus.ts'
import { type RawRequest, sendRawRequest } from './support/raw-request.ts'
import { expectSafeResponse } from './support/response-expectations.ts'
import { createPathParameters, pathOf, writes } from './support/targets.ts'

const switchyard = await switchyardForThisFile({ overrides: { versions: withOldVersion } })
const workspace = await switchyard.newWorkspace()
const pathParameters = await createPathParameters(workspace)
printSelection()

const mebibyte = 1024 * 1024
const tenMebibytes = Buffer.from(`{"name":"${'x'.repeat(10 * mebibyte)}"}`)
const millionKeys = Buffer.from(`{${Array.from({ length: 1_000_000 }, (_, n) => `"k${n}":0`)}}`)
const chunked = { 'transfer-encoding': 'chunked' }
const contentTypeHeader = (contentType: string) => ({ 'content-type': contentType })

type HostileCase = readonly [name: string, code: string, request: Partial<RawRequest>]

const hostileCases: readonly HostileCase[] = [
  ['arrays nested 100,000 deep', 'invalid_json', { body: '['.repeat(100_000) + ']'.repeat(100_000) }],
  ['objects nested 40,000 deep', 'invalid_json', { body: `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}` }],
  ['a million keys', 'body_too_large', { body: millionKeys }],
  ['20,000 keys', 'invalid_json', { body: `{${Array.from({ length: 20_000 }, (_, n) => `"k${n}":0`)}}` }],
  ['1,001 entries', 'invalid_json', { body: `{"tax_ids":[${Array(1001).fill('{}')}]}` }],
  ['a duplicate member', 'invalid_json', { body: '{"name":"a","name":"b"}' }],
  ['a duplicate member, one of them escaped', 'invalid_json', { body: '{"name":"a","\\u006eame":"b"}' }],
  ['__proto__', 'invalid_json', { body: '{"__proto__":{"polluted":true}}' }],
  ['a nested __proto__', 'invalid_json', { body: '{"metadata":{"__proto__":{"polluted":"true"}}}' }],
  ['constructor', 'invalid_request', { body: '{"constructor":{"prototype":{"polluted":true}}}' }],
  ['prototype', 'invalid_request', { body: '{"prototype":{"polluted":true}}' }],
  ['1e400', 'invalid_json', { body: '{"overlap_seconds":1e400}' }],
  ['half of a surrogate pair', 'invalid_json', { body: '{"name":"\\ud800"}' }],
  ['NUL', 'invalid_json', { body: '{"name":"a\\u0000b"}' }],
  ['NUL in a name', 'invalid_json', { body: '{"na\\u0000me":"a"}' }],
  ['a byte order mark', 'invalid_json', { body: '\ufeff{}' }],
  ['UTF-16', 'invalid_json', { body: Buffer.from('{"name":"a"}', 'utf16le') }],
  ['text after the value', 'invalid_json', { body: '{}{}' }],
  ['a comment', 'invalid_json', { body: '{}//' }],
  ['only a space', 'invalid_json', { body: ' ' }],
  ['null', 'invalid_request', { body: 'null' }],
  ['a list', 'invalid_request', { body: '[]' }],
  [
    'a list in an old version',
    'invalid_request',
    { body: '[{}]', headers: { 'switchyard-version': oldVersion } },
  ],
  ['a string', 'invalid_request', { body: '"name"' }],
  ['a number', 'invalid_request', { body: '0' }],
  [
    'a page of a list in an old version',
    'invalid_request',
    { body: '{"object":"list","data":[null,1,"a",[]]}', headers: { 'switchyard-version': oldVersion } },
  ],
  ['10 MB', 'body_too_large', { body: tenMebibytes }],
  ['10 MB in chunks', 'body_too_large', { body: tenMebibytes, headers: chunked }],
  ['a truncated body in chunks', 'invalid_json', { body: '{"name"', headers: chunked }],
  [
    'a form',
    'unsupported_media_type',
    { body: 'name=a', headers: contentTypeHeader('application/x-www-form-urlencoded') },
  ],
  [
    'a multipart form',
    'unsupported_media_type',
    { body: '--b', headers: contentTypeHeader('multipart/form-data; boundary=b') },
  ],
  ['plain text', 'unsupported_media_type', { body: '{}', headers: contentTypeHeader('text/plain') }],
  ['XML', 'unsupported_media_type', { body: '<a/>', headers: contentTypeHeader('application/xml') }],
  [
    'a media type that starts like JSON',
    'unsupported_media_type',
    { body: '{}', headers: contentTypeHeader('application/jsonp') },
  ],
  [
    'a media type that ends like JSON',
    'unsupported_media_type',
    { body: '{}', headers: contentTypeHeader('application/vnd.a+json') },
  ],
  [
    'two media types',
    'unsupported_media_type',
    { body: '{}', headers: contentTypeHeader('application/json, text/plain') },
  ],
  ['an invalid media type', 'unsupported_media_type', { body: '{}', headers: contentTypeHeader('json') }],
  [
    'the media type __proto__',
    'unsupported_media_type',
    { body: '{}', headers: contentTypeHeader('__proto__/constructor') },
  ],
  ['gzip', 'unsupported_media_type', { body: gzipSync('{}'), headers: { 'content-encoding': 'gzip' } }],
  [
    'a gzip bomb',
    'unsupported_media_type',
    { body: gzipSync(tenMebibytes), headers: { 'content-encoding': 'gzip' } },
  ],
  [
    'JSON that is declared as gzip',
    'unsupported_media_type',
    { body: '{}', headers: { 'content-encoding': 'gzip' } },
  ],
  ...notUtf8.map(([name, body]): HostileCase => [name, 'invalid_json', { body }]),
]

async function send(request: Partial<RawRequest>, operation = writes[0] as (typeof writes)[number]) {
  const { method } = operation
  // The server closes the connection after it rejects a body, so connections are not reused.
  const headers = { connection: 'close', ...request.headers }
  // An operation with its own rate limit counts requests per token, so each request uses a new token.
  const token = operation.limit === undefined ? workspace.token : await workspace.tokenFor('ADMIN')
  return sendRawRequest(workspace.address, {
    method,
    path: pathOf(operation, pathParameters),
    token,
    ...request,
    headers,
  })
}

describe('every operation with a body', () => {
  test.each(hostileCases)('rejects %s as %s', async (name, code, request) => {
    for (const operation of selectPart(writes, name, 4)) {
      const response = await send(request, operation)
      expectSafeResponse(response, `${operation.id}: ${name}`)
      expect(response.body.code, `${operation.id}: ${response.text}`).toBe(code)
    }
  })

  test('rejects one byte too many as body_too_large', async () => {
    for (const operation of writes) {
      const { maxBodyBytes = 256 * 1024 } = operation
      const response = await send({ body: ' '.repeat(maxBodyBytes + 1) }, operation)
      expectSafeResponse(response, operation.id)
      expect(response.body.code, `${operation.id}: ${response.text}`).toBe('body_too_large')
    }
  })

  test('treats a missing body like an empty object', async () => {
    for (const operation of writes) {
      const [without, empty] = [await send({}, operation), await send({ body: '{}' }, operation)]
      expectSafeResponse(without, operation.id)
      // A cancelled subscription cannot be cancelled again.
      const expected = operation.id === 'subscriptions.cancel' ? [200, 409] : [empty.status, empty.status]
      expect([without.status, empty.status], operation.id).toEqual(expected)
    }
  })

  test.each([
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json ; charset="utf-8"',
    'APPLICATION/JSON',
  ])('accepts %s as JSON', async (contentType) => {
    for (const operation of writes) {
      const response = await send(
        { body: '{"no_such_member":1}', headers: contentTypeHeader(contentType) },
        operation,
      )
      expect(response.body, operation.id).toMatchObject({ code: 'invalid_request' })
    }
  })
})

test('a chunked body is read as a whole', async () => {
  const response = await sendRawRequest(workspace.address, {
    method: 'POST',
    path: '/customers',
    token: workspace.token,
    body: '{"name":"Ada 漢字"}',
    headers: chunked,
  })

  expect(response).toMatchObject({ status: 201, body: { name: 'Ada 漢字' } })
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
])('the value %s for an integer is answered with status %i', async (number, status) => {
  const { body: token } = await workspace.post('/api-tokens', { name: 'a token', role: 'READ_ONLY' })

  const response = await sendRawRequest(workspace.address, {
    method: 'POST',
    path: `/api-tokens/${token.id}/roll`,
    token: workspace.token,
    body: `{"overlap_seconds":${number}}`,
  })

  expectSafeResponse(response)
  expect(response.status).toBe(status)
})

test('hundreds of hostile bodies pollute no prototype and leak no memory', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const prototypeKeys = Reflect.ownKeys(Object.prototype)
  const runRound = async () => {
    for (const [, , request] of hostileCases) await send(request)
    collectGarbage()
    return process.memoryUsage.rss() / mebibyte
  }
  await runRound()

  const before = await runRound()
  const after = Math.max(await runRound(), await runRound(), await runRound())

  expect(after - before).toBeLessThan(50)
  expect(Reflect.ownKeys(Object.prototype)).toEqual(prototypeKeys)
  expect({}).not.toHaveProperty('polluted')
})
