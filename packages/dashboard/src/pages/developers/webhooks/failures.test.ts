import type { Delivery, WebhookEndpoint } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { endpointSentence } from './endpoint-sentence.ts'
import { toggled } from './event-types.ts'
import { causesOf, dayOf } from './failures.ts'

const nowMs = Date.parse('2026-11-14T22:10:00Z')

function delivery(changes: Partial<Delivery>): Delivery {
  return {
    id: 'delivery_test_1',
    object: 'delivery',
    event_id: 'event_test_1',
    event_type: 'payment.succeeded',
    webhook_endpoint_id: 'webhook_endpoint_test_1',
    state: 'delivered',
    tries: 1,
    attempts_made: 1,
    next_attempt_at: null,
    last_outcome: 'ok',
    last_status: 200,
    settled_at: null,
    created_at: '2026-11-14T22:00:00.000Z',
    ...changes,
  }
}
const failing = (status: number | null, changes: Partial<Delivery> = {}) =>
  delivery({
    state: 'pending',
    last_outcome: status === null ? 'timeout' : 'http_error',
    last_status: status,
    ...changes,
  })

const endpoint = {
  timeout_seconds: 15,
  disabled: null,
  health: { state: 'healthy', failing_since_at: null, last_success_at: null, next_probe_at: null },
} as WebhookEndpoint

test('failures are grouped by what the receiver said, the most frequent first', () => {
  const causes = causesOf([failing(null), failing(500), failing(500), failing(404), delivery({})])
  expect(causes.map(({ key, deliveries }) => [key, deliveries.length])).toEqual([
    ['http_error 500', 2],
    ['timeout', 1],
    ['http_error 404', 1],
  ])
})

test('what has arrived in the end, or was never tried, is no failure', () => {
  expect(causesOf([delivery({ attempts_made: 6 }), delivery({ state: 'held', last_outcome: null })])).toEqual(
    [],
  )
})

test('a group knows the first and the last time, whatever order they come in', () => {
  const [cause] = causesOf([
    failing(500, { created_at: '2026-11-14T12:00:00.000Z' }),
    failing(500, { created_at: '2026-11-14T09:00:00.000Z' }),
  ])
  expect(cause).toMatchObject({ firstAt: '2026-11-14T09:00:00.000Z', lastAt: '2026-11-14T12:00:00.000Z' })
})

test('a day has 48 half hours, and each delivery stands in the one it was made in', () => {
  const bars = dayOf(
    [
      delivery({}),
      delivery({ attempts_made: 3 }),
      failing(500),
      delivery({ state: 'held', last_outcome: null }),
    ],
    nowMs,
  )
  expect(bars).toHaveLength(48)
  expect(bars.at(-1)).toEqual({ startMs: Date.parse('2026-11-14T22:00:00Z'), values: [1, 1, 1, 1] })
  expect(bars[0]?.startMs).toBe(Date.parse('2026-11-13T22:30:00Z'))
})

test('what is older than the day is in none of its bars', () => {
  const bars = dayOf([delivery({ created_at: '2026-11-13T22:00:00.000Z' })], nowMs)
  expect(bars.flatMap(({ values }) => values).every((value) => value === 0)).toBe(true)
})

test.each([
  ['nothing', [], 'Nothing was sent to it in the last 24 hours.'],
  ['all well', [delivery({})], 'It took the 1 delivery of the last 24 hours, each at the first attempt.'],
  [
    'retried',
    [delivery({}), delivery({ attempts_made: 2 })],
    'It took the 2 deliveries of the last 24 hours, 1 of them by a retry.',
  ],
  [
    'one cause',
    [failing(null), failing(null)],
    'No answer in 15 s: 2 deliveries of the last 24 hours have not arrived. All are retrying.',
  ],
  [
    'failing',
    [failing(500), failing(500, { state: 'exhausted' }), failing(null)],
    '500 from the endpoint: 2 deliveries of the last 24 hours have not arrived. With 1 that failed otherwise, these are 3: 2 are retrying, 1 is given up until you resend them.',
  ],
])('the sentence of an endpoint says what happened: %s', (_, day, sentence) => {
  expect(endpointSentence(endpoint, day)).toBe(sentence)
})

test('choosing all of an object takes the place of its single types, and one type that of all', () => {
  expect(toggled(['payment.failed', 'refund.failed'], 'payment.*')).toEqual(['refund.failed', 'payment.*'])
  expect(toggled(['*'], 'payment.failed')).toEqual(['payment.failed'])
  expect(toggled(['payment.failed', 'refund.*'], '*')).toEqual(['*'])
  expect(toggled(['payment.failed'], 'payment.failed')).toEqual([])
})
