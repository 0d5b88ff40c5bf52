// A worker, the database or NATS fails while webhooks are being delivered. Every event still arrives. Each
// failure causes at most one duplicate per delivery, and no more duplicates in total than deliveries in
// progress.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWebhookInstallation, type WebhookInstallation } from './support/webhook-installation.ts'
import type { WebhookWorkspace } from './support/webhook-workspace.ts'

const events = 400
const perSecond = 80
const endpoints = 8
const maxInFlight = 10
/** The number of requests without a response, plus the number of responses that are not stored yet. */
const maxInProgress = 2 * endpoints * maxInFlight
/** After any failure, work continues within this time. */
const recoveryMs = 40_000

let installation: WebhookInstallation
beforeAll(async () => {
  installation = await startWebhookInstallation(2)
})
afterAll(() => installation?.clear())

type FaultResult = { readonly workspace: WebhookWorkspace; readonly recoveredMs: number }

/** Triggers the fault when a third of the webhooks has arrived, while more events are created. */
async function injectFaultUnderLoad(fault: string, trigger: () => Promise<void>): Promise<FaultResult> {
  const workspace = await installation.newWorkspace()
  await workspace.addEndpoints({ count: endpoints })
  const publishing = workspace.createCustomers({ count: events, perSecond })
  await workspace.waitUntilReceived((events * endpoints) / 3)
  await trigger()
  const triggeredMs = performance.now()
  await publishing
  const publishedMs = performance.now() - triggeredMs
  const timeoutMs = recoveryMs + publishedMs
  await workspace.waitUntilReceived(events * endpoints, timeoutMs)
  const recoveredMs = performance.now() - triggeredMs
  await workspace.waitUntilIdle()
  const { duplicates, maxPerPair } = await workspace.deliverySummary()
  const seconds = (recoveredMs / 1000).toFixed(1)
  console.log(
    `webhooks: ${fault}: all arrived after ${seconds} s, ${duplicates} duplicates, at most ${maxPerPair} per pair`,
  )
  return { workspace, recoveredMs }
}

async function expectNothingLost({ workspace }: FaultResult): Promise<void> {
  const summary = await workspace.deliverySummary()
  expect(await workspace.eventIds()).toHaveLength(events)
  expect(summary).toMatchObject({ missing: 0, examples: [], refusals: [] })
  expect(summary.maxPerPair).toBeLessThanOrEqual(2)
  expect(summary.duplicates).toBeLessThanOrEqual(maxInProgress)
}

test('no webhook is lost when a worker is killed under load', { timeout: 120_000 }, async () => {
  const result = await injectFaultUnderLoad('a worker killed', () => installation.killWorker())
  await expectNothingLost(result)
  await installation.startWorker()
})

test('no webhook is lost when the database crashes under load', { timeout: 120_000 }, async () => {
  await expectNothingLost(
    await injectFaultUnderLoad('Postgres crashed', () => installation.restartPostgres()),
  )
})

test('no webhook is lost when NATS stops and loses its store under load', { timeout: 120_000 }, async () => {
  const outageMs = 2_000
  const result = await injectFaultUnderLoad('NATS wiped', async () => {
    await installation.stopNats()
    await sleep(outageMs)
    await installation.startWipedNats()
  })
  await expectNothingLost(result)
})
