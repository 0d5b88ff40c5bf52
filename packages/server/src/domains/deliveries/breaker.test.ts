import { expect, test } from 'vitest'
import { afterFailure, afterSuccess, type Breaker, closedBreaker, resumeBreaker } from './breaker.ts'

const failed = (breaker: Breaker, atMs: number) => afterFailure(breaker, atMs, breaker.open)

/** A letter a second: F failed, S succeeded. */
const after = (letters: string, from: Breaker = closedBreaker) =>
  [...letters].reduce(
    (breaker, letter, second) => (letter === 'F' ? failed : afterSuccess)(breaker, second * 1000),
    from,
  )

test.each([
  ['FFFF', false],
  ['FFFFF', true],
  ['FFFFSFFFF', false],
  // Half of the last twenty.
  ['SFSFSFSFSFSFSFSFSFS', false],
  ['SFSFSFSFSFSFSFSFSFSF', true],
  ['SSFSSFSSFSSFSSFSSFSSFSSFSSFSSF', false],
])('after %s it is open: %s', (letters, open) => {
  expect(after(letters).open).toBe(open)
})

test('failures of more than a minute ago are forgotten', () => {
  let breaker = closedBreaker
  for (let nth = 0; nth < 40; nth += 1)
    breaker = (nth % 2 === 0 ? failed : afterSuccess)(breaker, nth * 4_000)
  expect(breaker.open).toBe(false)
})

test('probes wait 5 s, then twice as long each time, at most five minutes', () => {
  let breaker = after('FFFFF')
  const waits = [breaker.probeWaitSeconds]
  for (let nth = 0; nth < 8; nth += 1) {
    breaker = failed(breaker, 10_000 + nth)
    waits.push(breaker.probeWaitSeconds)
  }
  expect(waits).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300])
})

test('one success closes it, and another process goes on where the last one was', () => {
  expect(afterSuccess(after('FFFFF'), 9_000)).toEqual(closedBreaker)
  const left = resumeBreaker({ open: true, probeWaitSeconds: 40, inARow: 7 })
  expect(failed(left, 0)).toMatchObject({ open: true, probeWaitSeconds: 80 })
})

test('failures that lie days apart open it too, whoever saw them', () => {
  const left = resumeBreaker({ open: false, probeWaitSeconds: 0, inARow: 4 })
  expect(failed(left, 0).open).toBe(true)
})

test('what was under way when it opened makes no probe wait longer', () => {
  const opened = after('FFFFF')
  expect(afterFailure(opened, 9_000, false)).toMatchObject({ open: true, probeWaitSeconds: 5 })
})
