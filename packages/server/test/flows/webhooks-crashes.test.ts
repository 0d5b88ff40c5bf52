// Processes that die at the worst moments of a webhook's way: before and after a request, after the results are
// written, after a change is committed and before anybody is told. Whoever comes next goes on from what Postgres
// knows.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Scene, setScene } from './support/webhook-scene.ts'

const events = 40
const endpoints = 4
const maxInFlight = 10
/** The last one dies before its first request, so that something is left to do. */
const places = ['work.received', 'work.handled', 'results.written', 'post.answered', 'post.begun']

let scene: Scene
beforeAll(async () => {
  scene = await setScene(0)
})
afterAll(() => scene?.clear())

test('workers that die one after the other at every place lose nothing', { timeout: 120_000 }, async () => {
  const account = await scene.newAccount()
  await account.addEndpoints({ count: endpoints })
  for (const place of places) {
    await account.publish({ count: events })
    await scene.crashWorkerAt(place)
  }
  const pairs = places.length * events * endpoints
  expect(await account.countReceived()).toBeLessThan(pairs)

  await scene.startWorker()
  await account.arrived(pairs)
  await account.settled()
  const verdict = await account.verdict()

  expect(verdict).toMatchObject({ missing: 0, examples: [], refusals: [] })
  expect(verdict.duplicates).toBeLessThanOrEqual(places.length * endpoints * maxInFlight)
  await scene.killWorker()
})

test('events that were committed and told to nobody are found and delivered', {
  timeout: 90_000,
}, async () => {
  const account = await scene.newAccount()
  await account.addEndpoints({ count: 2 })
  await scene.startWorker()
  const mute = await scene.startMuteApi()
  const headers = { authorization: `Bearer ${account.token}`, 'content-type': 'application/json' }

  for (let nth = 0; nth < 5; nth += 1)
    await fetch(`${mute.addresses.test}/customers`, { method: 'POST', headers, body: '{"name":"Ada"}' })
  await mute.kill('SIGKILL')
  await account.arrived(10, 40_000)

  expect(await account.eventIds()).toHaveLength(5)
  expect(await account.verdict()).toMatchObject({ missing: 0, refusals: [], duplicates: 0 })
})
