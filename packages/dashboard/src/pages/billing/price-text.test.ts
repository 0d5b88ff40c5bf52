import type { Price } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { priceText, tierLines } from './price-text.ts'

const price = {
  currency: 'eur',
  scheme: 'per_unit',
  unit_amount: 1500,
  unit_amount_decimal: '1500',
  tiers: null,
  package: null,
  minimum_amount: null,
  maximum_amount: null,
  recurring: { interval: 'month', interval_count: 1 },
} as Price
const tiers = [
  { up_to: 10, unit_amount_decimal: '500', flat_amount: 0 },
  { up_to: null, unit_amount_decimal: '0.4', flat_amount: 900 },
]

test('a price is described with its scheme, its limits and its interval', () => {
  expect(priceText(price)).toBe('€15.00 per month')
  expect(priceText({ ...price, recurring: null })).toBe('€15.00 once')
  expect(priceText({ ...price, unit_amount_decimal: '0.4' })).toBe('0.4 minor units of EUR per month')
  expect(priceText({ ...price, scheme: 'graduated', unit_amount_decimal: null, tiers })).toBe(
    '2 tiers (graduated) from €5.00 per month',
  )
  expect(priceText({ ...price, scheme: 'package', package: { size: 100, round: 'up' } })).toBe(
    '€15.00 for 100 units per month',
  )
  expect(priceText({ ...price, minimum_amount: 500, maximum_amount: 90_000 })).toBe(
    '€15.00, at least €5.00, at most €900.00, per month',
  )
})

test('each tier has a line with its units', () => {
  expect(tierLines({ ...price, tiers })).toEqual([
    '1 to 10: €5.00 each',
    '11 and above: 0.4 minor units of EUR each, plus €9.00',
  ])
  expect(tierLines(price)).toEqual([])
})
