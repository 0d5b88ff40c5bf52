import { expect, test } from 'vitest'
import { createBatcher } from './batcher.ts'

function aBatcher(run: (items: readonly number[]) => Promise<readonly number[]>, size = 5) {
  return createBatcher<string, number, number>({
    size,
    afterMs: 1,
    keyOf: (key) => key,
    run: (_, items) => run(items),
  })
}

test('calls made while a batch runs join the next batch, and each call gets its own results', async () => {
  const batches: number[][] = []
  const started = Promise.withResolvers<void>()
  const call = aBatcher(async (items) => {
    batches.push([...items])
    if (batches.length === 1) await started.promise
    return items.map((item) => item * 10)
  })
  const first = call('a', [1])
  const others = [call('a', [2, 3]), call('a', [4]), call('a', [5, 6, 7])]
  started.resolve()
  expect(await first).toEqual([10])
  expect(await Promise.all(others)).toEqual([[20, 30], [40], [50, 60, 70]])
  // The last call would exceed the maximum batch size.
  expect(batches).toEqual([[1], [2, 3, 4], [5, 6, 7]])
})

test('calls with different keys do not wait, and a failed batch fails only its own calls', async () => {
  const never = new Promise<readonly number[]>(() => {})
  const stuck = aBatcher(([item]) => (item === 1 ? never : Promise.resolve([2])))
  void stuck('a', [1])
  expect(await stuck('b', [2])).toEqual([2])

  const failing = aBatcher(([item]) =>
    item === 1 ? Promise.reject(new Error('lost')) : Promise.resolve([2]),
  )
  const results = await Promise.allSettled([failing('a', [1]), failing('a', [2])])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
})
