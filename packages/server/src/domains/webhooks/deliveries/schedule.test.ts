import { expect, test } from 'vitest'
import { liveWaits, testWaits, waitAfter, waitsOf } from './schedule.ts'

test('live mode: 14 attempts over 4 days 22 hours 42 minutes and 35 seconds, without jitter', () => {
  expect(liveWaits.length + 1).toBe(14)
  const hours = liveWaits.reduce((sum, wait) => sum + wait, 0) / 3600
  expect(Math.floor(hours / 24)).toBe(4)
  expect(hours).toBeCloseTo(118.71, 1)
})

test.each(['live', 'test'] as const)(
  '%s mode: a retry is never early and at most a fifth late, and the number of retries is limited',
  (mode) => {
    for (const [index, wait] of waitsOf(mode).entries()) {
      expect(waitAfter(mode, index + 1, 0)).toBe(wait)
      expect(waitAfter(mode, index + 1, 0.999)).toBeLessThan(wait * 1.2)
    }
    expect(waitAfter(mode, waitsOf(mode).length + 1, 0)).toBeNull()
  },
)

test('in test mode a delivery is exhausted after about eleven minutes', () => {
  expect(testWaits.reduce((sum, wait) => sum + wait, 0)).toBe(665)
})
