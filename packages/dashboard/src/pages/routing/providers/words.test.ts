import type { PaymentsReport, ProviderAccount, ProviderAccountHealth } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { approvalOf, cellsOf, percentText, reasonsIn, standingOf } from './words.ts'

const account = (authorize: string, rest: string, hold: object | null = null) =>
  ({ hold, health: { breaker: { authorize, rest }, next_probe_at: null } }) as unknown as ProviderAccount

test('a hold goes before the breaker, an open breaker before one that is tried out', () => {
  const hold = { reason: 'Broken', until_at: '2027-01-01T12:00:00Z' }
  expect(standingOf(account('open', 'closed', hold))).toMatchObject({ text: 'Held' })
  expect(standingOf(account('probing', 'open')).text).toBe('Open')
  expect(standingOf(account('probing', 'closed')).text).toBe('Half open')
  expect(standingOf(account('closed', 'closed')).text).toBe('Closed')
})

test('the reason names what failed', () => {
  expect(standingOf(account('open', 'closed')).reason).toMatch(/authorizations/)
  expect(standingOf(account('closed', 'open')).reason).toMatch(/captures, voids and refunds/)
})

const step = (at: string, counts: object) => ({
  ...{ at, attempts: 0, approved: 0, declined: 0, technical: 0, unknown: 0, p50_ms: null },
  ...counts,
})

test('there is a cell for each stretch, and those without a call say so', () => {
  const health = {
    from: '2027-01-01T00:00:00.000Z',
    to: '2027-01-01T01:00:00.000Z',
    data: [
      step('2027-01-01T00:05:00.000Z', { attempts: 3, approved: 3 }),
      step('2027-01-01T00:31:00.000Z', { attempts: 2, technical: 1 }),
      step('2027-01-01T00:40:00.000Z', { attempts: 2, unknown: 2 }),
    ],
  } as unknown as ProviderAccountHealth
  expect(cellsOf(health, 900_000).map(({ share }) => share)).toEqual([0, null, 0.75, null])
})

test('approval counts what ended, and nothing is said of nothing', () => {
  const counts = { ...step('', { attempts: 9, approved: 6, declined: 1, technical: 1 }) }
  expect(percentText(approvalOf(counts))).toBe('75%')
  expect(percentText(approvalOf(step('', {})))).toBe('–')
})

test('reasons are counted over stretches and currencies, the most first', () => {
  const rows = [
    { group: 'do_not_honor', currency: 'eur', failed: 2 },
    { group: 'insufficient_funds', currency: 'eur', failed: 3 },
    { group: 'do_not_honor', currency: 'usd', failed: 4 },
    { group: null, currency: 'eur', failed: 9 },
    { group: 'lost_card', currency: 'eur', failed: 0 },
  ] as unknown as PaymentsReport['data']
  expect(reasonsIn(rows)).toEqual([
    { reason: 'do_not_honor', count: 6 },
    { reason: 'insufficient_funds', count: 3 },
  ])
})
