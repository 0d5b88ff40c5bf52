// "Not sent" allows another provider to charge the card, so it must be true. A byte-level server cuts the
// connection at every stage and counts what it received: once a byte of a request has arrived, the outcome
// must be something else.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer as createTlsServer, TLSSocket } from 'node:tls'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { selfSigned } from '../../test/support/certificate.ts'
import { monotonicMs } from '../kernel/clock.ts'
import { createLog } from '../platform/log.ts'
import { createOutbound } from '../platform/outbound/client.ts'
import type { Lookup } from '../platform/outbound/lookup.ts'
import { authorize, config } from './custom/fixtures/inputs.ts'
import { simulator } from './custom/provider.ts'
import { createPerformer } from './perform.ts'

const name = 'psp.example.com'
const certificate = selfSigned([name])
const loopback: Lookup = async () => [{ address: '127.0.0.1', family: 4 }]

const record = JSON.stringify({
  reference: authorize.reference,
  kind: 'authorize',
  status: 'succeeded',
  provider_reference: 'ch_1',
  amount: 1099,
  currency: 'eur',
})
const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${record.length}\r\n\r\n`
const approval = head + record

type ServerBehavior = {
  onConnect?: (socket: Socket) => void
  /** Called with every chunk; `bytes` is the total so far. */
  onData?: (socket: Socket, bytes: number) => void
}

/** Counts the bytes of requests: under TLS only the decrypted bytes, without the handshake. */
async function startByteServer({ onConnect, onData }: ServerBehavior, scheme: 'http' | 'https' = 'http') {
  const server = { bytes: 0, port: 0 }
  const sockets = new Set<Socket>()
  const handleConnection = (socket: Socket) => {
    let bytes = 0
    socket.on('error', () => {})
    onConnect?.(socket)
    socket.on('data', (chunk) => {
      bytes += chunk.length
      server.bytes += chunk.length
      onData?.(socket, bytes)
    })
  }
  const listener: Server =
    scheme === 'http' ? createServer(handleConnection) : createTlsServer(certificate, handleConnection)
  listener.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})))
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  server.port = (listener.address() as AddressInfo).port
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    listener.close()
  })
  return server
}

type CallOptions = {
  lookup?: Lookup
  ca?: string | null
  ms?: number
  description?: string
  replay?: boolean
}

/** Performs authorizations over the real outbound client, with one connection for all. */
function createTestPerformer({ lookup = loopback, ca = certificate.cert }: CallOptions = {}) {
  const trusted = ca === null ? {} : { ca }
  const outbound = createOutbound({ allowCidrs: [], allowLoopback: true, lookup, ...trusted })
  onTestFinished(() => outbound.close())
  const { perform } = createPerformer({
    sender: outbound,
    log: createLog('silent'),
    hashKey: Buffer.alloc(32),
  })
  return (url: string, { ms = 5_000, description = 'Order 4711', replay = true }: CallOptions = {}) =>
    perform({
      provider: simulator,
      step: 'authorize',
      input: { ...authorize, description },
      account: { id: 'account', mode: 'test', config: { ...config, base_url: url, replay } },
      deadlineMs: monotonicMs() + ms,
      isFirst: true,
    })
}

const addressOf = (port: number, scheme: 'http' | 'https' = 'http') =>
  scheme === 'http' ? `http://127.0.0.1:${port}` : `https://${name}:${port}`

test('a complete approval is a success, in plain text and over TLS', async () => {
  for (const scheme of ['http', 'https'] as const) {
    const server = await startByteServer({ onData: (socket) => void socket.write(approval) }, scheme)

    const { outcome, call } = await createTestPerformer()(addressOf(server.port, scheme))

    expect(outcome).toMatchObject({ is: 'succeeded', ref: 'ch_1' })
    expect(call).toMatchObject({ mayHaveBeenSent: true, status: 200, answerBytes: record.length })
    expect(server.bytes).toBeGreaterThan(call.requestBytes)
  }
})

/** A port whose accept queue is full: connections to it neither succeed nor fail. */
async function openFullPort(): Promise<number> {
  const sleeper = new Worker(
    `const { parentPort } = require('node:worker_threads')
     const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
       parentPort.postMessage(server.address().port)
       setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
     })`,
    { eval: true },
  )
  const [port] = (await once(sleeper, 'message')) as [number]
  const callers: Socket[] = []
  onTestFinished(async () => {
    for (const caller of callers) caller.destroy()
    await sleeper.terminate()
  })
  for (let isFull = false; !isFull; ) {
    const caller = connect(port, '127.0.0.1').on('error', () => {})
    callers.push(caller)
    isFull = await Promise.race([once(caller, 'connect').then(() => false), sleep(300, true)])
  }
  return port
}

async function openClosedPort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  listener.close()
  await once(listener, 'close')
  return port
}

const never: Lookup = () => new Promise(() => {})
const unknownName: Lookup = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }))
const privateAddress: Lookup = async () => [{ address: '10.0.0.1', family: 4 }]
const anyUrl = `https://${name}`

