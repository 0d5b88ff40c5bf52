import { expect, test } from 'vitest'
import { amountOf, moneyText, plainAmount } from './money.ts'

test.each([
  ['eur', 4_000, '40.00'],
  ['jpy', 4_000, '4000'],
  ['bhd', 4_000, '4.000'],
  // `Intl` would format this amount as 200,000, which is 100 times too much.
  ['huf', 200_000, '2000.00'],
  ['eur', 5, '0.05'],
  ['eur', -150, '-1.50'],
])('%s %i is formatted as %s', (currency, amount, text) => {
  expect(plainAmount(amount, currency)).toBe(text)
})

test('an amount that a float cannot represent is formatted exactly', () => {
  expect(moneyText(9_007_199_254_740_991, 'usd').replace(/[^\d.]/g, '')).toBe('90071992547409.91')
})

test.each([
  ['40', 'eur', 4_000],
  ['40,5', 'eur', 4_050],
  ['40.505', 'eur', null],
  ['40.5', 'jpy', null],
  ['', 'eur', null],
  ['-1', 'eur', null],
  ['1e3', 'eur', null],
])('"%s" in %s is parsed as %s', (typed, currency, amount) => {
  expect(amountOf(typed, currency)).toBe(amount)
})
