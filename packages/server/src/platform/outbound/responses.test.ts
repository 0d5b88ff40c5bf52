// How responses of a receiver are reported: complete, truncated, chunked, over TLS, or not HTTP.

import type { Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { selfSigned } from '../../../test/support/certificate.ts'
import { ok, startRawServer } from '../../../test/support/raw-server.ts'
import { createOutbound } from './client.ts'

const name = 'hooks.example.com'
const certificate = selfSigned([name, '127.0.0.1'])

function createPost(ca: string = certificate.cert) {
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }]
  const outbound = createOutbound({ allowCidrs: [], allowLoopback: true, lookup, ca })
  onTestFinished(() => outbound.close())
  return (url: string, maxResponseBytes = 1_024) =>
    outbound.send({
      url,
      mode: 'test',
      headers: { 'content-type': 'application/json', 'webhook-id': 'delivery_test_1' },
      body: '{"name":"Zoë"}',
      timeoutMs: 5_000,
      maxResponseBytes,
      pool: 'pool',
      maxConnections: 2,
    })
}

async function replyTo(text: string | Buffer, maxResponseBytes?: number) {
  const rawServer = await startRawServer((socket) => socket.end(text))
  return createPost()(`http://127.0.0.1:${rawServer.port}/`, maxResponseBytes)
}

test('the request is sent as given, with the host name in SNI and Host, and without accepting compression', async () => {
  const names: string[] = []
  const SNICallback = (serverName: string, done: (error: null) => void) => {
    names.push(serverName)
    done(null)
  }
  const rawServer = await startRawServer((socket) => socket.write(ok), { ...certificate, SNICallback })

  const reply = await createPost()(`https://${name}:${rawServer.port}/hook?a=b#c`)

  expect(names).toEqual([name])
  expect(reply).toMatchObject({
    kind: 'answered',
    status: 200,
    body: 'ok',
    truncated: false,
    remoteIp: '127.0.0.1',
  })
  const [head = '', body] = (rawServer.requests[0] ?? '').split('\r\n\r\n')
  expect(body).toBe('{"name":"Zoë"}')
  expect(head.split('\r\n')).toEqual([
    'POST /hook?a=b HTTP/1.1',
    `host: ${name}:${rawServer.port}`,
    'connection: keep-alive',
    'content-type: application/json',
    'webhook-id: delivery_test_1',
    'accept-encoding: identity',
    'content-length: 15',
  ])
})

test('the steps of a new connection are measured, and those of a reused one are null', async () => {
  const rawServer = await startRawServer((socket) => socket.write(ok), certificate)
  const post = createPost()
  const url = `https://${name}:${rawServer.port}/`
  const ms = expect.any(Number)

  expect(await post(url)).toMatchObject({
    connectionReused: false,
    timings: { durationMs: ms, dnsMs: ms, connectMs: ms, tlsMs: ms, firstByteMs: ms },
  })
  expect(await post(url)).toMatchObject({
    connectionReused: true,
    timings: { durationMs: ms, dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: ms },
  })
})

test('header names are in lower case, and repeated headers are joined', async () => {
  const reply = await replyTo(
    'HTTP/1.1 503 Busy\r\nRetry-After: 120\r\nX-A: 1\r\nX-A: 2\r\ncontent-length: 0\r\n\r\n',
  )

  expect(reply).toMatchObject({ kind: 'answered', status: 503, body: '' })
  expect(reply).toHaveProperty('headers', { 'retry-after': '120', 'x-a': '1, 2', 'content-length': '0' })
})

test('bytes that are not valid text become text that Postgres can store', async () => {
  const body = Buffer.from([0x61, 0x00, 0xff, 0x62])
  const reply = await replyTo(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), body]))

  expect(reply).toMatchObject({ kind: 'answered', body: 'a\uFFFD\uFFFDb', truncated: false })
})

test('informational responses before the final response are ignored', async () => {
  const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'

  expect(await replyTo(hints + ok)).toMatchObject({ kind: 'answered', status: 200, body: 'ok' })
})

test('a chunked response is assembled', async () => {
  const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n'

  expect(await replyTo(chunked)).toMatchObject({ kind: 'answered', body: 'abcde', truncated: false })
})

test('a body of the maximum size is read, and one byte more is truncated', async () => {
  const response = (size: number) => `HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n${'a'.repeat(size)}`

  expect(await replyTo(response(16), 16)).toMatchObject({ body: 'a'.repeat(16), truncated: false })
  expect(await replyTo(response(17), 16)).toMatchObject({
    status: 200,
    body: 'a'.repeat(16),
    truncated: true,
  })
})