// biome-ignore format: a table.
test.each<[string, string, () => Promise<{ url: string } & CallOptions>]>([
  ['the name does not exist',      'dns_failed',     async () => ({ url: anyUrl, lookup: unknownName })],
  ['the name server is silent',    'timeout',        async () => ({ url: anyUrl, lookup: never, ms: 200 })],
  ['the name resolves to a private address', 'blocked',        async () => ({ url: anyUrl, lookup: privateAddress })],
  ['the URL is not allowed',       'blocked',        async () => ({ url: 'http://10.0.0.1' })],
  ['the connection is refused',    'connect_failed', async () => ({ url: addressOf(await openClosedPort()) })],
  ['the connection is not accepted', 'timeout',        async () => ({ url: addressOf(await openFullPort()), ms: 300 })],
  ['the deadline has passed',      'lease_over',     async () => ({ url: anyUrl, ms: -1 })],
])('if %s, the request was not sent', async (_, code, arrange) => {
  const { url, ms = 5_000, ...options } = await arrange()

  const { outcome, call } = await createTestPerformer(options)(url, { ms })

  expect(outcome).toMatchObject({ is: 'not_sent', fault: { code } })
  expect(call).toMatchObject({ mayHaveBeenSent: false, status: null })
})

// biome-ignore format: a table.
test.each<[string, ServerBehavior, 'http' | 'https', CallOptions]>([
  ['the server does not use TLS',            { onData: (socket) => void socket.write('220 mail\r\n') },      'http',  {}],
  ['the server resets during the handshake', { onData: (socket) => void socket.resetAndDestroy() },          'http',  {}],
  ['the server closes during the handshake', { onData: (socket) => void socket.end() },                      'http',  {}],
  ['the server does not respond in the handshake', {},                                                             'http',  { ms: 300 }],
  ['the certificate is not trusted',         {},                                                             'https', { ca: null }],
])('if %s, the request was not sent', async (_, behavior, scheme, { ms = 5_000, ca = certificate.cert }) => {
  const server = await startByteServer(behavior, scheme)

  const { outcome } = await createTestPerformer({ ca })(addressOf(server.port, 'https'), { ms })

  expect(outcome).toMatchObject({ is: 'not_sent' })
  // The plain server only received the first bytes of a handshake.
  if (scheme === 'https') expect(server.bytes).toBe(0)
})

const connectionEnds = {
  // A TLS socket cannot be reset, so it is destroyed.
  reset: (socket: Socket) => (socket instanceof TLSSocket ? socket.destroy() : socket.resetAndDestroy()),
  close: (socket: Socket) => socket.destroy(),
}

test.each(['reset', 'close'] as const)(
  'the outcome of a connection that ends by %s before the server reads is unknown or not sent',
  async (how) => {
    const perform = createTestPerformer()
    for (let nth = 0; nth < 20; nth += 1) {
      const server = await startByteServer({ onConnect: connectionEnds[how] })

      const { outcome } = await perform(addressOf(server.port))

      // Whether our bytes were already sent is a race; the server has not read them in either case.
      expect(['unknown', 'not_sent']).toContain(outcome.is)
      expect(server.bytes).toBe(0)
    }
  },
)

/** Long enough to be cut in the middle: the kernel buffers are smaller. */
const long = 'x'.repeat(8_000_000)

test.each([1, 2, 100, 1_000, 65_536, 100_000, 1_000_000, 3_000_000, 7_900_000])(
  'the outcome of a connection that ends after %i bytes of the request is unknown',
  async (limit) => {
    for (const [how, endConnection] of Object.entries(connectionEnds)) {
      const server = await startByteServer({
        onData: (socket, bytes) => void (bytes >= limit && endConnection(socket)),
      })

      const { outcome, call } = await createTestPerformer()(addressOf(server.port), { description: long })

      expect(server.bytes, how).toBeGreaterThanOrEqual(limit)
      expect(outcome, how).toMatchObject({ is: 'unknown', fault: { code: 'reset' } })
      expect(call.mayHaveBeenSent, how).toBe(true)
    }
  },
)

