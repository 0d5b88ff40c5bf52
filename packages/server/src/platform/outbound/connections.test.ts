// Connections are kept, shared within a pool alone, and given up when they are of no use.

import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { aStranger, ok } from '../../../test/support/stranger.ts'
import { insideUnit } from '../db/open-unit.ts'
import { createOutbound } from './client.ts'
import type { OutboundRequest } from './outbound.ts'

function anOutbound() {
  const outbound = createOutbound({ allowCidrs: [], allowLoopback: true })
  onTestFinished(() => outbound.close())
  const post = (port: number, changes: Partial<OutboundRequest> = {}) =>
    outbound.send({
      url: `http://127.0.0.1:${port}/`,
      mode: 'test',
      headers: {},
      body: '{}',
      timeoutMs: 5_000,
      maxAnswerBytes: 1_024,
      pool: 'pool',
      maxConnections: 1,
      ...changes,
    })
  return { ...outbound, post }
}

/** Well before an idle connection closes of itself. */
const soon = { timeout: 4_000 }

const answers = (socket: Socket) => void socket.write(ok)

test('calls of a pool take turns on its connections, and more at once when it may have more', async () => {
  const stranger = await aStranger(answers)
  const { post } = anOutbound()

  const one = await Promise.all(Array.from({ length: 5 }, () => post(stranger.port)))
  expect(one.map((reply) => reply.is)).toEqual(Array(5).fill('answered'))
  expect(stranger.connections).toBe(1)

  await Promise.all(Array.from({ length: 5 }, () => post(stranger.port, { maxConnections: 3 })))
  expect(stranger).toMatchObject({ connections: 3, requests: { length: 10 } })
})

test('pools never share a connection, even to the same receiver', async () => {
  const stranger = await aStranger(answers)
  const { post } = anOutbound()

  await post(stranger.port, { pool: 'a' })
  await post(stranger.port, { pool: 'b' })
  await post(stranger.port, { pool: 'a' })

  expect(stranger.connections).toBe(2)
})

test('a pool that leads elsewhere gives up its connections', async () => {
  let closed = 0
  const before = await aStranger((socket) => {
    socket.on('close', () => (closed += 1))
    answers(socket)
  })
  const after = await aStranger(answers)
  const { post } = anOutbound()

  await post(before.port)
  expect(await post(after.port)).toMatchObject({ is: 'answered', connectionReused: false })
  await expect.poll(() => closed, soon).toBe(1)
})

test('a pool that is forgotten closes what is idle, and what is in use after its answer', async () => {
  let closed = 0
  const { promise: mayAnswer, resolve: allowAnswer } = Promise.withResolvers<void>()
  const stranger = await aStranger((socket) => {
    socket.on('close', () => (closed += 1))
    void (stranger.connections === 1 ? Promise.resolve() : mayAnswer).then(() => answers(socket))
  })
  const { post, forget } = anOutbound()

  await post(stranger.port, { pool: 'idle' })
  forget('idle')
  await expect.poll(() => closed, soon).toBe(1)

  const underWay = post(stranger.port, { pool: 'busy' })
  await expect.poll(() => stranger.requests.length).toBe(2)
  forget('busy')
  allowAnswer()
  expect(await underWay).toMatchObject({ is: 'answered' })
  await expect.poll(() => closed, soon).toBe(2)
})

test('a receiver that closes a kept connection gets the request on a new one, within the same call', async () => {
  const stranger = await aStranger((socket, nth) => (nth === 1 ? answers(socket) : socket.resetAndDestroy()))
  const { post } = anOutbound()
  await post(stranger.port)

  const reply = await post(stranger.port)

  expect(reply).toMatchObject({ is: 'answered', status: 200, connectionReused: false })
  expect(stranger).toMatchObject({ connections: 2, requests: { length: 3 } })
})

