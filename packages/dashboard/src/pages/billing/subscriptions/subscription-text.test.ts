import type { Subscription } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { accessText, badgesOf, dayText, nextChargeText, overdueText } from './subscription-text.ts'

const active = {
  status: 'active',
  payment_method_id: 'payment_method_test_1',
  current_period: { end_at: '2027-05-01T12:00:00.000Z' },
  trial: null,
  pause: null,
  activation: null,
  scheduled_change: null,
  parked: null,
  collection: { status: 'current' },
} as unknown as Subscription
const subscriptionWith = (members: object) => ({ ...active, ...members }) as unknown as Subscription

test('badges show problems first, then scheduled changes', () => {
  const subscription = subscriptionWith({
    collection: { status: 'past_due' },
    scheduled_change: { action: 'pause', at: 'period_end', effective_at: '2027-12-01T12:00:00.000Z' },
  })
  expect(badgesOf(subscription).map(({ text }) => text)).toEqual(['In dunning', 'Pauses on 1 Dec 2027'])
})

test('a subscription that awaits its first payment has a badge', () => {
  const subscription = subscriptionWith({
    status: 'trialing',
    activation: { purpose: 'start', state: 'pending' },
  })
  expect(badgesOf(subscription)).toEqual([{ text: 'Awaiting first payment', tone: 'warning' }])
  expect(badgesOf(subscriptionWith({ activation: { purpose: 'start', state: 'done' } }))).toEqual([])
})

test('a date in the current year is shown without the year', () => {
  const now = Date.parse('2027-03-01T12:00:00Z')
  expect([dayText('2027-12-01T12:00:00Z', now), dayText('2028-12-01T12:00:00Z', now)]).toEqual([
    '1 Dec',
    '1 Dec 2028',
  ])
})

test('the next charge is described in every state', () => {
  expect(nextChargeText(active, '€45.00')).toBe('€45.00 is charged on 1 May 2027.')
  expect(nextChargeText(subscriptionWith({ status: 'cancelled' }), null)).toMatch(/No further charges/)
  const trial = {
    end_at: '2027-04-01T12:00:00Z',
    end_behaviour: 'activate',
    missing_payment_method: 'pause',
  }
  expect(nextChargeText(subscriptionWith({ status: 'trialing', trial }), null)).toBe(
    'The trial ends on 1 Apr 2027. The next invoice is charged then.',
  )
  expect(
    nextChargeText(subscriptionWith({ status: 'trialing', trial, payment_method_id: null }), null),
  ).toMatch(/the subscription then pauses, because there is no card/)
  const pause = { resumes_at: null, remaining_seconds: 17 * 86_400 }
  expect(nextChargeText(subscriptionWith({ status: 'paused', pause }), null)).toMatch(/17 paid days remain/)
  const resuming = { ...pause, resumes_at: '2027-06-01T12:00:00Z' }
  expect(nextChargeText(subscriptionWith({ status: 'paused', pause: resuming }), null)).toMatch(
    /resumes on 1 Jun 2027/,
  )
})

test('access has a reason, and an end date if it is granted', () => {
  expect(accessText({ granted: true, reason: 'grace', until_at: '2027-04-28T12:00:00Z' })).toBe(
    'Granted until 28 Apr 2027: a payment failed and is being retried.',
  )
  expect(accessText({ granted: false, reason: 'paused', until_at: null })).toBe('Not granted: paused.')
})

test('an overdue attempt of a past-due subscription is due now, not in the past, except on a test clock', () => {
  const collection = {
    overdue_amount: 4500,
    past_due_since_at: '2027-04-01T12:00:00Z',
    next_attempt_at: '2027-04-09T12:00:00Z',
    final_action: 'pause',
    final_action_at: '2027-04-28T12:00:00Z',
  }
  const end = 'If every retry fails by 28 Apr 2027, the subscription is paused.'
  const textAt = (at: string, test_clock_id: string | null = null) =>
    overdueText(subscriptionWith({ collection, currency: 'eur', test_clock_id }), Date.parse(at))
  const [before, after] = ['2027-04-09T11:59:59Z', '2027-04-09T12:00:00Z']
  expect(textAt(before)).toBe(
    `€45.00 has been overdue since 1 Apr 2027. The next attempt is on 9 Apr 2027. ${end}`,
  )
  expect(textAt(after)).toBe(`€45.00 has been overdue since 1 Apr 2027. The next attempt is due now. ${end}`)
  expect(textAt(after, 'test_clock_test_1')).toBe(textAt(before))
})
