import { expect, test } from 'vitest'
import { formatAmount } from './format-list.ts'

test.each([
  [1299, 'eur', 'EUR 12.99'],
  [5, 'eur', 'EUR 0.05'],
  [4000, 'jpy', 'JPY 4000'],
  // `Intl` formats HUF without decimals and would show 4000. IQD is similar.
  [4000, 'huf', 'HUF 40.00'],
  [4000, 'iqd', 'IQD 4.000'],
  [9_007_199_254_740_991, 'usd', 'USD 90071992547409.91'],
])('%i %s is formatted as %s', (amount, currency, text) => {
  expect(formatAmount({ amount, currency })).toBe(text)
})
