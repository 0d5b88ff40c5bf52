// What breaks while webhooks are on their way: a worker, the database, the engine. Each time every event still
// arrives, and few arrive twice: a pair at most once more per fault, and in all no more than what was under
// way when it happened.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Account } from './support/webhook-account.ts'
import { type Scene, setScene } from './support/webhook-scene.ts'

const events = 400
const perSecond = 80
const endpoints = 8
const maxInFlight = 10
/** Requests without an answer, and as many answers that were not written down yet. */
const underWay = 2 * endpoints * maxInFlight
/** Whatever breaks, work is taken up again within this time. */
const recoveryMs = 40_000

let scene: Scene
beforeAll(async () => {
  scene = await setScene(2)
})
afterAll(() => scene?.clear())

type Outcome = { readonly account: Account; readonly recoveredMs: number }

/** Lets it break when a third has arrived, while the rest is still being told. */
async function breakUnderLoad(what: string, strike: () => Promise<void>): Promise<Outcome> {
  const account = await scene.newAccount()
  await account.addEndpoints({ count: endpoints })
  const publishing = account.publish({ count: events, perSecond })
  await account.arrived((events * endpoints) / 3)
  await strike()
  const struckMs = performance.now()
  await publishing
  const publishedMs = performance.now() - struckMs
  const left = recoveryMs + publishedMs
  await account.arrived(events * endpoints, left)
  const recoveredMs = performance.now() - struckMs
  await account.settled()
  const { duplicates, mostPerPair } = await account.verdict()
  const seconds = (recoveredMs / 1000).toFixed(1)
  console.log(
    `webhooks: ${what}: all there after ${seconds} s, ${duplicates} twice, at most ${mostPerPair} x`,
  )
  return { account, recoveredMs }
}

async function expectNothingLost({ account }: Outcome): Promise<void> {
  const verdict = await account.verdict()
  expect(await account.eventIds()).toHaveLength(events)
  expect(verdict).toMatchObject({ missing: 0, examples: [], refusals: [] })
  expect(verdict.mostPerPair).toBeLessThanOrEqual(2)
  expect(verdict.duplicates).toBeLessThanOrEqual(underWay)
}

test('a worker killed with SIGKILL under load loses nothing', { timeout: 120_000 }, async () => {
  const outcome = await breakUnderLoad('a worker killed', () => scene.killWorker())
  await expectNothingLost(outcome)
  await scene.startWorker()
})

test('a database that crashes under load loses nothing', { timeout: 120_000 }, async () => {
  await expectNothingLost(await breakUnderLoad('Postgres crashed', () => scene.restartPostgres()))
})

test('an engine that is stopped and wiped under load loses nothing', { timeout: 120_000 }, async () => {
  const awayMs = 2_000
  const outcome = await breakUnderLoad('NATS wiped', async () => {
    await scene.stopNats()
    await sleep(awayMs)
    await scene.startWipedNats()
  })
  await expectNothingLost(outcome)
})
