// Endpoints are changed while webhooks are delivered: secrets are rotated, endpoints are disabled and
// enabled. The receiver can verify every webhook, and all webhooks arrive.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from './support/wait.ts'
import { startWebhookInstallation, type WebhookInstallation } from './support/webhook-installation.ts'
import type { Endpoint, WebhookWorkspace } from './support/webhook-workspace.ts'

const events = 400
const perSecond = 80
const endpoints = 8
const pairs = events * endpoints
/**
 * The deliveries that a worker can buffer for one endpoint: ten in progress, and four times as many
 * prefetched.
 */
const maxBufferedPerEndpoint = 50

let installation: WebhookInstallation
beforeAll(async () => {
  installation = await startWebhookInstallation(2)
})
afterAll(() => installation?.clear())

async function newWorkspace(): Promise<WebhookWorkspace> {
  const workspace = await installation.newWorkspace()
  await workspace.addEndpoints({ count: endpoints })
  return workspace
}

test('when secrets are rotated under load, a receiver that learns the new secret late rejects no webhook', {
  timeout: 120_000,
}, async () => {
  const workspace = await newWorkspace()
  const rotate = (overlap_seconds: number) =>
    forEachEndpoint(workspace, ({ id }) =>
      workspace.api.call('POST', `/webhook-endpoints/${id}/rotate_secret`, { overlap_seconds }),
    )
  const publishing = workspace.createCustomers({ count: events, perSecond })

  await workspace.waitUntilReceived(pairs / 4)
  await rotate(3_600)
  // The receiver still has only the first secret.
  await workspace.waitUntilReceived(pairs / 2)
  await forEachEndpoint(workspace, (endpoint) => workspace.acceptSecret(endpoint, 'add'))
  await workspace.waitUntilReceived((pairs * 3) / 4)
  await forEachEndpoint(workspace, (endpoint) => workspace.acceptSecret(endpoint, 'replace'))
  await publishing
  await workspace.waitUntilReceived(pairs)

  // From now on the old secret is not used for signatures.
  await rotate(0)
  await forEachEndpoint(workspace, (endpoint) => workspace.acceptSecret(endpoint, 'replace'))
  await workspace.createCustomers({ count: 10 })
  await workspace.waitUntilReceived(pairs + 10 * endpoints)

  expect(await workspace.deliverySummary()).toMatchObject({ missing: 0, refusals: [], duplicates: 0 })
})

test('endpoints that are disabled and enabled again under load still receive every event', {
  timeout: 120_000,
}, async () => {
  const workspace = await newWorkspace()
  const paused = workspace.endpoints.slice(0, 3)
  const callForPaused = (verb: string, input: object) =>
    Promise.all(paused.map(({ id }) => workspace.api.call('POST', `/webhook-endpoints/${id}/${verb}`, input)))
  const countRequestsToPaused = async () => {
    const { paths } = await installation.sink.summary()
    return paused.reduce((sum, { path }) => sum + (paths[path]?.requests ?? 0), 0)
  }
  const publishing = workspace.createCustomers({ count: events, perSecond })

  await workspace.waitUntilReceived(pairs / 4)
  await callForPaused('disable', {})
  await until('deliveries to each are held', () => haveHeldDeliveries(workspace, paused))
  const countWhenHeld = await countRequestsToPaused()
  await workspace.waitUntilReceived(pairs / 2)
  // Deliveries that a worker had buffered when the endpoints were disabled may still arrive.
  expect((await countRequestsToPaused()) - countWhenHeld).toBeLessThanOrEqual(
    paused.length * maxBufferedPerEndpoint,
  )
  await callForPaused('enable', { recover: 'held' })
  await publishing
  await workspace.waitUntilReceived(pairs)
  await workspace.waitUntilIdle()

  const summary = await workspace.deliverySummary()
  expect(summary).toMatchObject({ missing: 0, examples: [], refusals: [] })
  expect(summary.maxPerPair).toBeLessThanOrEqual(2)
  expect(summary.duplicates).toBeLessThanOrEqual(paused.length * maxBufferedPerEndpoint)
})

async function forEachEndpoint(
  workspace: WebhookWorkspace,
  change: (endpoint: Endpoint) => Promise<unknown>,
): Promise<void> {
  for (const endpoint of workspace.endpoints) await change(endpoint)
}

async function haveHeldDeliveries(
  workspace: WebhookWorkspace,
  disabled: readonly Endpoint[],
): Promise<boolean> {
  const pages = await Promise.all(
    disabled.map(({ id }) =>
      workspace.api.call('GET', `/webhook-endpoints/${id}/deliveries?state=held&limit=20`),
    ),
  )
  return pages.every(({ data }) => data.length === 20)
}
