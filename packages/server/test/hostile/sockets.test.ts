import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Mode } from '../../src/kernel/id.ts'
import { switchyardForThisFile, type Workspace } from '../support/switchyard.ts'
import { dial, head, say } from './support/wire.ts'

const switchyard = await switchyardForThisFile()
const workspaces: Record<Mode, Workspace> = {
  live: await switchyard.newWorkspace('live'),
  test: await switchyard.newWorkspace('test'),
}
const modes = ['live', 'test'] as const
const bearer = (mode: Mode) => `Authorization: Bearer ${workspaces[mode].token}`
const json = 'Content-Type: application/json'

/** What is no request, and how it is refused. */
const malformed: readonly (readonly [name: string, bytes: string | Buffer, status: number])[] = [
  [
    'length and chunks',
    head('POST /customers HTTP/1.1', ['Content-Length: 5', 'Transfer-Encoding: chunked', json]),
    400,
  ],
  [
    'chunks and length',
    head('POST /customers HTTP/1.1', ['Transfer-Encoding: chunked', 'Content-Length: 5', json]),
    400,
  ],
  ['two lengths', head('POST /customers HTTP/1.1', ['Content-Length: 2', 'Content-Length: 3', json]), 400],
  [
    'the same length twice',
    head('POST /customers HTTP/1.1', ['Content-Length: 2', 'Content-Length: 2', json]),
    400,
  ],
  ['a negative length', head('POST /customers HTTP/1.1', ['Content-Length: -1', json]), 400],
  ['a length with a sign', head('POST /customers HTTP/1.1', ['Content-Length: +2', json]), 400],
  [
    'a length beyond 64 bits',
    head('POST /customers HTTP/1.1', ['Content-Length: 99999999999999999999', json]),
    400,
  ],
  ['a length that is a list', head('POST /customers HTTP/1.1', ['Content-Length: 2, 2', json]), 400],
  [
    'chunked that is not last',
    head('POST /customers HTTP/1.1', ['Transfer-Encoding: chunked, gzip', json]),
    400,
  ],
  [
    'an unknown transfer coding',
    head('POST /customers HTTP/1.1', ['Transfer-Encoding: xchunked', json]),
    400,
  ],
  ['a space before the colon', head('GET /me HTTP/1.1', ['Authorization : x']), 400],
  ['a folded field', head('GET /me HTTP/1.1', ['X-A: b', ' c']), 400],
  ['a field with a tab in front', head('GET /me HTTP/1.1', ['\tX-A: b']), 400],
  ['a field without a colon', head('GET /me HTTP/1.1', ['X-A']), 400],
  ['a field without a name', head('GET /me HTTP/1.1', [': b']), 400],
  ['NUL in a field', head('GET /me HTTP/1.1', ['X-A: b\0c']), 400],
  ['NUL in the name of a field', head('GET /me HTTP/1.1', ['X\0A: b']), 400],
  ['a bare CR in a field', head('GET /me HTTP/1.1', ['X-A: b\rX-B: c']), 400],
  ['bare line feeds', 'GET /me HTTP/1.1\nHost: localhost\n\n', 400],
  ['NUL in the request line', head('GET /\0me HTTP/1.1'), 400],
  ['bytes beyond ASCII in the address', head('GET /customers/\u00e9\u00ff HTTP/1.1'), 400],
  ['a space in the address', head('GET /a b HTTP/1.1'), 400],
  ['no version', 'GET /me\r\n\r\n', 400],
  ['a version of the future', head('GET /me HTTP/9.9'), 400],
  ['no host', 'GET /me HTTP/1.1\r\n\r\n', 400],
  ['an unknown method', head('HACK /me HTTP/1.1'), 400],
  ['a method in lower case', head('get /me HTTP/1.1'), 400],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['the beginning of TLS', Buffer.from('16030100c8010000c40303', 'hex'), 400],
  ['random bytes', Buffer.from(Array.from({ length: 4_000 }, (_, at) => (at * 131 + 7) % 256)), 400],
  ['a field of 17 KB', head('GET /me HTTP/1.1', [`X-A: ${'a'.repeat(17 * 1024)}`]), 431],
  ['an address of 17 KB', head(`GET /${'a'.repeat(17 * 1024)} HTTP/1.1`), 431],
  [
    '5,000 fields',
    head(
      'GET /me HTTP/1.1',
      Array.from({ length: 5_000 }, (_, n) => `X-${n}: ${n}`),
    ),
    431,
  ],
  [
    'a chunk whose size is no number',
    `${head('POST /customers HTTP/1.1', ['Transfer-Encoding: chunked', json])}xyz\r\n{}\r\n0\r\n\r\n`,
    400,
  ],
  [
    'a chunk whose size is cut off by a line feed',
    `${head('POST /customers HTTP/1.1', ['Transfer-Encoding: chunked', json])}2\n{}\r\n0\r\n\r\n`,
    400,
  ],
  [
    'a chunk with 20 KB of extensions',
    `${head('POST /customers HTTP/1.1', ['Transfer-Encoding: chunked', json])}2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
    413,
  ],
]

describe.each(modes)('the %s listener', (mode) => {
  const address = () => switchyard.addresses[mode]

  test.each(malformed)('refuses %s and hangs up', async (_, bytes, status) => {
    const heard = await say(address(), bytes)

    // A request without a token is refused before its body is looked at; that is as good an answer.
    expect([[status], [401], [401, status]]).toContainEqual([...heard.statuses])
    expect(heard.closed).toBe(true)
  })

  /** What is a request, if a strange one. */
  test.each([
    ['no token', head('GET /me HTTP/1.1'), 401, 'token_missing'],
    ['an old protocol', 'GET /me HTTP/1.0\r\n\r\n', 401, 'token_missing'],
    ['the whole address', head('GET http://localhost/me HTTP/1.1'), 401, 'token_missing'],
    ['the whole address of someone else', head('GET https://evil.example/me HTTP/1.1'), 401, 'token_missing'],
    ['only the name of a server', head('GET http://evil.example HTTP/1.1'), 404, 'unknown_path'],
    ['an asterisk', head('OPTIONS * HTTP/1.1'), 404, 'unknown_path'],
    ['9 KB of address', head(`GET /${'a'.repeat(9 * 1024)} HTTP/1.1`), 400, 'invalid_request'],
    ['9 KB of query', head(`GET /me?${'a'.repeat(9 * 1024)} HTTP/1.1`), 400, 'invalid_request'],
    ['300 characters of id', head(`GET /customers/${'a'.repeat(300)} HTTP/1.1`), 404, 'not_found'],
    ['a broken escape', head('GET /customers/%zz HTTP/1.1'), 404, 'unknown_path'],
    ['an escape that is no UTF-8', head('GET /customers/%ff HTTP/1.1'), 404, 'unknown_path'],
    ['steps upwards', head('GET /customers/../../etc/passwd HTTP/1.1'), 404, 'unknown_path'],
    ['two slashes', head('GET //me HTTP/1.1'), 404, 'unknown_path'],
    ['a method that is not there', head('PATCH /customers HTTP/1.1'), 405, 'method_not_allowed'],
    ['TRACE', head('TRACE /me HTTP/1.1'), 405, 'method_not_allowed'],
    [
      'an upgrade',
      head('GET /me HTTP/1.1', ['Connection: Upgrade', 'Upgrade: websocket']),
      401,
      'token_missing',
    ],
    [
      '2,500 fields',
      head(
        'GET /me HTTP/1.1',
        Array.from({ length: 2_500 }, () => 'a:b'),
      ),
      401,
      'token_missing',
    ],
  ])('answers %s in the usual form', async (_, bytes, status, code) => {
    const heard = await say(address(), bytes, { answers: 1 })

    expect(heard.statuses).toEqual([status])
    expect(heard.text).toContain('application/problem+json')
    expect(heard.text).toContain(`"code":"${code}"`)
  })

  test('answers steps upwards from the documentation with its page for what is not there', async () => {
    const heard = await say(address(), head('GET /docs/../../etc/passwd HTTP/1.1'), { answers: 1 })

    expect(heard.statuses).toEqual([404])
    expect(heard.text).toContain('text/html; charset=utf-8')
    expect(heard.text).toContain('<h1>There is no such page</h1>')
  })

  test('the field behind 2,500 others counts', async () => {
    const fields = [...Array.from({ length: 2_500 }, () => 'a:b'), bearer(mode), 'Connection: close']
    const heard = await say(address(), head('GET /me HTTP/1.1', fields))

    expect(heard.statuses).toEqual([200])
  })

  test('no field of a request comes back as a field of its answer', async () => {
    const evil = 'x\u010d\u010aSet-Cookie: a=b'
    const heard = await say(
      address(),
      head(`GET /customers/%0d%0aSet-Cookie:%20a=b HTTP/1.1`, [
        bearer(mode),
        `Idempotency-Key: ${evil}`,
        `Switchyard-Version: %0d%0aSet-Cookie: a=b`,
        'Connection: close',
      ]),
    )

    expect(heard.statuses).toHaveLength(1)
    expect(heard.statuses[0]).toBeLessThan(500)
    expect(heard.text.split('\r\n\r\n')[0]).not.toMatch(/^set-cookie/im)
  })

  test('1,000 requests at once on one connection are answered in their order', async () => {
    const paths = Array.from({ length: 1_000 }, (_, n) => (n % 10 === 0 ? '/me' : `/docs/errors/none-${n}`))
    const requests = paths.map((path) => head(`GET ${path} HTTP/1.1`, [bearer(mode)])).join('')

    const heard = await say(address(), requests, { answers: 1_000, patienceMs: 15_000 })

    expect(heard.statuses).toEqual(paths.map((path) => (path === '/me' ? 200 : 404)))
  })

  test('a request is answered though garbage follows it, and the garbage is not its answer', async () => {
    const heard = await say(address(), `${head('GET /me HTTP/1.1', [bearer(mode)])}GARBAGE\r\n\r\n`)

    expect(heard.statuses).toEqual([200])
    expect(heard.closed).toBe(true)
  })

  test('a key works across both ways to write an address', async () => {
    const body = '{"name":"once"}'
    const fields = [
      bearer(mode),
      json,
      'Idempotency-Key: one',
      `Content-Length: ${body.length}`,
      'Connection: close',
    ]
    const short = await say(address(), head('POST /customers HTTP/1.1', fields) + body)
    const whole = await say(address(), head('POST http://localhost/customers HTTP/1.1', fields) + body)

    expect([short.statuses, whole.statuses]).toEqual([[201], [201]])
    expect(whole.text).toContain('idempotent-replayed: true')
  })

  test('a client that goes away in the middle of its body is nobody’s fault', async () => {
    const failures = switchyard.metrics.requests
    const socket = await dial(address())
    socket.write(`${head('POST /customers HTTP/1.1', [bearer(mode), json, 'Content-Length: 100'])}{"name"`)
    await pause(50)
    socket.destroy()

    await expect.poll(() => workspaces[mode].get('/me').then(({ status }) => status)).toBe(200)
    const { values } = await failures.get()
    expect(values.filter(({ labels }) => String(labels.status).startsWith('5'))).toEqual([])
  })
})
