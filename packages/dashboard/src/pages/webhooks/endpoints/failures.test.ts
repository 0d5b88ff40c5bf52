import type { Delivery, WebhookEndpoint } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { endpointSentence } from './endpoint-sentence.ts'
import { toggleType } from './event-types.ts'
import { causesOf, halfHoursOf } from './failures.ts'

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

test('failures are grouped by outcome, the most frequent first', () => {
  const causes = causesOf([failing(null), failing(500), failing(500), failing(404), delivery({})])
  expect(causes.map(({ key, deliveries }) => [key, deliveries.length])).toEqual([
    ['http_error 500', 2],
    ['timeout', 1],
    ['http_error 404', 1],
  ])
})

test('delivered and unattempted deliveries are not failures', () => {
  expect(causesOf([delivery({ attempts_made: 6 }), delivery({ state: 'held', last_outcome: null })])).toEqual(
    [],
  )
})

test('a cause has the times of its first and last delivery, regardless of the input order', () => {
  const [cause] = causesOf([
    failing(500, { created_at: '2026-11-14T12:00:00.000Z' }),
    failing(500, { created_at: '2026-11-14T09:00:00.000Z' }),
  ])
  expect(cause).toMatchObject({ firstAt: '2026-11-14T09:00:00.000Z', lastAt: '2026-11-14T12:00:00.000Z' })
})

test('a day has 48 half hours, and each delivery is counted by its creation time', () => {
  const bars = halfHoursOf(
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

test('deliveries older than a day are not counted', () => {
  const bars = halfHoursOf([delivery({ created_at: '2026-11-13T22:00:00.000Z' })], nowMs)
  expect(bars.flatMap(({ values }) => values).every((value) => value === 0)).toBe(true)
})

test.each([
  ['nothing', [], 'No deliveries in the last 24 hours.'],
  ['all delivered', [delivery({})], '1 of 1 delivered on first attempt in the last 24 hours.'],
  [
    'retried',
    [delivery({}), delivery({ attempts_made: 2 })],
    '1 of 2 delivered on first attempt, 1 after a retry, in the last 24 hours.',
  ],
  [
    'one cause',
    [failing(null), failing(null)],
    'Timeout after 15 s: 2 deliveries from the last 24 hours have not been delivered. All are being retried.',
  ],
  [
    'failing',
    [failing(500), failing(500, { state: 'exhausted' }), failing(null)],
    '500 from the endpoint: 2 deliveries from the last 24 hours have not been delivered. Together with 1 from other causes, 3 are undelivered: 2 are being retried, 1 is not retried until you resend it.',
  ],
])('the health of an endpoint is described in a sentence: %s', (_, day, sentence) => {
  expect(endpointSentence(endpoint, day)).toBe(sentence)
})

test('selecting object.* replaces its single types, and selecting a single type replaces *', () => {
  expect(toggleType(['payment.failed', 'refund.failed'], 'payment.*')).toEqual(['refund.failed', 'payment.*'])
  expect(toggleType(['*'], 'payment.failed')).toEqual(['payment.failed'])
  expect(toggleType(['payment.failed', 'refund.*'], '*')).toEqual(['*'])
  expect(toggleType(['payment.failed'], 'payment.failed')).toEqual([])
})
