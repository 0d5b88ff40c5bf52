import type { PaymentFigures } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { changeText, providersOf, reasonsOf, todayAndLastWeek, totalsByCurrency } from './totals.ts'

const figures = (changes: Partial<PaymentFigures>): PaymentFigures => ({
  start: '2026-11-14T22:00:00.000Z',
  group: null,
  currency: 'eur',
  created: 0,
  succeeded: 0,
  failed: 0,
  cancelled: 0,
  volume: 0,
  refunded: 0,
  recovered: 0,
  recovered_volume: 0,
  attempts: 0,
  approved: 0,
  ...changes,
})

test('today is compared with the same weekday last week, up to the same time of day', () => {
  const now = new Date(2026, 10, 14, 15, 30)
  const { today, lastWeek } = todayAndLastWeek(now)
  expect(new Date(today.from)).toEqual(new Date(2026, 10, 14))
  expect(new Date(today.to)).toEqual(now)
  expect(new Date(lastWeek.from)).toEqual(new Date(2026, 10, 7))
  expect(new Date(lastWeek.to)).toEqual(new Date(2026, 10, 7, 15, 30))
})

test('there is one total per currency, the currency with the most attempts first', () => {
  const totals = totalsByCurrency([
    figures({ currency: 'jpy', volume: 5_000, attempts: 1 }),
    figures({ volume: 100, attempts: 2, approved: 1 }),
    figures({ volume: 50, attempts: 1, approved: 1 }),
  ])
  expect(
    totals.map(({ currency, volume, attempts, approved }) => [currency, volume, attempts, approved]),
  ).toEqual([
    ['eur', 150, 3, 2],
    ['jpy', 5_000, 1, 0],
  ])
})

test('a change is described as a percentage, and omitted without previous data', () => {
  expect(changeText(150, 100)).toBe('50% more')
  expect(changeText(50, 100)).toBe('50% less')
  expect(changeText(100, 100)).toBe('no change')
  expect(changeText(100, 0)).toBeNull()
})

test('an account has 24 hourly rates up to the current hour, null for hours without attempts', () => {
  const nowMs = Date.parse('2026-11-14T22:20:00.000Z')
  const [account, ...others] = providersOf(
    [
      figures({ group: 'a', attempts: 3, approved: 3 }),
      figures({ group: 'a', currency: 'usd', attempts: 1, approved: 0 }),
      figures({ group: null, attempts: 9 }),
      figures({ group: 'without attempts' }),
    ],
    nowMs,
  )
  expect(others).toEqual([])
  expect(account).toMatchObject({ accountId: 'a', attempts: 4, approved: 3 })
  expect(account?.hours).toHaveLength(24)
  expect(account?.hours.at(-1)).toEqual({ startMs: Date.parse('2026-11-14T22:00:00.000Z'), approval: 0.75 })
  expect(account?.hours[0]).toEqual({ startMs: Date.parse('2026-11-13T23:00:00.000Z'), approval: null })
})

test('failed payments are counted by reason, the most frequent first', () => {
  const reasons = reasonsOf([
    figures({ group: 'expired_card', failed: 1 }),
    figures({ group: 'do_not_honor', failed: 2 }),
    figures({ group: 'do_not_honor', currency: 'usd', failed: 1 }),
    figures({ group: 'provider_error', attempts: 4 }),
    figures({ group: null, failed: 7 }),
  ])
  expect(reasons).toEqual([
    { reason: 'do_not_honor', failed: 3 },
    { reason: 'expired_card', failed: 1 },
  ])
})
