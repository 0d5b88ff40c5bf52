import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextStepAt, portionOf } from './pace.ts'

const now = new Date('2026-11-14T12:00:00.000Z')

test('without a rate a step takes a thousand, and the next follows at once', () => {
  expect(portionOf(null)).toBe(1_000)
  expect(nextStepAt(now, null, 1_000)).toEqual(now)
})

test('with a rate, no more go out than it allows, and a step is never larger than a thousand', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000 }), (rate) => {
      const portion = portionOf(rate)
      const seconds = (nextStepAt(now, rate, portion).getTime() - now.getTime()) / 1000
      expect(portion).toBeGreaterThan(0)
      expect(portion).toBeLessThanOrEqual(1_000)
      // A due time has whole milliseconds.
      expect(portion / (seconds + 0.001)).toBeLessThanOrEqual(rate)
      expect(seconds).toBeLessThanOrEqual(5)
    }),
  )
})

test('a step that found nothing to release does not make the next one wait', () => {
  expect(nextStepAt(now, 1, 0)).toEqual(now)
})
