import { expect, test } from 'vitest'
import { isRoutingNumber, normalizeSortCode } from './bank-codes.ts'

// biome-ignore format: a table.
test.each([
  ['110000000', true,  'the test bank of Stripe'],
  ['021000021', true,  'JPMorgan Chase'],
  ['121000358', true,  'Bank of America'],
  ['021000022', false, 'a wrong check digit'],
  ['012000021', false, 'two digits swapped'],
  ['000000000', false, 'a prefix that is not assigned'],
  ['990000000', false, 'a prefix that is not assigned'],
  ['11000000',  false, 'eight digits'],
  ['1100000000', false, 'ten digits'],
])('%s is a routing number: %s (%s)', (digits, isValid) => {
  expect(isRoutingNumber(digits)).toBe(isValid)
})

test('every wrong digit of a routing number is found', () => {
  const valid = '021000021'
  for (let at = 0; at < valid.length; at += 1)
    for (const digit of '0123456789') {
      const changed = `${valid.slice(0, at)}${digit}${valid.slice(at + 1)}`
      expect(isRoutingNumber(changed)).toBe(changed === valid)
    }
})

test('a sort code is six digits without dashes and spaces', () => {
  expect(['10-88-00', '10 88 00', '108800'].map(normalizeSortCode)).toEqual(['108800', '108800', '108800'])
})
