// A call can time out at any step. It reports the step, and whether the receiver may have acted.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { selfSigned } from '../../../test/support/certificate.ts'
import { startNameServer } from '../../../test/support/name-server.ts'
import { ok, startRawServer } from '../../../test/support/raw-server.ts'
import { createOutbound } from './client.ts'
import { type Lookup, nameServerLookup } from './lookup.ts'

const name = 'hooks.example.com'
const certificate = selfSigned([name])

function createPost(lookup: Lookup = async () => [{ address: '127.0.0.1', family: 4 }]) {
  const outbound = createOutbound({ allowCidrs: [], allowLoopback: true, lookup, ca: certificate.cert })
  onTestFinished(() => outbound.close())
  return (url: string, timeoutMs: number, pool = 'pool', more: { connectMs?: number } = {}) =>
    outbound.send({
      ...more,
      url,
      mode: 'test',
      headers: {},
      body: '{}',
      timeoutMs,
      maxResponseBytes: 1_024,
      pool,
      maxConnections: 1,
    })
}

const never: Lookup = () => new Promise(() => {})

/** A port that accepts no connections: its backlog is full. */
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
    const caller = connect(port, '127.0.0.1')
    callers.push(caller)
    isFull = await Promise.race([once(caller, 'connect').then(() => false), sleep(300, true)])
  }
  return port
}

test('the total timeout applies at every step, and before the request is written nothing was sent', async () => {
  const silent = await startRawServer(() => {})
  const fullPort = await openFullPort()
  const ms = expect.any(Number)

  expect(await createPost(never)(`https://${name}/`, 200)).toMatchObject({
    cause: 'timeout',
    detail: 'Timeout: no complete response within 200 ms.',
    mayHaveBeenSent: false,
    remoteIp: null,
    timings: { dnsMs: ms, connectMs: null },
  })
  expect(await createPost()(`https://${name}:${fullPort}/`, 200)).toMatchObject({
    cause: 'timeout',
    mayHaveBeenSent: false,
    remoteIp: null,
    timings: { dnsMs: ms, connectMs: ms, tlsMs: null },
  })
  // It accepts the connection and sends nothing, so TLS never starts.
  expect(await createPost()(`https://${name}:${silent.port}/`, 200)).toMatchObject({
    cause: 'timeout',
    mayHaveBeenSent: false,
    remoteIp: '127.0.0.1',
    timings: { dnsMs: ms, connectMs: ms, tlsMs: ms, firstByteMs: null },
  })
})

test('once the request is written, a receiver that does not respond in time may have acted', async () => {
  const silent = await startRawServer(() => {})
  const half = await startRawServer((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n'))
  const trickle = await startRawServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n')
    const timer = setInterval(() => socket.write('a'), 20)
    socket.on('close', () => clearInterval(timer))
  })

  for (const { port } of [silent, half, trickle]) {
    const reply = await createPost()(`http://127.0.0.1:${port}/`, 200)
    expect(reply).toMatchObject({ kind: 'failed', cause: 'timeout', mayHaveBeenSent: true })
    expect(reply.timings.durationMs).toBeGreaterThanOrEqual(199)
    expect(reply.timings.durationMs).toBeLessThan(1_500)
  }
})

test.each(['http', 'https'])('a call over %s that timed out leaves no connection behind', async (scheme) => {
  let closed = 0
  const silent = await startRawServer((socket) => void socket.on('close', () => (closed += 1)))

  expect(await createPost()(`${scheme}://localhost:${silent.port}/`, 300)).toMatchObject({ cause: 'timeout' })

  await expect.poll(() => closed, { timeout: 3_000 }).toBe(1)
})

test('DNS has 3 seconds, connections and TLS 5 each, regardless of the timeout of the call', async () => {
  const silent = await startRawServer(() => {})
  const fullPort = await openFullPort()
  const servers = [await startNameServer({ [name]: 'silent' })]

  const [noAnswer, noServer, noConnection, noTls] = await Promise.all([
    createPost(never)(`https://${name}/`, 30_000),
    createPost(nameServerLookup(servers))(`https://${name}/`, 30_000),
    createPost()(`https://${name}:${fullPort}/`, 30_000),
    createPost()(`https://${name}:${silent.port}/`, 30_000),
  ])

  expect(noAnswer).toMatchObject({
    cause: 'dns_failed',
    detail: 'Timeout: the host name was not resolved within 3 seconds.',
    mayHaveBeenSent: false,
  })
  expect(noServer).toMatchObject({ cause: 'dns_failed', mayHaveBeenSent: false })
  expect(noServer.timings.durationMs).toBeLessThan(4_000)
  expect(noConnection).toMatchObject({
    cause: 'connect_failed',
    detail: 'Timeout: no connection within 5 seconds.',
    mayHaveBeenSent: false,
  })
  expect(noTls).toMatchObject({
    cause: 'tls_failed',
    detail: 'Timeout: the TLS handshake was not completed within 5 seconds.',
    mayHaveBeenSent: false,
    remoteIp: '127.0.0.1',
  })
})

