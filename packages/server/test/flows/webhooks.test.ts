// Webhooks end to end: the real server, real NATS, a receiver in a separate process. Every event reaches
// every matching endpoint with a valid signature. Set WEBHOOK_EVENTS=50000 to run more events than CI does.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWebhookInstallation, type WebhookInstallation } from './support/webhook-installation.ts'

const events = Number(process.env.WEBHOOK_EVENTS ?? 1_000)
const endpoints = 20
/** The delivery rate of the slowest machine on which the test must pass. */
const perSecond = 250
const withinMs = 20_000 + ((events * endpoints) / perSecond) * 1000

let installation: WebhookInstallation
beforeAll(async () => {
  installation = await startWebhookInstallation(2)
})
afterAll(() => installation?.clear())

test(`${events} events reach each of ${endpoints} matching endpoints with a valid signature, and no other endpoint`, {
  timeout: 2 * withinMs,
}, async () => {
  const [workspace, other] = [await installation.newWorkspace(), await installation.newWorkspace()]
  const matching = [['customer.created'], ['customer.*'], ['*'], ['customer.deleted', 'customer.created']]
  await workspace.addEndpoints({
    count: endpoints,
    eventTypes: (index) => matching[index % matching.length] as string[],
  })
  await other.addEndpoints({ count: 1, eventTypes: () => ['customer.created'] })
  await other.addEndpoints({ count: 1, eventTypes: () => ['customer.deleted'] })

  const startedMs = performance.now()
  await workspace.createCustomers({ count: events, connections: 32 })
  const publishedMs = performance.now() - startedMs
  await other.createCustomers({ count: 10 })
  await workspace.waitUntilReceived(events * endpoints, withinMs)
  const arrivedMs = performance.now() - startedMs
  await workspace.waitUntilIdle()

  const summary = await workspace.deliverySummary()
  const eventIds = await workspace.eventIds()
  const { verified } = await installation.sink.summary()
  const seconds = (ms: number) => (ms / 1000).toFixed(1)
  console.log(
    `webhooks: ${events} events in ${seconds(publishedMs)} s, all arrived after ${seconds(arrivedMs)} s`,
  )
  console.log(
    `webhooks: ${summary.received} received, ${verified} verified, ${summary.duplicates} duplicates`,
  )

  expect(eventIds).toHaveLength(events)
  expect(summary).toMatchObject({ missing: 0, examples: [], refusals: [] })
  // Nothing failed, so no webhook may arrive twice.
  expect(summary.duplicates).toBe(0)
  expect(verified).toBeGreaterThanOrEqual(summary.received)
  // The matching endpoint of the other workspace received its ten events, and the endpoint that does not
  // match received none.
  expect(await other.countReceived()).toBe(10)
})

// With little load, endpoints often move between workers. No worker may repeat a delivery of another.
test('at a low rate, two workers deliver each event exactly once', { timeout: 90_000 }, async () => {
  const workspace = await installation.newWorkspace()
  await workspace.addEndpoints({ count: 8 })

  await workspace.createCustomers({ count: 500, perSecond: 50, connections: 32 })
  await workspace.waitUntilReceived(500 * 8)
  await workspace.waitUntilIdle()

  expect(await workspace.deliverySummary()).toMatchObject({ missing: 0, refusals: [], duplicates: 0 })
})
