// What a receiver may answer, and how it is told: complete, cut, in pieces, by TLS, or not HTTP at all.

import type { Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { selfSigned } from '../../../test/support/certificate.ts'
import { aStranger, ok } from '../../../test/support/stranger.ts'
import { createOutbound } from './client.ts'

const name = 'hooks.example.com'
const certificate = selfSigned([name, '127.0.0.1'])

function anOutbound(ca: string = certificate.cert) {
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }]
  const outbound = createOutbound({ allowCidrs: [], allowLoopback: true, lookup, ca })
  onTestFinished(() => outbound.close())
  return (url: string, maxAnswerBytes = 1_024) =>
    outbound.send({
      url,
      mode: 'test',
      headers: { 'content-type': 'application/json', 'webhook-id': 'delivery_test_1' },
      body: '{"name":"Zoë"}',
      timeoutMs: 5_000,
      maxAnswerBytes,
      pool: 'pool',
      maxConnections: 2,
    })
}

async function replyTo(text: string | Buffer, maxAnswerBytes?: number) {
  const stranger = await aStranger((socket) => socket.end(text))
  return anOutbound()(`http://127.0.0.1:${stranger.port}/`, maxAnswerBytes)
}

test('the request is what was asked for, with the name in TLS and as its host, and no wish for compression', async () => {
  const names: string[] = []
  const SNICallback = (asked: string, done: (error: null) => void) => {
    names.push(asked)
    done(null)
  }
  const stranger = await aStranger((socket) => socket.write(ok), { ...certificate, SNICallback })

  const reply = await anOutbound()(`https://${name}:${stranger.port}/hook?a=b#c`)

  expect(names).toEqual([name])
  expect(reply).toMatchObject({ is: 'answered', status: 200, body: 'ok', cut: false, remoteIp: '127.0.0.1' })
  const [head = '', body] = (stranger.requests[0] ?? '').split('\r\n\r\n')
  expect(body).toBe('{"name":"Zoë"}')
  expect(head.split('\r\n')).toEqual([
    'POST /hook?a=b HTTP/1.1',
    `host: ${name}:${stranger.port}`,
    'connection: keep-alive',
    'content-type: application/json',
    'webhook-id: delivery_test_1',
    'accept-encoding: identity',
    'content-length: 15',
  ])
})

test('the steps of a new connection are measured, and those of a reused one are null', async () => {
  const stranger = await aStranger((socket) => socket.write(ok), certificate)
  const post = anOutbound()
  const url = `https://${name}:${stranger.port}/`
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

test('names of headers are in lower case, and repeated ones joined', async () => {
  const reply = await replyTo(
    'HTTP/1.1 503 Busy\r\nRetry-After: 120\r\nX-A: 1\r\nX-A: 2\r\ncontent-length: 0\r\n\r\n',
  )

  expect(reply).toMatchObject({ is: 'answered', status: 503, body: '' })
  expect(reply).toHaveProperty('headers', { 'retry-after': '120', 'x-a': '1, 2', 'content-length': '0' })
})

test('bytes that are no text become text that Postgres can hold', async () => {
  const body = Buffer.from([0x61, 0x00, 0xff, 0x62])
  const reply = await replyTo(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), body]))

  expect(reply).toMatchObject({ is: 'answered', body: 'a\uFFFD\uFFFDb', cut: false })
})

test('remarks before the answer are not the answer', async () => {
  const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'

  expect(await replyTo(hints + ok)).toMatchObject({ is: 'answered', status: 200, body: 'ok' })
})

test('an answer in pieces is put together', async () => {
  const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n'

  expect(await replyTo(chunked)).toMatchObject({ is: 'answered', body: 'abcde', cut: false })
})

test('as much as allowed is read, and one byte more is cut', async () => {
  const answer = (size: number) => `HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n${'a'.repeat(size)}`

  expect(await replyTo(answer(16), 16)).toMatchObject({ body: 'a'.repeat(16), cut: false })
  expect(await replyTo(answer(17), 16)).toMatchObject({ status: 200, body: 'a'.repeat(16), cut: true })
})

