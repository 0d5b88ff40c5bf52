import fc from 'fast-check'
import { expect, test } from 'vitest'
import { batchSizeFor, nextBatchAt } from './pace.ts'

const now = new Date('2026-11-14T12:00:00.000Z')

test('without a rate a batch has a thousand deliveries, and the next follows immediately', () => {
  expect(batchSizeFor(null)).toBe(1_000)
  expect(nextBatchAt(now, null, 1_000)).toEqual(now)
})

test('the rate is not exceeded, and a batch never has more than a thousand deliveries', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000 }), (rate) => {
      const batchSize = batchSizeFor(rate)
      const seconds = (nextBatchAt(now, rate, batchSize).getTime() - now.getTime()) / 1000
      expect(batchSize).toBeGreaterThan(0)
      expect(batchSize).toBeLessThanOrEqual(1_000)
      // Due times have millisecond precision.
      expect(batchSize / (seconds + 0.001)).toBeLessThanOrEqual(rate)
      expect(seconds).toBeLessThanOrEqual(5)
    }),
  )
})

test('a batch that released nothing does not delay the next one', () => {
  expect(nextBatchAt(now, 1, 0)).toEqual(now)
})
