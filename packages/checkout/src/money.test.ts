import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatMoney, formatPlainAmount, parseAmount } from './money.ts'

const locales = ['en', 'de', 'es', 'fr', 'ja', 'ar', 'ar-EG', 'de-CH']
const anyAmount = fc.integer({ min: 0, max: 999_999_999_999 })
const eur = { currency: 'eur', exponent: 2 }

test('a formatted field value parses to the same amount, in every language and with every exponent', () => {
  fc.assert(
    fc.property(
      anyAmount,
      fc.constantFrom(0, 2, 3, 4),
      fc.constantFrom(...locales),
      (amount, exponent, locale) => {
        const money = { currency: 'eur', exponent }
        expect(parseAmount(formatPlainAmount(amount, money, locale), money, locale)).toBe(amount)
      },
    ),
  )
})

test('a displayed amount without its currency symbol parses to the same amount', () => {
  fc.assert(
    fc.property(
      anyAmount,
      fc.constantFrom(0, 2, 3),
      fc.constantFrom('en', 'de', 'fr', 'ja'),
      (amount, exponent, locale) => {
        const money = { currency: 'usd', exponent }
        const formatted = formatMoney(amount, money, locale).replace(/[^\d.,\s]/g, '')
        expect(parseAmount(formatted, money, locale)).toBe(amount)
      },
    ),
  )
})

// biome-ignore format: a table.
test.each([
  ['iqd', 3, 1_234_567, 'IQD 1,234.567'],
  ['huf', 2, 123_456,   'HUF 1,234.56'],
  ['jpy', 0, 1_234,     '¥1,234'],
  ['eur', 2, 7,         '€0.07'],
  ['clf', 4, 12_345,    'CLF 1.2345'],
  ['eur', 2, 999_999_999_999, '€9,999,999,999.99'],
])('%s is formatted with %i decimal places, regardless of Intl', (currency, exponent, amount, formatted) => {
  expect(formatMoney(amount, { currency, exponent }, 'en').replace(/\s/g, ' ')).toBe(formatted)
})

// biome-ignore format: a table.
test.each([
  ['12,50',     'en', 1250],
  ['12.50',     'de', 1250],
  ['12.5',      'en', 1250],
  ['1,000',     'en', 100_000],
  ['1.000',     'de', 100_000],
  ['1.000',     'en', null],
  ['1,000,000', 'en', 100_000_000],
  ['1,000.50',  'en', 100_050],
  ['1.000,50',  'de', 100_050],
  ["1'000.50",  'de-CH', 100_050],
  ['١٢٫٥٠',     'ar', 1250],
  [' 25 ',      'en', 2500],
  ['12.345',    'en', null],
  ['1.2,5',     'de', null],
  ['12.3456',   'en', null],
  ['1.2.3',     'en', null],
  ['-5',        'en', null],
  ['5e3',       'en', null],
  ['',          'en', null],
  ['.',         'en', null],
])('%j typed in the language %s is parsed as %j', (typed, locale, amount) => {
  expect(parseAmount(typed, eur, locale)).toBe(amount)
})
