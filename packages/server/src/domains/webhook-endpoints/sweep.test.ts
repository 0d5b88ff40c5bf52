import { expect, test } from 'vitest'
import { afterSweep, movesFor, portion, type Sweep, type Swept } from './sweep.ts'

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
] as const)('%s, deleted %s, release %s: %j', (status, deletedAt, releaseHeld, moves) => {
  expect(movesFor({ status, deletedAt }, releaseHeld)).toEqual(moves)
})

const before = (sweepUntil: Date | null): Sweep => ({ sweepAt: now, sweepUntil, releaseHeld: true })
const nothing: Swept = { moved: 0, someLeft: false, nextSecretEndsAt: null }
const done = { sweepUntil: null, releaseHeld: false }

// biome-ignore format: a table.
test.each<[string, Date | null, Partial<Swept>, Partial<Sweep>]>([
  ['a full portion goes on at once',              seconds(30), { moved: portion },                   { sweepAt: now, releaseHeld: true }],
  ['also when the second pass is over',           seconds(-1), { moved: portion },                   { sweepAt: now, releaseHeld: true }],
  ['what was passed over is looked for soon',     seconds(-1), { moved: 3, someLeft: true },         { sweepAt: seconds(1), releaseHeld: true }],
  ['then comes the second pass',                  seconds(30), { moved: 3 },                         { sweepAt: seconds(30), releaseHeld: true }],
  ['a secret that ends before it is erased then', seconds(30), { nextSecretEndsAt: seconds(10) },    { sweepAt: seconds(10), sweepUntil: seconds(30) }],
  ['the second pass is the last',                 now,         {},                                   { sweepAt: null, ...done }],
  ['but for a secret that will end',              now,         { nextSecretEndsAt: seconds(86400) }, { sweepAt: seconds(86400), ...done }],
  ['a secret alone needs no second pass',         null,        {},                                   { sweepAt: null, ...done }],
])('%s', (_, sweepUntil, swept, after) => {
  expect(afterSweep(now, before(sweepUntil), { ...nothing, ...swept })).toMatchObject(after)
})
