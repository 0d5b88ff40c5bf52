import { expect, test } from 'vitest'
import { countsTowardBreaker, decideNextStep, outcomeOf, requestedPauseSeconds } from './outcome.ts'

const response = (status: number, headers: Record<string, string> = {}) =>
  ({ kind: 'answered', status, headers }) as const

// biome-ignore format: a table.
test.each([
  [response(200), 'ok'], [response(204), 'ok'], [response(299), 'ok'],
  [response(301), 'redirect'], [response(307), 'redirect'],
  [response(410), 'gone'],
  [response(429), 'http_error'], [response(429, { 'retry-after': '1' }), 'throttled'],
  [response(503, { 'retry-after': '1' }), 'throttled'], [response(500, { 'retry-after': '1' }), 'http_error'],
  [response(429, { 'retry-after': '0' }), 'http_error'], [response(503, { 'retry-after': 'soon' }), 'http_error'],
  [response(101), 'http_error'], [response(404), 'http_error'], [response(599), 'http_error'],
  [{ kind: 'failed', cause: 'reset' }, 'connect_failed'],
  [{ kind: 'failed', cause: 'blocked' }, 'blocked'],
  [{ kind: 'failed', cause: 'ours' }, null],
] as const)('the outcome of %j is %s', (reply, outcome) => {
  expect(outcomeOf(reply)).toBe(outcome)
})

const now = new Date('2026-11-14T12:00:00Z')

// biome-ignore format: a table.
test.each([
  ['120', 120], [' 5 ', 5], ['0', 0], ['999999999', 86_400],
  ['Sat, 14 Nov 2026 12:01:00 GMT', 60], ['Sat, 14 Nov 2026 11:00:00 GMT', 0], ['Sat, 14 Nov 2099 11:00:00 GMT', 86_400],
  ['soon', null], ['-1', null], ['1.5', null], ['', null],
])('Retry-After "%s" requests a pause of %s seconds', (text, seconds) => {
  expect(requestedPauseSeconds('throttled', text, now)).toBe(seconds)
})

test('only a throttled response can request a pause', () => {
  expect(requestedPauseSeconds('http_error', '120', now)).toBeNull()
})

test.each([
  ['http_error', 500, true],
  ['http_error', 422, false],
  ['redirect', 302, false],
  ['throttled', 503, false],
  ['timeout', null, true],
  ['tls_failed', null, true],
] as const)('%s %s counts for the breaker: %s', (outcome, status, counts) => {
  expect(countsTowardBreaker(outcome, status)).toBe(counts)
})

const firstAttempt = { mode: 'live', tries: 1, pauseSeconds: null, random: 0 } as const

test('a delivery is delivered, retried or exhausted depending on the outcome, the attempts made and Retry-After', () => {
  expect(decideNextStep({ ...firstAttempt, outcome: 'ok' })).toEqual({ kind: 'delivered' })
  expect(decideNextStep({ ...firstAttempt, outcome: 'gone' })).toEqual({ kind: 'gone' })
  expect(decideNextStep({ ...firstAttempt, outcome: 'timeout' })).toEqual({ kind: 'retry', waitSeconds: 5 })
  expect(decideNextStep({ ...firstAttempt, outcome: 'timeout', tries: 14 })).toEqual({ kind: 'exhausted' })
  // If Retry-After and the schedule differ, the longer wait applies.
  expect(decideNextStep({ ...firstAttempt, outcome: 'throttled', pauseSeconds: 90 })).toEqual({
    kind: 'retry',
    waitSeconds: 90,
  })
  expect(decideNextStep({ ...firstAttempt, outcome: 'throttled', pauseSeconds: 1 })).toEqual({
    kind: 'retry',
    waitSeconds: 5,
  })
  expect(decideNextStep({ ...firstAttempt, outcome: 'blocked' })).toEqual({
    kind: 'retry',
    waitSeconds: 3600,
  })
})
