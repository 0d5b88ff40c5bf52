import fc from 'fast-check'
import { expect, test } from 'vitest'
import { brandOf, digitsOf, hasValidLength, looksLikeCardNumber, passesLuhn } from './card-number.ts'

// Test numbers published by card networks and processors.
// biome-ignore format: a table.
test.each([
  ['4242424242424242',    'visa'],
  ['4222222222222',       'visa'],
  ['5555555555554444',    'mastercard'],
  ['2223003122003222',    'mastercard'],
  ['2720990000000007',    'mastercard'],
  ['378282246310005',     'amex'],
  ['343434343434343',     'amex'],
  ['6011111111111117',    'discover'],
  ['6221260000000000',    'discover'],
  ['6500000000000002',    'discover'],
  ['30569309025904',      'diners'],
  ['36227206271667',      'diners'],
  ['3566002020360505',    'jcb'],
  ['6200000000000005',    'unionpay'],
  ['8171999927660000',    'unionpay'],
  ['6759649826438453',    'unknown'],
  ['2720000000000000',    'mastercard'],
  ['2721000000000000',    'unknown'],
  ['3000000000000',       'diners'],
  ['3060000000000',       'unknown'],
])('%s has the brand %s', (number, brand) => {
  expect(brandOf(number)).toBe(brand)
})

test.each([
  ['4242424242424242', true],
  ['42424242424242', false],
  ['37828224631000', false],
  ['378282246310005', true],
  ['675964982643845312', true],
])('%s has a valid length for its brand: %s', (number, fits) => {
  expect(hasValidLength(number)).toBe(fits)
})

test('spaces and dashes are removed', () => {
  expect(digitsOf('3782 822463-10005')).toBe('378282246310005')
})

const digits = fc.stringMatching(/^[0-9]{11,18}$/)
const withCheckDigit = digits.map((start) => {
  const check = [...'0123456789'].find((digit) => passesLuhn(start + digit))
  return `${start}${check}`
})

test('each prefix has exactly one valid check digit, and a wrong digit is detected', () => {
  fc.assert(
    fc.property(withCheckDigit, fc.nat(), fc.integer({ min: 1, max: 9 }), (number, position, increment) => {
      const index = position % number.length
      const changed = (Number(number[index]) + increment) % 10
      expect(passesLuhn(number)).toBe(true)
      expect(passesLuhn(number.slice(0, index) + changed + number.slice(index + 1))).toBe(false)
    }),
  )
})

test('a possible card number is recognized with spaces, with dashes, and without separators', () => {
  fc.assert(
    fc.property(withCheckDigit, fc.constantFrom('', ' ', '-'), (number, separator) => {
      expect(looksLikeCardNumber([...number].join(separator))).toBe(true)
    }),
  )
  expect(looksLikeCardNumber('tok_4242424242424242')).toBe(false)
  expect(looksLikeCardNumber('4242424242424241')).toBe(false)
  expect(looksLikeCardNumber('42424242426')).toBe(false)
})
