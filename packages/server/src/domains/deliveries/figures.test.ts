import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { outcomes } from './delivery.ts'
import { figuresOf, type Observed, percentile } from './figures.ts'

const nothing: Observed = { deliveries: [], attempts: [], sinceAt: null, nextAttemptAt: null }

test('without deliveries there are counts of none, and no figure that would have to be invented', () => {
  const figures = figuresOf(nothing)

  expect(figures).toMatchObject({ deliveries: 0, delivered: 0, failed: 0, waiting: 0, attempts: 0 })
  expect(figures).toMatchObject({ sinceAt: null, successRate: null, p50Ms: null, p95Ms: null })
  expect(Object.keys(figures.outcomes)).toEqual([...outcomes])
})

test('deliveries are counted by where they stand, attempts by what became of them', () => {
  const figures = figuresOf({
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
  // How long failures took says nothing about how fast the receiver is.
  expect(figures).toMatchObject({ p50Ms: 30, p95Ms: 200 })
  expect(figures.outcomes).toMatchObject({ ok: 5, timeout: 3, http_error: 0 })
})

test('a share is rounded to four places', () => {
  const attempts = [
    { outcome: 'ok', isFirst: true, durationsMs: [1, 1] },
    { outcome: 'gone', isFirst: true, durationsMs: [1] },
  ] as const

  expect(figuresOf({ ...nothing, attempts }).successRate).toBe(0.6667)
})

describe('a percentile', () => {
  test('is a value of the list that so many do not exceed, and the least such', () => {
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

  test('of nothing is none', () => {
    expect(percentile([], 50)).toBeNull()
  })
})
