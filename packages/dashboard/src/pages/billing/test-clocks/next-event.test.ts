import type { Subscription } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { nextEventAt } from './next-event.ts'

const subscription = (members: object) =>
  ({
    status: 'active',
    current_period: { end_at: '2027-05-01T00:00:00.000Z' },
    trial: null,
    pause: null,
    scheduled_change: null,
    activation: null,
    collection: { next_attempt_at: null, final_action_at: null },
    ...members,
  }) as unknown as Subscription

test('the next event is the earliest one after the time of the clock', () => {
  const inDunning = subscription({
    collection: { next_attempt_at: '2027-04-09T09:14:32.000Z', final_action_at: '2027-04-28T08:53:20.000Z' },
  })
  const both = [subscription({}), inDunning]
  expect(nextEventAt(both, '2027-04-05T00:00:00.000Z')).toBe('2027-04-09T09:14:32.000Z')
  expect(nextEventAt(both, '2027-04-09T09:14:32.000Z')).toBe('2027-04-28T08:53:20.000Z')
  expect(nextEventAt(both, '2027-04-30T00:00:00.000Z')).toBe('2027-05-01T00:00:00.000Z')
})

test('a cancelled subscription has only collection events', () => {
  expect(nextEventAt([subscription({ status: 'cancelled' })], '2027-04-05T00:00:00.000Z')).toBeNull()
})

test('a clock without subscriptions has no next event', () => {
  expect(nextEventAt([], '2027-04-05T00:00:00.000Z')).toBeNull()
})
