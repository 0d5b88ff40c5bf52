// Connections are reused, shared only within a pool, and closed when they are no longer useful.

import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { ok, startRawServer } from '../../../test/support/raw-server.ts'
import { insideUnit } from '../db/unit-scope.ts'
import { createOutbound } from './client.ts'
import type { OutboundRequest } from './outbound.ts'

function createTestOutbound() {
  const outbound = createOutbound({ allowCidrs: [], allowLoopback: true })
  onTestFinished(() => outbound.close())
  const post = (port: number, changes: Partial<OutboundRequest> = {}) =>
    outbound.send({
      url: `http://127.0.0.1:${port}/`,
      mode: 'test',
      headers: {},
      body: '{}',
      timeoutMs: 5_000,
      maxResponseBytes: 1_024,
      pool: 'pool',
      maxConnections: 1,
      ...changes,
    })
  return { ...outbound, post }
}

/** Well before the idle timeout of a connection. */
const soon = { timeout: 4_000 }

const respond = (socket: Socket) => void socket.write(ok)

test('calls of a pool share a connection in turn, and run concurrently if it may have more', async () => {
  const rawServer = await startRawServer(respond)
  const { post } = createTestOutbound()

  const replies = await Promise.all(Array.from({ length: 5 }, () => post(rawServer.port)))
  expect(replies.map((reply) => reply.kind)).toEqual(Array(5).fill('answered'))
  expect(rawServer.connections).toBe(1)

  await Promise.all(Array.from({ length: 5 }, () => post(rawServer.port, { maxConnections: 3 })))
  expect(rawServer).toMatchObject({ connections: 3, requests: { length: 10 } })
})

test('pools never share a connection, even to the same receiver', async () => {
  const rawServer = await startRawServer(respond)
  const { post } = createTestOutbound()

  await post(rawServer.port, { pool: 'a' })
  await post(rawServer.port, { pool: 'b' })
  await post(rawServer.port, { pool: 'a' })

  expect(rawServer.connections).toBe(2)
})

test('a pool whose destination changes closes its connections', async () => {
  let closed = 0
  const before = await startRawServer((socket) => {
    socket.on('close', () => (closed += 1))
    respond(socket)
  })
  const after = await startRawServer(respond)
  const { post } = createTestOutbound()

  await post(before.port)
  expect(await post(after.port)).toMatchObject({ kind: 'answered', connectionReused: false })
  await expect.poll(() => closed, soon).toBe(1)
})

test('closing a pool closes idle connections, and busy ones after their response', async () => {
  let closed = 0
  const { promise: responseAllowed, resolve: allowResponse } = Promise.withResolvers<void>()
  const rawServer = await startRawServer((socket) => {
    socket.on('close', () => (closed += 1))
    void (rawServer.connections === 1 ? Promise.resolve() : responseAllowed).then(() => respond(socket))
  })
  const { post, closePool } = createTestOutbound()

  await post(rawServer.port, { pool: 'idle' })
  closePool('idle')
  await expect.poll(() => closed, soon).toBe(1)

  const inProgress = post(rawServer.port, { pool: 'busy' })
  await expect.poll(() => rawServer.requests.length).toBe(2)
  closePool('busy')
  allowResponse()
  expect(await inProgress).toMatchObject({ kind: 'answered' })
  await expect.poll(() => closed, soon).toBe(2)
})

test('if a receiver closes a kept-alive connection, the request is sent on a new one within the same call', async () => {
  const rawServer = await startRawServer((socket, nth) =>
    nth === 1 ? respond(socket) : socket.resetAndDestroy(),
  )
  const { post } = createTestOutbound()
  await post(rawServer.port)

  const reply = await post(rawServer.port)

  expect(reply).toMatchObject({ kind: 'answered', status: 200, connectionReused: false })
  expect(rawServer).toMatchObject({ connections: 2, requests: { length: 3 } })
})

