import type { ProviderAccount, ProviderAccountHealth } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { errorCells, healthOf, intervalsOf } from './account-health.ts'

const account = (
  authorize: string,
  rest: string,
  hold: object | null = null,
  rejectedSince: string | null = null,
) =>
  ({
    hold,
    health: { breaker: { authorize, rest }, next_probe_at: null, credentials_refused_since: rejectedSince },
  }) as unknown as ProviderAccount

test('a hold takes precedence over the circuit breaker, an open circuit over a half-open one', () => {
  const hold = { reason: 'Broken', until_at: '2027-01-01T12:00:00Z' }
  expect(healthOf(account('open', 'closed', hold))).toMatchObject({ text: 'On hold' })
  expect(healthOf(account('probing', 'open')).text).toBe('Circuit open')
  expect(healthOf(account('probing', 'closed')).text).toBe('Circuit half-open')
  expect(healthOf(account('closed', 'closed')).text).toBe('Healthy')
})

test('rejected credentials take precedence over the circuit breaker', () => {
  const since = '2026-11-14T12:00:00Z'
  expect(healthOf(account('open', 'closed', null, since)).text).toBe('Credentials rejected')
})

test('the reason names the kind of operation that failed', () => {
  expect(healthOf(account('open', 'closed')).reason).toMatch(/authorizations/)
  expect(healthOf(account('closed', 'open')).reason).toMatch(/captures, voids and refunds/)
})

const point = (at: string, counts: object) => ({
  at,
  attempts: 0,
  approved: 0,
  declined: 0,
  technical: 0,
  unknown: 0,
  p50_ms: null,
  ...counts,
})

test('a chart has an interval for each part of its range, including empty ones', () => {
  const health = {
    from: '2027-01-01T00:00:00.000Z',
    to: '2027-01-02T00:00:00.000Z',
    data: [
      point('2027-01-01T00:05:00.000Z', { attempts: 3, approved: 3 }),
      point('2027-01-01T00:31:00.000Z', { attempts: 2, technical: 1 }),
      point('2027-01-01T00:40:00.000Z', { attempts: 2, unknown: 2 }),
    ],
  } as unknown as ProviderAccountHealth
  const intervals = intervalsOf(health, 1)
  expect(intervals).toHaveLength(96)
  expect(intervals[2]).toMatchObject({ startMs: Date.parse('2027-01-01T00:30:00Z'), attempts: 4 })
  expect(intervals.at(-1)).toMatchObject({ startMs: Date.parse('2027-01-01T23:45:00Z'), attempts: 0 })
  expect(errorCells(intervals.slice(0, 4)).map(({ rate }) => rate)).toEqual([0, null, 0.75, null])
})

test.each([
  [7, 84],
  [30, 90],
] as const)('a range of %i days has %i intervals, regardless of the number of requests', (days, count) => {
  const to = '2027-01-31T00:00:00.000Z'
  const from = new Date(Date.parse(to) - days * 86_400_000).toISOString()
  expect(intervalsOf({ from, to, data: [point('2027-01-30T12:00:00.000Z', {})] }, days)).toHaveLength(count)
})
