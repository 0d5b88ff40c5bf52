import { expect, test } from 'vitest'
import { rateOf, rateText, rateTone, worstRate } from './rates.ts'

// biome-ignore format: a table.
test.each([
  ['approval', 1,     'success'],
  ['approval', 0.85,  'success'],
  ['approval', 0.8,   'warning'],
  ['approval', 0.7,   'warning'],
  ['approval', 0.699, 'danger'],
  ['errors',   0,     'success'],
  ['errors',   0.009, 'success'],
  ['errors',   0.01,  'warning'],
  ['errors',   0.05,  'danger'],
] as const)('the %s rate %d has the tone %s', (kind, rate, tone) => {
  expect(rateTone(kind, rate)).toBe(tone)
})

test('the worst approval rate is the lowest, the worst error rate the highest', () => {
  expect(worstRate('approval', [0.9, 0.2, 1])).toBe(0.2)
  expect(worstRate('errors', [0.9, 0.2, 1])).toBe(1)
})

test('a rate is rounded down, so that 99.99% is not shown as 100%', () => {
  expect(rateText(rateOf(9_999, 10_000))).toBe('99.9%')
  expect(rateText(rateOf(932, 1_000))).toBe('93.2%')
  expect(rateText(rateOf(1, 1))).toBe('100%')
  expect(rateText(rateOf(0, 0))).toBe('–')
})