test('it is tried once more and not again, and a new connection that breaks is no reason to', async () => {
  let isRude = false
  const stranger = await aStranger((socket) => (isRude ? socket.resetAndDestroy() : answers(socket)))
  const { post } = anOutbound()
  await post(stranger.port)
  isRude = true

  expect(await post(stranger.port)).toMatchObject({ is: 'failed', cause: 'reset', mayHaveBeenSent: true })
  expect(stranger).toMatchObject({ connections: 2, requests: { length: 3 } })
  expect(await post(stranger.port)).toMatchObject({ is: 'failed', cause: 'reset', mayHaveBeenSent: true })
  expect(stranger).toMatchObject({ connections: 3, requests: { length: 4 } })
})

test('if the new connection cannot be made, the request may still have been read from the old one', async () => {
  const stranger = await aStranger((socket, nth) => {
    if (nth === 1) return answers(socket)
    stranger.stopListening()
    socket.resetAndDestroy()
  })
  const { post } = anOutbound()
  await post(stranger.port)

  const reply = await post(stranger.port)

  expect(reply).toMatchObject({ is: 'failed', cause: 'connect_failed', mayHaveBeenSent: true })
})

test('a kept connection that breaks after a second, or within an answer, is not tried again', async () => {
  const late = await aStranger((socket, nth) => {
    if (nth === 1) answers(socket)
    else void sleep(1_050).then(() => socket.resetAndDestroy())
  })
  const halfway = await aStranger((socket, nth) => {
    if (nth === 1) return answers(socket)
    socket.write('HTTP/1.1 200 OK\r\n', () => socket.destroySoon())
  })

  for (const stranger of [late, halfway]) {
    const { post } = anOutbound()
    await post(stranger.port)
    expect(await post(stranger.port)).toMatchObject({ is: 'failed', cause: 'reset', connectionReused: true })
    expect(stranger.requests).toHaveLength(2)
  }
})

test('a connection that the receiver has closed in the meantime costs nothing but a new one', async () => {
  const closed: Promise<unknown>[] = []
  const stranger = await aStranger((socket) => {
    closed.push(once(socket, 'close'))
    answers(socket)
    socket.end()
  })
  const { post } = anOutbound()
  await post(stranger.port)
  await Promise.all(closed)

  expect(await post(stranger.port)).toMatchObject({ is: 'answered', connectionReused: false })
  expect(stranger.requests).toHaveLength(2)
  await Promise.all(closed)
  stranger.stopListening()
  expect(await post(stranger.port)).toMatchObject({ cause: 'connect_failed', connectionReused: false })
})

test('closing ends what is under way as our doing, and nothing is called after it', async () => {
  const silent = await aStranger(() => {})
  const { post, close } = anOutbound()
  const underWay = post(silent.port)
  const waiting = post(silent.port)
  await expect.poll(() => silent.requests.length).toBe(1)

  await close()

  expect(await underWay).toMatchObject({ cause: 'ours', mayHaveBeenSent: true })
  expect(await waiting).toMatchObject({ cause: 'ours', mayHaveBeenSent: false })
  expect((await waiting).timings.durationMs).toBeLessThan(4_000)
  expect(await post(silent.port)).toMatchObject({ cause: 'ours', mayHaveBeenSent: false })
  expect(silent.connections).toBe(1)
})

test('a header that cannot be written is our fault, and a reply like any other', async () => {
  const stranger = await aStranger(answers)
  const { post } = anOutbound()

  const reply = await post(stranger.port, { headers: { 'x-note': 'one\r\ntwo: 2' } })

  expect(reply).toMatchObject({ is: 'failed', cause: 'ours', mayHaveBeenSent: false })
  expect(await post(stranger.port)).toMatchObject({ is: 'answered' })
})

test('a call inside a unit of work is noticed, also if it had to wait for a connection', async () => {
  const stranger = await aStranger(answers)
  const { post } = anOutbound()
  const text = 'An HTTP call was made inside a transaction'

  await expect(insideUnit(() => post(stranger.port))).rejects.toThrow(text)
  const other = post(stranger.port)
  await expect(insideUnit(() => post(stranger.port))).rejects.toThrow(text)
  expect(await other).toMatchObject({ is: 'answered' })
  await expect(insideUnit(() => other)).resolves.toMatchObject({ is: 'answered' })
})
