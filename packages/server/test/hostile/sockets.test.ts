import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Mode } from '../../src/kernel/id.ts'
import { switchyardForThisFile, type Workspace } from '../support/switchyard.ts'
import { openSocket, requestHead, sendBytes } from './support/raw-socket.ts'

const switchyard = await switchyardForThisFile()
const workspaces: Record<Mode, Workspace> = {
  live: await switchyard.newWorkspace('live'),
  test: await switchyard.newWorkspace('test'),
}
const modes = ['live', 'test'] as const
const bearer = (mode: Mode) => `Authorization: Bearer ${workspaces[mode].token}`
const json = 'Content-Type: application/json'

/** Invalid requests, and how they are rejected. */
const malformed: readonly (readonly [name: string, bytes: string | Buffer, status: number])[] = [
  [
    'Content-Length and Transfer-Encoding',
    requestHead('POST /customers HTTP/1.1', ['Content-Length: 5', 'Transfer-Encoding: chunked', json]),
    400,
  ],
  [
    'Transfer-Encoding and Content-Length',
    requestHead('POST /customers HTTP/1.1', ['Transfer-Encoding: chunked', 'Content-Length: 5', json]),
    400,
  ],
  [
    'two different lengths',
    requestHead('POST /customers HTTP/1.1', ['Content-Length: 2', 'Content-Length: 3', json]),
    400,
  ],
  [
    'the same length twice',
    requestHead('POST /customers HTTP/1.1', ['Content-Length: 2', 'Content-Length: 2', json]),
    400,
  ],
  ['a negative length', requestHead('POST /customers HTTP/1.1', ['Content-Length: -1', json]), 400],
  ['a length with a sign', requestHead('POST /customers HTTP/1.1', ['Content-Length: +2', json]), 400],
  [
    'a length beyond 64 bits',
    requestHead('POST /customers HTTP/1.1', ['Content-Length: 99999999999999999999', json]),
    400,
  ],
  ['a list of lengths', requestHead('POST /customers HTTP/1.1', ['Content-Length: 2, 2', json]), 400],
  [
    'chunked as a coding that is not the last',
    requestHead('POST /customers HTTP/1.1', ['Transfer-Encoding: chunked, gzip', json]),
    400,
  ],
  [
    'an unknown transfer coding',
    requestHead('POST /customers HTTP/1.1', ['Transfer-Encoding: xchunked', json]),
    400,
  ],
  ['a space before the colon', requestHead('GET /me HTTP/1.1', ['Authorization : x']), 400],
  ['a folded header', requestHead('GET /me HTTP/1.1', ['X-A: b', ' c']), 400],
  ['a header after a tab', requestHead('GET /me HTTP/1.1', ['\tX-A: b']), 400],
  ['a header without a colon', requestHead('GET /me HTTP/1.1', ['X-A']), 400],
  ['a header without a name', requestHead('GET /me HTTP/1.1', [': b']), 400],
  ['NUL in a header', requestHead('GET /me HTTP/1.1', ['X-A: b\0c']), 400],
  ['NUL in the name of a header', requestHead('GET /me HTTP/1.1', ['X\0A: b']), 400],
  ['a bare CR in a header', requestHead('GET /me HTTP/1.1', ['X-A: b\rX-B: c']), 400],
  ['bare line feeds', 'GET /me HTTP/1.1\nHost: localhost\n\n', 400],
  ['NUL in the request line', requestHead('GET /\0me HTTP/1.1'), 400],
  ['bytes beyond ASCII in the URL', requestHead('GET /customers/\u00e9\u00ff HTTP/1.1'), 400],
  ['a space in the URL', requestHead('GET /a b HTTP/1.1'), 400],
  ['no HTTP version', 'GET /me\r\n\r\n', 400],
  ['an unknown HTTP version', requestHead('GET /me HTTP/9.9'), 400],
  ['no host', 'GET /me HTTP/1.1\r\n\r\n', 400],
  ['an unknown method', requestHead('HACK /me HTTP/1.1'), 400],
  ['a method in lower case', requestHead('get /me HTTP/1.1'), 400],
  ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['the start of a TLS handshake', Buffer.from('16030100c8010000c40303', 'hex'), 400],
  ['random bytes', Buffer.from(Array.from({ length: 4_000 }, (_, index) => (index * 131 + 7) % 256)), 400],
  ['a header of 17 KB', requestHead('GET /me HTTP/1.1', [`X-A: ${'a'.repeat(17 * 1024)}`]), 431],
  ['a URL of 17 KB', requestHead(`GET /${'a'.repeat(17 * 1024)} HTTP/1.1`), 431],
  [
    '5,000 headers',
    requestHead(
      'GET /me HTTP/1.1',
      Array.from({ length: 5_000 }, (_, n) => `X-${n}: ${n}`),
    ),
    431,
  ],
  [
    'a chunk whose size is not a number',
    `${requestHead('POST /customers HTTP/1.1', ['Transfer-Encoding: chunked', json])}xyz\r\n{}\r\n0\r\n\r\n`,
    400,
  ],
  [
    'a chunk size that ends with a bare line feed',
    `${requestHead('POST /customers HTTP/1.1', ['Transfer-Encoding: chunked', json])}2\n{}\r\n0\r\n\r\n`,
    400,
  ],
  [
    'a chunk with 20 KB of extensions',
    `${requestHead('POST /customers HTTP/1.1', ['Transfer-Encoding: chunked', json])}2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
    413,
  ],
]

describe.each(modes)('the %s listener', (mode) => {
  const address = () => switchyard.addresses[mode]

  test.each(malformed)('rejects %s and closes the connection', async (_, bytes, status) => {
    const result = await sendBytes(address(), bytes)

    // A request without a token may be rejected before its body is read.
    expect([[status], [401], [401, status]]).toContainEqual([...result.statuses])
    expect(result.closed).toBe(true)
  })

  /** Valid but unusual requests. */
  test.each([
    ['no token', requestHead('GET /me HTTP/1.1'), 401, 'token_missing'],
    ['HTTP/1.0', 'GET /me HTTP/1.0\r\n\r\n', 401, 'token_missing'],
    ['an absolute URL', requestHead('GET http://localhost/me HTTP/1.1'), 401, 'token_missing'],
    [
      'an absolute URL of another host',
      requestHead('GET https://evil.example/me HTTP/1.1'),
      401,
      'token_missing',
    ],
    ['a URL without a path', requestHead('GET http://evil.example HTTP/1.1'), 404, 'unknown_path'],
    ['an asterisk', requestHead('OPTIONS * HTTP/1.1'), 404, 'unknown_path'],
    ['a path of 9 KB', requestHead(`GET /${'a'.repeat(9 * 1024)} HTTP/1.1`), 400, 'invalid_request'],
    ['a query of 9 KB', requestHead(`GET /me?${'a'.repeat(9 * 1024)} HTTP/1.1`), 400, 'invalid_request'],
    ['an id of 300 characters', requestHead(`GET /customers/${'a'.repeat(300)} HTTP/1.1`), 404, 'not_found'],
    ['an invalid percent-encoding', requestHead('GET /customers/%zz HTTP/1.1'), 404, 'unknown_path'],
    ['a percent-encoding that is not UTF-8', requestHead('GET /customers/%ff HTTP/1.1'), 404, 'unknown_path'],
    ['path traversal', requestHead('GET /customers/../../etc/passwd HTTP/1.1'), 404, 'unknown_path'],
    ['two slashes', requestHead('GET //me HTTP/1.1'), 404, 'unknown_path'],
    ['an unsupported method', requestHead('PATCH /customers HTTP/1.1'), 405, 'method_not_allowed'],
    ['TRACE', requestHead('TRACE /me HTTP/1.1'), 405, 'method_not_allowed'],
    [
      'an upgrade',
      requestHead('GET /me HTTP/1.1', ['Connection: Upgrade', 'Upgrade: websocket']),
      401,
      'token_missing',
    ],
    [
      '2,500 headers',
      requestHead(
        'GET /me HTTP/1.1',
        Array.from({ length: 2_500 }, () => 'a:b'),
      ),
      401,
      'token_missing',
    ],
  ])('responds to %s with problem+json', async (_, bytes, status, code) => {
    const result = await sendBytes(address(), bytes, { responses: 1 })

    expect(result.statuses).toEqual([status])
    expect(result.text).toContain('application/problem+json')
    expect(result.text).toContain(`"code":"${code}"`)
  })

  test('path traversal below /docs gets the not-found page', async () => {
    const result = await sendBytes(address(), requestHead('GET /docs/../../etc/passwd HTTP/1.1'), {
      responses: 1,
    })

    expect(result.statuses).toEqual([404])
    expect(result.text).toContain('text/html; charset=utf-8')
    expect(result.text).toContain('<h1>Page not found</h1>')
  })

  test('a header after 2,500 others is read', async () => {
    const fields = [...Array.from({ length: 2_500 }, () => 'a:b'), bearer(mode), 'Connection: close']
    const result = await sendBytes(address(), requestHead('GET /me HTTP/1.1', fields))

    expect(result.statuses).toEqual([200])
  })

  test('a request cannot inject a header into its response', async () => {
    const injection = 'x\u010d\u010aSet-Cookie: a=b'
    const result = await sendBytes(
      address(),
      requestHead(`GET /customers/%0d%0aSet-Cookie:%20a=b HTTP/1.1`, [
        bearer(mode),
        `Idempotency-Key: ${injection}`,
        `Switchyard-Version: %0d%0aSet-Cookie: a=b`,
        'Connection: close',
      ]),
    )

    expect(result.statuses).toHaveLength(1)
    expect(result.statuses[0]).toBeLessThan(500)
    expect(result.text.split('\r\n\r\n')[0]).not.toMatch(/^set-cookie/im)
  })

  test('1,000 pipelined requests on one connection get their responses in order', async () => {
    const paths = Array.from({ length: 1_000 }, (_, n) => (n % 10 === 0 ? '/me' : `/docs/errors/none-${n}`))
    const requests = paths.map((path) => requestHead(`GET ${path} HTTP/1.1`, [bearer(mode)])).join('')

    const result = await sendBytes(address(), requests, { responses: 1_000, timeoutMs: 15_000 })

    expect(result.statuses).toEqual(paths.map((path) => (path === '/me' ? 200 : 404)))
  })

  test('a request that is followed by garbage gets its response', async () => {
    const result = await sendBytes(
      address(),
      `${requestHead('GET /me HTTP/1.1', [bearer(mode)])}GARBAGE\r\n\r\n`,
    )

    expect(result.statuses).toEqual([200])
    expect(result.closed).toBe(true)
  })

  test('an idempotency key also applies if the request is repeated with an absolute URL', async () => {
    const body = '{"name":"once"}'
    const fields = [
      bearer(mode),
      json,
      'Idempotency-Key: one',
      `Content-Length: ${body.length}`,
      'Connection: close',
    ]
    const relative = await sendBytes(address(), requestHead('POST /customers HTTP/1.1', fields) + body)
    const absolute = await sendBytes(
      address(),
      requestHead('POST http://localhost/customers HTTP/1.1', fields) + body,
    )

    expect([relative.statuses, absolute.statuses]).toEqual([[201], [201]])
    expect(absolute.text).toContain('idempotent-replayed: true')
  })

  test('a client that disconnects in the middle of its body causes no server error', async () => {
    const requestMetric = switchyard.metrics.requests
    const socket = await openSocket(address())
    socket.write(
      `${requestHead('POST /customers HTTP/1.1', [bearer(mode), json, 'Content-Length: 100'])}{"name"`,
    )
    await pause(50)
    socket.destroy()

    await expect.poll(() => workspaces[mode].get('/me').then(({ status }) => status)).toBe(200)
    const { values } = await requestMetric.get()
    expect(values.filter(({ labels }) => String(labels.status).startsWith('5'))).toEqual([])
  })
})
