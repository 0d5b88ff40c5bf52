// The promise of webhooks, end to end: the real server, real NATS, a receiver in a process of its own. Every
// event reaches every endpoint that matches, signed. WEBHOOK_EVENTS=50000 asks for more than a push needs.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Scene, setScene } from './support/webhook-scene.ts'

const events = Number(process.env.WEBHOOK_EVENTS ?? 1_000)
const endpoints = 20
/** As slow as the slowest machine that should still pass. */
const perSecond = 250
const withinMs = 20_000 + ((events * endpoints) / perSecond) * 1000

let scene: Scene
beforeAll(async () => {
  scene = await setScene(2)
})
afterAll(() => scene?.clear())

test(`${events} events reach each of ${endpoints} endpoints that match, signed, and no other`, {
  timeout: 2 * withinMs,
}, async () => {
  const [account, other] = [await scene.newAccount(), await scene.newAccount()]
  const matching = [['customer.created'], ['customer.*'], ['*'], ['customer.deleted', 'customer.created']]
  await account.addEndpoints({
    count: endpoints,
    eventTypes: (nth) => matching[nth % matching.length] as string[],
  })
  await other.addEndpoints({ count: 1, eventTypes: () => ['customer.created'] })
  await other.addEndpoints({ count: 1, eventTypes: () => ['customer.deleted'] })

  const startedMs = performance.now()
  await account.publish({ count: events, connections: 32 })
  const publishedMs = performance.now() - startedMs
  await other.publish({ count: 10 })
  await account.arrived(events * endpoints, withinMs)
  const arrivedMs = performance.now() - startedMs
  await account.settled()

  const verdict = await account.verdict()
  const eventIds = await account.eventIds()
  const { verified } = await scene.sink.summary()
  const seconds = (ms: number) => (ms / 1000).toFixed(1)
  console.log(
    `webhooks: ${events} events in ${seconds(publishedMs)} s, all arrived after ${seconds(arrivedMs)} s`,
  )
  console.log(`webhooks: ${verdict.received} received, ${verified} verified, ${verdict.duplicates} twice`)

  expect(eventIds).toHaveLength(events)
  expect(verdict).toMatchObject({ missing: 0, examples: [], refusals: [] })
  // Nothing failed, so nothing has a reason to come twice.
  expect(verdict.duplicates).toBe(0)
  expect(verified).toBeGreaterThanOrEqual(verdict.received)
  // Its own ten for the one that matches, none of the neighbour's, none for the one that does not.
  expect(await other.countReceived()).toBe(10)
})

// Endpoints change hands all the time when little is to be done: no worker may send what another has sent.
test('events that trickle in over two workers arrive once each', { timeout: 90_000 }, async () => {
  const account = await scene.newAccount()
  await account.addEndpoints({ count: 8 })

  await account.publish({ count: 500, perSecond: 50, connections: 32 })
  await account.arrived(500 * 8)
  await account.settled()

  expect(await account.verdict()).toMatchObject({ missing: 0, refusals: [], duplicates: 0 })
})
