// Endpoints that are changed while webhooks are on their way to them: secrets rotate, endpoints are disabled and
// enabled. What is sent always verifies with a secret that the receiver may know, and all of it arrives.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from './support/wait.ts'
import type { Account, Endpoint } from './support/webhook-account.ts'
import { type Scene, setScene } from './support/webhook-scene.ts'

const events = 400
const perSecond = 80
const endpoints = 8
const pairs = events * endpoints
/** What a worker has in its hands for one endpoint: ten under way, and four times as many read ahead. */
const inHand = 50

let scene: Scene
beforeAll(async () => {
  scene = await setScene(2)
})
afterAll(() => scene?.clear())

async function newAccount(): Promise<Account> {
  const account = await scene.newAccount()
  await account.addEndpoints({ count: endpoints })
  return account
}

test('secrets rotate under load, and a receiver that learns the new one late refuses nothing', {
  timeout: 120_000,
}, async () => {
  const account = await newAccount()
  const rotate = (overlap_seconds: number) =>
    forAll(account, ({ id }) =>
      account.api.call('POST', `/webhook-endpoints/${id}/rotate_secret`, { overlap_seconds }),
    )
  const publishing = account.publish({ count: events, perSecond })

  await account.arrived(pairs / 4)
  await rotate(3_600)
  // The receiver still knows the first secret alone.
  await account.arrived(pairs / 2)
  await forAll(account, (endpoint) => account.learnSecret(endpoint, 'too'))
  await account.arrived((pairs * 3) / 4)
  await forAll(account, (endpoint) => account.learnSecret(endpoint, 'only'))
  await publishing
  await account.arrived(pairs)

  // From now on the old secret signs nothing.
  await rotate(0)
  await forAll(account, (endpoint) => account.learnSecret(endpoint, 'only'))
  await account.publish({ count: 10 })
  await account.arrived(pairs + 10 * endpoints)

  expect(await account.verdict()).toMatchObject({ missing: 0, refusals: [], duplicates: 0 })
})

test('endpoints disabled and enabled under load get everything, late', { timeout: 120_000 }, async () => {
  const account = await newAccount()
  const paused = account.endpoints.slice(0, 3)
  const toPaused = (verb: string, input: object) =>
    Promise.all(paused.map(({ id }) => account.api.call('POST', `/webhook-endpoints/${id}/${verb}`, input)))
  const countPaused = async () => {
    const { paths } = await scene.sink.summary()
    return paused.reduce((sum, { path }) => sum + (paths[path]?.requests ?? 0), 0)
  }
  const publishing = account.publish({ count: events, perSecond })

  await account.arrived(pairs / 4)
  await toPaused('disable', {})
  await until('some are held for each', () => areHeld(account, paused))
  const atRest = await countPaused()
  await account.arrived(pairs / 2)
  // What a worker had in its hands when they were disabled may still come.
  expect((await countPaused()) - atRest).toBeLessThanOrEqual(paused.length * inHand)
  await toPaused('enable', { recover: 'held' })
  await publishing
  await account.arrived(pairs)
  await account.settled()

  const verdict = await account.verdict()
  expect(verdict).toMatchObject({ missing: 0, examples: [], refusals: [] })
  expect(verdict.mostPerPair).toBeLessThanOrEqual(2)
  expect(verdict.duplicates).toBeLessThanOrEqual(paused.length * inHand)
})

async function forAll(account: Account, change: (endpoint: Endpoint) => Promise<unknown>): Promise<void> {
  for (const endpoint of account.endpoints) await change(endpoint)
}

async function areHeld(account: Account, some: readonly Endpoint[]): Promise<boolean> {
  const pages = await Promise.all(
    some.map(({ id }) => account.api.call('GET', `/webhook-endpoints/${id}/deliveries?state=held&limit=20`)),
  )
  return pages.every(({ data }) => data.length === 20)
}
