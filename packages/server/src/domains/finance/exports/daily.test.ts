import { expect, test } from 'vitest'
import { dayAfter, exportableAt, retryAfterSeconds } from './daily.ts'

// biome-ignore format: a table.
test.each([
  ['2026-11-14', '2026-11-15', '2026-11-15T00:30:00.000Z'],
  ['2026-12-31', '2027-01-01', '2027-01-01T00:30:00.000Z'],
  ['2028-02-28', '2028-02-29', '2028-02-29T00:30:00.000Z'],
])('after %s comes %s, and the day can be exported at %s', (dayOn, next, at) => {
  expect(dayAfter(dayOn)).toBe(next)
  expect(exportableAt(dayOn).toISOString()).toBe(at)
})

test('the wait between attempts grows to three hours', () => {
  expect([1, 2, 3, 4, 5, 6, 100].map(retryAfterSeconds)).toEqual([60, 300, 900, 3600, 10_800, 10_800, 10_800])
})
