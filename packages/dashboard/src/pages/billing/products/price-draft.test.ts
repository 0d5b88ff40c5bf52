import { expect, test } from 'vitest'
import { emptyPrice, emptyTier, missingIn, termsOf } from './price-draft.ts'

test('the terms of each scheme have the members that the API expects', () => {
  expect(termsOf({ ...emptyPrice, amount: '29.99' }, 'eur')).toEqual({ unit_amount: 2999 })
  expect(termsOf({ ...emptyPrice, scheme: 'package', amount: '10', minimum: '5' }, 'eur')).toEqual({
    scheme: 'package',
    unit_amount: 1000,
    package: { size: 100, round: 'up' },
    minimum_amount: 500,
  })
  const tiers = [
    { upTo: '10', unit: '5', flat: '' },
    { upTo: '', unit: '3', flat: '9' },
  ]
  expect(termsOf({ ...emptyPrice, scheme: 'graduated', tiers }, 'eur')).toEqual({
    scheme: 'graduated',
    tiers: [
      { up_to: 10, unit_amount_decimal: '500' },
      { up_to: null, unit_amount_decimal: '300', flat_amount: 900 },
    ],
  })
})

test('an amount is required, or the amount of each tier', () => {
  expect(missingIn(emptyPrice, 'eur')).toBe('Enter an amount first.')
  expect(missingIn({ ...emptyPrice, amount: '1' }, 'eur')).toBe(null)
  expect(missingIn({ ...emptyPrice, scheme: 'volume' }, 'eur')).toBe('Enter the amount of each tier first.')
  const tiers = [{ ...emptyTier, unit: '0' }]
  expect(missingIn({ ...emptyPrice, scheme: 'volume', tiers }, 'eur')).toBe(null)
})
