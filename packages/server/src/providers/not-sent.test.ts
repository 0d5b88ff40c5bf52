// "Not sent" lets another provider charge the card, so it has to be true. A server that speaks bytes cuts the
// connection at every stage and counts what it has got: whenever a byte of a request has reached it, the
// outcome is something else.

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
import { authorize, config } from './custom/fixtures/accounts.ts'
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

type Manners = {
  onConnect?: (socket: Socket) => void
  /** With every piece that comes; `bytes` is how many there were so far. */
  onData?: (socket: Socket, bytes: number) => void
}

/** Counts the bytes of requests: under TLS those inside, since a handshake asks for nothing. */
async function aByteServer({ onConnect, onData }: Manners, scheme: 'http' | 'https' = 'http') {
  const server = { bytes: 0, port: 0 }
  const sockets = new Set<Socket>()
  const greet = (socket: Socket) => {
    let bytes = 0
    socket.on('error', () => {})
    onConnect?.(socket)
    socket.on('data', (piece) => {
      bytes += piece.length
      server.bytes += piece.length
      onData?.(socket, bytes)
    })
  }
  const listener: Server = scheme === 'http' ? createServer(greet) : createTlsServer(certificate, greet)
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

type Circumstances = {
  lookup?: Lookup
  ca?: string | null
  ms?: number
  description?: string
  replay?: boolean
}

/** Performs authorizations over the real outbound, one connection for all. */
function aPerformer({ lookup = loopback, ca = certificate.cert }: Circumstances = {}) {
  const trusted = ca === null ? {} : { ca }
  const outbound = createOutbound({ allowCidrs: [], allowLoopback: true, lookup, ...trusted })
  onTestFinished(() => outbound.close())
  const { perform } = createPerformer({
    sender: outbound,
    log: createLog('silent'),
    hashKey: Buffer.alloc(32),
  })
  return (url: string, { ms = 5_000, description = 'Order 4711', replay = true }: Circumstances = {}) =>
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

test('an approval that comes whole is one, in plain and under TLS', async () => {
  for (const scheme of ['http', 'https'] as const) {
    const server = await aByteServer({ onData: (socket) => void socket.write(approval) }, scheme)

    const { outcome, call } = await aPerformer()(addressOf(server.port, scheme))

    expect(outcome).toMatchObject({ is: 'succeeded', ref: 'ch_1' })
    expect(call).toMatchObject({ mayHaveBeenSent: true, status: 200, answerBytes: record.length })
    expect(server.bytes).toBeGreaterThan(call.requestBytes)
  }
})

/** A port whose queue is full and from which nobody takes: connections to it neither come nor fail. */
async function aBlackHole(): Promise<number> {
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

async function aClosedPort(): Promise<number> {
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
test.each<[string, string, () => Promise<{ url: string } & Circumstances>]>([
  ['the name does not exist',      'dns_failed',     async () => ({ url: anyUrl, lookup: unknownName })],
  ['the name server is silent',    'timeout',        async () => ({ url: anyUrl, lookup: never, ms: 200 })],
  ['the name leads into a network','blocked',        async () => ({ url: anyUrl, lookup: privateAddress })],
  ['the address is no URL',        'blocked',        async () => ({ url: 'http://10.0.0.1' })],
  ['the connection is refused',    'connect_failed', async () => ({ url: addressOf(await aClosedPort()) })],
  ['the connection never comes',   'timeout',        async () => ({ url: addressOf(await aBlackHole()), ms: 300 })],
  ['the time is over',             'lease_over',     async () => ({ url: anyUrl, ms: -1 })],
])('%s: not sent', async (_, code, arrange) => {
  const { url, ms = 5_000, ...circumstances } = await arrange()

  const { outcome, call } = await aPerformer(circumstances)(url, { ms })

  expect(outcome).toMatchObject({ is: 'not_sent', fault: { code } })
  expect(call).toMatchObject({ mayHaveBeenSent: false, status: null })
})

// biome-ignore format: a table.
test.each<[string, Manners, 'http' | 'https', Circumstances]>([
  ['they do not speak TLS',           { onData: (socket) => void socket.write('220 mail\r\n') },      'http',  {}],
  ['they reset during the handshake', { onData: (socket) => void socket.resetAndDestroy() },          'http',  {}],
  ['they close during the handshake', { onData: (socket) => void socket.end() },                      'http',  {}],
  ['they are silent in the handshake',{},                                                             'http',  { ms: 300 }],
  ['nobody trusts their certificate', {},                                                             'https', { ca: null }],
])('%s: not sent', async (_, manners, scheme, { ms = 5_000, ca = certificate.cert }) => {
  const server = await aByteServer(manners, scheme)

  const { outcome } = await aPerformer({ ca })(addressOf(server.port, 'https'), { ms })

  expect(outcome).toMatchObject({ is: 'not_sent' })
  // What a plain server got were the first bytes of a handshake.
  if (scheme === 'https') expect(server.bytes).toBe(0)
})

const hangUps = {
  // Under TLS there is no way to ask for it, so the connection is just dropped.
  reset: (socket: Socket) => (socket instanceof TLSSocket ? socket.destroy() : socket.resetAndDestroy()),
  close: (socket: Socket) => socket.destroy(),
}

test.each(['reset', 'close'] as const)(
  'a connection that ends by %s before anything is read',
  async (how) => {
    const performs = aPerformer()
    for (let nth = 0; nth < 20; nth += 1) {
      const server = await aByteServer({ onConnect: hangUps[how] })

      const { outcome } = await performs(addressOf(server.port))

      // Whether our bytes were on their way is a race; nobody has read them in either case.
      expect(['unknown', 'not_sent']).toContain(outcome.is)
      expect(server.bytes).toBe(0)
    }
  },
)

/** Long enough to be cut in the middle: the kernel holds less than this. */
const long = 'x'.repeat(8_000_000)

test.each([1, 2, 100, 1_000, 65_536, 100_000, 1_000_000, 3_000_000, 7_900_000])(
  'a connection that ends after %i bytes of the request: unknown',
  async (limit) => {
    for (const [how, hangUp] of Object.entries(hangUps)) {
      const server = await aByteServer({
        onData: (socket, bytes) => void (bytes >= limit && hangUp(socket)),
      })

      const { outcome, call } = await aPerformer()(addressOf(server.port), { description: long })

      expect(server.bytes, how).toBeGreaterThanOrEqual(limit)
      expect(outcome, how).toMatchObject({ is: 'unknown', fault: { code: 'reset' } })
      expect(call.mayHaveBeenSent, how).toBe(true)
    }
  },
)

const answers = (text: string) => (socket: Socket) => void socket.write(text)
const answersAndEnds = (text: string) => (socket: Socket) => void socket.end(text)
const withBody = (text: string, first = 'HTTP/1.1 200 OK') =>
  `${first}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'

// biome-ignore format: a table.
const badAnswers: [string, string, (socket: Socket) => void, number?][] = [
  ['a reset after the request',     'reset',             hangUps.reset],
  ['an end after the request',      'reset',             (socket) => void socket.end()],
  ['silence after the request',     'timeout',           () => {}, 800],
  ['half a status line',            'timeout',           answers('HTTP/1.1 20'), 800],
  ['half the headers',              'timeout',           answers('HTTP/1.1 200 OK\r\ncontent-le'), 800],
  ['headers, then silence',         'timeout',           answers(head), 800],
  ['headers, then the end',         'reset',             answersAndEnds(head)],
  ['half the record, then silence', 'timeout',           answers(approval.slice(0, -9)), 800],
  ['half the record, then the end', 'reset',             answersAndEnds(approval.slice(0, -9))],
  ['half a chunk',                  'reset',             answersAndEnds(`${chunked}fff\r\n${record}`)],
  ['no last chunk',                 'reset',             answersAndEnds(`${chunked}${record.length.toString(16)}\r\n${record}\r\n`)],
  ['early hints and nothing else',  'timeout',           answers('HTTP/1.1 103 Early Hints\r\n\r\n'), 800],
  ['garbage',                       'reset',             answers('\0\x01\x02 what?\r\n\r\n')],
  ['two lengths',                   'reset',             answersAndEnds(`HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n12345`)],
  ['a redirect',                    'redirected',        answers(withBody(record, 'HTTP/1.1 301 Moved\r\nlocation: https://example.com/'))],
  ['a redirect that repeats',       'redirected',        answers(withBody(record, 'HTTP/1.1 308 Moved\r\nlocation: https://example.com/'))],
  ['HTML with 200',                 'answer_unreadable', answers(withBody('<html>Welcome</html>'))],
  ['nothing with 200',              'answer_unreadable', answers(withBody(''))],
  ['nothing with 204',              'unexpected_answer', answers('HTTP/1.1 204 No Content\r\n\r\n')],
  ['a cut record, whole by length', 'answer_unreadable', answers(withBody(record.slice(0, -1)))],
  ['a record of somebody else',     'answer_unreadable', answers(withBody(record.replace('-1', '-7')))],
  ['too much',                      'answer_too_long',   answers(withBody(`${record}${' '.repeat(300_000)}`))],
  ['500 with a success',            'unexpected_answer', answers(withBody(record, 'HTTP/1.1 500 Oops'))],
  ['502 with HTML',                 'unexpected_answer', answers(withBody('<html>', 'HTTP/1.1 502 Bad Gateway'))],
  ['bare 503',                      'unexpected_answer', answers(withBody('{}', 'HTTP/1.1 503 Busy'))],
  ['bare 429',                      'answer_unreadable', answers(withBody('{}', 'HTTP/1.1 429 Slow down'))],
]

test.each(badAnswers)('%s: unknown (%s)', async (_, code, onRequest, ms = 5_000) => {
  const ask = async (scheme: 'http' | 'https') => {
    const onData: Manners['onData'] = (socket, bytes) => void (bytes >= 900 && onRequest(socket))
    const server = await aByteServer({ onData }, scheme)
    return { server, ...(await aPerformer()(addressOf(server.port, scheme), { ms })) }
  }

  for (const { server, outcome, call } of await Promise.all([ask('http'), ask('https')])) {
    expect(server.bytes).toBeGreaterThan(900)
    expect(outcome).toMatchObject({ is: 'unknown', fault: { code } })
    expect(call.mayHaveBeenSent).toBe(true)
  }
})

test.each([
  [true, 3],
  [false, 2],
])(
  'a kept connection that breaks leaves the request unknown; recognizing repeats: %s',
  async (replay, times) => {
    let requests = 0
    const server = await aByteServer({
      onData: (socket) => {
        requests += 1
        if (requests === 1) socket.write(approval)
        else socket.resetAndDestroy()
      },
    })
    const performs = aPerformer()

    expect((await performs(addressOf(server.port), { replay })).outcome).toMatchObject({ is: 'succeeded' })
    expect((await performs(addressOf(server.port), { replay })).outcome).toMatchObject({ is: 'unknown' })
    // Whoever does not recognize a repeat gets none.
    expect(requests).toBe(times)
  },
)

test('wherever a connection is cut, in the request or in the answer, what was received was sent', async () => {
  const cuts = fc.record({
    afterRequestBytes: fc.oneof(fc.constant(0), fc.nat(1_200), fc.constant(1_200)),
    afterAnswerBytes: fc.nat(approval.length),
    gently: fc.boolean(),
  })
  const performs = aPerformer()
  await fc.assert(
    fc.asyncProperty(cuts, async ({ afterRequestBytes, afterAnswerBytes, gently }) => {
      const cut = (socket: Socket) => (gently ? socket.destroy() : socket.resetAndDestroy())
      const server = await aByteServer({
        onConnect: (socket) => void (afterRequestBytes === 0 && cut(socket)),
        onData: (socket, bytes) => {
          if (bytes < 900) return void (bytes >= afterRequestBytes && cut(socket))
          if (afterRequestBytes < 1_200) return void cut(socket)
          socket.write(approval.slice(0, afterAnswerBytes), () => cut(socket))
        },
      })

      const { outcome } = await performs(addressOf(server.port))

      if (server.bytes > 0) expect(outcome.is).not.toBe('not_sent')
      const isWhole = afterRequestBytes === 1_200 && afterAnswerBytes === approval.length
      if (!isWhole) expect(outcome.is).not.toBe('succeeded')
    }),
    { numRuns: 150 },
  )
})
