import { expect, test } from 'vitest'
import { amountText } from './words.ts'

test.each([
  [1299, 'eur', 'EUR 12.99'],
  [5, 'eur', 'EUR 0.05'],
  [4000, 'jpy', 'JPY 4000'],
  // `Intl` would say 4000, a hundred times too much, and so for the next.
  [4000, 'huf', 'HUF 40.00'],
  [4000, 'iqd', 'IQD 4.000'],
  [9_007_199_254_740_991, 'usd', 'USD 90071992547409.91'],
])('%i %s is %s', (amount, currency, text) => {
  expect(amountText({ amount, currency })).toBe(text)
})
