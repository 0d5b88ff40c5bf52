import { expect, test } from 'vitest'
import { brandOf, lengthsOf, passesLuhn } from './brand.ts'

// biome-ignore format: a table.
test.each([
  ['',                 null],
  ['4',                'visa'],
  ['5',                'mastercard'],
  ['50',               null],
  ['2',                'mastercard'],
  ['2220',             null],
  ['2221',             'mastercard'],
  ['2720',             'mastercard'],
  ['2721',             null],
  ['3',                null],
  ['34',               'amex'],
  ['35',               'jcb'],
  ['3527',             null],
  ['36',               'diners'],
  ['6',                null],
  ['62',               null],
  ['622126',           'discover'],
  ['622926',           'unionpay'],
  ['6011',             'discover'],
  ['81',               'unionpay'],
  ['9',                null],
  ['4242424242424242', 'visa'],
])('the brand of %j is %j', (digits, brand) => {
  expect(brandOf(digits)).toBe(brand)
})

test('the check digit detects every single wrong digit, and each brand has its own lengths', () => {
  const valid = '4242424242424242'
  const mistyped = [...valid].flatMap((digit, index) =>
    [...'0123456789']
      .filter((other) => other !== digit)
      .map((other) => valid.slice(0, index) + other + valid.slice(index + 1)),
  )

  expect(passesLuhn(valid)).toBe(true)
  expect(mistyped.filter(passesLuhn)).toEqual([])
  expect([lengthsOf('visa'), lengthsOf('amex')]).toEqual([[13, 16, 19], [15]])
})