test('an endless body is cut, the connection closed, and hardly more taken from it', async () => {
  let sent = 0
  const closed = Promise.withResolvers<void>()
  const block = Buffer.alloc(64 * 1024, 'a')
  const pour = (socket: Socket) => {
    while (!socket.destroyed && socket.write(block)) sent += block.length
  }
  const stranger = await aStranger((socket) => {
    socket.on('close', () => closed.resolve())
    socket.on('drain', () => pour(socket))
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10000000000\r\n\r\n')
    pour(socket)
  })

  const reply = await anOutbound()(`http://127.0.0.1:${stranger.port}/`, 16_384)
  await closed.promise

  expect(reply).toMatchObject({ is: 'answered', status: 200, body: 'a'.repeat(16_384), cut: true })
  // What the buffers of two sockets hold.
  expect(sent).toBeLessThan(32 * 1024 * 1024)
})

test('after a cut the next request gets a connection of its own', async () => {
  const stranger = await aStranger((socket) => socket.write(ok))
  const post = anOutbound()

  expect(await post(`http://127.0.0.1:${stranger.port}/`, 1)).toMatchObject({ body: 'o', cut: true })
  expect(await post(`http://127.0.0.1:${stranger.port}/`, 2)).toMatchObject({
    body: 'ok',
    connectionReused: false,
  })
  expect(stranger.connections).toBe(2)
})

// biome-ignore format: a table.
test.each([
  ['garbage',              'SSH-2.0-OpenSSH_9.6\r\n',                                  'The answer is not valid HTTP/1.1.'],
  ['two lengths',          'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab', 'The answer is not valid HTTP/1.1.'],
  ['endless headers',      `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`,       'The answer is not valid HTTP/1.1.'],
  ['nothing',              '',                                                         'The connection was closed before the answer was complete.'],
  ['half a head',          'HTTP/1.1 200 OK\r\ncontent-le',                            'The connection was closed before the answer was complete.'],
  ['half a body',          'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc',         'The connection was closed before the answer was complete.'],
  ['another protocol',     'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n', 'The connection was closed before the answer was complete.'],
])('%s is a failure of the receiver that may have acted', async (_, text, detail) => {
  expect(await replyTo(text)).toMatchObject({ is: 'failed', cause: 'reset', detail, mayHaveBeenSent: true })
})

test.each([
  ['for another name', selfSigned(['other.example.com']), true, 'The certificate is for another name.'],
  ['that has expired', selfSigned([name], { from: 20, until: 21 }), true, 'The certificate has expired.'],
  ['of nobody we know', selfSigned([name]), false, /is not from an authority that is trusted/],
])('a certificate %s is refused before anything is sent', async (_, theirs, isTrusted, detail) => {
  // Node would then take any certificate, if it were not told otherwise.
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  const stranger = await aStranger((socket) => socket.write(ok), theirs)

  const reply = await anOutbound(isTrusted ? theirs.cert : undefined)(`https://${name}:${stranger.port}/`)
  vi.unstubAllEnvs()

  expect(reply).toMatchObject({ is: 'failed', cause: 'tls_failed', mayHaveBeenSent: false })
  expect(reply).toHaveProperty('detail', expect.stringMatching(detail))
  expect(stranger.requests).toEqual([])
})

test('an address without a name is looked for in the certificate', async () => {
  const ofName = selfSigned([name])
  const stranger = await aStranger((socket) => socket.write(ok), certificate)
  const other = await aStranger((socket) => socket.write(ok), ofName)

  expect(await anOutbound()(`https://127.0.0.1:${stranger.port}/`)).toMatchObject({ is: 'answered' })
  expect(await anOutbound(ofName.cert)(`https://127.0.0.1:${other.port}/`)).toMatchObject({
    cause: 'tls_failed',
  })
})

test('TLS before 1.2 is refused', async () => {
  const old = {
    ...certificate,
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'ALL@SECLEVEL=0',
  } as const
  const stranger = await aStranger((socket) => socket.write(ok), old)

  const reply = await anOutbound()(`https://${name}:${stranger.port}/`)

  expect(reply).toMatchObject({ is: 'failed', cause: 'tls_failed', mayHaveBeenSent: false })
})
