import { expect, test } from 'vitest'
import { otherFilters, periodOf } from './period.ts'

test('the first and last day are included in a period, and invalid days are ignored', () => {
  const { created_at: bounds } = periodOf({ from: '2026-11-01', to: '2026-11-01' })
  const hours = (Date.parse(String(bounds?.lt)) - Date.parse(String(bounds?.gte))) / 3_600_000
  expect(hours).toBe(24)
  expect(periodOf({ from: 'yesterday', to: '2026-13-45' })).toEqual({})
  expect(periodOf({ to: '2026-11-01' }).created_at).not.toHaveProperty('gte')
})

test('the days of a period are not sent as query parameters', () => {
  expect(otherFilters({ from: '2026-11-01', to: '2026-11-02', review: 'conflict' })).toEqual({
    review: 'conflict',
  })
})
