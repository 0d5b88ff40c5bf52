// The short version of `npm run drill:move`: a workspace with payments, subscriptions and webhooks moves to another shard and
// back under load. The mover is killed while the workspace is fenced, and so is the PostgreSQL of the target.

import { afterAll, expect, test } from 'vitest'
import {
  checkMove,
  compareShards,
  killAt,
  moveTo,
  repeatUntilDone,
  startMoveLoad,
  watchOpenShards,
} from '../drills/move-drill.ts'
import { startMoveInstallation } from '../drills/move-installation.ts'

/** Created before the move. The load during the test creates more. */
const objects = 100

const shards = await startMoveInstallation({ servers: 'apart', settings: { fsync: 'off' } })
afterAll(shards.stop)

test('a workspace moves to another shard and back, and nothing is lost, duplicated or different', {
  timeout: 300_000,
}, async () => {
  const { moving, findOpenShards, run } = shards
  const load = await startMoveLoad(shards, { perSecond: 5, subscriptions: 1, objects })
  const watching = watchOpenShards(shards)
  const callsOn = async () => {
    const before = load.moving.acknowledged.length
    await expect.poll(() => load.moving.acknowledged.length).toBeGreaterThan(before + 5)
  }

  // A worker lifts the fence.
  await killAt(shards, { victim: 'target', step: 'fenced' })
  const afterKill = await findOpenShards()
  await repeatUntilDone(shards, ['cells', 'move', moving.id, '--to', 'b'])
  const afterMove = await findOpenShards()
  await callsOn()
  const repeatedOnB = await load.repeatRequests()
  const back = await moveTo(shards, 'a')
  await callsOn()
  const bothOpen = await watching.stop()
  await load.stop()
  await compareShards(shards)
  const cleaned = await run(['cells', 'clean-up', moving.id, '--now'])
  const report = await checkMove(shards, load, { on: 'a' })

  expect({ afterKill, afterMove, bothOpen }).toEqual({ afterKill: ['a'], afterMove: ['b'], bothOpen: [] })
  expect([back, cleaned]).toMatchObject([{ ending: 0 }, { ending: 0 }])
  expect([...report.violations, ...repeatedOnB]).toEqual([])
  expect(report.acknowledged).toBeGreaterThan(objects)
  expect(report.received).toBeGreaterThan(objects)
})
