import { expect, test } from 'vitest'
import { beside, periodOf } from './period.ts'

test('both days are part of a period, and what is no day bounds nothing', () => {
  const { created_at: bounds } = periodOf({ from: '2026-11-01', to: '2026-11-01' })
  const hours = (Date.parse(String(bounds?.lt)) - Date.parse(String(bounds?.gte))) / 3_600_000
  expect(hours).toBe(24)
  expect(periodOf({ from: 'yesterday', to: '2026-13-45' })).toEqual({})
  expect(periodOf({ to: '2026-11-01' }).created_at).not.toHaveProperty('gte')
})

test('days are not sent under names that the API does not know', () => {
  expect(beside({ from: '2026-11-01', to: '2026-11-02', review: 'conflict' })).toEqual({ review: 'conflict' })
})
