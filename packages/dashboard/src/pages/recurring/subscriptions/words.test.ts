import type { Subscription } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { accessText, dayText, nextChargeText, notesOf } from './words.ts'

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
const having = (members: object) => ({ ...active, ...members }) as unknown as Subscription

test('notes say what the four states leave out, trouble first', () => {
  const subscription = having({
    collection: { status: 'past_due' },
    scheduled_change: { action: 'pause', at: 'period_end', effective_at: '2027-12-01T12:00:00.000Z' },
  })
  expect(notesOf(subscription).map(({ text }) => text)).toEqual(['In dunning', 'Pauses on 1 Dec 2027'])
})

test('a subscription that waits for its first payment says so', () => {
  const subscription = having({ status: 'trialing', activation: { purpose: 'start', state: 'pending' } })
  expect(notesOf(subscription)).toEqual([{ text: 'Awaiting first payment', tone: 'caution' }])
  expect(notesOf(having({ activation: { purpose: 'start', state: 'done' } }))).toEqual([])
})

test('the year of today goes without saying', () => {
  const now = Date.parse('2027-03-01T12:00:00Z')
  expect([dayText('2027-12-01T12:00:00Z', now), dayText('2028-12-01T12:00:00Z', now)]).toEqual([
    '1 Dec',
    '1 Dec 2028',
  ])
})

test('the next charge is a sentence in every state', () => {
  expect(nextChargeText(active, '€45.00')).toBe('€45.00 is charged on 1 May 2027.')
  expect(nextChargeText(having({ status: 'cancelled' }), null)).toMatch(/Nothing is charged any more/)
  const trial = {
    end_at: '2027-04-01T12:00:00Z',
    end_behaviour: 'activate',
    missing_payment_method: 'pause',
  }
  expect(nextChargeText(having({ status: 'trialing', trial }), null)).toBe(
    'The trial ends on 1 Apr 2027. The next invoice is charged then.',
  )
  expect(nextChargeText(having({ status: 'trialing', trial, payment_method_id: null }), null)).toMatch(
    /it pauses then, because there is no card/,
  )
  const pause = { resumes_at: null, remaining_seconds: 17 * 86_400 }
  expect(nextChargeText(having({ status: 'paused', pause }), null)).toMatch(/17 paid days are left/)
  const resuming = { ...pause, resumes_at: '2027-06-01T12:00:00Z' }
  expect(nextChargeText(having({ status: 'paused', pause: resuming }), null)).toMatch(/resumes on 1 Jun 2027/)
})

test('access says why, and until when if it is granted', () => {
  expect(accessText({ granted: true, reason: 'grace', until_at: '2027-04-28T12:00:00Z' })).toBe(
    'Granted until 28 Apr 2027: a payment failed, and it is still tried again.',
  )
  expect(accessText({ granted: false, reason: 'paused', until_at: null })).toBe('Not granted: it is paused.')
})