const respond = (text: string) => (socket: Socket) => void socket.write(text)
const respondAndEnd = (text: string) => (socket: Socket) => void socket.end(text)
const withBody = (text: string, first = 'HTTP/1.1 200 OK') =>
  `${first}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'

// biome-ignore format: a table.
const invalidResponses: [string, string, (socket: Socket) => void, number?][] = [
  ['a reset after the request',     'reset',             connectionEnds.reset],
  ['a close after the request',     'reset',             (socket) => void socket.end()],
  ['silence after the request',     'timeout',           () => {}, 800],
  ['half a status line',            'timeout',           respond('HTTP/1.1 20'), 800],
  ['half the headers',              'timeout',           respond('HTTP/1.1 200 OK\r\ncontent-le'), 800],
  ['headers, then silence',         'timeout',           respond(head), 800],
  ['headers, then a close',         'reset',             respondAndEnd(head)],
  ['half the record, then silence', 'timeout',           respond(approval.slice(0, -9)), 800],
  ['half the record, then a close', 'reset',             respondAndEnd(approval.slice(0, -9))],
  ['half a chunk',                  'reset',             respondAndEnd(`${chunked}fff\r\n${record}`)],
  ['no last chunk',                 'reset',             respondAndEnd(`${chunked}${record.length.toString(16)}\r\n${record}\r\n`)],
  ['early hints and nothing else',  'timeout',           respond('HTTP/1.1 103 Early Hints\r\n\r\n'), 800],
  ['garbage',                       'reset',             respond('\0\x01\x02 ?\r\n\r\n')],
  ['two content lengths',           'reset',             respondAndEnd(`HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n12345`)],
  ['a redirect',                    'redirected',        respond(withBody(record, 'HTTP/1.1 301 Moved\r\nlocation: https://example.com/'))],
  ['a permanent redirect',          'redirected',        respond(withBody(record, 'HTTP/1.1 308 Moved\r\nlocation: https://example.com/'))],
  ['HTML with 200',                 'answer_unreadable', respond(withBody('<html>Welcome</html>'))],
  ['an empty body with 200',        'answer_unreadable', respond(withBody(''))],
  ['an empty body with 204',        'unexpected_answer', respond('HTTP/1.1 204 No Content\r\n\r\n')],
  ['a truncated record with a matching length', 'answer_unreadable', respond(withBody(record.slice(0, -1)))],
  ['a record of another operation', 'answer_unreadable', respond(withBody(record.replace('-1', '-7')))],
  ['a response that is too long',   'answer_too_long',   respond(withBody(`${record}${' '.repeat(300_000)}`))],
  ['500 with a success',            'unexpected_answer', respond(withBody(record, 'HTTP/1.1 500 Oops'))],
  ['502 with HTML',                 'unexpected_answer', respond(withBody('<html>', 'HTTP/1.1 502 Bad Gateway'))],
  ['bare 503',                      'unexpected_answer', respond(withBody('{}', 'HTTP/1.1 503 Busy'))],
  ['bare 429',                      'answer_unreadable', respond(withBody('{}', 'HTTP/1.1 429 Slow down'))],
]

test.each(invalidResponses)(
  'after %s the outcome is unknown (%s)',
  async (_, code, onRequest, ms = 5_000) => {
    const run = async (scheme: 'http' | 'https') => {
      const onData: ServerBehavior['onData'] = (socket, bytes) => void (bytes >= 900 && onRequest(socket))
      const server = await startByteServer({ onData }, scheme)
      return { server, ...(await createTestPerformer()(addressOf(server.port, scheme), { ms })) }
    }

    for (const { server, outcome, call } of await Promise.all([run('http'), run('https')])) {
      expect(server.bytes).toBeGreaterThan(900)
      expect(outcome).toMatchObject({ is: 'unknown', fault: { code } })
      expect(call.mayHaveBeenSent).toBe(true)
    }
  },
)

test.each([
  [true, 3],
  [false, 2],
])(
  'the outcome of a request on a kept-alive connection that breaks is unknown; provider recognizes repeats: %s',
  async (replay, times) => {
    let requests = 0
    const server = await startByteServer({
      onData: (socket) => {
        requests += 1
        if (requests === 1) socket.write(approval)
        else socket.resetAndDestroy()
      },
    })
    const perform = createTestPerformer()

    expect((await perform(addressOf(server.port), { replay })).outcome).toMatchObject({ is: 'succeeded' })
    expect((await perform(addressOf(server.port), { replay })).outcome).toMatchObject({ is: 'unknown' })
    // A provider that does not recognize repeated requests gets none.
    expect(requests).toBe(times)
  },
)

test('wherever a connection is cut, in the request or in the response, a received request counts as sent', async () => {
  const cuts = fc.record({
    afterRequestBytes: fc.oneof(fc.constant(0), fc.nat(1_200), fc.constant(1_200)),
    afterResponseBytes: fc.nat(approval.length),
    withoutReset: fc.boolean(),
  })
  const perform = createTestPerformer()
  await fc.assert(
    fc.asyncProperty(cuts, async ({ afterRequestBytes, afterResponseBytes, withoutReset }) => {
      const cut = (socket: Socket) => (withoutReset ? socket.destroy() : socket.resetAndDestroy())
      const server = await startByteServer({
        onConnect: (socket) => void (afterRequestBytes === 0 && cut(socket)),
        onData: (socket, bytes) => {
          if (bytes < 900) return void (bytes >= afterRequestBytes && cut(socket))
          if (afterRequestBytes < 1_200) return void cut(socket)
          socket.write(approval.slice(0, afterResponseBytes), () => cut(socket))
        },
      })

      const { outcome } = await perform(addressOf(server.port))

      if (server.bytes > 0) expect(outcome.is).not.toBe('not_sent')
      const isComplete = afterRequestBytes === 1_200 && afterResponseBytes === approval.length
      if (!isComplete) expect(outcome.is).not.toBe('succeeded')
    }),
    { numRuns: 150 },
  )
})