test('an endless body is truncated, the connection is closed, and hardly more is read from it', async () => {
  let sent = 0
  const closed = Promise.withResolvers<void>()
  const block = Buffer.alloc(64 * 1024, 'a')
  const sendBlocks = (socket: Socket) => {
    while (!socket.destroyed && socket.write(block)) sent += block.length
  }
  const rawServer = await startRawServer((socket) => {
    socket.on('close', () => closed.resolve())
    socket.on('drain', () => sendBlocks(socket))
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10000000000\r\n\r\n')
    sendBlocks(socket)
  })

  const reply = await createPost()(`http://127.0.0.1:${rawServer.port}/`, 16_384)
  await closed.promise

  expect(reply).toMatchObject({ kind: 'answered', status: 200, body: 'a'.repeat(16_384), truncated: true })
  // Some data is in the buffers of both sockets.
  expect(sent).toBeLessThan(32 * 1024 * 1024)
})

test('after a truncated response the next request gets a new connection', async () => {
  const rawServer = await startRawServer((socket) => socket.write(ok))
  const post = createPost()

  expect(await post(`http://127.0.0.1:${rawServer.port}/`, 1)).toMatchObject({ body: 'o', truncated: true })
  expect(await post(`http://127.0.0.1:${rawServer.port}/`, 2)).toMatchObject({
    body: 'ok',
    connectionReused: false,
  })
  expect(rawServer.connections).toBe(2)
})

// biome-ignore format: a table.
test.each([
  ['garbage',              'SSH-2.0-OpenSSH_9.6\r\n',                                  'The response is not valid HTTP/1.1.'],
  ['two content lengths',  'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab', 'The response is not valid HTTP/1.1.'],
  ['endless headers',      `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`,       'The response is not valid HTTP/1.1.'],
  ['nothing',              '',                                                         'The connection was closed before the response was complete.'],
  ['half a header',        'HTTP/1.1 200 OK\r\ncontent-le',                            'The connection was closed before the response was complete.'],
  ['half a body',          'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc',         'The connection was closed before the response was complete.'],
  ['another protocol',     'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n', 'The connection was closed before the response was complete.'],
])('%s instead of a complete response is a failure, and the receiver may have acted', async (_, text, detail) => {
  expect(await replyTo(text)).toMatchObject({ kind: 'failed', cause: 'reset', detail, mayHaveBeenSent: true })
})

test.each([
  ['for another name', selfSigned(['other.example.com']), true, 'The certificate is for another host name.'],
  ['that has expired', selfSigned([name], { from: 20, until: 21 }), true, 'The certificate has expired.'],
  ['by an unknown authority', selfSigned([name]), false, /is not issued by a trusted certificate authority/],
])(
  'a certificate %s is rejected before anything is sent',
  async (_, serverCertificate, isTrusted, detail) => {
    // With this variable Node accepts any certificate, unless `rejectUnauthorized` is set.
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    const rawServer = await startRawServer((socket) => socket.write(ok), serverCertificate)

    const reply = await createPost(isTrusted ? serverCertificate.cert : undefined)(
      `https://${name}:${rawServer.port}/`,
    )
    vi.unstubAllEnvs()

    expect(reply).toMatchObject({ kind: 'failed', cause: 'tls_failed', mayHaveBeenSent: false })
    expect(reply).toHaveProperty('detail', expect.stringMatching(detail))
    expect(rawServer.requests).toEqual([])
  },
)

test('an IP address is verified against the certificate', async () => {
  const nameOnly = selfSigned([name])
  const rawServer = await startRawServer((socket) => socket.write(ok), certificate)
  const other = await startRawServer((socket) => socket.write(ok), nameOnly)

  expect(await createPost()(`https://127.0.0.1:${rawServer.port}/`)).toMatchObject({ kind: 'answered' })
  expect(await createPost(nameOnly.cert)(`https://127.0.0.1:${other.port}/`)).toMatchObject({
    cause: 'tls_failed',
  })
})

test('TLS below 1.2 is rejected', async () => {
  const old = {
    ...certificate,
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'ALL@SECLEVEL=0',
  } as const
  const rawServer = await startRawServer((socket) => socket.write(ok), old)

  const reply = await createPost()(`https://${name}:${rawServer.port}/`)

  expect(reply).toMatchObject({ kind: 'failed', cause: 'tls_failed', mayHaveBeenSent: false })
})
