import { expect, test } from 'vitest'
import { afterFailure, afterSuccess, type Breaker, closedBreaker, resumeBreaker } from './breaker.ts'

/** A letter a second: F failed, S succeeded. */
const after = (letters: string, from: Breaker = closedBreaker) =>
  [...letters].reduce(
    (breaker, letter, second) => (letter === 'F' ? afterFailure : afterSuccess)(breaker, second * 1000),
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
    breaker = (nth % 2 === 0 ? afterFailure : afterSuccess)(breaker, nth * 4_000)
  expect(breaker.open).toBe(false)
})

test('probes wait 5 s, then twice as long each time, at most five minutes', () => {
  let breaker = after('FFFFF')
  const waits = [breaker.probeWaitSeconds]
  for (let nth = 0; nth < 8; nth += 1) {
    breaker = afterFailure(breaker, 10_000 + nth)
    waits.push(breaker.probeWaitSeconds)
  }
  expect(waits).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300])
})

test('one success closes it, and another process goes on where the last one was', () => {
  expect(afterSuccess(after('FFFFF'), 9_000)).toEqual(closedBreaker)
  expect(afterFailure(resumeBreaker(true, 40), 0)).toMatchObject({ open: true, probeWaitSeconds: 80 })
})