test('a request is resent only once, and not if a new connection breaks', async () => {
  let resetsConnections = false
  const rawServer = await startRawServer((socket) =>
    resetsConnections ? socket.resetAndDestroy() : respond(socket),
  )
  const { post } = createTestOutbound()
  await post(rawServer.port)
  resetsConnections = true

  expect(await post(rawServer.port)).toMatchObject({ kind: 'failed', cause: 'reset', mayHaveBeenSent: true })
  expect(rawServer).toMatchObject({ connections: 2, requests: { length: 3 } })
  expect(await post(rawServer.port)).toMatchObject({ kind: 'failed', cause: 'reset', mayHaveBeenSent: true })
  expect(rawServer).toMatchObject({ connections: 3, requests: { length: 4 } })
})

test('if the new connection fails, the request may still have been read from the old one', async () => {
  const rawServer = await startRawServer((socket, nth) => {
    if (nth === 1) return respond(socket)
    rawServer.stopListening()
    socket.resetAndDestroy()
  })
  const { post } = createTestOutbound()
  await post(rawServer.port)

  const reply = await post(rawServer.port)

  expect(reply).toMatchObject({ kind: 'failed', cause: 'connect_failed', mayHaveBeenSent: true })
})

test('a kept-alive connection that breaks after a second, or during a response, is not retried', async () => {
  const late = await startRawServer((socket, nth) => {
    if (nth === 1) respond(socket)
    else void sleep(1_050).then(() => socket.resetAndDestroy())
  })
  const halfway = await startRawServer((socket, nth) => {
    if (nth === 1) return respond(socket)
    socket.write('HTTP/1.1 200 OK\r\n', () => socket.destroySoon())
  })

  for (const rawServer of [late, halfway]) {
    const { post } = createTestOutbound()
    await post(rawServer.port)
    expect(await post(rawServer.port)).toMatchObject({
      kind: 'failed',
      cause: 'reset',
      connectionReused: true,
    })
    expect(rawServer.requests).toHaveLength(2)
  }
})

test('a connection that the receiver has closed while idle is replaced', async () => {
  const closed: Promise<unknown>[] = []
  const rawServer = await startRawServer((socket) => {
    closed.push(once(socket, 'close'))
    respond(socket)
    socket.end()
  })
  const { post } = createTestOutbound()
  await post(rawServer.port)
  await Promise.all(closed)

  expect(await post(rawServer.port)).toMatchObject({ kind: 'answered', connectionReused: false })
  expect(rawServer.requests).toHaveLength(2)
  await Promise.all(closed)
  rawServer.stopListening()
  expect(await post(rawServer.port)).toMatchObject({ cause: 'connect_failed', connectionReused: false })
})

test('closing ends calls in progress with a fault on our side, and later calls are rejected', async () => {
  const silent = await startRawServer(() => {})
  const { post, close } = createTestOutbound()
  const inProgress = post(silent.port)
  const waiting = post(silent.port)
  await expect.poll(() => silent.requests.length).toBe(1)

  await close()

  expect(await inProgress).toMatchObject({ cause: 'ours', mayHaveBeenSent: true })
  expect(await waiting).toMatchObject({ cause: 'ours', mayHaveBeenSent: false })
  expect((await waiting).timings.durationMs).toBeLessThan(4_000)
  expect(await post(silent.port)).toMatchObject({ cause: 'ours', mayHaveBeenSent: false })
  expect(silent.connections).toBe(1)
})

test('a header that cannot be written is reported as a fault on our side, in a normal reply', async () => {
  const rawServer = await startRawServer(respond)
  const { post } = createTestOutbound()

  const reply = await post(rawServer.port, { headers: { 'x-note': 'one\r\ntwo: 2' } })

  expect(reply).toMatchObject({ kind: 'failed', cause: 'ours', mayHaveBeenSent: false })
  expect(await post(rawServer.port)).toMatchObject({ kind: 'answered' })
})

test('a call inside a unit of work is detected, even if it had to wait for a connection', async () => {
  const rawServer = await startRawServer(respond)
  const { post } = createTestOutbound()
  const text = 'An HTTP call was made inside a transaction'

  await expect(insideUnit(() => post(rawServer.port))).rejects.toThrow(text)
  const other = post(rawServer.port)
  await expect(insideUnit(() => post(rawServer.port))).rejects.toThrow(text)
  expect(await other).toMatchObject({ kind: 'answered' })
  await expect(insideUnit(() => other)).resolves.toMatchObject({ kind: 'answered' })
})
