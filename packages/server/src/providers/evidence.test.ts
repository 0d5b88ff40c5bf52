// What a call proves, case by case: the difference between one charge and two.

import { expect, test } from 'vitest'
import type { OutboundReply } from '../platform/outbound/outbound.ts'
import type { Found } from './contract.ts'
import { asRepeat, differsFrom, heardIn, type NotSent } from './evidence.ts'

const circumstances = {
  timings: { durationMs: 5, dnsMs: null, connectMs: 1, tlsMs: null, firstByteMs: 2 },
  connectionReused: false,
  remoteIp: '203.0.113.7',
}
const answered = (status: number, cut = false): OutboundReply => ({
  is: 'answered',
  ...{ status, cut, headers: { a: 'b' }, body: '{}' },
  ...circumstances,
})

test.each(['timeout', 'dns_failed', 'connect_failed', 'tls_failed', 'blocked', 'reset', 'ours'] as const)(
  'a failure by %s is "not sent" only if no byte can have left',
  (cause) => {
    const failed = (mayHaveBeenSent: boolean): OutboundReply => ({
      is: 'failed',
      ...{ cause, detail: 'It failed.', mayHaveBeenSent },
      ...circumstances,
    })
    const fault = { code: cause, message: 'It failed.' }

    expect(heardIn(failed(false))).toEqual({ is: 'not_sent', fault })
    expect(heardIn(failed(true))).toEqual({ is: 'unknown', fault })
  },
)

// biome-ignore format: a table.
test.each([
  [200, false, 'answer'], [404, false, 'answer'], [500, false, 'answer'], [299, false, 'answer'], [400, false, 'answer'],
  [300, false, 'unknown'], [302, false, 'unknown'], [308, false, 'unknown'], [399, false, 'unknown'],
  [200, true, 'unknown'], [409, true, 'unknown'],
] as const)('status %i, cut: %s, is heard as %s', (status, cut, is) => {
  expect(heardIn(answered(status, cut)).is).toBe(is)
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
])('%o, as the answer to a repeat, is %s', (outcome, is) => {
  expect(asRepeat(outcome).is).toBe(is)
})

test('another amount or currency than ours is noticed, in a success', () => {
  expect(differsFrom({ amount: 1n, currency: 'eur' }, done)).toBe(false)
  expect(differsFrom({ amount: 2n, currency: 'eur' }, done)).toBe(true)
  expect(differsFrom({ amount: 1n, currency: 'usd' }, done)).toBe(true)
  expect(differsFrom({ amount: 2n, currency: 'eur' }, { is: 'pending', ref: 'r' })).toBe(false)
})
