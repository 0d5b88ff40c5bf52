import type { PaymentFigures } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { changeText, providersOf, reasonsOf, shareText, sumsOf, todayAndBefore } from './sums.ts'

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

test('today is compared with the same weekday until the same time', () => {
  const now = new Date(2026, 10, 14, 15, 30)
  const { today, before } = todayAndBefore(now)
  expect(new Date(today.from)).toEqual(new Date(2026, 10, 14))
  expect(new Date(today.to)).toEqual(now)
  expect(new Date(before.from)).toEqual(new Date(2026, 10, 7))
  expect(new Date(before.to)).toEqual(new Date(2026, 10, 7, 15, 30))
})

test('currencies are never added, and the busiest stands first', () => {
  const sums = sumsOf([
    figures({ currency: 'jpy', volume: 5_000, attempts: 1 }),
    figures({ volume: 100, attempts: 2, approved: 1 }),
    figures({ volume: 50, attempts: 1, approved: 1 }),
  ])
  expect(
    sums.map(({ currency, volume, attempts, approved }) => [currency, volume, attempts, approved]),
  ).toEqual([
    ['eur', 150, 3, 2],
    ['jpy', 5_000, 1, 0],
  ])
})

test('a share is rounded down, so that 100 % means every one', () => {
  expect(shareText(9_999, 10_000)).toBe('99.9 %')
  expect(shareText(1, 1)).toBe('100 %')
  expect(shareText(0, 0)).toBe('–')
})

test('a change is told in words, and not at all if there was nothing before', () => {
  expect(changeText(150, 100)).toBe('50 % more')
  expect(changeText(50, 100)).toBe('50 % less')
  expect(changeText(100, 100)).toBe('the same')
  expect(changeText(100, 0)).toBeNull()
})

test('an account has 24 hours, of which the last is now, and hours without attempts are told apart', () => {
  const nowMs = Date.parse('2026-11-14T22:20:00.000Z')
  const [account, ...others] = providersOf(
    [
      figures({ group: 'a', attempts: 3, approved: 3 }),
      figures({ group: 'a', currency: 'usd', attempts: 1, approved: 0 }),
      figures({ group: null, attempts: 9 }),
      figures({ group: 'idle' }),
    ],
    nowMs,
  )
  expect(others).toEqual([])
  expect(account).toMatchObject({ accountId: 'a', attempts: 4, approved: 3 })
  expect(account?.hours).toHaveLength(24)
  expect(account?.hours.at(-1)).toEqual({ startMs: Date.parse('2026-11-14T22:00:00.000Z'), share: 0.25 })
  expect(account?.hours[0]).toEqual({ startMs: Date.parse('2026-11-13T23:00:00.000Z'), share: null })
})

test('reasons count payments that failed, the most frequent first', () => {
  const found = reasonsOf([
    figures({ group: 'expired_card', failed: 1 }),
    figures({ group: 'do_not_honor', failed: 2 }),
    figures({ group: 'do_not_honor', currency: 'usd', failed: 1 }),
    figures({ group: 'provider_error', attempts: 4 }),
    figures({ group: null, failed: 7 }),
  ])
  expect(found).toEqual([
    { reason: 'do_not_honor', failed: 3 },
    { reason: 'expired_card', failed: 1 },
  ])
})
