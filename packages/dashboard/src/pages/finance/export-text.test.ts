import { expect, test } from 'vitest'
import { formatsOf, lastMonth, sizeText } from './export-text.ts'

test.each([
  ['2026-11-17T12:00:00.000Z', '2026-10-01', '2026-10-31'],
  ['2026-01-01T00:00:00.000Z', '2025-12-01', '2025-12-31'],
  ['2028-03-31T23:59:59.000Z', '2028-02-01', '2028-02-29'],
])('the month before %s is from %s to %s', (now, from, to) => {
  expect(lastMonth(new Date(now))).toEqual({ from, to })
})

test('only the journal has formats of accounting software', () => {
  expect(formatsOf('payments')).toEqual(['csv', 'parquet'])
  expect(formatsOf('journal')).toContain('datev')
})

test.each([
  [999, '999 B'],
  [1_000, '1 KB'],
  [482_133, '482.1 KB'],
  [12_345_678, '12.3 MB'],
])('%i bytes are shown as %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text)
})
