import type { Subscription, SubscriptionPreview } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { chargedNow, effectOf } from './effect-text.ts'

const before = {
  status: 'active',
  currency: 'eur',
  pause: null,
  trial: null,
  scheduled_change: null,
  current_period: { end_at: '2027-05-01T12:00:00Z' },
  access: { granted: true },
} as unknown as Subscription

function preview(after: object, rest: object = {}): SubscriptionPreview {
  const subscription = { ...before, ...after }
  return { subscription, invoices: [], pending_lines: [], ...rest } as unknown as SubscriptionPreview
}

test('the effect of a pause includes billing, unused time and the end of the pause', () => {
  const pause = { unused_time: 'keep', remaining_seconds: 17 * 86_400, resumes_at: null }
  expect(effectOf(before, preview({ status: 'paused', pause, access: { granted: false } }))).toEqual([
    'The subscription pauses now. No invoices are created while it is paused.',
    '17 unused days are added after it resumes.',
    'It stays paused until it is resumed manually.',
    'Access ends now.',
  ])
})

test('one unused day is in the singular', () => {
  const pause = { unused_time: 'forfeit', remaining_seconds: 86_400, resumes_at: '2027-05-01T12:00:00Z' }
  expect(effectOf(before, preview({ status: 'paused', pause, access: { granted: false } }))).toContain(
    '1 unused day is forfeited.',
  )
})

test('a scheduled change shows its date, and that nothing changes until then', () => {
  const scheduled_change = { action: 'cancel', at: 'period_end', effective_at: '2027-05-01T12:00:00Z' }
  expect(effectOf(before, preview({ scheduled_change }))).toEqual([
    'The subscription is cancelled on 1 May 2027. It is unchanged until then.',
  ])
  expect(effectOf({ ...before, scheduled_change } as unknown as Subscription, preview({}))).toEqual([
    'The scheduled change is removed.',
  ])
})

test('amounts are listed as charged now, credited, or added to the next invoice', () => {
  const invoices = [
    { total: 1240, currency: 'eur', collect: 'now' },
    { total: -300, currency: 'eur', collect: 'never' },
  ]
  const previewed = preview({}, { invoices, pending_lines: [{ amount: 500 }, { amount: -800 }] })
  expect(effectOf(before, previewed)).toEqual([
    '€12.40 is billed and charged now.',
    '€3.00 is credited to the customer.',
    '€3.00 is deducted from the next invoice.',
  ])
  expect(chargedNow(previewed)).toEqual({ amount: 1240, currency: 'eur' })
  expect(chargedNow(preview({}))).toBeNull()
  const later = { invoices: [{ total: 900, currency: 'eur', collect: 'spread' }] }
  expect(chargedNow(preview({}, later))).toBeNull()
})

test('an action without an effect on billing is described as such', () => {
  expect(effectOf(before, preview({}))).toEqual(['Billing does not change.'])
})

test('without a card nothing is charged, and neither the sentence nor the button mentions a charge', () => {
  const invoices = [{ total: 1240, currency: 'eur', collect: 'now' }]
  const previewed = preview({ payment_method_id: null }, { invoices })
  expect(effectOf(before, previewed)).toEqual([
    '€12.40 is billed but not charged, because the customer has no card. The invoice stays open until it is paid.',
  ])
  expect(chargedNow(previewed)).toBeNull()
  expect(chargedNow(preview({ payment_method_id: 'payment_method_test_1' }, { invoices }))).toEqual({
    amount: 1240,
    currency: 'eur',
  })
})
