import { expect, test } from 'vitest'
import { aggregationText, groupText, periodOf, usageText } from './meter-text.ts'

test('usage has separators and keeps every digit', () => {
  expect(usageText('0')).toBe('0')
  expect(usageText('-1234.50')).toBe('-1,234.50')
  expect(usageText('123456789012345678901.123')).toBe('123,456,789,012,345,678,901.123')
})

test('an aggregation and its dimensions are described in words', () => {
  expect(aggregationText({ aggregation: 'sum', value_key: null })).toBe('Sum of the values')
  expect(aggregationText({ aggregation: 'unique', value_key: 'user' })).toBe('Distinct values of user')
  expect(groupText(['region', 'tier'], { tier: '', region: 'eu' })).toBe('region eu, tier (empty)')
})

test('a period includes the current hour or day', () => {
  const nowMs = Date.UTC(2026, 10, 14, 12, 34)
  expect(periodOf('24_hours', nowMs)).toEqual({
    from: '2026-11-13T13:00:00.000Z',
    to: '2026-11-14T13:00:00.000Z',
    interval: 'hour',
  })
  expect(periodOf('7_days', nowMs)).toEqual({
    from: '2026-11-08T00:00:00.000Z',
    to: '2026-11-15T00:00:00.000Z',
    interval: 'day',
  })
})
