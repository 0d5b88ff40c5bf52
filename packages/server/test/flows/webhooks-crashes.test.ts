// Processes are killed at every crash point of a webhook delivery: before and after a request, after the
// results are written, and after a change is committed but before it is published. The next process continues
// from the state in PostgreSQL.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWebhookInstallation, type WebhookInstallation } from './support/webhook-installation.ts'

const events = 40
const endpoints = 4
const maxInFlight = 10
/**
 * At the last point the worker crashes before its first request, so that some deliveries are still pending.
 */
const crashpoints = [
  'work.received:webhook_endpoint.deliver',
  'work.handled:webhook_endpoint.deliver',
  'results.written',
  'post.answered',
  'post.begun',
]

let installation: WebhookInstallation
beforeAll(async () => {
  installation = await startWebhookInstallation(0)
})
afterAll(() => installation?.clear())

test('workers that crash one after the other at every crash point lose nothing', {
  timeout: 120_000,
}, async () => {
  const workspace = await installation.newWorkspace()
  await workspace.addEndpoints({ count: endpoints })
  for (const crashpoint of crashpoints) {
    await workspace.createCustomers({ count: events })
    await installation.crashWorkerAt(crashpoint)
  }
  const pairs = crashpoints.length * events * endpoints
  expect(await workspace.countReceived()).toBeLessThan(pairs)

  await installation.startWorker()
  await workspace.waitUntilReceived(pairs)
  await workspace.waitUntilIdle()
  const summary = await workspace.deliverySummary()

  expect(summary).toMatchObject({ missing: 0, examples: [], refusals: [] })
  expect(summary.duplicates).toBeLessThanOrEqual(crashpoints.length * endpoints * maxInFlight)
  await installation.killWorker()
})

test('events that were committed but never published to NATS are delivered', {
  timeout: 90_000,
}, async () => {
  const workspace = await installation.newWorkspace()
  await workspace.addEndpoints({ count: 2 })
  await installation.startWorker()
  const apiWithoutNats = await installation.startApiWithoutNats()
  const headers = { authorization: `Bearer ${workspace.token}`, 'content-type': 'application/json' }

  for (let count = 0; count < 5; count += 1)
    await fetch(`${apiWithoutNats.addresses.test}/customers`, {
      method: 'POST',
      headers,
      body: '{"name":"Ada"}',
    })
  await apiWithoutNats.kill('SIGKILL')
  await workspace.waitUntilReceived(10, 40_000)

  expect(await workspace.eventIds()).toHaveLength(5)
  expect(await workspace.deliverySummary()).toMatchObject({ missing: 0, refusals: [], duplicates: 0 })
})
