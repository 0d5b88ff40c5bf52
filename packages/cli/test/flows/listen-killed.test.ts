// `listen` is killed in the middle of thousands of events and started again: none is missing, none comes twice,
// and those of one object come in order. What an answer was not given for was not handled, and comes again.

import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test, vi } from 'vitest'
import { switchyardForThisFile, type Workspace } from '../../../server/test/support/switchyard.ts'
import { homeForThisFile } from '../support/cli.ts'
import { firstOf, type Handled, outOfOrder } from '../support/handled.ts'

vi.setConfig({ testTimeout: 300_000 })

const switchyard = await switchyardForThisFile()
const cli = homeForThisFile()
const [objects, changes, inFlight] = [50, 40, 10]
const waiting = { timeout: 120_000, interval: 5 }

/** Handles what comes, or holds it without handling it, as a receiver does whose database is busy. */
const receiver = await (async () => {
  const handled: Handled[] = []
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
    // Now and then it fails at first. Whatever comes later of that object has to wait for it.
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

test('killed while every event on its way waits for its answer: each is handled once', async () => {
  const { handled, held, state } = receiver
  handled.length = 0
  const workspace = await newWorkspace()
  let listener = await listening()
  const load = changeAll(workspace)

  for (const mark of [200, 700, 1200]) {
    await vi.waitUntil(() => handled.length >= mark, waiting)
    state.isHolding = true
    // All that may be on its way is held, so that every answer before has been written down.
    await vi.waitUntil(() => held.size === inFlight, waiting)
    await listener.kill('SIGKILL')
    await vi.waitUntil(() => held.size === 0, waiting)
    state.isHolding = false
    listener = await listening()
  }
  const expected = await load
  await vi.waitUntil(() => handled.length >= expected, waiting)
  await listener.kill('SIGTERM')

  expect(handled).toHaveLength(expected)
  expect(new Set(handled.map(({ id }) => id)).size).toBe(expected)
  expect(outOfOrder(handled)).toEqual([])
})

test('killed at any moment and away under load: none missing, and only what was on its way comes again', async () => {
  const { handled } = receiver
  handled.length = 0
  const workspace = await newWorkspace()
  let listener = await listening()
  const load = changeAll(workspace)
  const kills = 3

  for (let nth = 1; nth <= kills; nth += 1) {
    await vi.waitUntil(() => handled.length >= nth * 250, waiting)
    await listener.kill('SIGKILL')
    // Away for a while: what happens meanwhile has to come later.
    await changeAll(workspace, 2)
    listener = await listening()
  }
  const expected = (await load) + kills * objects * 3
  const distinct = () => new Set(handled.map(({ id }) => id)).size
  await vi.waitUntil(() => distinct() >= expected, waiting)
  await listener.kill('SIGTERM')

  expect(distinct()).toBe(expected)
  expect(handled.length - expected).toBeLessThanOrEqual(kills * inFlight)
  expect(outOfOrder(firstOf(handled))).toEqual([])
})

async function newWorkspace(): Promise<Workspace> {
  const workspace = await switchyard.newWorkspace()
  await cli.login(workspace)
  return workspace
}

/** Some customers, each changed so often, all at once. Answers how many events that makes. */
async function changeAll({ aCustomer, put }: Workspace, times = changes): Promise<number> {
  const lives = Array.from({ length: objects }, async () => {
    const id = await aCustomer()
    for (let nth = 1; nth <= times; nth += 1) await put(`/customers/${id}`, { name: `Ada ${nth}` })
  })
  await Promise.all(lives)
  return objects * (times + 1)
}

async function listening() {
  const args = ['listen', '--json', '--forward-to', receiver.url, '--concurrency', String(inFlight)]
  const running = cli.start(args)
  await vi.waitUntil(() => running.lines.length > 0, waiting)
  return running
}
