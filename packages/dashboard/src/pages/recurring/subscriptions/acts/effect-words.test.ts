import type { Subscription, SubscriptionPreview } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { chargedNow, effectOf } from './effect-words.ts'

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

test('a pause says that nothing is billed, what becomes of the time that is left, and until when', () => {
  const pause = { unused_time: 'keep', remaining_seconds: 17 * 86_400, resumes_at: null }
  expect(effectOf(before, preview({ status: 'paused', pause, access: { granted: false } }))).toEqual([
    'It pauses now. No invoices while it is paused.',
    '17 unused days are kept and lived after it resumes.',
    'It stays paused until somebody resumes it.',
    'Access ends now.',
  ])
})

test('what is scheduled says when, and that all goes on until then', () => {
  const scheduled_change = { action: 'cancel', at: 'period_end', effective_at: '2027-05-01T12:00:00Z' }
  expect(effectOf(before, preview({ scheduled_change }))).toEqual([
    'It is cancelled on 1 May 2027. Until then it goes on as it is.',
  ])
  expect(effectOf({ ...before, scheduled_change } as unknown as Subscription, preview({}))).toEqual([
    'What was scheduled is withdrawn.',
  ])
})

test('money is named: what is charged now, what becomes credit, what waits', () => {
  const invoices = [
    { total: 1240, currency: 'eur', collect: 'now' },
    { total: -300, currency: 'eur', collect: 'never' },
  ]
  const shown = preview({}, { invoices, pending_lines: [{ amount: 500 }, { amount: -800 }] })
  expect(effectOf(before, shown)).toEqual([
    '€12.40 is billed and charged now.',
    '€3.00 becomes credit of the customer.',
    '€3.00 is taken off the next invoice.',
  ])
  expect(chargedNow(shown)).toEqual({ amount: 1240, currency: 'eur' })
  expect(chargedNow(preview({}))).toBeNull()
  const later = { invoices: [{ total: 900, currency: 'eur', collect: 'spread' }] }
  expect(chargedNow(preview({}, later))).toBeNull()
})

test('an action without an effect says so', () => {
  expect(effectOf(before, preview({}))).toEqual(['Nothing changes in what is billed or when.'])
})
