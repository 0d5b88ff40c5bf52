import type { Subscription } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { upcomingCharges } from './upcoming-charges.ts'

const monthly = {
  status: 'active',
  interval: { unit: 'month', count: 1 },
  anchor: { date: '2027-01-31', day: 31, time: '00:00:00', time_zone: 'UTC', epoch: 0 },
  current_period: { end_at: '2027-02-28T00:00:00.000Z' },
  trial: null,
  pause: null,
  scheduled_change: null,
} as unknown as Subscription

test('a charge on the 31st is on the last day of shorter months', () => {
  expect(upcomingCharges(monthly, 3)).toEqual(['2027-02-28', '2027-03-31', '2027-04-30'])
})

test('dates are in the time zone of the anchor', () => {
  const zoned = {
    ...monthly,
    anchor: { ...monthly.anchor, day: 1, time_zone: 'Asia/Tokyo' },
    current_period: { end_at: '2027-02-28T15:00:00.000Z' },
  } as unknown as Subscription
  expect(upcomingCharges(zoned, 2)).toEqual(['2027-03-01', '2027-04-01'])
})

test('nothing is charged on or after the day of a scheduled cancellation', () => {
  const ending = {
    ...monthly,
    scheduled_change: { action: 'cancel', at: 'period_end', effective_at: '2027-03-31T00:00:00.000Z' },
  } as unknown as Subscription
  expect(upcomingCharges(ending, 12)).toEqual(['2027-02-28'])
})

test('a pause without a resume date has no charges; with one, the remaining time is added first', () => {
  const paused = { ...monthly, status: 'paused', pause: { resumes_at: null, remaining_seconds: 86_400 } }
  expect(upcomingCharges(paused as unknown as Subscription, 3)).toEqual([])
  const resuming = {
    ...paused,
    anchor: null,
    pause: { resumes_at: '2027-03-09T00:00:00.000Z', remaining_seconds: 86_400 },
  }
  expect(upcomingCharges(resuming as unknown as Subscription, 2)).toEqual(['2027-03-10', '2027-04-10'])
})

test('a yearly subscription has two charges within a year of the first, a cancelled one has none', () => {
  const yearly = { ...monthly, interval: { unit: 'year', count: 1 } } as unknown as Subscription
  expect(upcomingCharges(yearly, 12)).toEqual(['2027-02-28', '2028-02-29'])
  expect(upcomingCharges({ ...monthly, status: 'cancelled' }, 12)).toEqual([])
})