test('a caller can set a shorter timeout for connections and TLS', async () => {
  const silent = await startRawServer(() => {})
  const shortTimeout = { connectMs: 400 }

  const [noConnection, noTls] = await Promise.all([
    createPost()(`https://${name}:${await openFullPort()}/`, 30_000, 'full', shortTimeout),
    createPost()(`https://${name}:${silent.port}/`, 30_000, 'silent', shortTimeout),
  ])

  expect(noConnection).toMatchObject({ detail: 'Timeout: no connection within 0.4 seconds.' })
  expect(noTls).toMatchObject({
    detail: 'Timeout: the TLS handshake was not completed within 0.4 seconds.',
    mayHaveBeenSent: false,
  })
})

test('a name without an address, a refused connection and a failed handshake are reported differently', async () => {
  const servers = [await startNameServer({ 'empty.example.com': {} })]
  const post = createPost(nameServerLookup(servers))
  const stopped = await startRawServer(() => {})
  stopped.stopListening()
  const resetting = await startRawServer((socket) => socket.resetAndDestroy())
  const notSent = { kind: 'failed', mayHaveBeenSent: false }

  expect(await post('https://unknown.example.com/', 2_000)).toMatchObject({
    ...notSent,
    cause: 'dns_failed',
    detail: 'The host name has no IP address.',
  })
  expect(await post('https://empty.example.com/', 2_000)).toMatchObject({ ...notSent, cause: 'dns_failed' })
  expect(await createPost(async () => [])(`https://${name}/`, 2_000)).toMatchObject({
    ...notSent,
    cause: 'dns_failed',
  })
  expect(await post(`http://127.0.0.1:${stopped.port}/`, 2_000)).toMatchObject({
    ...notSent,
    cause: 'connect_failed',
    detail: 'The connection was refused.',
  })
  expect(await createPost()(`https://${name}:${resetting.port}/`, 2_000)).toMatchObject({
    ...notSent,
    cause: 'tls_failed',
  })
})

test('a failure to connect is not cached: the next call of the pool resolves and connects again', async () => {
  const rawServer = await startRawServer((socket) => socket.write(ok), certificate)
  const answers = [[], [{ address: '127.0.0.1', family: 4 }]]
  const post = createPost(async () => answers.shift() ?? [])

  expect(await post(`https://${name}:${rawServer.port}/`, 2_000)).toMatchObject({ cause: 'dns_failed' })
  expect(await post(`https://${name}:${rawServer.port}/`, 2_000)).toMatchObject({ kind: 'answered' })
})

test('the next of several addresses is tried when one does not respond', async () => {
  const rawServer = await startRawServer((socket) => socket.write(ok), certificate, '127.0.0.1')
  const lookup: Lookup = async () => [
    { address: '::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ]

  const reply = await createPost(lookup)(`https://${name}:${rawServer.port}/`, 2_000)

  expect(reply).toMatchObject({ kind: 'answered', remoteIp: '127.0.0.1' })
})

test('a call that times out while waiting for a connection was not sent, and is reported as a fault on our side', async () => {
  const silent = await startRawServer(() => {})
  const post = createPost()
  const url = `http://127.0.0.1:${silent.port}/`

  const [first, second] = await Promise.all([post(url, 600), post(url, 200)])

  expect(first).toMatchObject({ cause: 'timeout', mayHaveBeenSent: true })
  expect(second).toMatchObject({
    cause: 'ours',
    detail: 'No connection became available.',
    mayHaveBeenSent: false,
  })
  expect(silent.requests).toHaveLength(1)
  // The call that timed out no longer occupies a place in the queue.
  expect(await post(url, 200)).toMatchObject({ cause: 'timeout', mayHaveBeenSent: true })
})
