import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Found } from '../../../providers/contract.ts'
import {
  countResult,
  countsAgainstAccount,
  laneOf,
  medianMs,
  noCounts,
  resultOf,
  stepSecondsFor,
} from './health.ts'

const money = { amount: 100n, currency: 'eur' } as const
const declined = (code: string): Found => ({ is: 'declined', decline: { code } })
const rejected = (code: string): Found => ({ is: 'rejected', fault: { code, message: '' } })
const unknown = (code: string): Found => ({ is: 'unknown', fault: { code, message: '' } })
const notSent = (code: string) => ({ is: 'not_sent', fault: { code, message: '' } }) as const

// biome-ignore format: a table.
test.each([
  [{ is: 'succeeded', ref: 'r', money },        'approved',   false],
  [{ is: 'pending', ref: 'r' },                 'answered',   false],
  [declined('insufficient_funds'),              'declined',   false],
  [declined('stolen_card'),                     'declined',   false],
  [declined('do_not_honor'),                    'declined',   false],
  [declined('authentication_failed'),           'declined',   false],
  [declined('card_not_supported'),              'declined',   false],
  [declined('an unknown code'),                 'declined',   false],
  [declined('provider_error'),                  'technical',  true],
  [declined('processing_error'),                'technical',  true],
  [declined('provider_credentials_invalid'),    'refused_us', true],
  [rejected('provider_credentials_invalid'),    'refused_us', true],
  [rejected('provider_request_invalid'),        'declined',   false],
  [rejected('provider_rate_limited'),           'technical',  true],
  [rejected('a provider-specific code'),        'technical',  true],
  [notSent('connect_failed'),                   'not_sent',   true],
  [unknown('timeout'),                          'unknown',    true],
  [unknown('reference_reused'),                 'answered',   false],
] as const)('%o has the result %s, and counts against the account: %s', (observed, expected, isCounted) => {
  const result = resultOf(observed as Found)
  expect(result).toBe(expected)
  expect(result !== null && countsAgainstAccount(result)).toBe(isCounted)
})

test('our own errors and lookups do not affect the health of the account', () => {
  for (const observed of [
    notSent('lease_over'),
    unknown('request_changed'),
    { is: 'absent' },
    { is: 'closed' },
  ] as const)
    expect(resultOf(observed)).toBeNull()
})

test('verifications are counted with authorizations, and later operations separately', () => {
  expect((['verify', 'authorize', 'capture', 'void', 'refund'] as const).map(laneOf)).toEqual([
    'authorize',
    'authorize',
    'rest',
    'rest',
    'rest',
  ])
})

test('the median is accurate within the histogram buckets', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 28_000 }), { minLength: 1, maxLength: 200 }), (times) => {
      const counts = times.reduce((before, ms) => countResult(before, 'approved', ms), noCounts)
      const sorted = times.toSorted((a, b) => a - b)
      const [low, high] = [sorted[Math.ceil(times.length / 2) - 1], sorted[Math.floor(times.length / 2)]] as [
        number,
        number,
      ]
      const median = medianMs(counts.latency) as number
      // A bucket ends at 1.41 times its start, and the first bucket contains all shorter times.
      expect(median).toBeGreaterThanOrEqual(Math.floor(low / 1.45) - 10)
      expect(median).toBeLessThanOrEqual(Math.ceil(high * 1.45) + 10)
    }),
  )
})

test('requests that were not sent have no latency, and without measurements there is no median', () => {
  const counts = countResult(noCounts, 'not_sent', 5)
  expect(counts).toMatchObject({ attempts: 1, technical: 1 })
  expect(medianMs(counts.latency)).toBeNull()
})

test('every result is an attempt, and is in at most one other figure', () => {
  const all = ['approved', 'declined', 'answered', 'technical', 'refused_us', 'not_sent', 'unknown'] as const
  const counts = all.reduce((before, result) => countResult(before, result, 20), noCounts)
  expect(counts).toMatchObject({ attempts: 7, approved: 1, declined: 1, technical: 3, unknown: 1 })
})

// biome-ignore format: a table.
test.each([[1, 60], [5, 60], [6, 300], [24, 300], [72, 900], [24 * 12, 3_600], [24 * 90, 6 * 3_600 * 4]])(
  'a series of %i hours has steps of %i s', (hours, seconds) => {
    expect(stepSecondsFor(new Date(0), new Date(hours * 3_600_000))).toBe(seconds)
  },
)
