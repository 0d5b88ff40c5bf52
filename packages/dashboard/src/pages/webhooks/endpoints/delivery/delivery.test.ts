import { createHmac } from 'node:crypto'
import { type DeliveryAttempt, type DeliveryWithAttempts, type Event, signWebhook } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { attemptsTimeline } from './attempts-timeline.ts'
import { curlOfAttempt, hasSignatures, signedString } from './curl.ts'
import { deliverySentence } from './delivery-sentence.ts'

const secret = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`
const createdAt = '2026-11-14T22:51:03.071Z'
const event: Event = {
  id: 'event_test_1',
  object: 'event',
  type: 'payment.succeeded',
  created_at: createdAt,
  api_version: '2026-11-14',
  pending_deliveries: 1,
  data: JSON.stringify({ note: "it's here", created_at: createdAt }),
}

function attempt(changes: Partial<DeliveryAttempt>): DeliveryAttempt {
  return {
    number: 1,
    started_at: '2026-11-14T22:51:03.100Z',
    duration_ms: 212,
    outcome: 'http_error',
    status: 500,
    request_headers: { 'signature-digest': `t=1794696663,v1=abc` },
    ...changes,
  } as DeliveryAttempt
}

function delivery(changes: Partial<DeliveryWithAttempts>): DeliveryWithAttempts {
  const attempts = changes.attempts ?? [attempt({})]
  return {
    event_type: 'payment.succeeded',
    state: 'pending',
    attempts_made: attempts.length,
    last_outcome: 'http_error',
    last_status: 500,
    next_attempt_at: null,
    settled_at: null,
    created_at: createdAt,
    ...changes,
    attempts,
  } as DeliveryWithAttempts
}

test('the signed string is the input of the signature', async () => {
  const { headers } = await signWebhook(event, secret)
  const digest = headers['signature-digest'] ?? ''
  const sent = attempt({
    request_headers: { 'signature-digest': digest } as DeliveryAttempt['request_headers'],
  })
  const expected = createHmac('sha256', secret).update(signedString(sent, event)).digest('hex')
  expect(digest).toContain(`v1=${expected}`)
})

test('the curl command has the signature that is still valid, and quotes are escaped for the shell', () => {
  const curl = curlOfAttempt('https://shop.example/hooks', attempt({}), event)
  expect(curl).toContain("-H 'signature-digest: t=1794696663,v1=abc'")
  expect(curl).toContain("it'\\''s here")
  expect(curl).not.toContain('webhook-signature')
})

test('without access to signatures there is no curl command', () => {
  const redacted = { 'signature-digest': 't=1794696663,v1=redacted' } as DeliveryAttempt['request_headers']
  expect(hasSignatures(attempt({}))).toBe(true)
  expect(hasSignatures(attempt({ request_headers: redacted }))).toBe(false)
})

const ok = attempt({ number: 2, outcome: 'ok', status: 200, duration_ms: 61 })

test.each([
  [delivery({ attempts: [], attempts_made: 0 }), 'Waiting to be sent.'],
  [
    delivery({ state: 'exhausted' }),
    '1 attempt failed, most recently: 500. It is not retried until you resend it.',
  ],
  [
    delivery({ last_outcome: 'timeout', last_status: null }),
    '1 attempt failed, most recently: Timeout. The next attempt is due now.',
  ],
  [
    delivery({ state: 'delivered', attempts: [ok], last_status: 200 }),
    'The endpoint returned 200 in 61 ms on the first attempt.',
  ],
  [
    delivery({
      state: 'delivered',
      attempts: [attempt({}), ok],
      last_status: 200,
      settled_at: '2026-11-14T22:57:03.071Z',
    }),
    'The endpoint returned 200 in 61 ms on attempt 2, 6 min after the event.',
  ],
  [
    delivery({ state: 'held' }),
    'The endpoint is disabled. This delivery is held and sent when the endpoint is enabled again.',
  ],
  [delivery({ state: 'deleted' }), 'The endpoint was deleted before this delivery could be sent.'],
])('a delivery is described in each of its states: %#', (current, sentence) => {
  expect(deliverySentence(current)).toBe(sentence)
})

test('on the timeline, each attempt is placed at its response time, and the next one is waiting', () => {
  const { nodes } = attemptsTimeline(
    delivery({ attempts: [attempt({}), ok], next_attempt_at: '2026-11-14T23:00:00.000Z' }),
    'shop.example',
  )
  expect(nodes.map(({ id, text, mark }) => [id, text, mark])).toEqual([
    ['event', 'payment.succeeded', 'open'],
    ['1', '500 in 212 ms', 'failed'],
    ['2', '200 in 61 ms', 'done'],
    ['next', 'Next attempt', 'waiting'],
  ])
  expect(nodes[1]?.atMs).toBe(Date.parse('2026-11-14T22:51:03.312Z'))
})

test('an overdue attempt is due now, not in the past', () => {
  const nowMs = Date.parse('2026-11-14T23:30:00.000Z')
  const overdue = delivery({
    state: 'pending',
    attempts: [attempt({})],
    attempts_made: 1,
    next_attempt_at: '2026-11-14T23:00:00.000Z',
  })
  expect(deliverySentence(overdue, nowMs)).toMatch(/The next attempt is due now\.$/)
  expect(attemptsTimeline(overdue, 'shop.example', nowMs).nodes.at(-1)).toMatchObject({
    id: 'next',
    atMs: nowMs,
  })
  const scheduled = { ...overdue, next_attempt_at: '2026-11-15T01:30:00.000Z' }
  expect(deliverySentence(scheduled, nowMs)).toMatch(/The next attempt is in 2 h\.$/)
})
