import type { DunningCampaign, Event, Invoice, Subscription } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { yearTimeline } from './year-timeline.ts'

const subscription = {
  id: 'subscription_1',
  status: 'active',
  trial: null,
  pause: null,
  scheduled_change: null,
}
const event = (type: string, now_at: string) =>
  ({
    id: `event ${type}`,
    type,
    created_at: '2026-11-15T00:00:00Z',
    data: JSON.stringify({ test_clock: { now_at } }),
  }) as unknown as Event
const invoice = (id: string, members: object) =>
  ({
    id,
    total: 2900,
    currency: 'eur',
    attempt_count: 1,
    payment_state: 'none',
    overdue: false,
    created_at: '2027-03-01T00:00:00Z',
    ...members,
  }) as unknown as Invoice
const campaign = (members: object) =>
  ({
    id: 'dunning_campaign_1',
    ended_at: null,
    steps: [
      { due_at: '2027-03-02T09:00:00Z', attempted_at: '2027-03-02T09:00:00Z', code: 'insufficient_funds' },
      { due_at: '2027-03-05T09:00:00Z', attempted_at: null, code: null },
      { due_at: '2027-03-09T09:00:00Z', attempted_at: null, code: null },
    ],
    ...members,
  }) as unknown as DunningCampaign
const timelineOf = (members: object) =>
  yearTimeline({
    subscription: subscription as unknown as Subscription,
    events: [],
    invoices: [],
    campaigns: [],
    ...members,
  })

test('events use the time of their clock, and events without a status change are left out', () => {
  const { nodes } = timelineOf({
    events: [
      event('subscription.paused', '2027-06-01T00:00:00Z'),
      event('subscription.updated', '2027-06-02'),
    ],
  })
  expect(nodes).toMatchObject([{ text: 'Paused', atMs: Date.parse('2027-06-01'), isWaiting: true }])
})

test('each invoice shows its outcome; an unknown payment outcome is never shown as failed', () => {
  const { nodes } = timelineOf({
    invoices: [
      invoice('a', { status: 'paid' }),
      invoice('b', { status: 'paid', attempt_count: 3 }),
      invoice('c', { status: 'open', overdue: true }),
      invoice('d', { status: 'open', overdue: true, payment_state: 'unknown' }),
    ],
  })
  expect(nodes.map(({ text, mark }) => `${text}: ${mark}`)).toEqual([
    '€29.00 paid: done',
    '€29.00 paid on attempt 3: done',
    '€29.00 overdue: failed',
    '€29.00 outcome unknown: waiting',
  ])
})

test('retries have their own lane, which ends with the successful retry', () => {
  const { lanes, nodes } = timelineOf({
    campaigns: [campaign({ status: 'recovered', ended_at: '2027-03-05T09:00:00Z' })],
  })
  expect(lanes.map(({ id }) => id)).toContain('retries')
  expect(nodes.map(({ text }) => text)).toEqual(['insufficient funds', 'Paid'])
  expect(timelineOf({}).lanes.map(({ id }) => id)).not.toContain('retries')
})

test('a campaign without a successful retry ends with "Retries exhausted"', () => {
  const { nodes } = timelineOf({
    campaigns: [campaign({ status: 'exhausted', ended_at: '2027-03-28T00:00:00Z' })],
  })
  expect(nodes.at(-1)).toMatchObject({ text: 'Retries exhausted', mark: 'failed' })
})
