import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { monotonicMs } from '../../src/kernel/clock.ts'
import type { Mode } from '../../src/kernel/id.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'
import { dial, head } from './support/wire.ts'

// Tokens are remembered as in production: else each request would ask the database for its own.
const switchyard = await switchyardForThisFile({ overrides: { tokenMemoryMs: 5_000 } })
const patience = { headersMs: 600, requestMs: 900, keepAliveMs: 500, standstillMs: 2_500, checkMs: 100 }

const { siteFor } = switchyard
const impatient = { ...switchyard, siteFor: (mode: Mode) => ({ ...siteFor(mode), patience }) }
const app = buildApp(impatient, 'test')
const address = await app.listen({ host: '127.0.0.1', port: 0 })
afterAll(() => app.close())

/** Opens a connection that says a byte now and then, and tells how long the server bore it. */
async function drip(beginning: string): Promise<number> {
  const socket = await dial(address)
  const startedMs = monotonicMs()
  socket.on('error', () => {})
  socket.resume()
  socket.write(beginning)
  const timer = setInterval(() => socket.write('a'), 200)
  await Promise.race([
    new Promise((resolve) => socket.once('end', resolve)),
    new Promise((resolve) => socket.once('close', resolve)),
  ])
  clearInterval(timer)
  socket.destroy()
  return monotonicMs() - startedMs
}

const connections = () =>
  new Promise<number>((resolve) => app.server.getConnections((_, count) => resolve(count)))

test('600 slow connections are closed in time, and a healthy client does not notice them', async () => {
  const [attacker, { token }] = [await switchyard.newWorkspace(), await switchyard.newWorkspace()]
  const bodyToCome = [
    `Authorization: Bearer ${attacker.token}`,
    'Content-Type: application/json',
    'Content-Length: 1000',
  ]
  const healthy = async () => {
    const startedMs = monotonicMs()
    const { status } = await fetch(`${address}/me`, { headers: { authorization: `Bearer ${token}` } })
    expect(status).toBe(200)
    return monotonicMs() - startedMs
  }
  await healthy()
  const slowly = async (place: number) => {
    // Attackers, clients and server share this process: all at once, dialling alone would fill it.
    await pause(place * 4)
    return Promise.all([
      drip('GET /me HTTP/1.1\r\nHost: x\r\nX-A: '),
      drip(`${head('POST /customers HTTP/1.1', bodyToCome)}"`),
      drip(head('GET /nothing HTTP/1.1')),
    ])
  }
  let isOver = false
  const served = Promise.all(Array.from({ length: 200 }, (_, place) => slowly(place))).finally(() => {
    isOver = true
  })
  const waits: number[] = []
  while (!isOver) {
    waits.push(await healthy())
    await pause(2)
  }

  const borne = await served
  expect(Math.max(...borne.flat())).toBeLessThan(5_000)
  expect(p99(waits)).toBeLessThan(500)
  await expect.poll(connections, { timeout: 3_000 }).toBe(0)
})

test('a connection is closed though the client never closes its half', async () => {
  await expect.poll(connections).toBe(0)
  const socket = await dial(address, { allowHalfOpen: true })
  socket.resume()
  socket.write('nonsense\r\n\r\n')
  await once(socket, 'end')

  expect(await connections()).toBe(1)
  await expect.poll(connections, { timeout: 2_000 }).toBe(0)
  socket.destroy()
})

test('a client that asks and does not read is dropped', async () => {
  const socket = await dial(address)
  socket.on('error', () => {})
  socket.pause()
  const request = head('GET /openapi.json HTTP/1.1')
  for (let count = 0; count < 200; count += 1) socket.write(request)
  await pause(1_000)

  expect(await connections()).toBe(1)
  await expect.poll(connections, { timeout: 6_000 }).toBe(0)
  socket.destroy()
})

test('real listeners have bounds on slowness', () => {
  for (const { server } of Object.values(switchyard.apps))
    expect(server).toMatchObject({
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 65_000,
      timeout: 60_000,
    })
})

function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b).at(Math.floor(values.length * 0.99)) ?? 0
}
