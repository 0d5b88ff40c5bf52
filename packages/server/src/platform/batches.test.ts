import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createBatches } from './batches.ts'

type Options = { fail?: boolean; afterMs?: number; maxWaiting?: number; keepMs?: number }

function createRecordedBatches(options: Options = {}) {
  const written: number[][] = []
  const lost: number[] = []
  const batches = createBatches<number>({
    size: 3,
    afterMs: options.afterMs ?? 60_000,
    maxWaiting: options.maxWaiting ?? 100,
    write: async (items) => {
      if (options.fail) throw new Error('no')
      written.push([...items])
    },
    isTemporary: () => options.keepMs !== undefined,
    keepMs: options.keepMs ?? 0,
    onLoss: (count) => lost.push(count),
  })
  return { batches, written, lost }
}

test('items are written when a batch is full, and the rest on flush', async () => {
  const { batches, written } = createRecordedBatches()

  for (const item of [1, 2, 3, 4]) batches.add(item)
  await batches.flush()
  await batches.flush()

  expect(written).toEqual([[1, 2, 3], [4]])
})

test('an incomplete batch is written after a delay', async () => {
  const { batches, written } = createRecordedBatches({ afterMs: 1 })

  batches.add(1)
  while (written.length === 0) await sleep(1)

  expect(written).toEqual([[1]])
})

test('items that cannot be written are counted as lost, and later items are written', async () => {
  const options = { fail: true }
  const { batches, written, lost } = createRecordedBatches(options)

  batches.add(1)
  await batches.flush()
  options.fail = false
  batches.add(2)
  await batches.flush()

  expect(lost).toEqual([1])
  expect(written).toEqual([[2]])
})

test('the number of waiting items never exceeds the limit', () => {
  const { batches, lost } = createRecordedBatches({ maxWaiting: 2 })

  for (const item of [1, 2, 3, 4]) batches.add(item)

  expect(lost).toEqual([1, 1])
})

test('items being written count as waiting, so a stuck writer cannot exhaust memory', () => {
  const lost: number[] = []
  const batches = createBatches<number>({
    size: 2,
    afterMs: 60_000,
    maxWaiting: 4,
    write: () => new Promise(() => {}),
    isTemporary: () => false,
    keepMs: 0,
    onLoss: (count) => lost.push(count),
  })

  for (let item = 0; item < 10; item += 1) batches.add(item)

  expect(lost).toHaveLength(6)
})

test('items are retained while they cannot be written, and are written in order afterwards', async () => {
  const options = { fail: true, keepMs: 60_000 }
  const { batches, written, lost } = createRecordedBatches(options)

  for (const item of [1, 2, 3, 4]) batches.add(item)
  const flushed = batches.flush()
  await sleep(50)
  options.fail = false
  await flushed

  expect(written).toEqual([[1, 2, 3], [4]])
  expect(lost).toEqual([])
})

test('retained items count as waiting, and are lost when their retention time is over or the process ends', async () => {
  const { batches, lost } = createRecordedBatches({ fail: true, keepMs: 60_000, maxWaiting: 4 })
  for (const item of [1, 2, 3, 4, 5]) batches.add(item)
  expect(lost).toEqual([1])
  await batches.stop()
  expect(lost).toEqual([1, 3, 1])

  const short = createRecordedBatches({ fail: true, keepMs: 1 })
  short.batches.add(1)
  await short.batches.flush()
  expect(short.lost).toEqual([1])
})
