// The first of a month, in small: two thousand subscriptions renew at one instant over three workers, while two of
// them are killed, messages come twice and more, and NATS loses its store. Each gets exactly one invoice, numbers have no gap, and who is collected
// is charged once, by the books of the provider.

import { expect, test } from 'vitest'
import type { ServerProcess } from '../support/server-process.ts'
import { renewalScene } from './support/renewal-scene.ts'
import { until } from './support/wait.ts'

const [large, small, collected] = [1_200, 500, 300]
const total = large + small + collected

const scene = await renewalScene()
const numbered = (count: number) =>
  until(`${count} are numbered`, async () => (await scene.numbered()) >= count, {
    withinMs: 120_000,
    everyMs: 100,
  })

test('2,000 renewals survive killed workers and a wiped engine: one invoice each, and charged once', {
  timeout: 300_000,
}, async () => {
  const dueAt = new Date(Math.floor(Date.now() / 1000) * 1000)
  const paying = await scene.fillPaying(collected, dueAt)
  await scene.fill(large, dueAt)
  await scene.fill(small, dueAt)

  const startedMs = performance.now()
  const workers = await Promise.all([scene.startWorker(), scene.startWorker(), scene.startWorker()])
  const noMore = await scene.repeatMessages()
  await numbered(total / 4)
  // The one that reconciles first: another has to take over, too.
  const isLeader = ({ lines }: ServerProcess) =>
    lines.some((line) => line.includes('This process reconciles.'))
  const [leader, second] = workers.toSorted((a, b) => Number(isLeader(b)) - Number(isLeader(a)))
  await leader?.kill('SIGKILL')
  await until('some payments are under way', async () => (await scene.underWay()) > 0, { everyMs: 20 })
  await second?.kill('SIGKILL')
  await scene.wipeNats()
  await scene.startWorker()
  await numbered(total)
  await noMore()
  const invoicedMs = performance.now()
  await scene.paid(120_000)

  const seconds = (ms: number) => (ms / 1000).toFixed(1)
  console.log(`renewals: ${total} invoiced after ${seconds(invoicedMs - startedMs)} s`)
  console.log(`renewals: ${collected} of them paid after ${seconds(performance.now() - startedMs)} s`)
  expect(await scene.faults(paying)).toEqual([])
})
