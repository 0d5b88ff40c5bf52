import fc from 'fast-check'
import { expect, test } from 'vitest'
import { grid } from '../../../test/support/grid.ts'
import { addSeconds } from '../../kernel/clock.ts'
import {
  afterSignal,
  type Breaker,
  closedBreaker,
  goodToClose,
  type Phase,
  phaseOf,
  phases,
  type Recent,
  remember,
  type Signal,
  signals,
  tripsOn,
} from './breaker.ts'

const begin = new Date('2026-11-14T12:00:00.000Z')
const at = (seconds: number) => addSeconds(begin, seconds)
const opened = afterSignal(closedBreaker, 'tripped', begin) as Breaker

/** A breaker in each phase at second 30, when its first time is over. */
const situations: { readonly [P in Phase]: Breaker } = {
  closed: closedBreaker,
  open: afterSignal(closedBreaker, 'tripped', at(29)) as Breaker,
  probing: opened,
}

/** `good` counts up to two; the third closes. */
const cells = (good: number) => (good === 0 ? fresh : good === 1 ? once : twice)

const fresh = grid<Phase, Signal>(`
  |         | tripped | result_good | result_bad | probe_good | probe_bad  | given_up |
  | closed  | open    | -           | -          | -          | -          | -        |
  | open    | -       | -           | -          | -          | -          | closed   |
  | probing | -       | good 1      | -          | good 1     | wait       | closed   |
`)
const once = grid<Phase, Signal>(`
  |         | tripped | result_good | result_bad | probe_good | probe_bad  | given_up |
  | probing | -       | good 2      | good 0     | good 2     | wait       | closed   |
`)
const twice = grid<Phase, Signal>(`
  |         | tripped | result_good | result_bad | probe_good | probe_bad  | given_up |
  | probing | -       | closed      | good 0     | closed     | wait       | closed   |
`)

test('the grid has every phase and every signal', () => {
  expect(new Set(fresh.map(({ row }) => row))).toEqual(new Set(phases))
  expect(new Set(fresh.map(({ column }) => column))).toEqual(new Set(signals))
})

const all = [0, 1, 2].flatMap((good) => cells(good).map((cell) => ({ good, ...cell })))

test.each(all)('$row with $good good, on $column: $cell', ({ good, row, column, cell }) => {
  const before = { ...situations[row], good }
  const after = afterSignal(before, column, at(30))
  if (cell === '-') expect(after).toBeNull()
  else if (cell === 'wait') expect(after).toEqual({ ...before, nextProbeAt: at(35) })
  else if (cell.startsWith('good'))
    expect(after).toMatchObject({ good: Number(cell.slice(5)), state: 'open' })
  else expect(after).toMatchObject({ state: cell, good: 0 })
})

test('it opens for 30 s, then for twice as long each time, at most ten minutes', () => {
  let breaker = closedBreaker
  let second = 0
  const waits: number[] = []
  for (let nth = 0; nth < 7; nth += 1) {
    breaker = afterSignal(breaker, 'tripped', at(second)) as Breaker
    const until = breaker.openUntilAt as Date
    waits.push((until.getTime() - at(second).getTime()) / 1000)
    second = (until.getTime() - begin.getTime()) / 1000
    for (let good = 0; good < goodToClose; good += 1)
      breaker = afterSignal(breaker, 'probe_good', at(second)) as Breaker
    expect(breaker.state).toBe('closed')
  }
  expect(waits).toEqual([30, 60, 120, 240, 480, 600, 600])
})

test('whoever was well for ten minutes begins anew', () => {
  let breaker = opened
  for (let good = 0; good < goodToClose; good += 1)
    breaker = afterSignal(breaker, 'result_good', at(30)) as Breaker
  expect(afterSignal(breaker, 'tripped', at(629))).toMatchObject({ trips: 2 })
  expect(afterSignal(breaker, 'tripped', at(630))).toMatchObject({ trips: 1, openUntilAt: at(660) })
})

test('it is probed from the moment on at which its time is over, a failure every 5 s, a success after 2 s', () => {
  expect(opened.nextProbeAt).toEqual(at(30))
  expect([phaseOf(opened, at(29.999)), phaseOf(opened, at(30))]).toEqual(['open', 'probing'])
  expect(afterSignal(opened, 'probe_good', at(31))?.nextProbeAt).toEqual(at(33))
  expect(afterSignal(opened, 'probe_bad', at(31))?.nextProbeAt).toEqual(at(36))
})

/** A letter every so many ms: F speaks against it, S does not. */
const after = (letters: string, everyMs = 100): Recent =>
  [...letters].reduce<Recent>((recent, letter, nth) => remember(recent, nth * everyMs, letter === 'F'), [])

// biome-ignore format: a table.
test.each([
  ['F'.repeat(9),             false, 'fewer than ten say nothing'],
  ['F'.repeat(10),            true,  'ten that failed'],
  ['SSSSSFFFFF',              true,  'half of ten'],
  ['SSSSSSFFFF',              false, 'less than half'],
  [`${'F'.repeat(20)}${'S'.repeat(11)}`, false, 'the last twenty count'],
  [`${'S'.repeat(500)}${'F'.repeat(9)}`, false, 'nine of twenty'],
  [`${'S'.repeat(500)}${'F'.repeat(10)}`, true, 'ten of twenty, whatever was before'],
])('%s trips: %s, %s', (letters, trips) => {
  expect(tripsOn(after(letters))).toBe(trips)
})

test('what is older than a minute is forgotten', () => {
  expect(tripsOn(after('F'.repeat(10), 6_600))).toBe(true)
  expect(tripsOn(after('F'.repeat(10), 6_700))).toBe(false)
})

test('whatever happens, an open breaker has a time at which it is probed, and a closed one has none', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...signals), fc.integer({ min: 0, max: 700 }))),
      (steps) => {
        let [breaker, second] = [closedBreaker, 0]
        for (const [signal, waitSeconds] of steps) {
          second += waitSeconds
          breaker = afterSignal(breaker, signal, at(second)) ?? breaker
          expect(breaker.nextProbeAt !== null).toBe(breaker.state === 'open')
          expect(breaker.good).toBeLessThan(goodToClose)
        }
      },
    ),
  )
})
