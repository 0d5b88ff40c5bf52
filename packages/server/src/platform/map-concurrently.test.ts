import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { mapConcurrently } from './map-concurrently.ts'

test('concurrency stays within the limit, all items are processed, and the results keep their order', async () => {
  let [running, maxRunning] = [0, 0]
  const work = async (item: number) => {
    running += 1
    maxRunning = Math.max(maxRunning, running)
    // Earlier items take longer.
    for (let turn = item; turn < 10; turn += 1) await nextTurn()
    running -= 1
    return item * 2
  }

  expect(await mapConcurrently(3, [1, 2, 3, 4, 5, 6, 7, 8], work)).toEqual([2, 4, 6, 8, 10, 12, 14, 16])
  expect(maxRunning).toBe(3)
  expect(await mapConcurrently(3, [], work)).toEqual([])
})

test('one failure rejects the whole call', async () => {
  const work = async (item: number) => {
    if (item === 2) throw new Error('The second.')
    return item
  }

  await expect(mapConcurrently(2, [1, 2, 3], work)).rejects.toThrow('The second.')
})
