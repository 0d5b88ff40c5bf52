import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { outcomes } from './delivery.ts'
import { computeFigures, type GroupedDeliveries, percentile } from './figures.ts'

const nothing: GroupedDeliveries = { deliveries: [], attempts: [], sinceAt: null, nextAttemptAt: null }

test('without deliveries all counts are zero, and rates are null', () => {
  const figures = computeFigures(nothing)

  expect(figures).toMatchObject({ deliveries: 0, delivered: 0, failed: 0, waiting: 0, attempts: 0 })
  expect(figures).toMatchObject({ sinceAt: null, successRate: null, p50Ms: null, p95Ms: null })
  expect(Object.keys(figures.outcomes)).toEqual([...outcomes])
})

test('deliveries are counted by state, and attempts by outcome', () => {
  const figures = computeFigures({
    ...nothing,
    deliveries: [
      { state: 'delivered', count: 5 },
      { state: 'exhausted', count: 2 },
      { state: 'pending', count: 3 },
      { state: 'held', count: 4 },
    ],
    attempts: [
      { outcome: 'ok', isFirst: true, durationsMs: [30, 10, 20] },
      { outcome: 'ok', isFirst: false, durationsMs: [40, 200] },
      { outcome: 'timeout', isFirst: true, durationsMs: [15_000, 15_001] },
      { outcome: 'timeout', isFirst: false, durationsMs: [15_002] },
    ],
  })

  expect(figures).toMatchObject({ deliveries: 14, delivered: 5, failed: 2, waiting: 7 })
  expect(figures).toMatchObject({ deliveredFirstTry: 3, attempts: 8, successRate: 0.625 })
  // The duration of failures says nothing about the speed of the receiver.
  expect(figures).toMatchObject({ p50Ms: 30, p95Ms: 200 })
  expect(figures.outcomes).toMatchObject({ ok: 5, timeout: 3, http_error: 0 })
})

test('a rate is rounded to four decimal places', () => {
  const attempts = [
    { outcome: 'ok', isFirst: true, durationsMs: [1, 1] },
    { outcome: 'gone', isFirst: true, durationsMs: [1] },
  ] as const

  expect(computeFigures({ ...nothing, attempts }).successRate).toBe(0.6667)
})

describe('a percentile', () => {
  test('is the smallest value that at least the given percentage of the values do not exceed', () => {
    const lists = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 50 })
    fc.assert(
      fc.property(lists, fc.integer({ min: 1, max: 100 }), (numbers, percent) => {
        const sorted = numbers.toSorted((a, b) => a - b)
        const value = percentile(sorted, percent) as number
        const share = (limit: number) => (100 * sorted.filter((one) => one <= limit).length) / sorted.length
        expect(sorted).toContain(value)
        expect(share(value)).toBeGreaterThanOrEqual(percent)
        expect(share(value - 1)).toBeLessThan(percent)
      }),
    )
  })

  test('of an empty list is null', () => {
    expect(percentile([], 50)).toBeNull()
  })
})
