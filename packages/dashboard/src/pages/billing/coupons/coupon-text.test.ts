import { expect, test } from 'vitest'
import { discountText, durationText, offText, redemptionsText } from './coupon-text.ts'

test('a coupon is described by its discount, its duration and its redemptions', () => {
  expect(offText({ percent_off: '12.5', amount_off: null, currency: null })).toBe('12.5% off')
  expect(offText({ percent_off: null, amount_off: 500, currency: 'eur' })).toBe('€5.00 off')
  expect(durationText({ duration: 'once', duration_periods: null })).toBe('once')
  expect(durationText({ duration: 'periods', duration_periods: 1 })).toBe('for 1 period')
  expect(durationText({ duration: 'periods', duration_periods: 3 })).toBe('for 3 periods')
  expect(durationText({ duration: 'forever', duration_periods: null })).toBe('every period')
  expect(redemptionsText({ times_redeemed: 12, max_redemptions: 100 })).toBe('12 of 100')
  expect(redemptionsText({ times_redeemed: 12, max_redemptions: null })).toBe('12')
})

test('a discount of a subscription shows how many of its periods are used', () => {
  const discount = {
    id: 'discount_1',
    coupon_id: 'coupon_1',
    promotion_code_id: null,
    name: 'Spring offer',
    percent_off: '20',
    amount_off: null,
    product_ids: null,
    duration: 'periods',
    periods: 3,
    periods_used: 1,
    in_current_period: true,
  } as const
  expect(discountText({ ...discount, product_ids: null }, 'eur')).toBe('20% off for 3 periods, 1 used')
  expect(discountText({ ...discount, duration: 'forever', periods: null, periods_used: null }, 'eur')).toBe(
    '20% off every period',
  )
})
