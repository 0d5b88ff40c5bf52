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
])('%j says %j and nothing sooner', (digits, brand) => {
  expect(brandOf(digits)).toBe(brand)
})

test('the check digit shows every single wrong digit, and the lengths are those of the brand', () => {
  const good = '4242424242424242'
  const wrong = [...good].flatMap((digit, place) =>
    [...'0123456789']
      .filter((other) => other !== digit)
      .map((other) => good.slice(0, place) + other + good.slice(place + 1)),
  )

  expect(passesLuhn(good)).toBe(true)
  expect(wrong.filter(passesLuhn)).toEqual([])
  expect([lengthsOf('visa'), lengthsOf('amex')]).toEqual([[13, 16, 19], [15]])
})
