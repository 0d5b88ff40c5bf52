import fc from 'fast-check'
import { expect, test } from 'vitest'
import { grid } from '../../../../test/support/grid.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import {
  addResult,
  afterSignal,
  type Breaker,
  closedBreaker,
  goodResultsToClose,
  type Phase,
  phaseOf,
  phases,
  type RecentResults,
  type Signal,
  shouldTrip,
  signals,
} from './breaker.ts'

const startedAt = new Date('2026-11-14T12:00:00.000Z')
const atSecond = (seconds: number) => addSeconds(startedAt, seconds)
const openBreaker = afterSignal(closedBreaker, 'tripped', startedAt) as Breaker

/** A breaker in each phase at second 30, when the first open period ends. */
const breakersByPhase: { readonly [P in Phase]: Breaker } = {
  closed: closedBreaker,
  open: afterSignal(closedBreaker, 'tripped', atSecond(29)) as Breaker,
  probing: openBreaker,
}

/** The grid for a number of good results in a row. The third good result closes the breaker. */
const cellsFor = (good: number) => (good === 0 ? noneGood : good === 1 ? oneGood : twoGood)

const noneGood = grid<Phase, Signal>(`
  |         | tripped | result_good | result_bad | probe_good | probe_bad  | given_up |
  | closed  | open    | -           | -          | -          | -          | -        |
  | open    | -       | -           | -          | -          | -          | closed   |
  | probing | -       | good 1      | -          | good 1     | wait       | closed   |
`)
const oneGood = grid<Phase, Signal>(`
  |         | tripped | result_good | result_bad | probe_good | probe_bad  | given_up |
  | probing | -       | good 2      | good 0     | good 2     | wait       | closed   |
`)
const twoGood = grid<Phase, Signal>(`
  |         | tripped | result_good | result_bad | probe_good | probe_bad  | given_up |
  | probing | -       | closed      | good 0     | closed     | wait       | closed   |
`)

test('the grid contains every phase and every signal', () => {
  expect(new Set(noneGood.map(({ row }) => row))).toEqual(new Set(phases))
  expect(new Set(noneGood.map(({ column }) => column))).toEqual(new Set(signals))
})

const allCells = [0, 1, 2].flatMap((good) => cellsFor(good).map((cell) => ({ good, ...cell })))

test.each(allCells)('$row with $good good results, on $column: $cell', ({ good, row, column, cell }) => {
  const before = { ...breakersByPhase[row], goodInARow: good }
  const after = afterSignal(before, column, atSecond(30))
  if (cell === '-') expect(after).toBeNull()
  else if (cell === 'wait') expect(after).toEqual({ ...before, nextProbeAt: atSecond(35) })
  else if (cell.startsWith('good'))
    expect(after).toMatchObject({ goodInARow: Number(cell.slice(5)), state: 'open' })
  else expect(after).toMatchObject({ state: cell, goodInARow: 0 })
})

test('the breaker opens for 30 s, then for twice as long each time, at most ten minutes', () => {
  let breaker = closedBreaker
  let second = 0
  const openSeconds: number[] = []
  for (let nth = 0; nth < 7; nth += 1) {
    breaker = afterSignal(breaker, 'tripped', atSecond(second)) as Breaker
    const until = breaker.openUntilAt as Date
    openSeconds.push((until.getTime() - atSecond(second).getTime()) / 1000)
    second = (until.getTime() - startedAt.getTime()) / 1000
    for (let good = 0; good < goodResultsToClose; good += 1)
      breaker = afterSignal(breaker, 'probe_good', atSecond(second)) as Breaker
    expect(breaker.state).toBe('closed')
  }
  expect(openSeconds).toEqual([30, 60, 120, 240, 480, 600, 600])
})

test('after ten minutes without opening, the open period is 30 s again', () => {
  let breaker = openBreaker
  for (let good = 0; good < goodResultsToClose; good += 1)
    breaker = afterSignal(breaker, 'result_good', atSecond(30)) as Breaker
  expect(afterSignal(breaker, 'tripped', atSecond(629))).toMatchObject({ trips: 2 })
  expect(afterSignal(breaker, 'tripped', atSecond(630))).toMatchObject({
    trips: 1,
    openUntilAt: atSecond(660),
  })
})

test('probes start when the open period ends, and repeat 5 s after a failure or 2 s after a success', () => {
  expect(openBreaker.nextProbeAt).toEqual(atSecond(30))
  expect([phaseOf(openBreaker, atSecond(29.999)), phaseOf(openBreaker, atSecond(30))]).toEqual([
    'open',
    'probing',
  ])
  expect(afterSignal(openBreaker, 'probe_good', atSecond(31))?.nextProbeAt).toEqual(atSecond(33))
  expect(afterSignal(openBreaker, 'probe_bad', atSecond(31))?.nextProbeAt).toEqual(atSecond(36))
})

/** A result every `everyMs`: F counts against the account, S does not. */
const resultsOf = (letters: string, everyMs = 100): RecentResults =>
  [...letters].reduce<RecentResults>(
    (recent, letter, nth) => addResult(recent, nth * everyMs, letter === 'F'),
    [],
  )

// biome-ignore format: a table.
test.each([
  ['F'.repeat(9),             false, 'fewer than ten results do not open it'],
  ['F'.repeat(10),            true,  'ten failures'],
  ['SSSSSFFFFF',              true,  'five failures of ten'],
  ['SSSSSSFFFF',              false, 'four failures of ten'],
  [`${'F'.repeat(20)}${'S'.repeat(11)}`, false, 'nine failures of the last twenty'],
  [`${'S'.repeat(500)}${'F'.repeat(9)}`, false, 'nine failures of twenty'],
  [`${'S'.repeat(500)}${'F'.repeat(10)}`, true, 'ten failures of the last twenty, whatever came before'],
])('%s opens the breaker: %s (%s)', (letters, trips) => {
  expect(shouldTrip(resultsOf(letters))).toBe(trips)
})

test('results older than a minute are dropped', () => {
  expect(shouldTrip(resultsOf('F'.repeat(10), 6_600))).toBe(true)
  expect(shouldTrip(resultsOf('F'.repeat(10), 6_700))).toBe(false)
})

test('an open breaker always has a probe time, and a closed one never does', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...signals), fc.integer({ min: 0, max: 700 }))),
      (steps) => {
        let [breaker, second] = [closedBreaker, 0]
        for (const [signal, waitSeconds] of steps) {
          second += waitSeconds
          breaker = afterSignal(breaker, signal, atSecond(second)) ?? breaker
          expect(breaker.nextProbeAt !== null).toBe(breaker.state === 'open')
          expect(breaker.goodInARow).toBeLessThan(goodResultsToClose)
        }
      },
    ),
  )
})
