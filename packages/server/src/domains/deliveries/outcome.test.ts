import { expect, test } from 'vitest'
import { countsForBreaker, nextOf, outcomeOf, restOf } from './outcome.ts'

const answered = (status: number, headers: Record<string, string> = {}) =>
  ({ is: 'answered', status, headers }) as const

// biome-ignore format: a table.
test.each([
  [answered(200), 'ok'], [answered(204), 'ok'], [answered(299), 'ok'],
  [answered(301), 'redirect'], [answered(307), 'redirect'],
  [answered(410), 'gone'],
  [answered(429), 'http_error'], [answered(429, { 'retry-after': '1' }), 'throttled'],
  [answered(503, { 'retry-after': '1' }), 'throttled'], [answered(500, { 'retry-after': '1' }), 'http_error'],
  [answered(429, { 'retry-after': '0' }), 'http_error'], [answered(503, { 'retry-after': 'soon' }), 'http_error'],
  [answered(101), 'http_error'], [answered(404), 'http_error'], [answered(599), 'http_error'],
  [{ is: 'failed', cause: 'reset' }, 'connect_failed'],
  [{ is: 'failed', cause: 'blocked' }, 'blocked'],
  [{ is: 'failed', cause: 'ours' }, null],
] as const)('%j is %s', (reply, outcome) => {
  expect(outcomeOf(reply)).toBe(outcome)
})

const now = new Date('2026-11-14T12:00:00Z')

// biome-ignore format: a table.
test.each([
  ['120', 120], [' 5 ', 5], ['0', 0], ['999999999', 86_400],
  ['Sat, 14 Nov 2026 12:01:00 GMT', 60], ['Sat, 14 Nov 2026 11:00:00 GMT', 0], ['Sat, 14 Nov 2099 11:00:00 GMT', 86_400],
  ['soon', null], ['-1', null], ['1.5', null], ['', null],
])('Retry-After "%s" is a rest of %s seconds', (text, seconds) => {
  expect(restOf('throttled', text, now)).toBe(seconds)
})

test('only a throttled answer asks for a rest', () => {
  expect(restOf('http_error', '120', now)).toBeNull()
})

test.each([
  ['http_error', 500, true],
  ['http_error', 422, false],
  ['redirect', 302, false],
  ['throttled', 503, false],
  ['timeout', null, true],
  ['tls_failed', null, true],
] as const)('%s %s speaks against the receiver: %s', (outcome, status, counts) => {
  expect(countsForBreaker(outcome, status)).toBe(counts)
})

const failed = { mode: 'live', tries: 1, restSeconds: null, random: 0 } as const

test('what follows for a delivery', () => {
  expect(nextOf({ ...failed, outcome: 'ok' })).toEqual({ is: 'delivered' })
  expect(nextOf({ ...failed, outcome: 'gone' })).toEqual({ is: 'gone' })
  expect(nextOf({ ...failed, outcome: 'timeout' })).toEqual({ is: 'again', waitSeconds: 5 })
  expect(nextOf({ ...failed, outcome: 'timeout', tries: 14 })).toEqual({ is: 'exhausted' })
  // The later of the two, the header and the schedule.
  expect(nextOf({ ...failed, outcome: 'throttled', restSeconds: 90 })).toEqual({
    is: 'again',
    waitSeconds: 90,
  })
  expect(nextOf({ ...failed, outcome: 'throttled', restSeconds: 1 })).toEqual({ is: 'again', waitSeconds: 5 })
  expect(nextOf({ ...failed, outcome: 'blocked' })).toEqual({ is: 'again', waitSeconds: 3600 })
})
