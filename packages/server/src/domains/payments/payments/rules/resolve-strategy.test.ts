// Tests how unknown outcomes are resolved, for every combination of what a provider supports.

import { expect, test } from 'vitest'
import type { Resolution } from '../../../../providers/contract.ts'
import { isAbsenceFinal, resolutionAfterChange, resolveStrategyOf } from './resolve-strategy.ts'

const createdAt = new Date('2026-11-16T12:00:00Z')
const minutesLater = (minutes: number) => new Date(createdAt.getTime() + minutes * 60_000)

const nothing: Resolution = {
  replayHours: 0,
  lookup: 'none',
  close: false,
  absentIsFinalAfterMinutes: null,
  webhook: true,
  completedByUs: true,
}
const everything: Resolution = { ...nothing, replayHours: 24, lookup: 'reference', close: true }

const operation = {
  kind: 'authorize',
  createdAt,
  completeBeforeAt: minutesLater(10),
  status: 'unknown',
  checks: 0,
  challenged: false,
  returns: 0,
  returnedAt: null,
  returnParams: null,
  providerReference: null,
} as const

const challenged = { challenged: true, providerReference: 'id' } as const
const returned = {
  ...challenged,
  returns: 1,
  returnedAt: minutesLater(20),
  returnParams: { redirectResult: 'X' },
} as const
const replayable: Resolution = { ...nothing, replayHours: 24 }
const cancelled = { cancelRequestedAt: createdAt }

type Case = [
  name: string,
  changes: Partial<Parameters<typeof resolveStrategyOf>[0]['operation']>,
  resolve: Resolution,
  expected: string,
  payment?: { cancelRequestedAt: Date | null } | undefined,
  minutes?: number,
]

// biome-ignore format: a table.
test.each<Case>([
  ['the first check replays',                      {},                                  everything,                              'replay'],
  ['the second check looks up',                    { checks: 1 },                       everything,                              'lookup'],
  ['a cancelled payment is closed',                {},                                  everything,                              'close', cancelled],
  ['a payment is closed after its deadline',       {},                                  everything,                              'close', undefined, 11],
  ['a refund is replayed after its deadline',      { kind: 'refund' },                  everything,                              'replay', cancelled, 11],
  ['a pending operation is looked up',             { status: 'pending' },               everything,                              'lookup'],
  ['a waiting payer is not interrupted',           { status: 'awaiting_customer', ...challenged }, everything,                   'lookup', undefined, 11],
  ['a payer who left: close',                      challenged,                          everything,                              'close', undefined, 31],
  ['only replay: replays every time',              { checks: 1 },                       { ...nothing, replayHours: 24 },         'replay'],
  ['only replay: waits after the window',          { kind: 'refund' },                  { ...nothing, replayHours: 24 },         'wait', undefined, 25 * 60],
  ['only replay: a cancelled payment waits',       {},                                  { ...nothing, replayHours: 24 },         'wait', cancelled],
  ['only webhooks: waits',                         {},                                  nothing,                                 'wait'],
  ['only webhooks: a pending capture waits',       { kind: 'capture', status: 'pending', providerReference: 'id' }, nothing,     'wait'],
  ['only webhooks: a waiting payer is not interrupted', { status: 'awaiting_customer', ...challenged }, nothing,                   'wait'],
  ['only webhooks: a payer who left is not charged',  challenged,                       nothing,                                 'abandon', undefined, 31],
  ['only webhooks: a payer who cancelled',         { status: 'awaiting_customer', ...challenged }, nothing,                      'abandon', cancelled],
  ['only webhooks: a payer who returned may be charged', { ...challenged, returns: 1 }, nothing,                                 'wait', undefined, 31],
  ['a payer who returned: the return is sent again',     returned,                      replayable,                              'complete', undefined, 21],
  ['a payer who returned long ago is not charged',       returned,                      replayable,                              'wait', undefined, 51],
  ['a payer who returned, cancelled',                    returned,                      replayable,                              'wait', cancelled, 21],
  ['a payer who returned: after the window',             returned,                      nothing,                                 'wait', undefined, 21],
  ['a payer who returned: the first check completes',    returned,                      { ...replayable, lookup: 'reference' },  'complete', undefined, 21],
  ['a payer who returned: the second check looks up',    { ...returned, checks: 1 },    { ...replayable, lookup: 'reference' },  'lookup', undefined, 21],
  ['an inconclusive return of the payer is looked up',    returned,                      { ...replayable, lookup: 'reference', completedByUs: false }, 'lookup', undefined, 21],
  ['a reported success in review is not abandoned',    { ...challenged, status: 'needs_review' }, nothing,                       'wait', undefined, 31],
  ['a payer may be charged without returning: waits', challenged,                       { ...nothing, completedByUs: false },    'wait', undefined, 31],
  ['lookup by id: unknown id waits',               {},                                  { ...nothing, lookup: 'provider_id' },   'wait'],
  ['lookup by id: known id is looked up',          { providerReference: 'id' },         { ...nothing, lookup: 'provider_id' },   'lookup'],
  ['lookup by id: unknown id replays',             { checks: 1 },                       { ...nothing, lookup: 'provider_id', replayHours: 24 }, 'replay'],
  ['only close: closes',                           { checks: 1 },                       { ...nothing, close: true },             'close'],
  ['only close: a pending payment waits',          { status: 'pending', providerReference: 'id' }, { ...nothing, close: true },  'wait'],
  ['only close: a pending refund waits',           { kind: 'refund', status: 'pending', providerReference: 'id' }, { ...everything, lookup: 'none' }, 'wait', cancelled, 11],
  ['only close: a pending payment is closed after its deadline', { status: 'pending', providerReference: 'id' }, { ...nothing, close: true }, 'close', undefined, 11],
])('%s', (_, changes, resolve, expected, payment = { cancelRequestedAt: null }, minutes = 1) => {
  const strategy = resolveStrategyOf({
    payment,
    operation: { ...operation, ...changes },
    resolve,
    now: minutesLater(minutes),
  })
  expect(strategy).toBe(expected)
})

