import { expect, test } from 'vitest'
import {
  basisPointsOf,
  type Cost,
  costOf,
  emptyRow,
  feeText,
  rowOf,
  segmentText,
  settledFeeText,
  settledSegmentText,
} from './cost-text.ts'

const any: Cost = {
  currency: null,
  card_brands: null,
  card_countries: null,
  card_fundings: null,
  basis_points: 140,
  fixed_amount: 0,
}
const german: Cost = {
  ...any,
  currency: 'eur',
  card_brands: ['visa', 'amex'],
  card_countries: ['DE'],
  card_fundings: ['debit'],
  fixed_amount: 25,
}

test('a fee is shown as a percentage and a fixed amount, with the payments it applies to', () => {
  expect([segmentText(any), feeText(any)]).toEqual(['All payments', '1.4%'])
  expect([segmentText(german), feeText(german)]).toEqual(['EUR, visa or amex, DE, debit', '1.4% + €0.25'])
  expect(feeText({ ...german, basis_points: 0 })).toBe('€0.25')
  expect(feeText({ ...any, basis_points: 0 })).toBe('0%')
})

test('a fee in the form keeps its values', () => {
  for (const cost of [any, german, { ...german, currency: 'jpy', basis_points: 5 }])
    expect(costOf(rowOf(cost))).toEqual(cost)
})

test('typed values are converted, and invalid amounts are not sent', () => {
  const typed = {
    ...emptyRow,
    currency: 'eur',
    countries: 'de, at',
    brands: 'Visa',
    percent: '1,4',
    fixed: '0.25',
  }
  expect(costOf(typed)).toMatchObject({
    card_brands: ['visa'],
    card_countries: ['DE', 'AT'],
    basis_points: 140,
    fixed_amount: 25,
  })
  expect(costOf({ ...typed, percent: '' })).toBeNull()
  expect(costOf({ ...typed, fixed: '0.255' })).toBeNull()
  expect(['0', '2.9', '100', '0.05'].map(basisPointsOf)).toEqual([0, 290, 10_000, 5])
  expect(['100.01', '1.234', '-1', 'x'].map(basisPointsOf)).toEqual([null, null, null, null])
})

test('settled costs are shown with their segment, and as unknown with too few lines', () => {
  const cost = {
    object: 'settled_cost',
    provider_account_id: 'provider_account_test_1',
    currency: 'eur',
    card_brand: 'visa',
    card_country: 'DE',
    card_funding: null,
    min_amount: 1_000,
    max_amount: 9_999,
    lines: 200,
    amount: 1_042_000,
    fee: 19_588,
    basis_points: 140.02,
    fixed_amount: 24.96,
  } as const
  expect(settledSegmentText(cost)).toBe('EUR 10.00 to 99.99, visa, DE')
  expect(settledFeeText(cost)).toBe('1.4% + €0.25')
  expect(settledFeeText({ ...cost, fixed_amount: 0.2 })).toBe('1.4%')
  expect(settledFeeText({ ...cost, fixed_amount: -1.2 })).toBe('1.4% − €0.01')
  expect(settledFeeText({ ...cost, basis_points: null, fixed_amount: null })).toBe('€0.98 on average')
  expect(settledFeeText({ ...cost, lines: 199, basis_points: null, fixed_amount: null })).toBe('unknown')
})
