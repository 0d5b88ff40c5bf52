// A call ends in time at every step, and tells at which one, and whether the receiver may have acted.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { selfSigned } from '../../../test/support/certificate.ts'
import { aNameServer } from '../../../test/support/name-server.ts'
import { aStranger, ok } from '../../../test/support/stranger.ts'
import { createOutbound } from './client.ts'
import { type Lookup, nameServerLookup } from './lookup.ts'

const name = 'hooks.example.com'
const certificate = selfSigned([name])

function anOutbound(lookup: Lookup = async () => [{ address: '127.0.0.1', family: 4 }]) {
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
      maxAnswerBytes: 1_024,
      pool,
      maxConnections: 1,
    })
}

const never: Lookup = () => new Promise(() => {})

/** A port that takes no connection: its queue is full, and nobody takes from it. */
async function aFullPort(): Promise<number> {
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

test('the total holds at every step, and before the request is written nothing was sent', async () => {
  const silent = await aStranger(() => {})
  const fullPort = await aFullPort()
  const ms = expect.any(Number)

  expect(await anOutbound(never)(`https://${name}/`, 200)).toMatchObject({
    cause: 'timeout',
    detail: 'There was no complete answer within 200 ms.',
    mayHaveBeenSent: false,
    remoteIp: null,
    timings: { dnsMs: ms, connectMs: null },
  })
  expect(await anOutbound()(`https://${name}:${fullPort}/`, 200)).toMatchObject({
    cause: 'timeout',
    mayHaveBeenSent: false,
    remoteIp: null,
    timings: { dnsMs: ms, connectMs: ms, tlsMs: null },
  })
  // It takes the connection and says nothing, so TLS never begins.
  expect(await anOutbound()(`https://${name}:${silent.port}/`, 200)).toMatchObject({
    cause: 'timeout',
    mayHaveBeenSent: false,
    remoteIp: '127.0.0.1',
    timings: { dnsMs: ms, connectMs: ms, tlsMs: ms, firstByteMs: null },
  })
})

test('once the request is written, a receiver that does not answer in time may have acted', async () => {
  const silent = await aStranger(() => {})
  const half = await aStranger((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n'))
  const trickle = await aStranger((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n')
    const drops = setInterval(() => socket.write('a'), 20)
    socket.on('close', () => clearInterval(drops))
  })

  for (const { port } of [silent, half, trickle]) {
    const reply = await anOutbound()(`http://127.0.0.1:${port}/`, 200)
    expect(reply).toMatchObject({ is: 'failed', cause: 'timeout', mayHaveBeenSent: true })
    expect(reply.timings.durationMs).toBeGreaterThanOrEqual(199)
    expect(reply.timings.durationMs).toBeLessThan(1_500)
  }
})

test.each(['http', 'https'])('a call by %s that was given up leaves no connection behind', async (scheme) => {
  let closed = 0
  const silent = await aStranger((socket) => void socket.on('close', () => (closed += 1)))

  expect(await anOutbound()(`${scheme}://localhost:${silent.port}/`, 300)).toMatchObject({ cause: 'timeout' })

  await expect.poll(() => closed, { timeout: 3_000 }).toBe(1)
})

test('names have 3 seconds, connections and TLS 5 each, whatever the call has', async () => {
  const silent = await aStranger(() => {})
  const fullPort = await aFullPort()
  const servers = [await aNameServer({ [name]: 'silent' })]

  const [noAnswer, noServer, noConnection, noTls] = await Promise.all([
    anOutbound(never)(`https://${name}/`, 30_000),
    anOutbound(nameServerLookup(servers))(`https://${name}/`, 30_000),
    anOutbound()(`https://${name}:${fullPort}/`, 30_000),
    anOutbound()(`https://${name}:${silent.port}/`, 30_000),
  ])

  expect(noAnswer).toMatchObject({
    cause: 'dns_failed',
    detail: 'The name was not resolved within 3 seconds.',
    mayHaveBeenSent: false,
  })
  expect(noServer).toMatchObject({ cause: 'dns_failed', mayHaveBeenSent: false })
  expect(noServer.timings.durationMs).toBeLessThan(4_000)
  expect(noConnection).toMatchObject({
    cause: 'connect_failed',
    detail: 'There was no connection within 5 seconds.',
    mayHaveBeenSent: false,
  })
  expect(noTls).toMatchObject({
    cause: 'tls_failed',
    detail: 'TLS was not agreed within 5 seconds.',
    mayHaveBeenSent: false,
    remoteIp: '127.0.0.1',
  })
})

test('whoever calls may have less patience for connections and TLS', async () => {
  const silent = await aStranger(() => {})
  const less = { connectMs: 400 }

  const [noConnection, noTls] = await Promise.all([
    anOutbound()(`https://${name}:${await aFullPort()}/`, 30_000, 'full', less),
    anOutbound()(`https://${name}:${silent.port}/`, 30_000, 'silent', less),
  ])

  expect(noConnection).toMatchObject({ detail: 'There was no connection within 0.4 seconds.' })
  expect(noTls).toMatchObject({ detail: 'TLS was not agreed within 0.4 seconds.', mayHaveBeenSent: false })
})

test('a name without an address, a refused connection and a broken handshake are told apart', async () => {
  const servers = [await aNameServer({ 'empty.example.com': {} })]
  const post = anOutbound(nameServerLookup(servers))
  const gone = await aStranger(() => {})
  gone.stopListening()
  const rude = await aStranger((socket) => socket.resetAndDestroy())
  const notSent = { is: 'failed', mayHaveBeenSent: false }

  expect(await post('https://unknown.example.com/', 2_000)).toMatchObject({
    ...notSent,
    cause: 'dns_failed',
    detail: 'The name has no address.',
  })
  expect(await post('https://empty.example.com/', 2_000)).toMatchObject({ ...notSent, cause: 'dns_failed' })
  expect(await anOutbound(async () => [])(`https://${name}/`, 2_000)).toMatchObject({
    ...notSent,
    cause: 'dns_failed',
  })
  expect(await post(`http://127.0.0.1:${gone.port}/`, 2_000)).toMatchObject({
    ...notSent,
    cause: 'connect_failed',
    detail: 'The connection was refused.',
  })
  expect(await anOutbound()(`https://${name}:${rude.port}/`, 2_000)).toMatchObject({
    ...notSent,
    cause: 'tls_failed',
  })
})

test('a failure to connect does not stick: the next call of the pool asks and connects anew', async () => {
  const stranger = await aStranger((socket) => socket.write(ok), certificate)
  const answers = [[], [{ address: '127.0.0.1', family: 4 }]]
  const post = anOutbound(async () => answers.shift() ?? [])

  expect(await post(`https://${name}:${stranger.port}/`, 2_000)).toMatchObject({ cause: 'dns_failed' })
  expect(await post(`https://${name}:${stranger.port}/`, 2_000)).toMatchObject({ is: 'answered' })
})

test('the next of several addresses is tried when one does not answer', async () => {
  const stranger = await aStranger((socket) => socket.write(ok), certificate, '127.0.0.1')
  const lookup: Lookup = async () => [
    { address: '::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ]

  const reply = await anOutbound(lookup)(`https://${name}:${stranger.port}/`, 2_000)

  expect(reply).toMatchObject({ is: 'answered', remoteIp: '127.0.0.1' })
})

test('a call that waits for a connection until its time is over was not tried, and that is our doing', async () => {
  const silent = await aStranger(() => {})
  const post = anOutbound()
  const url = `http://127.0.0.1:${silent.port}/`

  const [first, second] = await Promise.all([post(url, 600), post(url, 200)])

  expect(first).toMatchObject({ cause: 'timeout', mayHaveBeenSent: true })
  expect(second).toMatchObject({
    cause: 'ours',
    detail: 'No connection became free.',
    mayHaveBeenSent: false,
  })
  expect(silent.requests).toHaveLength(1)
  // Nobody keeps a place for the one that left.
  expect(await post(url, 200)).toMatchObject({ cause: 'timeout', mayHaveBeenSent: true })
})
