import { expect, test } from 'vitest'
import { newShards } from '../../../test/support/shards.ts'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'
import type { Shard } from '../db/databases.ts'
import { asOwner } from '../db/owner.ts'
import { createLog } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { watchFenceAges, watchMoves } from './measure-moves.ts'

const shards = await newShards()
const { deps } = await switchyardForThisFile({ environment: shards.environment })
const log = createLog('silent')

type Gauge = ReturnType<typeof createMetrics>['moves' | 'fenceOldestSeconds' | 'moveOldestSeconds']

/** The values of the gauge by the values of its label. */
async function valuesOf(gauge: Gauge): Promise<Record<string, number>> {
  const { values } = await gauge.get()
  return Object.fromEntries(values.map(({ labels, value }) => [Object.values(labels).join(), value]))
}

test('moves are counted by state, with the times since they began and since their state changed', async () => {
  const metrics = createMetrics()
  const task = watchMoves(deps.databases, { log, metrics })
  await asOwner(shards.urlOf('control'), (client) =>
    client.query(
      `insert into control.moves (workspace_id, source, target, active, state, started_at, changed_at) values
         (gen_random_uuid(), 'a', 'b', 'a', 'comparing', now() - interval '3 hours', now() - interval '2 hours'),
         (gen_random_uuid(), 'a', 'b', 'a', 'comparing', now() - interval '1 hour', now()),
         (gen_random_uuid(), 'b', 'a', 'a', 'watching', now() - interval '25 hours', now() - interval '24 hours')`,
    ),
  )

  task.runIfDue()
  await task.stop()

  expect(await valuesOf(metrics.moves)).toMatchObject({ comparing: 2, watching: 1, copying: 0 })
  const unchanged = await valuesOf(metrics.moveUnchangedSeconds)
  expect(unchanged).toMatchObject({ flipped: 0 })
  expect(Math.floor((unchanged.comparing ?? 0) / 60)).toBe(120)
  const [oldest] = Object.values(await valuesOf(metrics.moveOldestSeconds))
  expect(Math.floor((oldest ?? 0) / 60)).toBe(25 * 60)
})

test('the age of fences is measured for each shard, and removed when another process takes over', async () => {
  const metrics = createMetrics()
  const tasks = deps.databases.shards.map((shard: Shard) => watchFenceAges(shard, { log, metrics }))
  await asOwner(shards.urlOf('b'), (client) =>
    client.query(
      `insert into placements (workspace_id, moved_to, is_open, closed_at) values
         (gen_random_uuid(), 'a', false, now() - interval '45 seconds'),
         (gen_random_uuid(), 'a', true, now() - interval '1 day')`,
    ),
  )

  for (const task of tasks) task.runIfDue()
  await Promise.all(tasks.map((task) => task.stop()))

  const ages = await valuesOf(metrics.fenceOldestSeconds)
  expect(ages).toMatchObject({ a: 0 })
  expect(ages.b).toBeGreaterThanOrEqual(45)
  for (const task of tasks) task.resetMetrics()
  expect(await valuesOf(metrics.fenceOldestSeconds)).toEqual({})
})

test('a measurement that ends after another process took over is not reported', async () => {
  const metrics = createMetrics()
  const task = watchFenceAges(deps.databases.shards[0] as Shard, { log, metrics })

  task.runIfDue()
  task.resetMetrics()
  await task.stop()

  expect(await valuesOf(metrics.fenceOldestSeconds)).toEqual({})
})