test('“not found” is conclusive only after the last possible replay', () => {
  const resolve = { ...everything, absentIsFinalAfterMinutes: 60 }
  expect(isAbsenceFinal(operation, resolve, minutesLater(25 * 60 - 1))).toBe(false)
  expect(isAbsenceFinal(operation, resolve, minutesLater(25 * 60))).toBe(true)
  expect(isAbsenceFinal(operation, everything, minutesLater(1_000_000))).toBe(false)
})

test('“not found” is never conclusive for an operation that the provider has acknowledged', () => {
  const resolve = { ...everything, absentIsFinalAfterMinutes: 60 }
  const acknowledged = [{ providerReference: 'id' }, { challenged: true }, { status: 'pending' }] as const
  for (const changes of acknowledged)
    expect(isAbsenceFinal({ ...operation, ...changes }, resolve, minutesLater(1_000_000))).toBe(false)
})

test('“not found” is never conclusive for kinds that a lookup may miss', () => {
  const resolve: Resolution = { ...everything, absentIsFinalAfterMinutes: 60, neverAbsent: ['capture'] }
  const isFinal = (kind: 'authorize' | 'capture') =>
    isAbsenceFinal({ ...operation, kind }, resolve, minutesLater(1_000_000))

  expect([isFinal('authorize'), isFinal('capture')]).toEqual([true, false])
})

test('after the credentials were replaced, an earlier operation is neither replayed nor closed, and a lookup that finds nothing is not conclusive', () => {
  const resolve = { ...everything, absentIsFinalAfterMinutes: 60 }
  const resolutionAt = (changedAt: Date | null) => resolutionAfterChange(resolve, { createdAt }, changedAt)
  const strategyWith = (resolution: Resolution) =>
    resolveStrategyOf({
      payment: { cancelRequestedAt: null },
      operation,
      resolve: resolution,
      now: minutesLater(1),
    })

  expect([resolutionAt(null), resolutionAt(minutesLater(-1))]).toEqual([resolve, resolve])
  const after = resolutionAt(minutesLater(1))
  expect(strategyWith(after)).toBe('lookup')
  expect(strategyWith({ ...after, lookup: 'none' })).toBe('wait')
  expect(isAbsenceFinal(operation, after, minutesLater(100_000))).toBe(false)
})
