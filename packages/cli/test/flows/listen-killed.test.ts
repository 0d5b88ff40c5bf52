// Kills `listen` while it forwards thousands of events, and starts it again. No event is missing, the events of one
// object arrive in order, and only events without a response at the kill are sent again.

import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test, vi } from 'vitest'
import { switchyardForThisFile, type Workspace } from '../../../server/test/support/switchyard.ts'
import { homeForThisFile } from '../support/cli.ts'
import { type HandledEvent, objectsOutOfOrder, withoutRepeats } from '../support/handled.ts'

vi.setConfig({ testTimeout: 300_000 })

const switchyard = await switchyardForThisFile()
const cli = homeForThisFile()
const [objects, changes, inFlight] = [50, 40, 10]
const waitOptions = { timeout: 120_000, interval: 5 }

/** Handles requests, or holds them without a response, as a receiver with a busy database does. */
const receiver = await (async () => {
  const handled: HandledEvent[] = []
  const held = new Set<ServerResponse>()
  const state = { isHolding: false }
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => null)
    if (body === null) return
    if (state.isHolding) {
      held.add(response)
      response.once('close', () => held.delete(response))
      return
    }
    const { id, data } = JSON.parse(body)
    const { sequence, object } = JSON.parse(data)
    // Every tenth event fails on the first attempt. Later events of the same object have to wait for it.
    if (sequence % 10 === 0 && request.headers['switchyard-attempt'] === '1') {
      response.writeHead(503).end()
      return
    }
    handled.push({ id, objectId: object.id, sequence })
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => {
    server.close()
    server.closeAllConnections()
  })
  return { handled, held, state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` }
})()

test('after kills while all events in flight wait for a response, each event is handled once', async () => {
  const { handled, held, state } = receiver
  handled.length = 0
  const workspace = await newWorkspace()
  let listener = await startListening()
  const load = changeAll(workspace)

  for (const count of [200, 700, 1200]) {
    await vi.waitUntil(() => handled.length >= count, waitOptions)
    state.isHolding = true
    // Once all requests in flight are held, every earlier response has been saved.
    await vi.waitUntil(() => held.size === inFlight, waitOptions)
    await listener.kill('SIGKILL')
    await vi.waitUntil(() => held.size === 0, waitOptions)
    state.isHolding = false
    listener = await startListening()
  }
  const expected = await load
  await vi.waitUntil(() => handled.length >= expected, waitOptions)
  await listener.kill('SIGTERM')

  expect(handled).toHaveLength(expected)
  expect(new Set(handled.map(({ id }) => id)).size).toBe(expected)
  expect(objectsOutOfOrder(handled)).toEqual([])
})

test('after kills at any time and downtime under load, no event is missing, and only events in flight are repeated', async () => {
  const { handled } = receiver
  handled.length = 0
  const workspace = await newWorkspace()
  let listener = await startListening()
  const load = changeAll(workspace)
  const kills = 3

  for (let n = 1; n <= kills; n += 1) {
    await vi.waitUntil(() => handled.length >= n * 250, waitOptions)
    await listener.kill('SIGKILL')
    // Events that occur while the listener is down have to arrive after the restart.
    await changeAll(workspace, 2)
    listener = await startListening()
  }
  const expected = (await load) + kills * objects * 3
  const distinct = () => new Set(handled.map(({ id }) => id)).size
  await vi.waitUntil(() => distinct() >= expected, waitOptions)
  await listener.kill('SIGTERM')

  expect(distinct()).toBe(expected)
  expect(handled.length - expected).toBeLessThanOrEqual(kills * inFlight)
  expect(objectsOutOfOrder(withoutRepeats(handled))).toEqual([])
})

async function newWorkspace(): Promise<Workspace> {
  const workspace = await switchyard.newWorkspace()
  await cli.login(workspace)
  return workspace
}

/** Creates customers and updates each `times` times, concurrently. Returns the number of events. */
async function changeAll({ aCustomer, put }: Workspace, times = changes): Promise<number> {
  const updates = Array.from({ length: objects }, async () => {
    const id = await aCustomer()
    for (let n = 1; n <= times; n += 1) await put(`/customers/${id}`, { name: `Ada ${n}` })
  })
  await Promise.all(updates)
  return objects * (times + 1)
}

async function startListening() {
  const args = ['listen', '--json', '--forward-to', receiver.url, '--concurrency', String(inFlight)]
  const running = cli.start(args)
  await vi.waitUntil(() => running.lines.length > 0, waitOptions)
  return running
}
