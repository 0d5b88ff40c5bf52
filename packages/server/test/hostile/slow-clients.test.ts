import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { monotonicMs } from '../../src/kernel/clock.ts'
import type { Mode } from '../../src/kernel/id.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'
import { openSocket, requestHead } from './support/raw-socket.ts'

// Tokens are cached as in production, because otherwise each request would query the database.
const switchyard = await switchyardForThisFile({ overrides: { tokenCacheMs: 5_000 } })
const timeouts = { headersMs: 600, requestMs: 900, keepAliveMs: 500, inactivityMs: 2_500, checkMs: 100 }

const { httpContext } = switchyard
const withShortTimeouts = { ...switchyard, httpContext: (mode: Mode) => ({ ...httpContext(mode), timeouts }) }
const app = buildApp(withShortTimeouts, 'test')
const address = await app.listen({ host: '127.0.0.1', port: 0 })
afterAll(() => app.close())

/** Opens a connection that sends a byte every 200 ms, and returns how long the server keeps it open. */
async function sendSlowly(start: string): Promise<number> {
  const socket = await openSocket(address)
  const startedMs = monotonicMs()
  socket.on('error', () => {})
  socket.resume()
  socket.write(start)
  const timer = setInterval(() => socket.write('a'), 200)
  await Promise.race([
    new Promise((resolve) => socket.once('end', resolve)),
    new Promise((resolve) => socket.once('close', resolve)),
  ])
  clearInterval(timer)
  socket.destroy()
  return monotonicMs() - startedMs
}

const countConnections = () =>
  new Promise<number>((resolve) => app.server.getConnections((_, count) => resolve(count)))

test('600 slow connections are closed in time, and requests of a normal client stay fast', async () => {
  const [attacker, { token }] = [await switchyard.newWorkspace(), await switchyard.newWorkspace()]
  const headersOfUnsentBody = [
    `Authorization: Bearer ${attacker.token}`,
    'Content-Type: application/json',
    'Content-Length: 1000',
  ]
  const sendNormalRequest = async () => {
    const startedMs = monotonicMs()
    const { status } = await fetch(`${address}/me`, { headers: { authorization: `Bearer ${token}` } })
    expect(status).toBe(200)
    return monotonicMs() - startedMs
  }
  await sendNormalRequest()
  const attack = async (index: number) => {
    // Attackers, clients and the server run in this process, so opening all connections at the same time
    // would saturate it.
    await pause(index * 4)
    return Promise.all([
      sendSlowly('GET /me HTTP/1.1\r\nHost: x\r\nX-A: '),
      sendSlowly(`${requestHead('POST /customers HTTP/1.1', headersOfUnsentBody)}"`),
      sendSlowly(requestHead('GET /nothing HTTP/1.1')),
    ])
  }
  let hasEnded = false
  const attacks = Promise.all(Array.from({ length: 200 }, (_, index) => attack(index))).finally(() => {
    hasEnded = true
  })
  const waits: number[] = []
  while (!hasEnded) {
    waits.push(await sendNormalRequest())
    await pause(2)
  }

  const openTimes = await attacks
  expect(Math.max(...openTimes.flat())).toBeLessThan(5_000)
  expect(p99(waits)).toBeLessThan(500)
  await expect.poll(countConnections, { timeout: 3_000 }).toBe(0)
})

test('a connection is closed even if the client never closes its side', async () => {
  await expect.poll(countConnections).toBe(0)
  const socket = await openSocket(address, { allowHalfOpen: true })
  socket.resume()
  socket.write('nonsense\r\n\r\n')
  await once(socket, 'end')

  expect(await countConnections()).toBe(1)
  await expect.poll(countConnections, { timeout: 2_000 }).toBe(0)
  socket.destroy()
})

test('a client that sends requests and does not read is disconnected', async () => {
  const socket = await openSocket(address)
  socket.on('error', () => {})
  socket.pause()
  const request = requestHead('GET /openapi.json HTTP/1.1')
  for (let count = 0; count < 200; count += 1) socket.write(request)
  await pause(1_000)

  expect(await countConnections()).toBe(1)
  await expect.poll(countConnections, { timeout: 6_000 }).toBe(0)
  socket.destroy()
})

test('the listeners of the server have timeouts for slow clients', () => {
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
