// Which outcome each call result proves. A mistake here could charge a card twice.

import { expect, test } from 'vitest'
import type { OutboundReply } from '../platform/outbound/outbound.ts'
import type { Found } from './contract.ts'
import { asRepeat, differsFrom, type NotSent, resultOf } from './evidence.ts'

const callDetails = {
  timings: { durationMs: 5, dnsMs: null, connectMs: 1, tlsMs: null, firstByteMs: 2 },
  connectionReused: false,
  remoteIp: '203.0.113.7',
}
const answered = (status: number, truncated = false): OutboundReply => ({
  kind: 'answered',
  status,
  truncated,
  headers: { a: 'b' },
  body: '{}',
  ...callDetails,
})

test.each(['timeout', 'dns_failed', 'connect_failed', 'tls_failed', 'blocked', 'reset', 'ours'] as const)(
  'a failure by %s is "not sent" only if no byte can have been sent',
  (cause) => {
    const failed = (mayHaveBeenSent: boolean): OutboundReply => ({
      kind: 'failed',
      cause,
      detail: 'It failed.',
      mayHaveBeenSent,
      ...callDetails,
    })
    const fault = { code: cause, message: 'It failed.' }

    expect(resultOf(failed(false))).toEqual({ is: 'not_sent', fault })
    expect(resultOf(failed(true))).toEqual({ is: 'unknown', fault })
  },
)

// biome-ignore format: a table.
test.each([
  [200, false, 'answer'], [404, false, 'answer'], [500, false, 'answer'], [299, false, 'answer'], [400, false, 'answer'],
  [300, false, 'unknown'], [302, false, 'unknown'], [308, false, 'unknown'], [399, false, 'unknown'],
  [200, true, 'unknown'], [409, true, 'unknown'],
] as const)('the result of status %i, truncated: %s, is %s', (status, truncated, is) => {
  expect(resultOf(answered(status, truncated)).is).toBe(is)
})

const fault = { code: 'x', message: 'x' }
const done = { is: 'succeeded', ref: 'r', money: { amount: 1n, currency: 'eur' } } as const

// biome-ignore format: a table.
test.each<[Found | NotSent, string]>([
  [{ is: 'not_sent', fault },                           'unknown'],
  [{ is: 'rejected', fault, thisCallOnly: true },       'unknown'],
  [{ is: 'rejected', fault },                           'rejected'],
  [done,                                                'succeeded'],
  [{ is: 'declined', decline: { code: 'lost_card' } },  'declined'],
  [{ is: 'pending', ref: 'r' },                         'pending'],
  [{ is: 'absent' },                                    'absent'],
  [{ is: 'closed' },                                    'closed'],
  [{ is: 'unknown', fault },                            'unknown'],
])('%o, as the result of a repeat, is %s', (outcome, is) => {
  expect(asRepeat(outcome).is).toBe(is)
})

test('a success with a different amount or currency is detected', () => {
  expect(differsFrom({ amount: 1n, currency: 'eur' }, done)).toBe(false)
  expect(differsFrom({ amount: 2n, currency: 'eur' }, done)).toBe(true)
  expect(differsFrom({ amount: 1n, currency: 'usd' }, done)).toBe(true)
  expect(differsFrom({ amount: 2n, currency: 'eur' }, { is: 'pending', ref: 'r' })).toBe(false)
})
