import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { fewAtOnce } from './few-at-once.ts'

test('no more are under way than asked for, all are done, and the answers keep their order', async () => {
  let [underWay, most] = [0, 0]
  const work = async (item: number) => {
    underWay += 1
    most = Math.max(most, underWay)
    // The earlier ones take longer.
    for (let turn = item; turn < 10; turn += 1) await nextTurn()
    underWay -= 1
    return item * 2
  }

  expect(await fewAtOnce(3, [1, 2, 3, 4, 5, 6, 7, 8], work)).toEqual([2, 4, 6, 8, 10, 12, 14, 16])
  expect(most).toBe(3)
  expect(await fewAtOnce(3, [], work)).toEqual([])
})

test('one that fails fails them all', async () => {
  const work = async (item: number) => {
    if (item === 2) throw new Error('The second.')
    return item
  }

  await expect(fewAtOnce(2, [1, 2, 3], work)).rejects.toThrow('The second.')
})
