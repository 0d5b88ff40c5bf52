import { expect, test } from 'vitest'
import { afterSweep, batchSize, movesForStatus, type Sweep, type SweepResult } from './sweep.ts'

const seconds = (count: number) => new Date(Date.parse('2026-11-14T12:00:00.000Z') + count * 1000)
const now = seconds(0)

// biome-ignore format: a table.
test.each([
  ['enabled',  null, false, []],
  ['enabled',  null, true,  [{ from: 'held', to: 'pending' }]],
  ['disabled', null, false, [{ from: 'pending', to: 'held' }]],
  ['disabled', null, true,  [{ from: 'pending', to: 'held' }]],
  ['enabled',  now,  true,  [{ from: 'pending', to: 'deleted' }, { from: 'held', to: 'deleted' }]],
  ['disabled', now,  false, [{ from: 'pending', to: 'deleted' }, { from: 'held', to: 'deleted' }]],
] as const)('status %s, deleted at %s, release held %s: %j', (status, deletedAt, releaseHeld, moves) => {
  expect(movesForStatus({ status, deletedAt }, releaseHeld)).toEqual(moves)
})

const before = (sweepUntil: Date | null): Sweep => ({ sweepAt: now, sweepUntil, releaseHeld: true })
const nothingDone: SweepResult = { moved: 0, hasSkippedRows: false, nextSecretExpiresAt: null }
const finished = { sweepUntil: null, releaseHeld: false }

// biome-ignore format: a table.
test.each<[string, Date | null, Partial<SweepResult>, Partial<Sweep>]>([
  ['after a full batch the sweep continues immediately',                          seconds(30), { moved: batchSize },                    { sweepAt: now, releaseHeld: true }],
  ['after a full batch it continues even if the time of the second pass is over', seconds(-1), { moved: batchSize },                    { sweepAt: now, releaseHeld: true }],
  ['skipped rows are swept again a second later',                                 seconds(-1), { moved: 3, hasSkippedRows: true },      { sweepAt: seconds(1), releaseHeld: true }],
  ['after a partial batch the second pass follows',                               seconds(30), { moved: 3 },                            { sweepAt: seconds(30), releaseHeld: true }],
  ['a secret that expires before the second pass is deleted on time',             seconds(30), { nextSecretExpiresAt: seconds(10) },    { sweepAt: seconds(10), sweepUntil: seconds(30) }],
  ['after the second pass no sweep is scheduled',                                 now,         {},                                      { sweepAt: null, ...finished }],
  ['after the second pass a sweep is scheduled for the next expiry of a secret',  now,         { nextSecretExpiresAt: seconds(86400) }, { sweepAt: seconds(86400), ...finished }],
  ['a sweep only for secrets has no second pass',                                 null,        {},                                      { sweepAt: null, ...finished }],
])('%s', (_, sweepUntil, result, after) => {
  expect(afterSweep(now, before(sweepUntil), { ...nothingDone, ...result })).toMatchObject(after)
})
